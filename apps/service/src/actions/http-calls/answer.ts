import { JsonError, scanJson } from "../../lib/lib.ts";
import type { ScannedJson } from "../../lib/lib.ts";
import type { Exchange } from "../../platform/outbound-http/outbound-http.ts";
import { picked, scrub, scrubText } from "../runs/scrub.ts";

/** The maximum of a response's body that is read and kept, in bytes. */
export const MAX_ANSWER_BYTES = 65_536;
/** The depth that is left for the places where a response is shown. */
const MAX_DEPTH = 50;
const MAX_HEADER_TEXT = 8192;
/** Headers that contain credentials. */
const HIDDEN: ReadonlySet<string> = new Set(["set-cookie", "set-cookie2", "authorization", "proxy-authenticate"]);

/**
 * Returns a response as JSON text, `{status, headers, body, text, truncated}`. `body` is the JSON as it was sent, or null;
 * `text` is any other body. Secrets that the response repeats are removed. `expose` limits the members of `body`.
 */
export function answerText(
  { status, headers, body, truncated }: Exchange,
  { secrets, expose }: { readonly secrets: readonly string[]; readonly expose: readonly string[] | null },
): string {
  const scanned = truncated ? undefined : jsonOf(body);
  const placed = scanned === undefined ? undefined : { scanned, path: [], value: scanned.value };
  const json =
    placed === undefined ? "null" : expose === null ? scrub(placed, secrets) : picked(placed, expose, secrets);
  const isText = scanned === undefined && body.length > 0 && expose === null;
  const text = isText ? scrubText(body.toString("utf8").toWellFormed(), secrets) : null;
  const kept = JSON.stringify(headersOf(headers, secrets));
  return `{"status":${status ?? "null"},"headers":${kept},"body":${json},"text":${JSON.stringify(text)},"truncated":${truncated}}`;
}

function headersOf(headers: Readonly<Record<string, string>>, secrets: readonly string[]): Record<string, string> {
  let left = MAX_HEADER_TEXT;
  const kept = Object.entries(headers).filter(([name, value]) => {
    left -= name.length + value.length;
    return left > 0 && !HIDDEN.has(name);
  });
  return Object.fromEntries(kept.map(([name, value]) => [name, scrubText(value, secrets)]));
}

function jsonOf(body: Buffer): ScannedJson | undefined {
  if (body.length === 0) return undefined;
  try {
    return scanJson(body, MAX_DEPTH);
  } catch (error) {
    if (error instanceof JsonError) return undefined;
    throw error;
  }
}
