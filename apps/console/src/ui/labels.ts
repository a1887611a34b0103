/** Abbreviations among the values of the API. */
const ABBREVIATIONS: Readonly<Record<string, string>> = {
  ai: "AI",
  api: "API",
  http: "HTTP",
  mcp: "MCP",
  ok: "OK",
  php: "PHP",
};

/** Returns a value of the API as words: "read_only" as "read only", "mcp" as "MCP". */
export function wordsOf(value: string): string {
  return value
    .split("_")
    .map((word) => ABBREVIATIONS[word] ?? word)
    .join(" ");
}

/** Returns a value of the API as a label in sentence case: "read_only" as "Read only". */
export function labelOf(value: string): string {
  return sentenceCase(wordsOf(value));
}

/** Returns values of the API as one label in sentence case: "Owner, admin, developer". */
export function labelsOf(values: readonly string[]): string {
  return sentenceCase(values.map(wordsOf).join(", "));
}

function sentenceCase(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
