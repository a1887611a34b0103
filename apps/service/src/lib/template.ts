import { readPath } from "./path.ts";
import type { Path } from "./path.ts";

/** Text, and the paths whose values stand between. */
export type Template = readonly (string | Path)[];

export const MAX_TEMPLATE_LENGTH = 2000;
const OPEN = "${";

/**
 * Text with `${$.a.b}` or `${a.b}` tokens (specification, "summary template"). Undefined when a token does not end, or
 * holds no singular query. There is no escape: `${` always begins a token.
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

/** What was put in is not looked through for tokens: a payload cannot make any. */
export function fillTemplate(template: Template, valueAt: (path: Path) => string): string {
  return template.map((part) => (typeof part === "string" ? part : valueAt(part))).join("");
}

/** The brace that ends a token: one inside a quoted name does not. */
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

/** A path alone, as it may stand in a token. */
export function readField(text: string): Path | undefined {
  return readPath(pathText(text));
}

/** `a.b` is short for `$.a.b`, and `[0]` for `$[0]`. */
function pathText(token: string): string {
  const text = token.trim();
  if (text.startsWith("$")) return text;
  return text.startsWith("[") ? `$${text}` : `$.${text}`;
}
