import type { WorkBudget } from "./work-budget.ts";

// Written by hand: parsers return values, and this module returns their positions in the text, so that the text is
// forwarded byte for byte (decision 0265).

export const MAX_JSON_DEPTH = 64;

export interface Shape {
  /** The number of member names in the whole text, repeated ones included. Correct only if the text is JSON. */
  readonly names: number;
  /** The offset of the bracket that opens one level too many. */
  readonly tooDeepAt: number | undefined;
}

/** Half-open range of UTF-16 offsets, without the space around the value. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export interface Duplicate {
  readonly name: string;
  /** The offset of the opening quote of the later name. */
  readonly at: number;
  readonly path: readonly (string | number)[];
}

export interface Tree {
  readonly value: unknown;
  readonly duplicate: Duplicate | undefined;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
/** Setting this bit turns `[` into `{` and `]` into `}`, so that one comparison finds both. */
const CASE_BIT = 0x20;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN = 0x7b;
const CLOSE = 0x7d;
/** Up to this length, a loop is faster than a call of the runtime's search. */
const SHORT_STRING = 32;

/**
 * Counts brackets and colons outside strings. The text need not be JSON: the depth is correct up to the first fault,
 * and later levels do not count.
 */
export function measure(text: string, maxDepth: number): Shape {
  let depth = 0;
  let names = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = closingQuote(text, at);
    else if (code === COLON) names += 1;
    else if ((code | CASE_BIT) === OPEN) {
      depth += 1;
      if (depth > maxDepth) return { names, tooDeepAt: at };
    } else if ((code | CASE_BIT) === CLOSE) depth -= 1;
  }
  return { names, tooDeepAt: undefined };
}

/**
 * Counts the members of all objects in a parsed value. Each repeated name in the source makes this at least one less
 * than `Shape.names`.
 */
export function countNames(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  const children: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  let count = Array.isArray(value) ? 0 : children.length;
  for (const child of children) if (typeof child === "object") count += countNames(child);
  return count;
}

/** Returns the span of the outermost value. Reads only the space around it. The text must be JSON. */
export function wholeSpan(text: string): Span {
  return { start: afterSpace(text, 0), end: text.trimEnd().length };
}

/** Returns the span of the value that begins at or after `from`. The text must be JSON. */
export function spanFrom(text: string, from: number): Span {
  const start = afterSpace(text, from);
  const code = text.charCodeAt(start);
  if (code === QUOTE) return { start, end: closingQuote(text, start) + 1 };
  if ((code | CASE_BIT) === OPEN) return { start, end: closingBracket(text, start) + 1 };
  let end = start + 1;
  while (end < text.length && isScalar(text.charCodeAt(end))) end += 1;
  return { start, end };
}

/** The offsets at which the members (by name) or the elements (by index) of a container begin. */
export type Children = ReadonlyMap<string, number> | readonly number[];

/** Characters that are passed for one unit. */
export const CHARS_PER_UNIT = 50;
const UNITS_PER_MEMBER = 5;
const UNITS_PER_ELEMENT = 0.5;

/** Returns the children of the container at `start`; none for a scalar. The text must be JSON. */
export function childrenOf(text: string, start: number, budget?: WorkBudget): Children {
  const opener = text.charCodeAt(start);
  if (opener === OPEN) return membersOf(text, start, budget);
  const elements: number[] = [];
  if (opener !== OPEN_BRACKET) return elements;
  for (let at = afterSpace(text, start + 1); text.charCodeAt(at) !== CLOSE_BRACKET;) {
    elements.push(at);
    const { end } = spanFrom(text, at);
    budget?.spend(UNITS_PER_ELEMENT + (end - at) / CHARS_PER_UNIT);
    at = nextChild(text, end);
  }
  return elements;
}

