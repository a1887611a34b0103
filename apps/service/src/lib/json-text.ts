import { isRecord, parseJson } from "./json.ts";

/** Returns the members of an object as JSON text; none for text that is not an object. */
export function membersOf(text: string): Readonly<Record<string, unknown>> {
  const read = parseJson(text);
  return isRecord(read) ? read : {};
}

/** Returns the JSON text of an object, with members that are JSON text already. */
export function spliced(head: object, texts: Readonly<Record<string, string | null>>): string {
  const members = Object.entries(texts).map(([name, text]) => `,${JSON.stringify(name)}:${text ?? "null"}`);
  return `${JSON.stringify(head).slice(0, -1)}${members.join("")}}`;
}
