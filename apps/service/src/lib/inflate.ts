import {
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  createZstdDecompress,
} from "node:zlib";
import type { Transform } from "node:stream";

export interface Inflated {
  readonly body: Buffer;
  /** True if the body was incomplete, or the coding was broken. */
  readonly truncated: boolean;
}

/** The result of undoing a coding completely: the body, or why there is none. */
export type Undone =
  | { readonly kind: "undone"; readonly body: Buffer }
  /** `coding`: the codings as they were sent, one of which the service does not know, or which are too many. */
  | { readonly kind: "unknown"; readonly coding: string }
  | { readonly kind: "broken"; readonly coding: string; readonly isTooLarge: boolean };

/** The codings that the service undoes, as they are sent in `Accept-Encoding`. */
export const KNOWN_CODINGS = "gzip, deflate, br, zstd";

/** More codings than this are not undone: honest peers apply one. */
const MAX_CODINGS = 2;

/**
 * Decodes a response's `Content-Encoding`, to at most `maxBytes`, so that the full size of a compressed body is never
 * in memory. An unknown coding is left as it is, and a broken one ends where it is broken.
 */
export async function inflate(raw: Buffer, contentEncoding: string, maxBytes: number): Promise<Inflated> {
  const codings = codingsOf(contentEncoding);
  if (raw.length === 0 || codings.length > MAX_CODINGS) return cut(raw, maxBytes);
  let body = raw;
  let truncated = false;
  for (const coding of codings) {
    const decoder = decoderOf(coding, body, LENIENT);
    if (decoder === null) break;
    const next = await drain(decoder, body, maxBytes);
    body = next.body;
    truncated ||= next.fault !== null;
  }
  const last = cut(body, maxBytes);
  return { body: last.body, truncated: truncated || last.truncated };
}

/** A short body may become this long at any ratio. */
const FREE_BYTES = 65_536;

/**
 * Undoes a request's `Content-Encoding` completely. The body may have at most `maxBytes`, and `maxRatio` times its coded length if it is
 * longer than 64 KiB: whichever ends first ends the work.
 */
export async function undoCoding(
  raw: Buffer,
  contentEncoding: string,
  { maxBytes, maxRatio }: { readonly maxBytes: number; readonly maxRatio: number },
): Promise<Undone> {
  const codings = codingsOf(contentEncoding);
  if (codings.length > MAX_CODINGS) return { kind: "unknown", coding: contentEncoding };
  let body = raw;
  for (const [at, coding] of codings.entries()) {
    const decoder = decoderOf(coding, body, STRICT);
    if (decoder === null) return { kind: "unknown", coding: contentEncoding };
    if (body.length === 0) continue;
    const limit = Math.min(maxBytes, Math.max(FREE_BYTES, body.length * maxRatio));
    const next = await drain(decoder, body, limit);
    const fault = next.fault ?? (isWhole(decoder, coding, body) ? null : "coding");
    if (fault === null) body = next.body;
    else if (fault === "size" || !isRepeated(codings, at))
      return { kind: "broken", coding, isTooLarge: fault === "size" };
  }
  return { kind: "undone", body };
}

/** The decoder refuses anything but zeros after a gzip. The others ignore what follows, which would lose a part of the body. */
function isWhole(decoder: Decoder, coding: string, body: Buffer): boolean {
  return decoder.bytesWritten === body.length || coding.endsWith("gzip");
}

/** A proxy that repeats the header does not apply the coding again. */
function isRepeated(codings: readonly string[], at: number): boolean {
  return at > 0 && codings[at] === codings[at - 1];
}

/** Returns the codings in the order in which they are undone. `identity` is none. */
export function codingsOf(contentEncoding: string): string[] {
  return contentEncoding
    .toLowerCase()
    .split(",")
    .map((coding) => coding.trim())
    .filter((coding) => coding !== "" && coding !== "identity")
    .toReversed();
}

interface Flush {
  readonly zlib: object;
  readonly brotli: object;
  readonly zstd: object;
}

/** RFC 9659: a sender may not need a larger window. The library would accept one of 128 MiB. */
const ZSTD_WINDOW = { params: { [constants.ZSTD_d_windowLogMax]: 23 } };
/** The chunks of a decoder, each of which costs a turn of the event loop. */
const CHUNK = { chunkSize: 65_536 };

/** A truncated body returns its readable part instead of an error. */
const LENIENT: Flush = {
  zlib: { ...CHUNK, finishFlush: constants.Z_SYNC_FLUSH },
  brotli: { ...CHUNK, finishFlush: constants.BROTLI_OPERATION_FLUSH },
  zstd: { ...CHUNK, ...ZSTD_WINDOW, finishFlush: constants.ZSTD_e_flush },
};
const STRICT: Flush = { zlib: CHUNK, brotli: CHUNK, zstd: { ...CHUNK, ...ZSTD_WINDOW } };

type Decoder = Transform & { readonly bytesWritten: number };

function decoderOf(coding: string, body: Buffer, { zlib, brotli, zstd }: Flush): Decoder | null {
  switch (coding) {
    case "gzip":
    case "x-gzip":
      return createGunzip(zlib);
    case "deflate":
      // Half of the peers omit the zlib wrapper. The first byte shows which.
      return ((body[0] ?? 0) & 0x0f) === 8 ? createInflate(zlib) : createInflateRaw(zlib);
    case "br":
      return createBrotliDecompress(brotli);
    case "zstd":
      return createZstdDecompress(zstd);
    default:
      return null;
  }
}

interface Drained {
  readonly body: Buffer;
  readonly fault: "size" | "coding" | null;
}

/** Reads at most `maxBytes`. The decoder works ahead by at most one of its chunks. */
async function drain(decoder: Transform, raw: Buffer, maxBytes: number): Promise<Drained> {
  const chunks: Buffer[] = [];
  let size = 0;
  decoder.end(raw);
  try {
    for await (const chunk of decoder as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > maxBytes) break;
    }
  } catch {
    return { body: cut(Buffer.concat(chunks), maxBytes).body, fault: "coding" };
  }
  const { body, truncated } = cut(Buffer.concat(chunks), maxBytes);
  return { body, fault: truncated ? "size" : null };
}

function cut(body: Buffer, maxBytes: number): Inflated {
  return body.length > maxBytes ? { body: body.subarray(0, maxBytes), truncated: true } : { body, truncated: false };
}
