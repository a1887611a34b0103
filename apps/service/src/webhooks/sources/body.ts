import { isUtf8 } from "node:buffer";
import {
  charsetOfType,
  codingsOf,
  exactNumber,
  hasFault,
  JsonError,
  nextTurn,
  parseNameless,
  parseScalars,
  readMediaType,
  scanJson,
  TooExpensiveError,
  undoCoding,
  UNITS_PER_MS,
  utf8Of,
  WorkBudget,
} from "../../lib/lib.ts";
import type { MediaType, ScannedJson } from "../../lib/lib.ts";
import { BodyError, jsonOf, MAX_DEPTH } from "./body-values.ts";
import type { Value } from "./body-values.ts";
import { readForm } from "./form.ts";
import { readMultipart } from "./multipart.ts";
import { MAX_BODY_BYTES } from "./placeholders.ts";
import type { Header } from "./placeholders.ts";
import { unknownCoding } from "./signed-bytes.ts";
import { declaredCharset, xmlValue } from "./xml.ts";

export const BODY_KINDS = ["empty", "json", "form", "multipart", "xml", "text"] as const;
export type BodyKind = (typeof BODY_KINDS)[number];

/** How a body was read, as its receipt shows it. What it ended at is the last that is known. */
export interface Reading {
  /** The media type without its parameters; null if none was sent, or none that is well formed. */
  readonly content_type: string | null;
  /** The codings as they were sent, such as `gzip`; null without one. */
  readonly coding: string | null;
  readonly charset: string | null;
  readonly kind: BodyKind | null;
}

/** Something about a body that its sender did not do well. */
export interface BodyWarning {
  readonly field: string;
  readonly message: string;
}

export interface ReadValue extends ScannedJson {
  readonly as: Reading;
  readonly warnings: readonly BodyWarning[];
}

/** A body as JSON, or why it cannot be read. */
export type ReadBody = ReadValue | { readonly reason: string; readonly as: Reading; readonly isUnknownCoding?: true };

/** A body as it was sent. */
export interface SentBody {
  readonly body: Uint8Array;
  readonly header: Header;
  /** The character set of the source, for bodies that name none. */
  readonly charset: string | null;
}

/** No text of people and no list of equal elements compresses better than this. Formats other than gzip could reach a million. */
const CODING_LIMITS = { maxBytes: MAX_BODY_BYTES, maxRatio: 1000 };

/**
 * Reads a body (contract, section 13): its coding is undone, its mark skipped, its character set decoded, and then it is JSON, a form, a
 * multipart form, XML or text. The result is the JSON that a mapping and an event use; of a JSON body, it keeps the text. Never throws
 * because of the body, and never changes a character.
 */
export async function readBody({ body, header, charset }: SentBody): Promise<ReadBody> {
  const type = header("content-type");
  const sentCoding = header("content-encoding") ?? "";
  const media = readMediaType(type);
  const as: Draft = {
    content_type: media.essence === "" ? null : media.essence,
    coding: codingsOf(sentCoding).length === 0 ? null : sentCoding.trim().toLowerCase().slice(0, 100),
    charset: null,
    kind: null,
  };
  try {
    const raw = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
    const plain = as.coding === null ? raw : await undoCoding(raw, sentCoding, CODING_LIMITS);
    if (!Buffer.isBuffer(plain) && plain.kind === "unknown")
      return { reason: unknownCoding(sentCoding), as, isUnknownCoding: true };
    const bytes = Buffer.isBuffer(plain) ? plain : undone(plain);
    return await valueOf(bytes, { media, named: charsetOfType(type), fallback: charset }, as);
  } catch (error) {
    return { reason: reasonOf(error), as };
  }
}

export function isRead(body: ReadBody): body is ReadValue {
  return !("reason" in body);
}

/** The same while it is being found out. */
type Draft = { -readonly [Name in keyof Reading]: Reading[Name] };

/** Returns the body of a coding that could be undone. */
function undone(result: Exclude<Awaited<ReturnType<typeof undoCoding>>, { readonly kind: "unknown" }>): Buffer {
  if (result.kind === "undone") return result.body;
  throw new BodyError(
    result.isTooLarge
      ? `The body is larger than 1 MiB, or more than ${CODING_LIMITS.maxRatio} times its compressed size, without its Content-Encoding ${result.coding}`
      : `The body is not complete and valid ${result.coding}, which its Content-Encoding names`,
  );
}

function reasonOf(error: unknown): string {
  if (error instanceof JsonError)
    return error.reason === "utf8" ? error.message.replace(/\.$/, "") : `The body is not valid JSON: ${error.message}`;
  if (error instanceof TooExpensiveError) return "The body takes too long to read";
  if (error instanceof BodyError) return error.message;
  throw error;
}

interface Hints {
  readonly media: MediaType;
  /** The character set that the header names. */
  readonly named: string | undefined;
  readonly fallback: string | null;
}

async function valueOf(bytes: Buffer, hints: Hints, as: Draft): Promise<ReadBody> {
  if (bytes.length === 0) {
    as.kind = "empty";
    return { ...scanJson(EMPTY), as, warnings: [] };
  }
  const fields = fieldsReader(bytes, hints);
  if (fields !== undefined) {
    as.kind = fields.kind;
    const { value, charset } = fields.read();
    as.charset = charset;
    return { ...scanned(value), as, warnings: [] };
  }
  const { named = declaredCharset(bytes), fallback, media } = hints;
  const decoded = await utf8Of(bytes, { named, fallback });
  if (hasFault(decoded)) throw new BodyError(decoded.reason);
  as.charset = decoded.charset;
  as.kind = kindOf(decoded.bytes, media.essence);
  if (as.kind === "empty") return { ...scanJson(EMPTY), as, warnings: [] };
  if (as.kind === "json") return await jsonBody(decoded.bytes, as, isJsonLines(media.essence));
  const json = as.kind === "xml" ? scanned(await xmlValue(utf8Text(decoded.bytes))) : textOrJson(decoded.bytes);
  return { ...json, as, warnings: [] };
}

