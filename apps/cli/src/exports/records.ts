import { CommandError } from "../../../../packages/command-line/src/command-line.ts";
import { EXIT } from "../exit.ts";
import type { Parsed } from "./kinds.ts";

/** An object of the API: its text as it came, and the same parsed. */
export interface Exact {
  readonly text: string;
  readonly value: Parsed;
}

export interface ExactPage {
  readonly data: readonly Exact[];
  readonly next: string | null;
}

/** Reads an object. Throws `CommandError` for text that is not one. */
export function exactObject(text: string): Exact {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return { text, value: value as Parsed };
  } catch {
    // Reported below.
  }
  throw new CommandError("The service sent something that is not a JSON object.", EXIT.unavailable);
}

/** Reads a page of a list, with the text of each object unchanged. */
export function exactPage(text: string): ExactPage {
  const { value } = exactObject(text);
  const { data, next_cursor: next = null } = value;
  const list = partsOf(text).find((part) => part.startsWith('"data"'));
  const texts = list === undefined ? [] : partsOf(list.slice(list.indexOf(":") + 1));
  if (!Array.isArray(data) || data.length !== texts.length || !(next === null || typeof next === "string"))
    throw new CommandError("The service sent something that is not a page of a list.", EXIT.unavailable);
  return { data: texts.map((one, at) => ({ text: one, value: data[at] as Parsed })), next };
}

/** Returns the object on one line. Line breaks of valid JSON are only between its tokens; all other bytes stay. */
export function lineOf({ text }: Exact): string {
  return `${text.trim().replaceAll(/[\r\n]/g, " ")}\n`;
}

const DEPTHS: Readonly<Record<string, number>> = { "[": 1, "{": 1, "]": -1, "}": -1 };

/** Returns the texts between the commas of the outermost array or object. */
function partsOf(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let from = text.search(/[[{]/) + 1;
  for (let at = from - 1; at < text.length; at += 1) {
    const sign = text[at] ?? "";
    if (sign === '"') at = endOfString(text, at);
    depth += DEPTHS[sign] ?? 0;
    if (!(sign === "," ? depth === 1 : depth === 0)) continue;
    parts.push(text.slice(from, at).trim());
    from = at + 1;
    if (depth === 0) break;
  }
  return parts.filter((part) => part !== "");
}

function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
  return at;
}
