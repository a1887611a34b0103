import { hash } from "node:crypto";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { FastifyReply, FastifyRequest } from "fastify";
import { acceptedEncoding } from "../../lib/lib.ts";

const CODINGS = ["br", "gzip"] as const;
type Coding = (typeof CODINGS)[number];

/** A document that was made once, as it is sent to everybody. */
export interface SentDocument {
  readonly type: string;
  readonly bytes: Buffer;
  readonly etag: string;
  /** Returns the compressed bytes, which are made when they are first asked for, in another thread. Undefined if it has none. */
  packed(coding: Coding): Promise<Buffer> | undefined;
}

export function documentOf(type: string, content: string | Buffer, { packs = true } = {}): SentDocument {
  const bytes = Buffer.from(content);
  const made = new Map<Coding, Promise<Buffer>>();
  return {
    type,
    bytes,
    etag: `"${hash("sha256", bytes, "base64url").slice(0, 27)}"`,
    packed(coding) {
      if (!packs) return undefined;
      const known = made.get(coding) ?? pack(coding, bytes);
      made.set(coding, known);
      return known;
    },
  };
}

/** Sends the document, or 304 to a caller that has it. */
export async function sendDocument(
  request: FastifyRequest,
  reply: FastifyReply,
  document: SentDocument,
  headers: Readonly<Record<string, string>> = {},
): Promise<FastifyReply> {
  // The ETag is weak because the document is the same, compressed or not.
  reply.headers({
    "Cache-Control": "no-cache",
    Vary: "Accept-Encoding",
    ETag: `W/${document.etag}`,
    ...headers,
  });
  if (reply.statusCode === 200 && knows(request, document)) return await reply.code(304).send();
  reply.type(document.type);
  const coding = acceptedEncoding(request.headers["accept-encoding"], CODINGS);
  const packed = coding === undefined ? undefined : await document.packed(coding);
  if (coding === undefined || packed === undefined) return await reply.send(document.bytes);
  return await reply.header("Content-Encoding", coding).send(packed);
}

function knows(request: FastifyRequest, { etag }: SentDocument): boolean {
  return (request.headers["if-none-match"] ?? "")
    .split(",")
    .some((one) => one.trim() === "*" || one.trim().replace(/^W\//, "") === etag);
}

async function pack(coding: Coding, bytes: Buffer): Promise<Buffer> {
  if (coding === "gzip") return await promisify(gzip)(bytes);
  return await promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } });
}
