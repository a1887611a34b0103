import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";

const ROOT = new URL("../../", import.meta.url);
/** A paragraph that names a file, and the sample that follows it. */
const SAMPLE = /\(`([^`]+\.tsx?)`\)[^\n]*\n(?:[^\n`]+\n)*\n```tsx?\n([\s\S]*?)\n```/g;

async function textOf(path: string): Promise<string> {
  return await readFile(new URL(path, ROOT), "utf8");
}

/** Removes the indentation, because a sample starts at the margin. */
function withoutIndentation(text: string): string {
  return text.replaceAll(/^ +/gm, "");
}

test.each(["STYLE.md", "ARCHITECTURE.md"])("the samples of %s match the files that they name", async (page) => {
  const samples = [...(await textOf(page)).matchAll(SAMPLE)];
  expect(samples.length).toBeGreaterThan(0);
  for (const [, path = "", sample = ""] of samples)
    expect([path, withoutIndentation(await textOf(path)).includes(withoutIndentation(sample))]).toEqual([path, true]);
});

test("every sample names its file", async () => {
  for (const page of ["STYLE.md", "ARCHITECTURE.md"]) {
    const text = await textOf(page);
    expect(text.match(/^```tsx?$/gm)).toHaveLength([...text.matchAll(SAMPLE)].length);
  }
});
