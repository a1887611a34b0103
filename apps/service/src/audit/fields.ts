import { isCountName, isSecretName } from "./names.ts";
import { REDACTED } from "../lib/lib.ts";

const LONGEST_NAME = 64;
const NAME = /[\w.-]/;
const OPENING = /["'\\\s]/;
/** The end of an unquoted value. */
const CLOSING = /[\s"'`,;&<>{}()[\]\\]/;
/** Names whose value extends to the end of the line: `Authorization: Basic abc`, `Cookie: a=b; c=d`. */
const LINE_NAMES = /(authorization|cookie)$/i;

/**
 * Redacts the values that a text assigns to secret names: `password=…`, `"token": "…"`, `Cookie: …`. It serves texts
 * that contain JSON, a form or headers among other text. The text before each sign is read for a bounded length, and
 * the text after it once.
 */
export function redactFields(text: string): string {
  let out = "";
  let from = 0;
  for (let at = nextSign(text, 0); at < text.length; at = nextSign(text, Math.max(at + 1, from))) {
    const name = nameBefore(text, at, from);
    if (name === "" || !isSecretName(name)) continue;
    const [start, end] = valueAfter(text, at + 1, name);
    const value = text.slice(start, end);
    if (value === "" || value === REDACTED || /^(true|false|null)$/.test(value)) continue;
    if (isCountName(name) && /^\d{1,12}$/.test(value)) continue;
    out += text.slice(from, start) + REDACTED;
    from = end;
  }
  return from === 0 ? text : out + text.slice(from);
}

function nextSign(text: string, from: number): number {
  for (let at = from; at < text.length; at += 1) {
    const char = text[at];
    if (char === ":" || char === "=") return at;
  }
  return text.length;
}

function nameBefore(text: string, sign: number, from: number): string {
  let end = sign;
  for (let gap = 0; gap < 8 && end > from && OPENING.test(text[end - 1] ?? ""); gap += 1) end -= 1;
  let start = end;
  while (start > from && end - start < LONGEST_NAME && NAME.test(text[start - 1] ?? "")) start -= 1;
  return text.slice(start, end);
}

/** Returns the start and the end of the value. A value in quotes, escaped or not, ends at the same quote. */
function valueAfter(text: string, sign: number, name: string): readonly [start: number, end: number] {
  let start = sign;
  while (start - sign < 16 && (text[start] === " " || text[start] === "\t")) start += 1;
  let slashes = start;
  while (text[slashes] === "\\") slashes += 1;
  const quote = text[slashes];
  if (quote === '"' || quote === "'") {
    const opening = text.slice(start, slashes + 1);
    return [slashes + 1, closingQuote(text, opening, slashes + 1)];
  }
  return [start, LINE_NAMES.test(name) ? endOfLine(text, start) : endOfWord(text, start)];
}

/**
 * Returns the position of the closing quote. A quote with more backslashes than the opening one belongs to the value.
 */
function closingQuote(text: string, opening: string, start: number): number {
  for (let at = text.indexOf(opening, start); at >= 0; at = text.indexOf(opening, at + 1)) {
    if (text[at - 1] !== "\\") return at;
  }
  return text.length;
}

function endOfLine(text: string, start: number): number {
  for (let at = start; at < text.length; at += 1) {
    const char = text[at];
    if (char === "\n" || char === "\r" || char === '"') return at;
  }
  return text.length;
}

function endOfWord(text: string, start: number): number {
  let end = start;
  while (end < text.length && !CLOSING.test(text[end] ?? "")) end += 1;
  return end;
}
