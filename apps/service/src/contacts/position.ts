import { instant, uuidFloor, uuidTime } from "../kernel/kernel.ts";
import type { Instant, Uuid } from "../kernel/kernel.ts";

const TIME_LENGTH = "01234567-89ab".length;

/**
 * A moment and an id as one value that sorts by the moment first: the time of the one, the tail of the other. No two are
 * equal, whatever happens in one millisecond, and cursors of the kernel take it as they take an id.
 */
export function positionOf(at: Instant, id: Uuid): Uuid {
  return (uuidFloor(at).slice(0, TIME_LENGTH) + id.slice(TIME_LENGTH)) as Uuid;
}

/** When news was true. What says it comes from the future is believed from the time on at which its id was made. */
export function stampOf(occurredAt: Instant, id: Uuid): Uuid {
  return positionOf(instant(Math.min(occurredAt, uuidTime(id))), id);
}

/** Before and after every position. */
export const FIRST = "00000000-0000-0000-0000-000000000000" as Uuid;
export const LAST = "ffffffff-ffff-ffff-ffff-ffffffffffff" as Uuid;
