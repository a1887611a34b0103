import { JsonError, scanJson, TooExpensiveError, UNITS_PER_MS, WorkBudget } from "../../lib/lib.ts";
import type { ScannedJson } from "../../lib/lib.ts";
import { addMember, BodyError, fieldValue, jsonOf, MAX_DEPTH, MAX_PARTS, newMembers } from "./body-values.ts";
import type { Members, Value } from "./body-values.ts";
import { multipartValue } from "./multipart.ts";
import { xmlValue } from "./xml.ts";

/** A body as JSON, or why it cannot be read. */
export type ReadBody = ScannedJson | { readonly reason: string };

type Reader = (body: Uint8Array, contentType: string) => ScannedJson | Promise<ScannedJson>;

const READERS: Readonly<Record<string, Reader>> = {
  "application/x-www-form-urlencoded": (body) => scanned(formValue(body)),
  "multipart/form-data": async (body, contentType) => scanned(await multipartValue(contentType, body)),
  "application/xml": async (body) => scanned(await xmlValue(body)),
  "text/xml": async (body) => scanned(await xmlValue(body)),
  "text/plain": textOrJson,
};

/**
 * Reads a body by its content type (contract, section 12): JSON, a form, the fields of a multipart form, XML, or text.
 * The result is the JSON that a mapping and an event use. A JSON body keeps its text. An absent or unknown type is read
 * as JSON.
 */
export async function readBody(contentType: string | undefined, body: Uint8Array): Promise<ReadBody> {
  try {
    return await readerOf(contentType ?? "", body)(body, contentType ?? "");
  } catch (error) {
    if (error instanceof JsonError) return { reason: `The body is not valid JSON: ${error.message}` };
    if (error instanceof TooExpensiveError) return { reason: "The body takes too long to read" };
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
  if (type.endsWith("+xml")) return async (text) => scanned(await xmlValue(text));
  return Object.hasOwn(READERS, type) ? (READERS[type] ?? readJson) : readJson;
}

/** Returns true if the first character that is not a space begins an object or an array. */
export function looksLikeJson(body: Uint8Array): boolean {
  const first = body.find((byte) => byte > 0x20);
  return first === 0x7b || first === 0x5b;
}

/** Names with escapes take long to read. Senders that escape every letter beyond ASCII send some 200 KiB of them within this. */
const JSON_UNITS = 50 * UNITS_PER_MS;

function readJson(body: Uint8Array): ScannedJson {
  return scanJson(body, MAX_DEPTH, new WorkBudget(JSON_UNITS));
}

/** A control character becomes six bytes, so that a small body could become a large payload. */
function scanned(value: Value): ScannedJson {
  const text = jsonOf(value);
  if (text.length > MAX_JSON_BYTES) throw new BodyError("The body is larger than 1 MiB as JSON");
  return readJson(Buffer.from(text));
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

const MAX_JSON_BYTES = 1_048_576;

function formValue(body: Uint8Array): Members {
  const value = newMembers();
  const budget = new WorkBudget();
  let count = 0;
  for (const [name, text] of new URLSearchParams(Buffer.from(body).toString("utf8"))) {
    count += 1;
    if (count > MAX_PARTS) throw new BodyError(`The form has more than ${MAX_PARTS} fields`);
    addMember(value, name, fieldValue(name, text, budget));
  }
  return value;
}
