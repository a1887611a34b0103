/** One code block of a guide, with what it prints where the guide shows that. */
export interface Block {
  readonly language: string;
  readonly code: string;
  /** The `text` block right below the code; `…` stands for any text. */
  readonly prints: string | undefined;
  readonly line: number;
}

/** Returns the code blocks of a Markdown page in order. */
export function blocksOf(page: string): Block[] {
  const found = [...page.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map(({ index, 1: language = "", 2: code = "" }) => ({
    language,
    code,
    line: page.slice(0, index).split("\n").length,
  }));
  return found.flatMap((block, at) => {
    if (block.language === "text") return [];
    const next = found[at + 1];
    return [{ ...block, prints: next?.language === "text" ? next.code : undefined }];
  });
}

/** Returns true if a program printed the output that its guide shows. */
export function isShown(prints: string, output: string): boolean {
  const parts = prints.trim().split("…");
  const pattern = parts.map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)).join("[^\n]*");
  return new RegExp(`^${pattern}$`).test(output.trim());
}
