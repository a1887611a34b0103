import { locate, readPath } from "../../lib/lib.ts";
import type { Path, ScannedJson, Steps, WorkBudget } from "../../lib/lib.ts";

/** A path, or several in order of preference. */
export type PathChoice = string | readonly string[] | null;

/** The part of a body that a mapping reads: the whole, or an element of its list, for which `$` stands then. */
export interface Part {
  readonly json: ScannedJson;
  readonly at: Steps;
  readonly value: unknown;
  /** True where a list of one element cannot be distinguished from the element, as in forms and XML. */
  readonly isLoneList?: boolean;
  /** The price of the texts that are looked for. */
  readonly budget: WorkBudget;
}

/** The maximum of paths in a choice. */
export const MAX_CHOICES = 8;
/** The price of reading a template. */
export const TEMPLATE_CHARS_PER_UNIT = 10;
/** The characters of a value that a summary can begin with. */
const MAX_SOURCE = 4000;

/**
 * Returns the first text that is not empty, or number as spelled, of the paths, without the space around it. Returns null if
 * they find anything else or nothing.
 */
export function textAtPaths(part: Part, choice: PathChoice, maxLength: number): string | null {
  if (choice === null) return null;
  if (typeof choice === "string") return textAtPath(part, choice, maxLength);
  for (const path of choice) {
    const text = textAtPath(part, path, maxLength);
    if (text !== null) return text;
  }
  return null;
}

/** The price of one look-up, and of each character that is found. */
const LOOKUP_UNITS = 3;
const CHARS_PER_UNIT = 50;

function locatePath({ value, budget, isLoneList = false }: Part, { steps }: Path): ReturnType<typeof locate> {
  budget.spend(LOOKUP_UNITS + steps.length);
  return locate(value, steps) ?? (isLoneList ? locateLone(value, steps) : undefined);
}

/** The positions of the only element of a list. */
const LONE = new Set<string | number>([0, -1]);

/** Returns the place to which a path leads if what it takes for a list of one element is the element. */
export function locateLone(root: unknown, steps: Steps): ReturnType<typeof locate> {
  let place: ReturnType<typeof locate> = { at: [], value: root };
  for (const step of steps) {
    if (place === undefined) return undefined;
    if (LONE.has(step) && !Array.isArray(place.value)) continue;
    const next = locate(place.value, [step]);
    place = next === undefined ? undefined : { at: [...place.at, ...next.at], value: next.value };
  }
  return place;
}

function textAtPath(part: Part, text: string, maxLength: number): string | null {
  const path = readPath(text);
  return path === undefined ? null : cut(scalarOf(part, path), maxLength);
}

/** Returns the text, or the number as spelled, to which a path leads; null if it leads elsewhere. */
export function scalarOf(part: Part, path: Path): string | null {
  const { at = [], value } = locatePath(part, path) ?? {};
  const text = typeof value === "number" ? sliceOf(part, at) : value;
  if (typeof text !== "string") return null;
  part.budget.spend(text.length / CHARS_PER_UNIT);
  const trimmed = clean(text).trim();
  return trimmed === "" ? null : trimmed;
}

/** Returns the value as text; empty for null and if the path finds nothing. */
export function sourceOf(part: Part, path: Path): string {
  const { at = [], value = null } = locatePath(part, path) ?? {};
  if (value === null) return "";
  const text = typeof value === "string" ? value : sliceOf(part, at);
  part.budget.spend(Math.min(text.length, MAX_SOURCE) / CHARS_PER_UNIT);
  // A template can name a long value many times.
  return clean(text.slice(0, MAX_SOURCE));
}

/** Returns the source text of the value at these steps in the part, spelled as received. */
export function sliceOf({ json, at, budget }: Part, steps: Steps = []): string {
  return json.slice([...at, ...steps], budget) ?? "null";
}

/** Replaces characters that PostgreSQL cannot store as text. */
export function clean(text: string): string {
  return text.toWellFormed().replaceAll("\u0000", "\uFFFD");
}

export function cut<Text extends string | null>(text: Text, maxLength: number): Text | string {
  if (text === null || text.length <= maxLength) return text;
  return `${text
    .slice(0, maxLength - 1)
    .toWellFormed()
    .replace(/\uFFFD$/, "")}…`;
}
