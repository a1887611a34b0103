import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

/** A code block of a page of `docs`, by what its fence says: `sh status=201,202`, `sh manual`, `json answer`, `python verify`. */
export interface PageBlock {
  readonly language: string;
  /** The words after the language. */
  readonly words: readonly string[];
  readonly code: string;
  readonly line: number;
}

export const DOCS = fileURLToPath(new URL("../../docs/", import.meta.url));

const FENCE = /^```(\w*)(?: ([^\n]*))?\n([\s\S]*?)^```$/gm;

/** The code blocks of a file below `docs`, in order. */
export async function blocksOf(file: string): Promise<PageBlock[]> {
  const page = await readFile(DOCS + file, "utf8");
  return [...page.matchAll(FENCE)].map(({ index, 1: language = "", 2: words = "", 3: code = "" }) => ({
    language,
    words: words.split(" ").filter(Boolean),
    code,
    line: page.slice(0, index).split("\n").length,
  }));
}

/** The statuses that a block's calls are to have, in order. */
export function statusesOf({ words }: PageBlock): readonly number[] | undefined {
  const told = words.find((word) => word.startsWith("status="));
  return told?.slice("status=".length).split(",").map(Number);
}
