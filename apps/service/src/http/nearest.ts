const SHOWN = 3;

/** The names that a mistyped one most likely meant, best first; at most three, none when nothing is near. */
export function nearest(name: string, known: Iterable<string>): string[] {
  const most = Math.max(2, Math.floor(name.length / 3));
  return [...known]
    .map((one) => ({ one, steps: distance(name.toLowerCase(), one) }))
    .filter(({ steps }) => steps <= most)
    .toSorted((a, b) => a.steps - b.steps || (a.one < b.one ? -1 : 1))
    .slice(0, SHOWN)
    .map(({ one }) => one);
}

/** Levenshtein's: insertions, deletions and replacements from one to the other. */
function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (let i = 1; i <= from.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= to.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
