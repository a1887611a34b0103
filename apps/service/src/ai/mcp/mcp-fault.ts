import type { Violation } from "../../lib/lib.ts";

export function fault(pointer: string, code: string, message: string): Violation {
  return { pointer, code, message };
}