function membersOf(text: string, start: number, budget?: WorkBudget): Children {
  const members = new Map<string, number>();
  for (let at = afterSpace(text, start + 1); text.charCodeAt(at) !== CLOSE;) {
    const quote = closingQuote(text, at);
    const child = afterSpace(text, afterSpace(text, quote + 1) + 1);
    members.set(nameIn(text, at, quote), child);
    const { end } = spanFrom(text, child);
    budget?.spend(UNITS_PER_MEMBER + (end - at) / CHARS_PER_UNIT);
    at = nextChild(text, end);
  }
  return members;
}

/** Returns the offset of the child after the one that ends here, or of the closing bracket. */
function nextChild(text: string, end: number): number {
  const at = afterSpace(text, end);
  return text.charCodeAt(at) === COMMA ? afterSpace(text, at + 1) : at;
}

/**
 * Returns a reader of the elements of a list. Reading them in order passes the text once; an earlier one begins again.
 * The text must be a JSON list that has the element.
 */
export function elementReader(text: string): (at: number) => string {
  const first = afterSpace(text, afterSpace(text, 0) + 1);
  let [index, next] = [0, first];
  return (at) => {
    if (at < index) [index, next] = [0, first];
    for (; index < at; index += 1) next = nextChild(text, spanFrom(text, next).end);
    const { start, end } = spanFrom(text, next);
    return text.slice(start, end);
  };
}

/**
 * Returns the text with its member names spelled without escapes. Returns undefined if a name cannot be: one with quotes, backslashes,
 * control characters or lone surrogates. A text that is not JSON stays one that is not, or gets undefined.
 */
export function withPlainNames(text: string): string | undefined {
  if (!text.includes("\\")) return text;
  const parts: string[] = [];
  let done = 0;
  for (let open = text.indexOf('"'); open >= 0;) {
    const quote = closingQuote(text, open);
    const next = afterSpace(text, quote + 1);
    if (text.charCodeAt(next) === COLON && text.slice(open, quote).includes("\\")) {
      const plain = plainName(text.slice(open, quote + 1));
      if (plain === undefined) return undefined;
      parts.push(text.slice(done, open), plain);
      done = quote + 1;
    }
    open = text.indexOf('"', next);
  }
  return done === 0 ? text : parts.join("") + text.slice(done);
}

function plainName(spelled: string): string | undefined {
  try {
    const plain = JSON.stringify(JSON.parse(spelled));
    return plain.includes("\\") ? undefined : plain;
  } catch {
    return undefined;
  }
}

/**
 * Parses like JSON.parse without its key cache, and reports the first repeated name (compared after unescaping; the
 * last value stands). The text must be JSON, at most 64 levels deep. `scalar` reads the text of a value that is not a container.
 */
export function readTree(text: string, scalar: (text: string) => unknown = JSON.parse): Tree {
  let at = 0;
  let duplicate: Duplicate | undefined;
  const path: (string | number)[] = [];

  function readValue(): unknown {
    const code = text.charCodeAt(at);
    if (code === OPEN) return readObject();
    if (code === OPEN_BRACKET) return readArray();
    const { start, end } = spanFrom(text, at);
    at = end;
    return scalar(text.slice(start, end));
  }

  function readObject(): object {
    const members: Record<string, unknown> = {};
    for (at = afterSpace(text, at + 1); text.charCodeAt(at) !== CLOSE; skipComma()) {
      const open = at;
      const quote = closingQuote(text, open);
      const name = nameIn(text, open, quote);
      path.push(name);
      if (Object.hasOwn(members, name)) duplicate ??= { name, at: open, path: [...path] };
      at = afterSpace(text, afterSpace(text, quote + 1) + 1);
      define(members, name, readValue());
      path.pop();
    }
    at += 1;
    return members;
  }

  function readArray(): unknown[] {
    const elements: unknown[] = [];
    for (at = afterSpace(text, at + 1); text.charCodeAt(at) !== CLOSE_BRACKET; skipComma()) {
      path.push(elements.length);
      elements.push(readValue());
      path.pop();
    }
    at += 1;
    return elements;
  }

  function skipComma(): void {
    at = afterSpace(text, at);
    if (text.charCodeAt(at) === COMMA) at = afterSpace(text, at + 1);
  }

  at = afterSpace(text, 0);
  return { value: readValue(), duplicate };
}

