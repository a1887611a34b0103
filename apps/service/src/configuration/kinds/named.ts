/**
 * Gives objects their names in a configuration, oldest first: the first of several with the same name keeps it, and the others get a
 * number, so that each has a name of its own.
 */
export function namedApart<One>(objects: readonly One[], nameOf: (one: One) => string): (readonly [string, One])[] {
  const given = new Set(objects.map(nameOf));
  const taken = new Set<string>();
  return objects.map((one) => {
    const name = nameOf(one);
    let own = name;
    for (let number = 2; taken.has(own) || (own !== name && given.has(own)); number += 1) own = `${name} (${number})`;
    taken.add(own);
    return [own, one] as const;
  });
}

/** Reads all pages of a list, oldest first. */
export async function readAll<One>(
  page: (query: {
    readonly limit: number;
    readonly cursor?: string;
  }) => Promise<{ readonly data: readonly One[]; readonly next_cursor: string | null }>,
): Promise<One[]> {
  const all: One[] = [];
  let cursor: string | null = null;
  do {
    const { data, next_cursor: next }: { data: readonly One[]; next_cursor: string | null } = await page({
      limit: 1000,
      ...(cursor === null ? {} : { cursor }),
    });
    all.push(...data);
    cursor = next;
  } while (cursor !== null);
  return all.toReversed();
}
