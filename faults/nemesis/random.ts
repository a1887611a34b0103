/** Numbers that only the seed decides. */
export interface Random {
  /** Returns a number in [0, 1). */
  next(): number;
  /** Returns an integer from `least` to `most`, both included. */
  between(least: number, most: number): number;
  /** Returns true in this share of all calls. */
  chance(share: number): boolean;
  pick<Item>(items: readonly [Item, ...Item[]]): Item;
  /** Returns undefined only for an empty list. */
  any<Item>(items: readonly Item[]): Item | undefined;
  /** Returns an item in proportion to its weight. */
  weighted<Item extends { readonly weight: number }>(items: readonly [Item, ...Item[]]): Item;
  /** Returns a further source of numbers, which depends on the seed and the name alone. */
  fork(name: string): Random;
}

const TWO_32 = 2 ** 32;

/** SplitMix32: small, and every seed is a good one. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x9e3779b9) >>> 0;
    const first = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    const second = Math.imul(first ^ (first >>> 15), 0x735a2d97);
    return ((second ^ (second >>> 15)) >>> 0) / TWO_32;
  };
  const any = <Item>(items: readonly Item[]): Item | undefined => items[Math.floor(next() * items.length)];
  return {
    next,
    between: (least, most) => least + Math.floor(next() * (most - least + 1)),
    chance: (share) => next() < share,
    pick: (items) => any(items) ?? items[0],
    any,
    weighted(items) {
      let left = next() * items.reduce((sum, { weight }) => sum + weight, 0);
      return items.find(({ weight }) => (left -= weight) < 0) ?? items[0];
    },
    fork: (name) => createRandom(seed ^ hashOf(name)),
  };
}

/** FNV-1a. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}
