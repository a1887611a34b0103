import { isRecord, parseJson } from "../lib/lib.ts";

/** Returns the members of an object as JSON text; none for text that is not an object. */
export function membersOf(text: string): Readonly<Record<string, unknown>> {
  const read = parseJson(text);
  return isRecord(read) ? read : {};
}
