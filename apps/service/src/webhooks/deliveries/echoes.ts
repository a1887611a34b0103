import { answerTextOf, REDACTED } from "../../lib/lib.ts";
import type { Hidden } from "../../lib/lib.ts";
import type { Exchange } from "../../platform/outbound-http/outbound-http.ts";
import type { HeaderValues } from "../requests/header-values.ts";
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
interface ShownAnswer {
  readonly headers: Readonly<Record<string, string>>;
  /** The first KiB of the body, as text that every database column and every screen can hold. */
  readonly snippet: string;
}

export function shownAnswer(
  { headers, body }: Pick<Exchange, "headers" | "body">,
  sent: HeaderValues,
  credentials: readonly Hidden[] = [],
): ShownAnswer {
  const values = [...credentialsIn(sent), ...credentials.map((one) => one.reveal())]
    .filter((value) => value.length >= SHORTEST)
    .toSorted((a, b) => b.length - a.length);
  const without = (text: string): string => values.reduce((rest, value) => rest.replaceAll(value, REDACTED), text);
  const type = headers["content-type"];
  if (values.length === 0) return { headers, snippet: printable(beginningOf(body, type, SNIPPET_BYTES)) };
  const text = without(beginningOf(body, type, SNIPPET_BYTES + BEYOND));
  return {
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, without(value)])),
    snippet: printable(beginningOf(Buffer.from(text), undefined, SNIPPET_BYTES)),
  };
}

/** Bytes that do not fit their character set are shown as those of UTF-8 that are not. */
function beginningOf(body: Uint8Array, type: string | undefined, maxBytes: number): string {
  const bytes = body.subarray(0, maxBytes);
  return answerTextOf(bytes, type, { isCut: body.length > maxBytes }) ?? new TextDecoder().decode(bytes);
}

/**
 * Replaces NUL, which PostgreSQL's text type refuses, with the replacement character, which also stands for bytes that
 * are not UTF-8.
 */
export function printable(text: string): string {
  return text.replaceAll("\u0000", "\ufffd").toWellFormed();
}
