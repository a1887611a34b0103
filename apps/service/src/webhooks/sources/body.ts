import { JsonError, scanJson, scanKnownJson } from "../../lib/lib.ts";
import type { ScannedJson } from "../../lib/lib.ts";
import { addMember, BodyError, fieldValue, jsonOf, MAX_DEPTH, MAX_PARTS, newMembers } from "./body-values.ts";
import type { Members, Value } from "./body-values.ts";
import { multipartValue } from "./multipart.ts";
import { xmlValue } from "./xml.ts";

/** A body as JSON, or why it cannot be read. */
export type ReadBody = ScannedJson | { readonly reason: string };

type Reader = (body: Uint8Array, contentType: string) => ScannedJson;

const READERS: Readonly<Record<string, Reader>> = {
  "application/x-www-form-urlencoded": (body) => scanned(formValue(body)),
  "multipart/form-data": (body, contentType) => scanned(multipartValue(contentType, body)),
  "application/xml": (body) => scanned(xmlValue(body)),
  "text/xml": (body) => scanned(xmlValue(body)),
  "text/plain": textOrJson,
};

/**
 * Reads a body by its content type (contract, section 12): JSON, a form, the fields of a multipart form, XML, or text.
 * The result is the JSON that a mapping and an event use. A JSON body keeps its text. An absent or unknown type is read
 * as JSON.
 */
export function readBody(contentType: string | undefined, body: Uint8Array): ReadBody {
  try {
    return readerOf(contentType ?? "", body)(body, contentType ?? "");
  } catch (error) {
    if (error instanceof JsonError) return { reason: `The body is not valid JSON: ${error.message}` };
    if (error instanceof BodyError) return { reason: error.message };
    throw error;
  }
}

export function isRead(body: ReadBody): body is ScannedJson {
  return !("reason" in body);
}

/** The longest body that a signature is looked for in: a notification of Amazon SNS has at most 256 KiB. */
const MAX_PROOF_BYTES = 300_000;

/**
 * Reads a JSON object in which a scheme finds its signature, before it is known who sent it. It costs little for any body, and says
 * nothing of what the body means: a name that is repeated or deep is found by `readBody` later. Undefined for anything else.
 */
export function readProof(body: Uint8Array): ScannedJson | undefined {
  if (body.length > MAX_PROOF_BYTES || firstOf(body) !== 0x7b) return undefined;
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body);
    const value: unknown = JSON.parse(text);
    return { value, text, slice: (path) => scanKnownJson(text).slice(path) };
  } catch {
    return undefined;
  }
}

function readerOf(contentType: string, body: Uint8Array): Reader {
  // Senders often give JSON another type: `curl -d` calls it a form.
  if (looksLikeJson(body)) return readJson;
  const type = contentType.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  if (type.endsWith("+xml")) return (text) => scanned(xmlValue(text));
  return Object.hasOwn(READERS, type) ? (READERS[type] ?? readJson) : readJson;
}

/** Returns true if the first character that is not a space begins an object or an array. */
export function looksLikeJson(body: Uint8Array): boolean {
  const first = firstOf(body);
  return first === 0x7b || first === 0x5b;
}

function firstOf(body: Uint8Array): number | undefined {
  return body.find((byte) => byte > 0x20);
}

function readJson(body: Uint8Array): ScannedJson {
  return scanJson(body, MAX_DEPTH);
}

function scanned(value: Value): ScannedJson {
  return readJson(Buffer.from(jsonOf(value)));
}

/** A text that is not JSON is a JSON string. */
function textOrJson(body: Uint8Array): ScannedJson {
  try {
    return readJson(body);
  } catch (error) {
    if (!(error instanceof JsonError) || error.reason !== "syntax") throw error;
    return scanned(Buffer.from(body).toString("utf8"));
  }
}

function formValue(body: Uint8Array): Members {
  const value = newMembers();
  let count = 0;
  for (const [name, text] of new URLSearchParams(Buffer.from(body).toString("utf8"))) {
    count += 1;
    if (count > MAX_PARTS) throw new BodyError(`The form has more than ${MAX_PARTS} fields`);
    addMember(value, name, fieldValue(name, text, value));
  }
  return value;
}
