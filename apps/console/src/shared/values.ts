import { isExactNumber, parseExact } from "../api/api.ts";

const MOST_SHOWN = 60;

/** Returns the JSON value that a text spells, with all its digits, or else the text itself: 100 is a number, "100" and gold are texts. */
export function readValue(text: string): unknown {
  try {
    return parseExact(text);
  } catch {
    return text;
  }
}

/** Returns a text that `readValue` reads as this value. */
export function valueText(value: unknown): string {
  if (typeof value !== "string") return value === undefined ? "" : JSON.stringify(value);
  return readValue(value) === value ? value : JSON.stringify(value);
}

/** Describes in words how the text is read. */
export function readingOf(text: string): string {
  const value = readValue(text);
  if (value === "") return "Empty text";
  if (typeof value === "string") return `Text: ${short(value)}`;
  if (typeof value === "number" || isExactNumber(value)) return `Number: ${JSON.stringify(value)}`;
  if (typeof value === "boolean") return `Boolean: ${value ? "true" : "false"}`;
  if (value === null) return "Null";
  return Array.isArray(value) ? `List of ${value.length}` : "Object";
}

export function short(text: string): string {
  return text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text;
}

/** Returns undefined when the text is not a JSON object. */
export function readObject(text: string): Record<string, unknown> | undefined {
  const value = readValue(text);
  return isObject(value) ? value : undefined;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !isExactNumber(value);
}

export function pretty(value: unknown): string {
  return JSON.stringify(value, null, 2);
}

let made = 0;

/** Returns a key for React's lists, so that a moved row keeps its fields. */
export function newKey(): string {
  made += 1;
  return `item-${made}`;
}
