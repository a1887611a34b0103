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

/** A response with more codings than this stays as it is: honest servers apply one. */
const MAX_CODINGS = 2;

/**
 * Decodes a response's `Content-Encoding`, to at most `maxBytes`, so that the full size of a compressed body is never
 * in memory. An unknown coding is left as it is.
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

/** A truncated body returns its readable part instead of an error. */
const ZLIB = { finishFlush: constants.Z_SYNC_FLUSH };
const BROTLI = { finishFlush: constants.BROTLI_OPERATION_FLUSH };
const ZSTD = { finishFlush: constants.ZSTD_e_flush };

function decoderOf(coding: string, body: Buffer): Transform | null {
  switch (coding) {
    case "gzip":
    case "x-gzip":
      return createGunzip(ZLIB);
    case "deflate":
      // Half of the servers omit the zlib wrapper. The first byte shows which.
      return ((body[0] ?? 0) & 0x0f) === 8 ? createInflate(ZLIB) : createInflateRaw(ZLIB);
    case "br":
      return createBrotliDecompress(BROTLI);
    case "zstd":
      return createZstdDecompress(ZSTD);
    default:
      return null;
  }
}

/** Reads at most `maxBytes`. The decoder works ahead by at most one of its chunks. */
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
