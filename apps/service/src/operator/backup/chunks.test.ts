import { expect, test } from "vitest";
import { chunksOf } from "./chunks.ts";
import type { Chunk } from "./chunks.ts";

async function chunked(pieces: readonly string[], bytes: number): Promise<Chunk[]> {
  const chunks: Chunk[] = [];
  for await (const chunk of chunksOf(piecesOf(pieces), bytes)) chunks.push(chunk);
  return chunks;
}

async function* piecesOf(pieces: readonly string[]): AsyncGenerator<Buffer> {
  for (const piece of pieces) yield await Promise.resolve(Buffer.from(piece));
}

test("chunks end with a row and contain every byte once, for any pieces", async () => {
  const rows = Array.from({ length: 200 }, (_, at) => `${at}\t${"x".repeat(at % 37)}\n`).join("");
  for (const size of [1, 7, 64, 1000, rows.length]) {
    const pieces = Array.from({ length: Math.ceil(rows.length / size) }, (_, at) =>
      rows.slice(at * size, (at + 1) * size),
    );
    const chunks = await chunked(pieces, 500);
    expect(chunks.map(({ text }) => text.toString()).join("")).toBe(rows);
    expect(chunks.reduce((sum, one) => sum + one.rows, 0)).toBe(200);
    for (const { text } of chunks) expect(text.at(-1)).toBe(10);
    // A chunk and a piece are held in memory at once.
    for (const { text } of chunks) expect(text.length).toBeLessThan(500 + size + 50);
  }
});

test("a row larger than a chunk stays whole, and no rows give no chunk", async () => {
  const large = `${"y".repeat(5000)}\n`;
  expect(await chunked([large.slice(0, 3000), large.slice(3000), "1\n"], 500)).toEqual([
    { text: Buffer.from(large), rows: 1 },
    { text: Buffer.from("1\n"), rows: 1 },
  ]);
  expect(await chunked([], 500)).toEqual([]);
});
