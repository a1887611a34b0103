import { readPath } from "./path.ts";
import type { Path } from "./path.ts";

/** A text, and the paths whose values are inserted in it. */
export type Template = readonly (string | Path)[];

export const MAX_TEMPLATE_LENGTH = 2000;
const OPEN = "${";

/**
 * Reads a text with `${$.a.b}` or `${a.b}` tokens (specification, "summary template"). Returns undefined if a token
 * does not end, or does not contain a singular query. There is no escape: `${` always begins a token.
 */
export function readTemplate(text: string): Template | undefined {
  const parts: (string | Path)[] = [];
  let done = 0;
  for (let open = text.indexOf(OPEN); open !== -1; open = text.indexOf(OPEN, done)) {
    const close = tokenEnd(text, open + OPEN.length);
    const path = close === undefined ? undefined : readPath(pathText(text.slice(open + OPEN.length, close)));
    if (close === undefined || path === undefined) return undefined;
    if (open > done) parts.push(text.slice(done, open));
    parts.push(path);
    done = close + 1;
  }
  if (done < text.length) parts.push(text.slice(done));
  return parts;
}

/** Inserts the values. Inserted text is not searched for tokens, so a payload cannot create any. */
export function fillTemplate(template: Template, valueAt: (path: Path) => string): string {
  return template.map((part) => (typeof part === "string" ? part : valueAt(part))).join("");
}

/** Returns the position of the brace that ends a token. A brace inside a quoted name does not end it. */
function tokenEnd(text: string, from: number): number | undefined {
  let quote = "";
  for (let at = from; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (quote === "") {
      if (char === "}") return at;
      if (char === "'" || char === '"') quote = char;
    } else if (char === "\\") at += 1;
    else if (char === quote) quote = "";
  }
  return undefined;
}

/** Reads a path alone, in the form that it may have in a token. */
export function readField(text: string): Path | undefined {
  return readPath(pathText(text));
}

/** `a.b` is short for `$.a.b`, and `[0]` for `$[0]`. */
function pathText(token: string): string {
  const text = token.trim();
  if (text.startsWith("$")) return text;
  return text.startsWith("[") ? `$${text}` : `$.${text}`;
}
