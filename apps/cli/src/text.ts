import { stripVTControlCharacters } from "node:util";

/** Without whatever has the form of an API key or a signing secret. */
export function redacted(text: string): string {
  return text.replaceAll(/\b(jn_(?:live|test)_|whsec_)[0-9A-Za-z+/=]+/g, "$1[redacted]");
}

/** One line that moves no cursor and changes no color, whoever wrote it. */
export function visible(text: string): string {
  return stripVTControlCharacters(text).replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ");
}

const TYPO_LETTERS = 2;

/** Names that a mistyped one may have meant, the nearest first; at most three. */
export function nearest(wanted: string, names: Iterable<string>): string[] {
  const text = wanted.toLowerCase();
  return [...names]
    .map((name) => ({ name, distance: name.startsWith(text) && text !== "" ? 1 : editDistance(text, name) }))
    .filter(({ name, distance }) => distance <= Math.max(1, Math.floor(name.length / 3)))
    .toSorted((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1))
    .slice(0, 3)
    .map(({ name }) => name);
}

/** Names that differ from this one by two letters at most, such as two that are swapped; those that differ least. */
export function typosOf(wanted: string, names: Iterable<string>): string[] {
  const near = [...names].map((name) => ({ name, distance: editDistance(wanted, name) }));
  const least = Math.min(...near.map(({ distance }) => distance));
  return near.filter(({ distance }) => distance === least && distance <= TYPO_LETTERS).map(({ name }) => name);
}

/** Letters to insert, remove or replace. */
function editDistance(a: string, b: string): number {
  let before = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const swapped = (before[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      row.push(Math.min(swapped, (before[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1));
    }
    before = row;
  }
  return before[b.length] ?? 0;
}
