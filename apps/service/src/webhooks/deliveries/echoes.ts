import { REDACTED } from "../../lib/lib.ts";
import type { Exchange } from "../../platform/outbound-http/outbound-http.ts";
import type { HeaderValues } from "../endpoints/header-values.ts";
import { credentialsIn } from "../endpoints/redaction-source.ts";

const SNIPPET_BYTES = 1024;
/**
 * The bytes that are read beyond a snippet, so that a value at its end is found whole. Header values are shorter than
 * this.
 */
const BEYOND = 4096;
/** The length from which values are redacted. Shorter values also appear in unrelated texts. */
const SHORTEST = 4;

/**
 * The part of a receiver's response that is kept and shown. Some responses repeat the request and with it its
 * credentials.
 */
interface Shown {
  readonly headers: Readonly<Record<string, string>>;
  /** The first KiB of the body, as text that every database column and every screen can hold. */
  readonly snippet: string;
}

export function shownAnswer({ headers, body }: Pick<Exchange, "headers" | "body">, sent: HeaderValues): Shown {
  const values = credentialsIn(sent)
    .filter((value) => value.length >= SHORTEST)
    .toSorted((a, b) => b.length - a.length);
  const without = (text: string): string => values.reduce((rest, value) => rest.replaceAll(value, REDACTED), text);
  if (values.length === 0) return { headers, snippet: snippet(body) };
  const text = without(new TextDecoder().decode(body.subarray(0, SNIPPET_BYTES + BEYOND)));
  return {
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, without(value)])),
    snippet: snippet(Buffer.from(text)),
  };
}

function snippet(body: Uint8Array): string {
  return printable(new TextDecoder().decode(body.subarray(0, SNIPPET_BYTES)));
}

/**
 * Replaces NUL, which PostgreSQL's text type refuses, with the replacement character, which also stands for bytes that
 * are not UTF-8.
 */
export function printable(text: string): string {
  return text.replaceAll("\u0000", "\ufffd").toWellFormed();
}
