/** No further run begins after this time. */
const MOST_MS = 30 * 60_000;

/**
 * Leaves out halves, then quarters and so on, as long as `fails` still returns true (delta debugging). A run is not the same twice, so what
 * did not fail once may still be needed: the result always failed.
 */
export async function shrink<Item>(
  items: readonly Item[],
  fails: (some: readonly Item[]) => Promise<boolean>,
  mostMs = MOST_MS,
): Promise<readonly Item[]> {
  const endMs = performance.now() + mostMs;
  let smallest = items;
  let parts = 2;
  while (smallest.length > 0 && performance.now() < endMs) {
    const smaller = await withoutOnePart(
      smallest,
      parts,
      async (some) => performance.now() < endMs && (await fails(some)),
    );
    if (smaller !== undefined) {
      smallest = smaller;
      parts = Math.max(2, parts - 1);
    } else if (parts >= smallest.length) return smallest;
    else parts = Math.min(smallest.length, parts * 2);
  }
  return smallest;
}

async function withoutOnePart<Item>(
  items: readonly Item[],
  parts: number,
  fails: (some: readonly Item[]) => Promise<boolean>,
): Promise<readonly Item[] | undefined> {
  const size = Math.ceil(items.length / parts);
  for (let at = 0; at < items.length; at += size) {
    const rest = items.filter((_item, index) => index < at || index >= at + size);
    if (await fails(rest)) return rest;
  }
  return undefined;
}
