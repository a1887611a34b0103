/** Slots whose bounds grow by an eighth: what is counted in one is known to within 6 percent, and all that lasts from a millisecond to days fits in some 160. */
const SLOTS_PER_DOUBLING = 6;
const LAST_SLOT = 180;

/** Slots by their number, with what was counted in each. */
export type Slots = ReadonlyMap<number, number>;

export function slotOf(ms: number): number {
  return Math.min(LAST_SLOT, Math.round(Math.log2(Math.max(0, ms) + 1) * SLOTS_PER_DOUBLING));
}

/** The value, in milliseconds, that so much of all is not above; null where nothing was counted. */
export function quantile(slots: Slots, share: number): number | null {
  const total = [...slots.values()].reduce((sum, count) => sum + count, 0);
  let left = Math.ceil(total * share);
  for (const [slot, count] of [...slots].toSorted(([a], [b]) => a - b)) {
    left -= count;
    if (left <= 0) return Math.round((2 ** (slot / SLOTS_PER_DOUBLING) - 1) * 10) / 10;
  }
  return null;
}
