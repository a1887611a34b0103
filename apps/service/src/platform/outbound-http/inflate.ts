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
  /** More was to come, or the coding was broken. */
  readonly truncated: boolean;
}

/** Codings beyond this many stay as they came: honest servers apply one. */
const MAX_CODINGS = 2;

/**
 * Undoes a response's `Content-Encoding`, to at most `maxBytes`: what a small body would grow to never exists. An
 * unknown coding is left as it is.
 */
export async function inflate(raw: Buffer, contentEncoding: string, maxBytes: number): Promise<Inflated> {
  const codings = contentEncoding
    .toLowerCase()
    .split(",")
    .map((coding) => coding.trim())
    .filter((coding) => coding !== "" && coding !== "identity")
    .toReversed();
  if (raw.length === 0 || codings.length > MAX_CODINGS) return cut(raw, maxBytes);
  let body = raw;
  let truncated = false;
  for (const coding of codings) {
    const decoder = decoderOf(coding, body);
    if (decoder === null) break;
    const next = await drain(decoder, body, maxBytes);
    body = next.body;
    truncated ||= next.truncated;
  }
  const last = cut(body, maxBytes);
  return { body: last.body, truncated: truncated || last.truncated };
}

/** A body that was cut off gives what it holds, instead of an error. */
const ZLIB = { finishFlush: constants.Z_SYNC_FLUSH };
const BROTLI = { finishFlush: constants.BROTLI_OPERATION_FLUSH };
const ZSTD = { finishFlush: constants.ZSTD_e_flush };

function decoderOf(coding: string, body: Buffer): Transform | null {
  switch (coding) {
    case "gzip":
    case "x-gzip":
      return createGunzip(ZLIB);
    case "deflate":
      // Half of the servers leave the zlib wrapper off; its first byte tells.
      return ((body[0] ?? 0) & 0x0f) === 8 ? createInflate(ZLIB) : createInflateRaw(ZLIB);
    case "br":
      return createBrotliDecompress(BROTLI);
    case "zstd":
      return createZstdDecompress(ZSTD);
    default:
      return null;
  }
}

/** Reads at most `maxBytes`; the decoder works only as far ahead as one of its chunks. */
async function drain(decoder: Transform, raw: Buffer, maxBytes: number): Promise<Inflated> {
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
    return { body: cut(Buffer.concat(chunks), maxBytes).body, truncated: true };
  }
  return cut(Buffer.concat(chunks), maxBytes);
}

function cut(body: Buffer, maxBytes: number): Inflated {
  return body.length > maxBytes ? { body: body.subarray(0, maxBytes), truncated: true } : { body, truncated: false };
}
