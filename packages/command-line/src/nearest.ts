// Written by hand: the command line's package depends on nothing, so that fastest-levenshtein would be a second one (decision 0265).

const MOST = 3;

/** Returns names that a mistyped one may have meant, the nearest first; at most three, each within its limit. */
export function closest(
  names: Iterable<string>,
  distanceTo: (name: string) => number,
  limitOf: (name: string) => number,
): string[] {
  return [...names]
    .map((name) => ({ name, distance: distanceTo(name) }))
    .filter(({ name, distance }) => distance <= limitOf(name))
    .toSorted((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1))
    .slice(0, MOST)
    .map(({ name }) => name);
}

/** Counts the letters to insert, remove or replace (Levenshtein). */
export function editDistance(a: string, b: string): number {
  let before = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = (before[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      row.push(Math.min(replaced, (before[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1));
    }
    before = row;
  }
  return before[b.length] ?? 0;
}
