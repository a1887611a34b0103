import { compile } from "json-p3";

/** Names and indexes from the root; a negative index counts from the end. */
export type Steps = readonly (string | number)[];

export interface Path {
  readonly text: string;
  readonly steps: Steps;
}

/** Longer ones are refused at save: what compiles in microseconds stays so. */
export const MAX_PATH_LENGTH = 512;
const KEPT = 2000;

/** Compiled once: a path's meaning depends on its text alone, so that this cannot be stale. */
const compiled = new Map<string, Path | undefined>();

/** An RFC 9535 singular query: `$.a.b`, `$['a']`, `$.a[0]`. Undefined for any other text; nothing of a filter is ever run. */
export function readPath(text: string): Path | undefined {
  if (text.length > MAX_PATH_LENGTH) return undefined;
  if (compiled.has(text)) return compiled.get(text);
  const path = compilePath(text);
  if (compiled.size >= KEPT) compiled.clear();
  compiled.set(text, path);
  return path;
}

/** Where the path leads in `root`, with indexes from the start; undefined where nothing is. Only own members count. */
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

interface Found {
  readonly key: string | number;
  readonly value: unknown;
}

function element(value: unknown, step: number): Found | undefined {
  if (!Array.isArray(value)) return undefined;
  const list: readonly unknown[] = value;
  const key = step < 0 ? list.length + step : step;
  return key >= 0 && key < list.length ? { key, value: list[key] } : undefined;
}

function member(value: unknown, name: string): Found | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value) || !Object.hasOwn(value, name)) {
    return undefined;
  }
  return { key: name, value: (value as Record<string, unknown>)[name] };
}

function compilePath(text: string): Path | undefined {
  try {
    const query = compile(text);
    if (!query.singularQuery()) return undefined;
    return { text, steps: query.segments.flatMap(({ selectors }) => selectors.map(stepOf)) };
  } catch {
    return undefined;
  }
}

function stepOf(selector: object): string | number {
  if ("name" in selector && typeof selector.name === "string") return selector.name;
  if ("index" in selector && typeof selector.index === "number") return selector.index;
  throw new TypeError("a singular query has a selector that is neither a name nor an index");
}
