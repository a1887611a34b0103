import { randomUUID } from "node:crypto";

/** An integer that a number would round has 16 digits or more. */
const LONG_INTEGER = /\d{16}/;
/** An escaped character, the start or end of a text, or a number. */
const TOKEN = /\\.|"|-?\d[\d.eE+-]*/g;
const INTEGER = /^-?\d+$/;

/**
 * `JSON.parse`, except that an integer which a number would round becomes a bigint. The text is read twice for that, because
 * Node 18 and 20 do not show a reviver the source of a value.
 */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (!LONG_INTEGER.test(text)) return value;
  const mark = randomUUID();
  let isInText = false;
  const marked = text.replaceAll(TOKEN, (token) => {
    isInText = token === '"' ? !isInText : isInText;
    return !isInText && isRounded(token) ? `"${mark}${token}"` : token;
  });
  return JSON.parse(marked, (_name, one: unknown) =>
    typeof one === "string" && one.startsWith(mark) ? BigInt(one.slice(mark.length)) : one,
  ) as unknown;
}

/** `JSON.stringify`, except that a bigint becomes a JSON number with all its digits. */
export function toJson(value: unknown, space?: number): string {
  try {
    return JSON.stringify(value, null, space);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
  }
  // A bigint, or a cycle, which throws again.
  const mark = randomUUID();
  const marked = JSON.stringify(value, (_name, one: unknown) => (typeof one === "bigint" ? mark + one : one), space);
  return marked.replaceAll(new RegExp(`"${mark}(-?\\d+)"`, "g"), "$1");
}

function isRounded(token: string): boolean {
  return INTEGER.test(token) && !Number.isSafeInteger(Number(token));
}