const EMPTY = Buffer.from("null");

/** Returns the reader of a form, whose bytes have several character sets. Senders often give JSON another type: `curl -d` calls it a form. */
function fieldsReader(bytes: Buffer, { media, named, fallback }: Hints) {
  if (looksLikeJson(bytes)) return undefined;
  const unmarked = withoutMark(bytes);
  if (media.essence === FORM_TYPE && firstByte(unmarked) !== LESS_THAN)
    return { kind: "form" as const, read: () => readForm(unmarked, { named, fallback }) };
  if (media.essence === "multipart/form-data")
    return { kind: "multipart" as const, read: () => readMultipart(unmarked, media, { named, fallback }) };
  return undefined;
}

const FORM_TYPE = "application/x-www-form-urlencoded";
/** No name of a field begins with it, which is encoded there. */
const LESS_THAN = 0x3c;
/** The media types that say nothing about a body. `curl -d` calls everything a form. */
const NO_TYPES = new Set(["", "*/*", "application/octet-stream", "binary/octet-stream", FORM_TYPE]);
const XML = /^(?:application|text)\/xml$|\+xml$/;
const JSON_TYPE = /^(?:application|text)\/(?:x-)?json$|\+json$/;

function kindOf(bytes: Buffer, essence: string): BodyKind {
  const first = firstByte(bytes);
  const isJson = JSON_TYPE.test(essence) || isJsonLines(essence);
  if (first === undefined && (isJson || XML.test(essence))) return "empty";
  if (isBracket(first) || isJson) return "json";
  return XML.test(essence) || (first === LESS_THAN && NO_TYPES.has(essence)) ? "xml" : "text";
}

/** Returns true if the first character that is not a space begins an object or an array. */
export function looksLikeJson(body: Uint8Array): boolean {
  return isBracket(firstByte(withoutMark(body)));
}

function isBracket(byte: number | undefined): boolean {
  return byte === 0x7b || byte === 0x5b;
}

const [SPACE, BEYOND_SPACE] = [0x20, 0x21];

function firstByte(body: Uint8Array): number | undefined {
  let at = 0;
  while ((body[at] ?? BEYOND_SPACE) <= SPACE) at += 1;
  return body[at];
}

/** Returns a body without the byte order mark of UTF-8. */
export function withoutMark<Bytes extends Uint8Array>(body: Bytes): Bytes {
  return body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? (body.subarray(3) as Bytes) : body;
}

/** Names with escapes take long to read. Senders that escape every letter beyond ASCII send some 200 KiB of them within this. */
const JSON_UNITS = 50 * UNITS_PER_MS;

function readJson(body: Uint8Array): ScannedJson {
  return scanJson(body, MAX_DEPTH, new WorkBudget(JSON_UNITS));
}

const JSON_LINES = /^application\/(?:x-)?(?:ndjson|nd-json|jsonl|json-?lines|json-seq)$/;

/** Returns true for the media types of several JSON texts: one a line, or each behind a record separator (RFC 7464). */
export function isJsonLines(essence: string): boolean {
  return JSON_LINES.test(essence);
}

/** Returns the JSON texts as one list; undefined if the separators are not between them. */
function jsonLines(text: string): ScannedJson | undefined {
  const separator = text.includes(RECORD) ? RECORD : "\n";
  const lines = text.split(separator).filter((line) => line.trim() !== "");
  const list = readJson(Buffer.from(`[${lines.join(",")}]`));
  return Array.isArray(list.value) && list.value.length === lines.length ? list : undefined;
}

const RECORD = "\u001E";

/**
 * Reads JSON of a sender. A name that is repeated in an object is one that the receiver cannot correct: its last value stands, as in most
 * readers, so that the text of the payload has it once.
 */
async function jsonBody(bytes: Buffer, as: Reading, isLines: boolean): Promise<ReadBody> {
  try {
    return { ...readJson(bytes), as, warnings: [] };
  } catch (error) {
    const list =
      isLines && error instanceof JsonError && error.reason === "syntax" ? jsonLines(utf8Text(bytes)) : undefined;
    if (list !== undefined) return { ...list, as, warnings: [] };
    if (!(error instanceof JsonError) || error.reason !== "duplicate_name") throw error;
    await nextTurn();
    const numbers = (text: string): unknown => (/^[-\d]/.test(text) ? exactNumber(text) : parseNameless(text));
    const once = JSON.stringify(parseScalars(bytes.toString("utf8"), numbers));
    const message = `${error.message.replace(/\.$/, "")}: its last value is used`;
    return { ...readJson(Buffer.from(once)), as, warnings: [{ field: "payload", message }] };
  }
}

/** A control character becomes six bytes, so that a small body could become a large payload. */
function scanned(value: Value): ScannedJson {
  const text = jsonOf(value);
  if (text.length > MAX_BODY_BYTES) throw new BodyError("The body is larger than 1 MiB as JSON");
  return readJson(Buffer.from(text));
}

/** A text that is not JSON is a JSON string. */
function textOrJson(body: Buffer): ScannedJson {
  try {
    return readJson(body);
  } catch (error) {
    if (!(error instanceof JsonError) || error.reason !== "syntax") throw error;
    return scanned(utf8Text(body));
  }
}

function utf8Text(body: Buffer): string {
  if (!isUtf8(body)) throw new BodyError("The body is not valid utf-8");
  return body.toString("utf8");
}
