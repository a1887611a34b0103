import { instant, uuidFloor, uuidTime } from "../lib/lib.ts";
import type { Instant, Uuid } from "../lib/lib.ts";

/**
 * A moment and an id as one value that sorts by the moment first, then by when the id was made. Two are never equal in practice, and
 * the kernel's cursors take it as they take an id.
 */
export function positionOf(at: Instant, id: Uuid): Uuid {
  const [moment, own] = [hexOf(uuidFloor(at)), hexOf(id)];
  // Of the id: its time, its sequence within a millisecond without the version before it, and what is left of its chance.
  const hex = moment.slice(0, 12) + own.slice(0, 12) + own.slice(13, 16) + own.slice(-5);
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-") as Uuid;
}

function hexOf(uuid: Uuid): string {
  return uuid.replaceAll("-", "");
}

/** When news was true. What says it comes from the future is believed from the time on at which its id was made. */
export function stampOf(occurredAt: Instant, id: Uuid): Uuid {
  return positionOf(instant(Math.min(occurredAt, uuidTime(id))), id);
}

/** Before and after every position. */
export const FIRST = "00000000-0000-0000-0000-000000000000" as Uuid;
export const LAST = "ffffffff-ffff-ffff-ffff-ffffffffffff" as Uuid;
