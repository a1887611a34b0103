import { isUtf8 } from "node:buffer";
import { readMediaType } from "./media-type.ts";
import { nextTurn } from "./next-turn.ts";

/** A text as bytes of UTF-8 without a byte order mark, and the character set that it was sent in. */
export interface DecodedBytes {
  readonly bytes: Buffer;
  /** The name of the Encoding Standard, such as `windows-1252`. */
  readonly charset: string;
}

/** Why bytes cannot be read as text. It is shown to people. */
export interface CharsetFault {
  readonly reason: string;
}

/** The character sets that a text may be in, by precedence. */
export interface CharsetChoice {
  /** The one that the text's own header or declaration names. */
  readonly named?: string | undefined;
  /** The one of a text that names none and has no mark. Default: UTF-8. */
  readonly fallback?: string | null | undefined;
}

const MARKS: readonly (readonly [charset: string, bytes: Buffer])[] = [
  ["utf-8", Buffer.from([0xef, 0xbb, 0xbf])],
  ["utf-32le", Buffer.from([0xff, 0xfe, 0, 0])],
  ["utf-16le", Buffer.from([0xff, 0xfe])],
  ["utf-16be", Buffer.from([0xfe, 0xff])],
];

const decoders = new Map<string, TextDecoder>();

/** Returns the name of a character set that the service reads, or undefined. */
export function charsetNamed(label: string): string | undefined {
  return decoderOf(label)?.encoding;
}

/** Names of Java, Python and Windows for character sets that the Encoding Standard knows by others. */
const OTHER_NAMES: readonly (readonly [names: RegExp, standard: string])[] = [
  [/^(?:cp65001|utf-?8-(?:sig|mac)|utf8mb[34])$/, "utf-8"],
  [/^(?:cp|ms|windows-|x-windows-)(?:932|31j)$/, "shift_jis"],
  [/^(?:cp|ms|windows-|x-windows-)949$|^uhc$/, "euc-kr"],
  [/^(?:cp|ms|windows-)936$/, "gbk"],
  [/^(?:cp|ms|windows-)950$/, "big5"],
  [/^(?:x-)?euc-?jp$/, "euc-jp"],
  [/^euckr$/, "euc-kr"],
  [/^koi8-?r$/, "koi8-r"],
  [/^koi8-?u$/, "koi8-u"],
  [/^utf-?16-?le$/, "utf-16le"],
  [/^utf-?16-?be$/, "utf-16be"],
  [/^iso-?8859-1(?::1987)?$|^latin-1$/, "iso-8859-1"],
  [/^latin-?9$/, "iso-8859-15"],
];

/** Returns the standard's name of a character set, for names that programs spell otherwise. */
function standardName(label: string): string {
  const name = label.replaceAll("_", "-").replace(/^(?:win|windows)-?(?=125\d$)/, "windows-");
  return OTHER_NAMES.find(([names]) => names.test(name))?.[1] ?? name;
}

function decoderOf(label: string): TextDecoder | undefined {
  const name = label.trim().toLowerCase();
  return newDecoder(name) ?? newDecoder(standardName(name));
}

/** A decoder takes 20 microseconds to make. There are about 200 labels, so that strangers cannot fill the map. */
function newDecoder(name: string): TextDecoder | undefined {
  const known = decoders.get(name);
  if (known !== undefined) return known;
  try {
    const decoder = new TextDecoder(name, { fatal: true, ignoreBOM: true });
    decoders.set(name, decoder);
    return decoder;
  } catch {
    return undefined;
  }
}

export function hasFault(found: object): found is CharsetFault {
  return "reason" in found;
}

/**
 * Returns a text as UTF-8: its bytes themselves if they are in UTF-8 already, in which case they are not checked. One byte order mark is
 * left out. Never replaces a character: bytes that do not fit are a fault.
 */
export async function utf8Of(raw: Buffer, choice: CharsetChoice): Promise<DecodedBytes | CharsetFault> {
  const plan = planOf(raw, choice);
  if (hasFault(plan)) return plan;
  if (plan.charset === "utf-8") return plan;
  try {
    return { bytes: await transcoded(plan), charset: plan.charset };
  } catch {
    return { reason: misfit(plan.charset) };
  }
}

/** Returns a text with all that it has, a mark too; undefined for bytes that do not fit. */
export function textIn(raw: Buffer, charset: string): string | undefined {
  if (charset === "utf-8") return isUtf8(raw) ? raw.toString("utf8") : undefined;
  try {
    return decoderFor(charset)(raw);
  } catch {
    return undefined;
  }
}

/**
 * Returns the text of an answer of at most a few hundred KiB, by the character set of its `Content-Type` or its mark, or why it cannot be
 * read. Of a body that was cut, an incomplete last character is left out.
 */
export function readAnswerText(
  body: Uint8Array,
  contentType: string | undefined,
  { isCut = false } = {},
): { readonly text: string } | CharsetFault {
  const raw = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const plan = planOf(raw, { named: charsetOfType(contentType) });
  if (hasFault(plan)) return plan;
  const text = isCut ? beginningIn(plan) : textIn(plan.bytes, plan.charset);
  return text === undefined ? { reason: misfit(plan.charset) } : { text };
}

