import { setImmediate as nextTurn } from "node:timers/promises";

/** The part of a body that a parser is given at a time. */
const SLICE_BYTES = 16_384;

/** Gives a body to a parser in slices, with pauses in which the process does other work. The parser ends it by an error. */
export async function inSlices(body: Uint8Array, take: (slice: Uint8Array) => void): Promise<void> {
  for (let at = 0; at < body.length; at += SLICE_BYTES) {
    if (at > 0) await nextTurn();
    take(body.subarray(at, at + SLICE_BYTES));
  }
}
