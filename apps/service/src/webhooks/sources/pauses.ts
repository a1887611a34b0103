import { nextTurn } from "../../lib/lib.ts";

/** The part of a text that a parser is given at a time. */
const SLICE_LENGTH = 16_384;

/** Gives a text to a parser in slices, with pauses in which the process does other work. The parser ends it by an error. */
export async function inSlices(text: string, take: (slice: string) => void): Promise<void> {
  for (let at = 0; at < text.length; at += SLICE_LENGTH) {
    if (at > 0) await nextTurn();
    take(text.slice(at, at + SLICE_LENGTH));
  }
}
