import { isAscii, isUtf8 } from "node:buffer";
import { charsetNamed, charsetOfType, hasFault, readAnswerText } from "./charset.ts";
import { ServiceError } from "./errors.ts";
import { codingsOf } from "./inflate.ts";

/** The headers that say what the bytes of a request's body are. */
export interface BodyHeaders {
  readonly "content-type"?: string | undefined;
  readonly "content-encoding"?: string | undefined;
}

/** Throws 415 for a body with a Content-Encoding: only sources and clients' own servers may compress. */
export function assertPlain(coding = ""): void {
  if (codingsOf(coding).length === 0) return;
  throw new ServiceError("unsupported_media_type", {
    detail: `Send the body without Content-Encoding, not with ${JSON.stringify(coding.slice(0, 100))}.`,
    headers: { "Accept-Encoding": "identity" },
  });
}

/**
 * Returns the text of a body by the character set that its type names, or else UTF-8. Throws 415 for a Content-Encoding, and for bytes
 * that are not of the character set, so that no character is ever replaced.
 */
export function requestText(body: Buffer, headers: BodyHeaders): string {
  assertPlain(headers["content-encoding"]);
  const sent = readAnswerText(body, headers["content-type"]);
  if (hasFault(sent)) throw new ServiceError("unsupported_media_type", { detail: `${sent.reason}.` });
  return sent.text;
}

/** Returns the fields of a form in UTF-8, of which its percent bytes are a part. Throws 415 for any other form. */
export function requestForm(body: Buffer, headers: BodyHeaders): URLSearchParams {
  assertPlain(headers["content-encoding"]);
  const label = charsetOfType(headers["content-type"]) ?? "utf-8";
  const charset = charsetNamed(label);
  const bytes = percentBytes(body);
  // Most character sets are the same in ASCII.
  const isSame = charset === "utf-8" ? isUtf8(bytes) : charset?.startsWith("utf-16") === false && isAscii(bytes);
  if (!isSame) throw new ServiceError("unsupported_media_type", { detail: formFault(label, charset) });
  return new URLSearchParams(body.toString("utf8"));
}

function formFault(label: string, charset: string | undefined): string {
  return charset === "utf-8"
    ? "The form is not valid UTF-8."
    : `Send the form in UTF-8, not in ${JSON.stringify(label.slice(0, 40).toWellFormed())}.`;
}

/** Undoes the percent coding of a form. */
export function percentBytes(form: Uint8Array): Buffer {
  return hexBytes(form, PERCENT, SPACE);
}

/** Undoes a coding of bytes as a mark and two digits. A pattern would make a text of every byte, which takes 100 ms for a MiB. */
export function hexBytes(raw: Uint8Array, mark = PERCENT, plus = PLUS): Buffer {
  const bytes = Buffer.from(raw);
  let length = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    const high = byte === mark ? hexDigit(bytes[at + 1]) : -1;
    const low = high === -1 ? -1 : hexDigit(bytes[at + 2]);
    if (low !== -1) at += 2;
    bytes[length] = low !== -1 ? high * 16 + low : byte === PLUS ? plus : byte;
    length += 1;
  }
  return bytes.subarray(0, length);
}

const [PERCENT, PLUS, SPACE] = [0x25, 0x2b, 0x20];

/** Returns -1 for any other byte. */
function hexDigit(byte = 0): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}
