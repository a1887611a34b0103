/** Slots of a logarithmic histogram. Each is about an eighth larger than the previous one, so that values are accurate to 6 percent. About 160 slots cover a day. */
const SLOTS_PER_DOUBLING = 6;
const LAST_SLOT = 180;

/** Counts by the number of their slot. */
export type Slots = ReadonlyMap<number, number>;

export function slotOf(ms: number): number {
  return Math.min(LAST_SLOT, Math.round(Math.log2(Math.max(0, ms) + 1) * SLOTS_PER_DOUBLING));
}

/** Returns the value in milliseconds that this share of all values does not exceed. Null if there are no values. */
export function quantile(slots: Slots, share: number): number | null {
  const total = [...slots.values()].reduce((sum, count) => sum + count, 0);
  let left = Math.ceil(total * share);
  for (const [slot, count] of [...slots].toSorted(([a], [b]) => a - b)) {
    left -= count;
    if (left <= 0) return Math.round((2 ** (slot / SLOTS_PER_DOUBLING) - 1) * 10) / 10;
  }
  return null;
}
