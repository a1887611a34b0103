import {
  charsetNamed,
  charsetOfType,
  hexBytes,
  isRecord,
  readMediaType,
  readParameters,
  textIn,
  WorkBudget,
} from "../../lib/lib.ts";
import type { MediaType } from "../../lib/lib.ts";
import { addMember, BodyError, fieldValue, foreignField, jsonField, newMembers, NULL } from "./body-values.ts";
import type { Fields, FieldsCharset, Members, Value } from "./body-values.ts";
import { knownCharset } from "./form.ts";

const MOST_PARTS = 1000;
const MAX_HEADER_BYTES = 16_384;
const MAX_HEADER_LINES = 100;
/** The price of the search for the next delimiter, without that of the bytes that are passed. */
const DELIMITER_UNITS = 5;
const [LF, CR, EQUALS] = [0x0a, 0x0d, 0x3d];

interface Part {
  /** The headers by lower-case name. Each byte is a character. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
}

/**
 * Reads a multipart form (RFC 7578): all fields and files, in any order. Of a file, only the name is kept. A limit refuses the form, it
 * never cuts it.
 */
export function readMultipart(body: Buffer, type: MediaType, { named, fallback }: FieldsCharset): Fields {
  const parts = partsOf(body, delimiterOf(body, type)).map(namedPart);
  const charset = knownCharset(named ?? ownCharset(parts) ?? fallback ?? "utf-8");
  const charsets = charsetsOf(parts);
  const budget = new WorkBudget();
  const value = newMembers();
  for (const part of parts) {
    const name = namedIn(part.disposition, "name", charset) ?? "";
    addMember(value, name, valueOf(name, part, { charset: charsets.get(name) ?? charset, budget }));
  }
  return { value, charset };
}

/** Some senders write a boundary with a comma without quotes, or one in single quotes. */
function delimiterOf(body: Buffer, type: MediaType): Buffer {
  const names = [type.wholeParameter("boundary") ?? "", type.parameter("boundary") ?? ""];
  const known = [...names, ...names.map((name) => name.replace(/^'(.+)'$/, "$1"))]
    .filter((name) => name !== "" && name.length <= 200)
    .map((name) => Buffer.from(`\n--${name}`, "latin1"));
  const last = known.at(-1);
  if (last === undefined) throw unreadable("its boundary is missing");
  return known.find((one) => body.includes(one.subarray(1))) ?? last;
}

function unreadable(why: string): BodyError {
  return new BodyError(`The multipart form cannot be read: ${why}`);
}

/** Delimiters are whole lines. What is in front of the first and behind the last is not a part. */
function partsOf(body: Buffer, delimiter: Buffer): Part[] {
  const budget = new WorkBudget();
  const parts: Part[] = [];
  let line = body.subarray(0, delimiter.length - 1).equals(delimiter.subarray(1))
    ? lineAfter(body, delimiter.length - 1)
    : nextLine(body, delimiter, 0, budget);
  while (line !== undefined && !line.isLast) {
    if (parts.length === MOST_PARTS) throw unreadable("it has too many or too large parts");
    const head = headOf(body, line.end);
    const next = nextLine(body, delimiter, head.end - 1, budget);
    if (next === undefined) throw unreadable("it ends too soon");
    parts.push({ headers: head.headers, body: body.subarray(head.end, Math.max(head.end, next.start)) });
    line = next;
  }
  if (line === undefined) throw unreadable("its boundary does not occur in it");
  return parts;
}

/** The line of a delimiter. `start` is the end of what is in front of it, and `end` the beginning of what is behind it. */
interface Line {
  readonly start: number;
  readonly end: number;
  readonly isLast: boolean;
}

function nextLine(body: Buffer, delimiter: Buffer, from: number, budget: WorkBudget): Line | undefined {
  for (let at = body.indexOf(delimiter, from); at !== -1; at = body.indexOf(delimiter, at + delimiter.length)) {
    budget.spend(DELIMITER_UNITS);
    const line = lineAfter(body, at + delimiter.length);
    if (line !== undefined) return { ...line, start: body[at - 1] === CR ? at - 1 : at };
  }
  return undefined;
}

/** Returns undefined if the line continues: then it is content that begins like a delimiter. */
function lineAfter(body: Buffer, at: number): Line | undefined {
  if (body[at] === 0x2d && body[at + 1] === 0x2d) return { start: 0, end: body.length, isLast: true };
  let end = at;
  while (body[end] === 0x20 || body[end] === 0x09) end += 1;
  if (body[end] === CR) end += 1;
  return body[end] === LF ? { start: 0, end: end + 1, isLast: false } : undefined;
}

function headOf(body: Buffer, from: number): { readonly headers: ReadonlyMap<string, string>; readonly end: number } {
  const headers = new Map<string, string>();
  let last = "";
  let at = from;
  for (let lines = 0; ; lines += 1) {
    const feed = body.indexOf(LF, at);
    if (feed === -1) throw unreadable("a part has no end of its headers");
    if (feed - from > MAX_HEADER_BYTES || lines > MAX_HEADER_LINES)
      throw unreadable("a part has too many or too large headers");
    const line = body.toString("latin1", at, feed).replace(/\r$/, "");
    at = feed + 1;
    if (line === "") return { headers, end: at };
    const colon = line.indexOf(":");
    if (/^[ \t]/.test(line)) headers.set(last, `${headers.get(last) ?? ""} ${line.trim()}`);
    else if (colon > 0) {
      last = line.slice(0, colon).trim().toLowerCase();
      headers.set(last, line.slice(colon + 1).trim());
    }
  }
}

interface NamedPart extends Part {
  readonly disposition: ReadonlyMap<string, string>;
}

function namedPart(part: Part): NamedPart {
  const disposition = readParameters(part.headers.get("content-disposition") ?? "");
  if (!["name", "name*", "name*0", "name*0*"].some((name) => disposition.has(name)))
    throw unreadable("a part has no name");
  return { ...part, disposition };
}

/** RFC 7578, section 4.6: a field of this name has the character set of the parts that name none. */
function ownCharset(parts: readonly NamedPart[]): string | undefined {
  const part = parts.find(({ disposition }) => disposition.get("name") === "_charset_");
  return part === undefined ? undefined : charsetNamed(part.body.toString("latin1", 0, 40).trim());
}

/** SendGrid lists the character sets of its fields in another one. */
function charsetsOf(parts: readonly NamedPart[]): ReadonlyMap<string, string> {
  const part = parts.find(({ disposition }) => disposition.get("name") === "charsets" && !disposition.has("filename"));
  const listed = part === undefined ? undefined : foreignField(part.body);
  return new Map(
    Object.entries(isRecord(listed) ? listed : {}).flatMap(([name, label]) => {
      const charset = typeof label === "string" ? charsetNamed(label) : undefined;
      return charset === undefined ? [] : [[name, charset]];
    }),
  );
}

/** A file is its name. A part that is not text and has no file name is a file without a name. */
function valueOf(
  name: string,
  part: NamedPart,
  { charset, budget }: { readonly charset: string; readonly budget: WorkBudget },
): Value {
  const fileName = namedIn(part.disposition, "filename", charset);
  if (fileName !== undefined) return file(fileName);
  const contentType = part.headers.get("content-type");
  const type = readMediaType(contentType);
  const { essence } = type;
  if (essence === "multipart/mixed") return filesOf(part, type, charset);
  const text = contentOf(part, charsetOfType(contentType) ?? charset);
  if (typeof text === "string") {
    const unmarked = text.replace(/^\uFEFF/, "");
    return isJsonType(essence) ? jsonField(unmarked, budget) : fieldValue(name, unmarked, budget);
  }
  if (essence === "" || essence.startsWith("text/") || isJsonType(essence))
    throw unreadable(`the field ${JSON.stringify(name.slice(0, 100).toWellFormed())} ${text.fault}`);
  return file(NULL);
}

/** Before RFC 7578, several files of one field were a multipart body of their own. */
function filesOf({ body }: NamedPart, type: MediaType, charset: string): Value {
  return partsOf(body, delimiterOf(body, type)).map(({ headers }) =>
    file(namedIn(readParameters(headers.get("content-disposition") ?? ""), "filename", charset) ?? NULL),
  );
}

function contentOf({ headers, body }: NamedPart, label: string): string | { readonly fault: string } {
  const charset = charsetNamed(label);
  if (charset === undefined) return { fault: "has an unknown character set" };
  const bytes = plainBytes(headers, body);
  if (bytes === undefined) return { fault: "is not valid base64, which its Content-Transfer-Encoding names" };
  return textIn(bytes, charset) ?? { fault: `is not valid ${charset}` };
}

function isJsonType(essence: string): boolean {
  return essence === "application/json" || essence.endsWith("+json");
}

function file(name: Value): Members {
  const members = newMembers();
  addMember(members, "file_name", name);
  return members;
}

/**
 * Returns a name, or undefined. RFC 5987 and RFC 2231 let it name its character set and continue in several parameters, which some libraries
 * do although RFC 7578 does not. The plain one next to such a name is an approximation for those who cannot read it.
 */
function namedIn(disposition: ReadonlyMap<string, string>, name: string, charset: string): string | undefined {
  const plain = disposition.get(name);
  const [extended, label] = extendedIn(disposition, name);
  const own = label === "" ? charset : charsetNamed(label);
  if (extended !== undefined && own !== undefined && !own.startsWith("utf-16")) return partNameText(extended, own);
  if (plain !== undefined) return partNameText(unescaped(plain), charset);
  return extended === undefined ? undefined : partNameText(extended, knownCharset(label));
}

/** Returns the bytes of an extended name, and the character set that it names. */
function extendedIn(
  disposition: ReadonlyMap<string, string>,
  name: string,
): readonly [bytes: string | undefined, label: string] {
  const parts: (readonly [text: string, isEncoded: boolean])[] = [];
  const whole = disposition.get(`${name}*`);
  if (whole !== undefined) parts.push([whole, true]);
  while (whole === undefined) {
    const encoded = disposition.get(`${name}*${parts.length}*`);
    const text = encoded ?? disposition.get(`${name}*${parts.length}`);
    if (text === undefined) break;
    parts.push([text, encoded !== undefined]);
  }
  const [first] = parts;
  if (first === undefined) return [undefined, ""];
  const [mark, label = ""] = (first[1] ? /^([\w.:-]{0,40})'[^']*'/.exec(first[0]) : null) ?? [""];
  const texts = parts.map(([text, isEncoded], at) => {
    const rest = at === 0 ? text.slice(mark.length) : text;
    return isEncoded ? hexBytes(Buffer.from(rest, "latin1")).toString("latin1") : rest;
  });
  return [texts.join(""), label];
}

/** Browsers write a quotation mark and the ends of lines of a name so, and nothing else. */
function unescaped(name: string): string {
  return name.replaceAll("%22", '"').replaceAll(/%0A/gi, "\n").replaceAll(/%0D/gi, "\r");
}

function partNameText(bytes: string, charset: string): string {
  const text = textIn(Buffer.from(bytes, "latin1"), charset);
  if (text === undefined) throw unreadable(`the name of a part is not valid ${charset}`);
  return text;
}

/** Programs that write e-mails encode the parts of a form, too. */
function plainBytes(headers: Part["headers"], body: Buffer): Buffer | undefined {
  const encoding = headers.get("content-transfer-encoding")?.toLowerCase();
  if (encoding === "base64") {
    // `Buffer.from` would leave out what is not base64.
    const text = body.toString("latin1").replaceAll(/\s+/g, "");
    return /^[A-Za-z0-9+/]*={0,2}$/.test(text) ? Buffer.from(text, "base64") : undefined;
  }
  if (encoding !== "quoted-printable") return body;
  const text = body.toString("latin1").replaceAll(/=[ \t]*\r?\n/g, "");
  return hexBytes(Buffer.from(text, "latin1"), EQUALS);
}
