import { pointerOf } from "../../lib/lib.ts";

/** A longer pointer is cut at the end, because the names in it are the sender's. */
const MAX_POINTER = 512;

/** Returns the pointer of a path. No name costs more than what is shown of it. */
export function shortPointer(steps: readonly (string | number)[]): string {
  let pointer = "";
  for (const step of steps) {
    pointer += pointerOf([typeof step === "string" ? step.slice(0, MAX_POINTER + 1) : step]);
    if (pointer.length > MAX_POINTER) return `${pointer.slice(0, MAX_POINTER).toWellFormed()}…`;
  }
  return pointer;
}
