import { REDACTED } from "../../lib/lib.ts";
import type { Exchange } from "../../platform/outbound-http/outbound-http.ts";
import type { HeaderValues } from "../endpoints/header-values.ts";
import { credentialsIn } from "../endpoints/redaction-source.ts";

const SNIPPET_BYTES = 1024;
/** Read beyond the end of a snippet, so that a value across it is found: longer than any value of a header. */
const BEYOND = 4096;
/** Shorter values appear in other texts too. */
const SHORTEST = 4;

/** What is kept and shown of a receiver's answer: some repeat the request, and its credentials with it. */
interface Shown {
  readonly headers: Readonly<Record<string, string>>;
  /** The first KiB of the body as text that any database column and any screen can hold. */
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

/** PostgreSQL's text refuses NUL; the replacement character stands for it, as it does for bytes that are not UTF-8. */
export function printable(text: string): string {
  return text.replaceAll("\u0000", "\ufffd").toWellFormed();
}
