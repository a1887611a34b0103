/** Splits comma-separated text. Entries are trimmed, and empty ones are left out. */
export function commaList(text: string): string[] {
  return text
    .split(",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "");
}