/**
 * Returns the parser's own offset of a syntax fault, which JSON.parse does not report; undefined if the text is JSON.
 * The text must be at most 64 levels deep.
 */
export function findSyntaxFault(text: string): number | undefined {
  const end = passValue(text, afterSpace(text, 0));
  if (end < 0) return ~end;
  const rest = afterSpace(text, end);
  return rest === text.length ? undefined : rest;
}

/** Assigns a member, except for the one name that would set the prototype, which it defines as a property. */
function define(members: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== "__proto__") members[name] = value;
  else Object.defineProperty(members, name, { value, enumerable: true, configurable: true, writable: true });
}

/** Returns the text's length if the string is not closed. */
function closingQuote(text: string, open: number): number {
  const near = Math.min(text.length, open + SHORT_STRING);
  for (let at = open + 1; at < near; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at;
    if (code === BACKSLASH) return closingQuoteFar(text, at);
  }
  return closingQuoteFar(text, near);
}

function closingQuoteFar(text: string, from: number): number {
  for (let at = from; ;) {
    const quote = text.indexOf('"', at);
    if (quote < 0) return text.length;
    let first = quote;
    while (first > from && text.charCodeAt(first - 1) === BACKSLASH) first -= 1;
    if ((quote - first) % 2 === 0) return quote;
    at = quote + 1;
  }
}

function closingBracket(text: string, open: number): number {
  let depth = 0;
  for (let at = open; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = closingQuote(text, at);
    else if ((code | CASE_BIT) === OPEN) depth += 1;
    else if ((code | CASE_BIT) === CLOSE) {
      depth -= 1;
      if (depth === 0) return at;
    }
  }
  return text.length;
}

function nameIn(text: string, open: number, close: number): string {
  const spelled = text.slice(open + 1, close);
  return spelled.includes("\\") ? String(JSON.parse(`"${spelled}"`)) : spelled;
}

function isScalar(code: number): boolean {
  return code > 0x20 && code !== COMMA && code !== CLOSE && code !== CLOSE_BRACKET;
}

function afterSpace(text: string, from: number): number {
  let at = from;
  for (; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) break;
  }
  return at;
}

// The functions below return the complement of an offset, a negative number, for a fault.

const WORD = /true|false|null/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4})/y;

function passValue(text: string, at: number): number {
  const code = text.charCodeAt(at);
  if (code === QUOTE) return passString(text, at);
  if (code === OPEN || code === OPEN_BRACKET) return passContainer(text, at);
  const end = passPattern(NUMBER, text, at);
  return end < 0 ? passPattern(WORD, text, at) : end;
}

function passContainer(text: string, open: number): number {
  const isObject = text.charCodeAt(open) === OPEN;
  const closer = text.charCodeAt(open) + 2;
  let at = afterSpace(text, open + 1);
  if (text.charCodeAt(at) === closer) return at + 1;
  for (;;) {
    if (isObject) at = passName(text, at);
    if (at >= 0) at = passValue(text, at);
    if (at < 0) return at;
    at = afterSpace(text, at);
    const code = text.charCodeAt(at);
    if (code === closer) return at + 1;
    if (code !== COMMA) return ~at;
    at = afterSpace(text, at + 1);
  }
}

function passName(text: string, at: number): number {
  const end = text.charCodeAt(at) === QUOTE ? passString(text, at) : ~at;
  if (end < 0) return end;
  const colon = afterSpace(text, end);
  return text.charCodeAt(colon) === COLON ? afterSpace(text, colon + 1) : ~colon;
}

function passString(text: string, open: number): number {
  let at = open + 1;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at + 1;
    if (code < 0x20) return ~at;
    at = code === BACKSLASH ? passPattern(ESCAPE, text, at) : at + 1;
    if (at < 0) return at;
  }
  return ~at;
}

function passPattern(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : ~at;
}