/** Does as `readAnswerText`, and returns undefined for a text that cannot be read. */
export function answerTextOf(...answer: Parameters<typeof readAnswerText>): string | undefined {
  const found = readAnswerText(...answer);
  return hasFault(found) ? undefined : found.text;
}

function beginningIn({ bytes, charset }: DecodedBytes): string | undefined {
  try {
    return new TextDecoder(charset, { fatal: true, ignoreBOM: true }).decode(bytes, { stream: true });
  } catch {
    return undefined;
  }
}

const ASCII = /^(?:us-?)?ascii$|^ansi_x3\.4-19(?:68|86)$|^iso646-us$|^iso_646\.irv:1991$/i;

/**
 * Returns the `charset` of a `Content-Type`. Some senders put it in single quotes, or forget one of the quotes. ASCII says nothing about the
 * bytes that it does not have, so that it counts as none: the Encoding Standard would read them as windows-1252.
 */
export function charsetOfType(contentType: string | undefined): string | undefined {
  if (contentType === undefined || !/charset/i.test(contentType)) return undefined;
  const label = readMediaType(contentType).parameter("charset")?.replaceAll(/['"]/g, "").trim();
  return label === undefined || label === "" || ASCII.test(label) ? undefined : label;
}

function misfit(charset: string): string {
  return `The body is not valid ${charset}`;
}

/** Returns the bytes without their mark, and the character set to read them with. */
function planOf(raw: Buffer, { named, fallback }: CharsetChoice): DecodedBytes | CharsetFault {
  const [marked, mark] = MARKS.find(([, bytes]) => raw.subarray(0, bytes.length).equals(bytes)) ?? [];
  const bytes = mark === undefined ? raw : raw.subarray(mark.length);
  if (named === undefined) return planned(marked ?? orderOfJson(bytes) ?? fallback ?? "utf-8", bytes);
  const plan = planned(ofEitherOrder(named, bytes, marked), bytes);
  return hasFault(plan) || marked === undefined ? plan : agreed(plan, marked);
}

const BRACKETS = new Set<number | undefined>([0x5b, 0x7b]);

/** Returns the order of the bytes of JSON in UTF-16 without a mark, which its first character shows (RFC 4627, section 3). */
function orderOfJson([first, second]: Buffer): string | undefined {
  if (second === 0 && BRACKETS.has(first)) return "utf-16le";
  return first === 0 && BRACKETS.has(second) ? "utf-16be" : undefined;
}

/** The mark of UTF-8 in front of another text changes nothing. Otherwise each reading would give another text. */
function agreed(plan: DecodedBytes, marked: string): DecodedBytes | CharsetFault {
  const { charset, bytes } = plan;
  if (marked === charset) return plan;
  const isOther = marked === "utf-8" && !charset.startsWith("utf-") && !isOtherInUtf8(bytes);
  return isOther ? plan : { reason: `The body has the byte order mark of ${marked}, and names ${charset}` };
}

function planned(label: string, bytes: Buffer): DecodedBytes | CharsetFault {
  const charset = charsetNamed(label);
  return charset === undefined ? { reason: `The character set ${shownLabel(label)} is not known` } : { bytes, charset };
}

/** `utf-16` alone does not name the order of the bytes (RFC 2781): a mark does, or the first byte, since texts begin with ASCII. */
function ofEitherOrder(label: string, bytes: Buffer, marked: string | undefined): string {
  if (!/^utf-?16$/i.test(label)) return label;
  if (marked === "utf-16le" || marked === "utf-16be") return marked;
  return bytes[0] === 0 ? "utf-16be" : "utf-16le";
}

function isOtherInUtf8(bytes: Buffer): boolean {
  return isUtf8(bytes) && bytes.some((byte) => byte > 0x7f);
}

function shownLabel(label: string): string {
  return JSON.stringify(label.slice(0, 40).toWellFormed());
}

/** Returns a function that throws TypeError for bytes that the character set does not have. */
function decoderFor(charset: string): (bytes: Uint8Array) => string {
  const decoder = decoderOf(charset);
  if (decoder === undefined) throw new Error(`no decoder of ${charset}`);
  return (bytes) => decoder.decode(bytes);
}

/** Large texts are decoded in slices, because a MiB takes up to 40 ms. */
const SLICE_BYTES = 65_536;

async function transcoded({ bytes, charset }: DecodedBytes): Promise<Buffer> {
  if (bytes.length <= SLICE_BYTES) return Buffer.from(decoderFor(charset)(bytes));
  const decoder = new TextDecoder(charset, { fatal: true, ignoreBOM: true });
  const parts: string[] = [];
  for (let at = 0; at < bytes.length; at += SLICE_BYTES) {
    if (at > 0) await nextTurn();
    parts.push(decoder.decode(bytes.subarray(at, at + SLICE_BYTES), { stream: true }));
  }
  parts.push(decoder.decode());
  return Buffer.from(parts.join(""));
}
