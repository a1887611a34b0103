import { answerTextOf, JsonError, picked, scanJson, scrub, scrubText } from "../lib/lib.ts";
import type { ScannedJson } from "../lib/lib.ts";
import type { Exchange } from "../platform/outbound-http/outbound-http.ts";

/** The maximum of a response's body that is read and kept, in bytes. */
export const MAX_ANSWER_BYTES = 65_536;
/** The depth that is left for the places where a response is shown. */
const MAX_DEPTH = 50;
const MAX_HEADER_TEXT = 8192;
/** Headers that contain credentials. */
const HIDDEN: ReadonlySet<string> = new Set(["set-cookie", "set-cookie2", "authorization", "proxy-authenticate"]);

/**
 * Returns a response as JSON text, `{status, headers, body, text, truncated}`. `body` is the JSON as it was sent, or null;
 * `text` is any other body that its character set can be read by. Secrets that the response repeats are removed. `expose` limits the members of `body`.
 */
export function answerText(
  { status, headers, body, truncated }: Exchange,
  { secrets, expose }: { readonly secrets: readonly string[]; readonly expose: readonly string[] | null },
): string {
  const whole = body.length === 0 ? undefined : answerTextOf(body, headers["content-type"], { isCut: truncated });
  const scanned = truncated ? undefined : jsonOf(whole);
  const text = scanned === undefined && expose === null ? whole : undefined;
  const shown = text === undefined ? "null" : JSON.stringify(scrubText(text, secrets));
  const kept = JSON.stringify(headersOf(headers, secrets));
  return `{"status":${status ?? "null"},"headers":${kept},"body":${membersOf(scanned, secrets, expose)},"text":${shown},"truncated":${truncated}}`;
}

function membersOf(
  scanned: ScannedJson | undefined,
  secrets: readonly string[],
  expose: readonly string[] | null,
): string {
  if (scanned === undefined) return "null";
  const placed = { scanned, path: [], value: scanned.value };
  return expose === null ? scrub(placed, secrets) : picked(placed, expose, secrets);
}

function headersOf(headers: Readonly<Record<string, string>>, secrets: readonly string[]): Record<string, string> {
  let left = MAX_HEADER_TEXT;
  const kept = Object.entries(headers).filter(([name, value]) => {
    left -= name.length + value.length;
    return left > 0 && !HIDDEN.has(name);
  });
  return Object.fromEntries(kept.map(([name, value]) => [name, scrubText(value, secrets)]));
}

function jsonOf(text: string | undefined): ScannedJson | undefined {
  if (text === undefined) return undefined;
  try {
    return scanJson(Buffer.from(text), MAX_DEPTH);
  } catch (error) {
    if (error instanceof JsonError) return undefined;
    throw error;
  }
}
