/** Reads `7` and `1..20`. Undefined if it is neither. */
export function seedsIn(text: string): number[] | undefined {
  const found = /^(\d{1,9})(?:\.\.(\d{1,9}))?$/.exec(text);
  if (found === null) return undefined;
  const [first, last] = [Number(found[1]), Number(found[2] ?? found[1])];
  return last < first ? undefined : Array.from({ length: last - first + 1 }, (_, at) => first + at);
}
