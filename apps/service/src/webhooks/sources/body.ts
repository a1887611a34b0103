import { JsonError, scanJson } from "../../lib/lib.ts";
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

function readerOf(contentType: string, body: Uint8Array): Reader {
  // Senders often give JSON another type: `curl -d` calls it a form.
  if (looksLikeJson(body)) return readJson;
  const type = contentType.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  if (type.endsWith("+xml")) return (text) => scanned(xmlValue(text));
  return Object.hasOwn(READERS, type) ? (READERS[type] ?? readJson) : readJson;
}

/** Returns true if the first character that is not a space begins an object or an array. */
function looksLikeJson(body: Uint8Array): boolean {
  const first = body.find((byte) => byte > 0x20);
  return first === 0x7b || first === 0x5b;
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
    addMember(value, name, fieldValue(name, text));
  }
  return value;
}
