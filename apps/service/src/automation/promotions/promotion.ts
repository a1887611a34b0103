import { REDACTED, resultOf } from "../../lib/lib.ts";
import type { Id, Promotion, Uuid, Violation } from "../../lib/lib.ts";
import type { RevealedWebhook } from "../../webhooks/webhooks.ts";

/** The objects that an action or a step names, as a promotion to live finds them. */
export interface References {
  /** The references that live does not have, with pointers below the action or step. */
  readonly faults: readonly Violation[];
  /** Ids of sandbox objects, with the ids of the live objects that replace them. */
  readonly replaced: ReadonlyMap<string, string>;
}

/** Returns the sandbox object, and its version, that a live object was promoted from last. */
export function promotedFrom(
  { promoted_from: id, promoted_version: version }: PromotedColumns,
  idOf: (id: Uuid) => Id,
): { readonly id: Id; readonly version: number } | null {
  return id === null || version === null ? null : { id: idOf(id), version };
}

interface PromotedColumns {
  readonly promoted_from: Uuid | null;
  readonly promoted_version: number | null;
}

/** Returns the text with other ids. An id in it is a whole string, so that its quotation marks delimit it. */
export function withIds(text: string, replaced: ReadonlyMap<string, string>): string {
  let out = text;
  for (const [from, to] of replaced) out = out.replaceAll(JSON.stringify(from), JSON.stringify(to));
  return out;
}

interface Revealed {
  readonly webhooks: readonly RevealedWebhook[];
}

/**
 * Returns the headers that both documents have with different values, which are shown as `[redacted]`. Values that
 * cannot be decrypted count as different.
 */
export function headerDifference(live: () => Revealed, source: () => Revealed): Promotion["difference"] {
  const [before, after] = [valuesOf(live), valuesOf(source)];
  return [...after].flatMap(([path, value]) =>
    before.has(path) && before.get(path) !== value ? [{ path, from: REDACTED, to: REDACTED }] : [],
  );
}

function valuesOf(reveal: () => Revealed): ReadonlyMap<string, string> {
  const revealed = resultOf(reveal);
  return revealedHeaders(revealed instanceof Error ? { webhooks: [] } : revealed);
}

/** Returns the values of headers by their pointers in the document. */
export function revealedHeaders({ webhooks }: Revealed): ReadonlyMap<string, string> {
  return new Map(
    webhooks.flatMap(({ path, headers }) =>
      Object.entries(headers).map(([name, value]): [string, string] => [`${path}/headers/${name}`, value]),
    ),
  );
}

/** Returns what to know before a promotion of a document with webhooks. */
export function warningsOf(
  document: string,
  { effect, difference }: Pick<Promotion, "effect" | "difference">,
): string[] {
  const warnings: string[] = [];
  if (document.includes(JSON.stringify(REDACTED)))
    warnings.push("The values of webhook headers are copied from the sandbox. Check that they are valid in live.");
  if (effect === "update" && difference.length === 0)
    warnings.push("The definitions differ only in their spelling, such as spaces or the digits of a number.");
  return warnings;
}
