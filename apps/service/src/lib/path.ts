import { rememberByText } from "./remember.ts";

// Written by hand: a singular query is one regular expression, and libraries differ from RFC 9535 in it (decision 0053).

/** The names and indexes from the root. A negative index counts from the end. */
export type Steps = readonly (string | number)[];

export interface Path {
  readonly text: string;
  readonly steps: Steps;
}

/** The maximum length, checked when a path is saved, so that paths compile in microseconds. */
export const MAX_PATH_LENGTH = 512;
const KEPT = 2000;

// The grammar of RFC 9535, section by section; without alternatives that could begin alike, so that reading is linear.
const SPACE = String.raw`[ \t\n\r]*`;
/** 2.5.1.1 */
const NAME = String.raw`[A-Za-z_\u{80}-\u{D7FF}\u{E000}-\u{10FFFF}][0-9A-Za-z_\u{80}-\u{D7FF}\u{E000}-\u{10FFFF}]*`;
/** 2.3.3.1 */
const INDEX = "0|-?[1-9][0-9]*";
/** 2.3.1.1: all but quotes, the backslash, controls and surrogates. */
const PLAIN = String.raw`[ !#-&\(-\[\]-\u{D7FF}\u{E000}-\u{10FFFF}]`;
const HEX = "[0-9A-Fa-f]";
const ESCAPABLE = String.raw`[bfnrt/\\]|u(?:[0-9A-CE-Fa-ce-f]${HEX}{3}|[Dd](?:[0-7]${HEX}{2}|[89ABab]${HEX}{2}\\u[Dd][C-Fc-f]${HEX}{2}))`;
const SINGLE = `'(?<single>(?:${PLAIN}|"|\\\\(?:'|${ESCAPABLE}))*)'`;
const DOUBLE = `"(?<double>(?:${PLAIN}|'|\\\\(?:"|${ESCAPABLE}))*)"`;
/** 2.5.1, with the space before it that section 2.1 allows. */
const SEGMENT = new RegExp(
  `${SPACE}(?:\\.(?<dotted>${NAME})|\\[${SPACE}(?:(?<index>${INDEX})|${SINGLE}|${DOUBLE})${SPACE}\\])`,
  "uy",
);
const ESCAPE = /\\(?:u(?<hex>[0-9A-Fa-f]{4})|(?<char>[^u]))/g;
const CONTROLS: Readonly<Record<string, string>> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };

/** Compiled paths. A path's meaning depends only on its text, so the cache cannot be stale. */
const compiled = rememberByText(compilePath, { results: KEPT });

/**
 * Reads an RFC 9535 singular query: `$.a.b`, `$['a']`, `$.a[0]`. Returns undefined for any other text. Filters are
 * never executed.
 */
export function readPath(text: string): Path | undefined {
  if (text.length > MAX_PATH_LENGTH) return undefined;
  return compiled(text);
}

/**
 * Returns the place to which the path leads in `root`, with indexes from the start; undefined if it finds nothing. Only
 * own members count.
 */
export function locate(root: unknown, steps: Steps): { readonly at: Steps; readonly value: unknown } | undefined {
  let value: unknown = root;
  const at: (string | number)[] = [];
  for (const step of steps) {
    const next = typeof step === "number" ? element(value, step) : member(value, step);
    if (next === undefined) return undefined;
    at.push(next.key);
    value = next.value;
  }
  return { at, value };
}

interface PathMatch {
  readonly key: string | number;
  readonly value: unknown;
}

function element(value: unknown, step: number): PathMatch | undefined {
  if (!Array.isArray(value)) return undefined;
  const list: readonly unknown[] = value;
  const key = step < 0 ? list.length + step : step;
  return key >= 0 && key < list.length ? { key, value: list[key] } : undefined;
}

function member(value: unknown, name: string): PathMatch | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value) || !Object.hasOwn(value, name)) {
    return undefined;
  }
  return { key: name, value: (value as Record<string, unknown>)[name] };
}

function compilePath(text: string): Path | undefined {
  if (!text.startsWith("$")) return undefined;
  const steps: (string | number)[] = [];
  for (let at = 1; at < text.length;) {
    SEGMENT.lastIndex = at;
    const { dotted, index, single, double } = SEGMENT.exec(text)?.groups ?? {};
    const step = dotted ?? (index === undefined ? unquoted(single ?? double) : indexOf(index));
    if (step === undefined) return undefined;
    steps.push(step);
    at = SEGMENT.lastIndex;
  }
  return { text, steps };
}

function indexOf(digits: string): number | undefined {
  const index = Number(digits);
  return Number.isSafeInteger(index) ? index : undefined;
}

function unquoted(literal: string | undefined): string | undefined {
  return literal?.replaceAll(ESCAPE, (_escape, hex: string | undefined, char: string) =>
    hex === undefined ? (CONTROLS[char] ?? char) : String.fromCharCode(Number.parseInt(hex, 16)),
  );
}
