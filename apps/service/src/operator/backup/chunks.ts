import { promisify } from "node:util";
import { zstdCompress, zstdDecompress } from "node:zlib";

/** The size of a chunk that is compressed at once. A backup and a restore hold a few chunks in memory. */
const CHUNK_BYTES = 4 * 1024 * 1024;
const LINE_END = 10;

export interface Chunk {
  readonly text: Buffer;
  readonly rows: number;
}

/** Yields whole lines, about 4 MiB at a time. A line break within a value is written as a backslash and an n. */
export async function* chunksOf(lines: AsyncIterable<Buffer>, chunkBytes = CHUNK_BYTES): AsyncGenerator<Chunk> {
  let held: Buffer[] = [];
  let bytes = 0;
  for await (const piece of lines) {
    const end = bytes + piece.length < chunkBytes ? -1 : piece.lastIndexOf(LINE_END);
    if (end === -1) {
      held.push(piece);
      bytes += piece.length;
      continue;
    }
    const text = Buffer.concat([...held, piece.subarray(0, end + 1)]);
    yield { text, rows: linesIn(text) };
    const rest = piece.subarray(end + 1);
    held = [rest];
    bytes = rest.length;
  }
  const text = Buffer.concat(held);
  if (text.length > 0) yield { text, rows: linesIn(text) };
}

function linesIn(text: Buffer): number {
  let rows = 0;
  for (let at = text.indexOf(LINE_END); at !== -1; at = text.indexOf(LINE_END, at + 1)) rows += 1;
  return rows;
}

export const compress = promisify(zstdCompress);
export const decompress = promisify(zstdDecompress);
