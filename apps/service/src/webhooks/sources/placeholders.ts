import { charsetOfType, locate, readPath } from "../../lib/lib.ts";
import type { ScannedJson, Steps } from "../../lib/lib.ts";
import { BodyError } from "./body-values.ts";
import { readPairs } from "./form.ts";

/** Returns a header's value by its lower-case name. A header that was sent twice is joined, and matches no form. */
export type Header = (name: string) => string | undefined;

/** Returns the look-up of headers whose names are spelled in any way. */
export function headerFrom(headers: Readonly<Record<string, string>>): Header {
  const lower = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  return (name) => lower.get(name);
}

/** The largest body of a sender, in bytes: as sent, and as the JSON that is read from it. */
export const MAX_BODY_BYTES = 1_048_576;

/** A request of a sender, as received. */
export interface SentRequest {
  readonly method: string;
  /** The URL as the sender knows it, with its query: the public address, not the one behind a proxy. */
  readonly url: string;
  readonly header: Header;
  readonly body: Uint8Array;
  /** The character set of the source, for forms that name none. */
  readonly charset?: string | null;
  /** Returns the first 4 KiB of a JSON object, and for a handshake of a form: what may be read before the signature is known to be right. */
  head(use: "scheme" | "handshake"): ScannedJson | undefined;
  /** Returns the whole body as JSON, in which a form or XML is mapped; undefined if it cannot be read. Only after the signature. */
  json(): Promise<ScannedJson | undefined>;
}

/** A text with `{name}` and `{name:argument}`, which stand for parts of a request. */
export type Placeholders = readonly (string | Placeholder)[];

export interface Placeholder {
  readonly name: string;
  /** The name of a header or of a query parameter, or a path in the body. */
  readonly argument: string;
  readonly steps: Steps;
}

const TOKEN = /\{(?<name>body|timestamp|id|url|method|form|hmac|header|query)(?::(?<argument>[^{}]{1,600}))?\}/g;
const WITH_ARGUMENT = new Set(["header", "query"]);
const MAY_HAVE_ARGUMENT = new Set(["header", "query", "body"]);

/**
 * Reads a text such as `v0:{timestamp}:{body}` or `{query:challenge}`. Other braces are ordinary text. Returns undefined
 * if a placeholder lacks its argument, has one too many, or contains a path that is not a singular query.
 */
export function readPlaceholders(text: string): Placeholders | undefined {
  const parts: (string | Placeholder)[] = [];
  let done = 0;
  for (const { index, 0: token, groups } of text.matchAll(TOKEN)) {
    const part = placeholderOf(groups?.["name"] ?? "", groups?.["argument"] ?? "");
    if (part === undefined) return undefined;
    if (index > done) parts.push(text.slice(done, index));
    parts.push(part);
    done = index + token.length;
  }
  if (done < text.length) parts.push(text.slice(done));
  return parts;
}

function placeholderOf(name: string, argument: string): Placeholder | undefined {
  if (argument === "") return WITH_ARGUMENT.has(name) ? undefined : { name, argument, steps: [] };
  if (!MAY_HAVE_ARGUMENT.has(name)) return undefined;
  const path = name === "body" ? readPath(argument) : undefined;
  return name === "body" && path === undefined ? undefined : { name, argument, steps: path?.steps ?? [] };
}

export function hasPlaceholder(parts: Placeholders, name: string): boolean {
  return parts.some((part) => typeof part !== "string" && part.name === name);
}

const VALUES: Readonly<Record<string, (request: SentRequest, part: Placeholder) => string | undefined>> = {
  url: ({ url }) => url,
  method: ({ method }) => method,
  header: ({ header }, { argument }) => header(argument.toLowerCase()),
  query: (request, { argument }) => queryValue(request, argument),
  form: (request) => signedForm(request),
  body: (request, { steps }) => textAt(request.head("scheme"), steps),
};

/** Returns the value of a placeholder as text; empty if the request does not have it. */
export function valueOf(part: Placeholder, request: SentRequest): string {
  return VALUES[part.name]?.(request, part) ?? "";
}

/** Returns true if the text contains the whole body as it was sent. */
export function hasWholeBody(parts: Placeholders): boolean {
  return parts.some((part) => typeof part !== "string" && part.name === "body" && part.argument === "");
}

export function isForm({ header }: Pick<SentRequest, "header">): boolean {
  return /^application\/x-www-form-urlencoded\b/i.test(header("content-type") ?? "");
}

export function queryValue({ url }: Pick<SentRequest, "url">, name: string): string | undefined {
  return new URL(url).searchParams.get(name) ?? undefined;
}

/** Returns a text, number or Boolean of the body as it is spelled; undefined for anything else. */
export function textAt(json: ScannedJson | undefined, steps: Steps): string | undefined {
  const found = json === undefined ? undefined : locate(json.value, steps);
  if (json === undefined || found === undefined || found.value === null || typeof found.value === "object")
    return undefined;
  return typeof found.value === "string" ? found.value : json.slice(found.at);
}

/** Twilio's limit for the text of a message is 1600 characters: a longer form is not one that is signed field by field. */
const MAX_SIGNED_FORM = 65_536;

/**
 * Returns the fields of a form as Twilio signs them: each as its name and value without separators, sorted by name. Of a
 * repeated name, the values are sorted too, and each counts once. Empty for a body that is not a form, and undefined for a form that cannot
 * be read, whose signature would be one of the URL alone.
 */
export function signedForm(request: Pick<SentRequest, "header" | "body" | "charset">): string | undefined {
  if (!isForm(request)) return "";
  const pairs = pairsOf(request);
  if (pairs === undefined) return undefined;
  return [...Map.groupBy(pairs, ([name]) => name).entries()]
    .toSorted(([a], [b]) => inCodeUnits(a, b))
    .flatMap(([name, values]) => valuesOf(values).map((value) => name + value))
    .join("");
}

/** Returns the fields of a small form; undefined if it is larger, or does not fit its character set. */
export function pairsOf(
  { header, body, charset: fallback = null }: Pick<SentRequest, "header" | "body" | "charset">,
  maxBytes = MAX_SIGNED_FORM,
): readonly (readonly [name: string, value: string])[] | undefined {
  if (body.length > maxBytes) return undefined;
  try {
    return readPairs(Buffer.from(body), { named: charsetOfType(header("content-type")), fallback }).pairs;
  } catch (error) {
    if (error instanceof BodyError) return undefined;
    throw error;
  }
}

function valuesOf(pairs: readonly (readonly [string, string])[]): string[] {
  return [...new Set(pairs.map(([, value]) => value))].toSorted(inCodeUnits);
}

function inCodeUnits(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
