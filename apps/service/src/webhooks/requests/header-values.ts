import { hide, parseJson, pointerOf, REDACTED } from "../../lib/lib.ts";
import type { Hidden, Sealer, Violation } from "../../lib/lib.ts";

/** The values of headers by their names. They often contain receivers' credentials. */
export type HeaderValues = ReadonlyMap<string, Hidden>;

/**
 * The headers of a row: each name with `[redacted]`, and the encrypted values. A row of an earlier version has a value
 * in plain text.
 */
export interface KeptHeaders {
  readonly headers: unknown;
  readonly headers_sealed: Buffer | null;
}

type Path = readonly (string | number)[];

export function headersPlace(endpointId: string): string {
  return `endpoint:${endpointId}:headers`;
}

/** Returns the names, each with `[redacted]`, for responses and for the database. */
export function shownHeaders(headers: unknown): Record<string, string> {
  return Object.fromEntries(Object.keys(headers as object).map((name) => [name, REDACTED]));
}

export function hasHeaders(headers: unknown): boolean {
  return Object.keys(headers as object).length > 0;
}

/** Throws if a value was sealed with another master key or is missing. */
export function openHeaders(
  sealer: Sealer,
  place: string,
  { headers, headers_sealed: sealed }: KeptHeaders,
): HeaderValues {
  const shown = Object.entries(headers as Readonly<Record<string, string>>);
  if (!shown.some(([, value]) => value === REDACTED)) return hideAll(shown);
  if (sealed === null) throw new Error("the values of headers are missing");
  return joinHeaders(
    shown,
    hideAll(Object.entries(parseJson(sealer.open(sealed, place).reveal()) as Record<string, string>)),
  );
}

/** Replaces `[redacted]` with the kept value of the same name. Throws if there is none. */
export function joinHeaders(shown: readonly (readonly [string, string])[], kept: HeaderValues): HeaderValues {
  return new Map(
    shown.map(([name, value]) => {
      const found = value === REDACTED ? kept.get(name) : hide(value);
      if (found === undefined) throw new Error("the value of a header is missing");
      return [name, found];
    }),
  );
}

export function hideAll(headers: readonly (readonly [string, string])[]): HeaderValues {
  return new Map(headers.map(([name, value]) => [name, hide(value)]));
}

export function sealHeaders(
  sealer: Sealer,
  place: string,
  values: HeaderValues,
): { readonly headers: string; readonly headers_sealed: Buffer | null } {
  const plain = revealHeaders(values);
  return {
    headers: JSON.stringify(shownHeaders(plain)),
    headers_sealed: values.size === 0 ? null : sealer.seal(JSON.stringify(plain), place),
  };
}

/** Reveals the values, for the request that is sent and for an owner who asks to see them. */
export function revealHeaders(values: HeaderValues): Record<string, string> {
  return Object.fromEntries([...values].map(([name, value]) => [name, value.reveal()]));
}

/**
 * Returns the values that a caller means. `[redacted]` means the kept value of that name, in any case. A name without a
 * kept value is a violation at `<place>/headers/<name>`.
 */
export function meantHeaders(
  given: Readonly<Record<string, string>>,
  kept: HeaderValues,
  place: Path,
): { readonly values: HeaderValues; readonly violations: readonly Violation[] } {
  const byName = new Map([...kept].map(([name, value]) => [name.toLowerCase(), value]));
  const values = new Map<string, Hidden>();
  const violations: Violation[] = [];
  for (const [name, value] of Object.entries(given)) {
    const found = value === REDACTED ? byName.get(name.toLowerCase()) : hide(value);
    if (found === undefined) violations.push(notKept([...place, "headers", name]));
    else values.set(name, found);
  }
  return { values, violations };
}

function notKept(path: Path): Violation {
  return {
    pointer: pointerOf(path),
    code: "header_value_not_kept",
    message: `must be the actual value: ${REDACTED} keeps a value only for the same header of the same URL`,
  };
}
