import { instant, NIL_UUID, uuidFloor, uuidOfHex, uuidTime } from "../lib/lib.ts";
import type { Instant, Uuid } from "../lib/lib.ts";

/**
 * Returns a time and an id as one value that sorts by the time first, then by the creation of the id. Two values are
 * never equal in practice, and the kernel's cursors accept them in place of ids.
 */
export function positionOf(at: Instant, id: Uuid): Uuid {
  const [moment, own] = [hexOf(uuidFloor(at)), hexOf(id)];
  // From the id: its time, its sequence within a millisecond without the version digit, and its last random digits.
  return uuidOfHex(moment.slice(0, 12) + own.slice(0, 12) + own.slice(13, 16) + own.slice(-5));
}

function hexOf(uuid: Uuid): string {
  return uuid.replaceAll("-", "");
}

/**
 * Returns the time at which an update was true. An event that claims a time in the future counts from the creation of
 * its id.
 */
export function stampOf(occurredAt: Instant, id: Uuid): Uuid {
  return positionOf(instant(Math.min(occurredAt, uuidTime(id))), id);
}

/** The values before and after every position. */
export const FIRST = NIL_UUID;
export const LAST = "ffffffff-ffff-ffff-ffff-ffffffffffff" as Uuid;
