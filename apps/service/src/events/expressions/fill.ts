import { JsonError, locate, pointerOf, readTemplate, scanJson, TooExpensiveError } from "../../lib/lib.ts";
import type { Path, ScannedJson, Steps, Template, Violation, WorkBudget } from "../../lib/lib.ts";
import type { Facts } from "./facts.ts";

/** JSON in a larger text: its place there, and the names with which its paths may begin. */
export interface Written {
  readonly scan: ScannedJson;
  readonly place: Steps;
  readonly roots: readonly string[];
}

/** Compiled JSON with templates, into which values of the event are filled. */
export interface Fill {
  /** Parts in order: JSON text, a path whose value is inserted as it is spelled, a text with templates, or the list of its parts. */
  readonly pieces: readonly (string | Path | { readonly text: Template } | { readonly parts: Template })[];
  /** All paths that it reads. */
  readonly paths: readonly Path[];
}

/** The reason why a template cannot be filled in. */
export type FillFault = "template_too_large" | "too_expensive" | "value_missing" | "value_invalid";

/** Thrown if the result is invalid because of the event's values. */
export class FillError extends Error {
  readonly code: FillFault;
  constructor(message: string, code: FillFault = "template_too_large") {
    super(message);
    this.name = "FillError";
    this.code = code;
  }
}

/** Maximum size in bytes, which is also that of an event's data. */
const MAX_FILLED = 262_144;

/**
 * Compiles JSON. A text that is only one `${$.data.x}` becomes the value itself, with its type and all its digits. In other texts,
 * values are inserted as text. An invalid template is a fault, with a pointer from the root of the whole text. With `inParts`, each
 * text with templates becomes the list of its parts: texts, and `{path, name, value}` without a `value` if it is missing.
 */
export function compileFill(
  { scan, place, roots }: Written,
  inParts = false,
): { fill: Fill; faults: readonly Violation[] } {
  const pieces: Fill["pieces"][number][] = [];
  const paths: Path[] = [];
  const faults: Violation[] = [];

  function add(value: unknown, at: Steps): void {
    if (Array.isArray(value))
      addAll(
        value.map((one: unknown, index) => [one, [...at, index], ""] as const),
        "[]",
      );
    else if (typeof value === "object" && value !== null)
      addAll(
        Object.entries(value).map(([name, one]) => [one, [...at, name], `${JSON.stringify(name)}:`] as const),
        "{}",
      );
    else if (typeof value === "string" && value.includes("${")) addTemplate(value, at);
    else pieces.push(scan.slice(at) ?? "null");
  }

  function addAll(members: readonly (readonly [unknown, Steps, string])[], brackets: string): void {
    pieces.push(brackets.charAt(0));
    members.forEach(([value, at, head], index) => {
      pieces.push(`${index === 0 ? "" : ","}${head}`);
      add(value, at);
    });
    pieces.push(brackets.charAt(1));
  }

  function addTemplate(text: string, at: Steps): void {
    const template = readText(text, roots);
    if (template === undefined) {
      faults.push({ pointer: pointerOf(at), code: "template", message: templateAdvice(roots) });
      return;
    }
    const [first, ...rest] = template;
    paths.push(...pathsOf(template));
    if (inParts) pieces.push({ parts: template });
    else pieces.push(rest.length === 0 && typeof first === "object" ? first : { text: template });
  }

  add(locate(scan.value, place)?.value, place);
  return { fill: { pieces, paths }, faults };
}

/** Combines members that were compiled separately into one object. */
export function fillOfMembers(members: readonly (readonly [string, Fill])[]): Fill {
  const pieces = members.flatMap(([name, fill], at) => [
    `${at === 0 ? "" : ","}${JSON.stringify(name)}:`,
    ...fill.pieces,
  ]);
  return { pieces: ["{", ...pieces, "}"], paths: members.flatMap(([, fill]) => fill.paths) };
}

/** Parses a text with `${…}`. Undefined if a token is not a path, or begins with another name. */
export function readText(text: string, roots: readonly string[]): Template | undefined {
  const template = readTemplate(text);
  return template?.every((part) => typeof part === "string" || hasRoot(part, roots)) === true ? template : undefined;
}

export function hasRoot({ steps: [first] }: Path, roots: readonly string[]): boolean {
  return roots.some((root) => root === first);
}

function templateAdvice(roots: readonly string[]): string {
  return `must contain \${…} tokens with paths such as \${$.data.total} or \${event}, which begin with one of ${roots.join(", ")}`;
}

export function pathsOf(template: Template): Path[] {
  return template.filter((part) => typeof part !== "string");
}

/** Characters that are written and read again for one unit. */
const WRITTEN_PER_UNIT = 32;

/** A text that grows by values of customers: each piece is charged, and the text ends at the maximum. */
class Growing {
  readonly #budget: WorkBudget;
  text = "";

  constructor(budget: WorkBudget) {
    this.#budget = budget;
  }

  /** Throws FillError. */
  add(piece: string): void {
    if (this.text.length + piece.length > MAX_FILLED) throw tooLarge();
    this.#budget.spend(1 + piece.length / WRITTEN_PER_UNIT);
    this.text += piece;
  }
}

/**
 * Fills in a text. A missing value and null become empty, unless `valueAt` says otherwise. Throws FillError, also if the
 * budget does not suffice.
 */
export function fillText(
  template: Template,
  facts: Facts,
  valueAt: (path: Path, facts: Facts) => string = plainAt,
): string {
  return withinBudget(() => {
    const written = new Growing(facts.budget);
    for (const part of template) written.add(typeof part === "string" ? part : valueAt(part, facts));
    return written.text;
  });
}

/** Does work that may be too expensive for the values, as another reason why a template cannot be filled in. */
export function withinBudget<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (error instanceof TooExpensiveError)
      throw new FillError("is too expensive to fill in with these values (too_expensive)", "too_expensive");
    throw error;
  }
}

function plainAt(path: Path, facts: Facts): string {
  const fact = facts.at(path);
  if (fact === undefined || fact.value === null) return "";
  return typeof fact.value === "string" ? fact.value : fact.text;
}

/** Returns the JSON text. A missing value becomes null. Throws FillError, also if the budget does not suffice. */
export function filled(fill: Fill, facts: Facts): string {
  return withinBudget(() => filledText(fill, facts));
}

function filledText({ pieces }: Fill, facts: Facts): string {
  const { budget } = facts;
  const written = new Growing(budget);
  for (const piece of pieces) {
    if (typeof piece === "string") written.add(piece);
    else if ("steps" in piece) written.add(facts.at(piece)?.text ?? "null");
    else if ("parts" in piece) addParts(written, piece.parts, facts);
    else written.add(JSON.stringify(fillText(piece.text, facts).toWellFormed()));
  }
  const { text } = written;
  if (Buffer.byteLength(text) > MAX_FILLED) throw tooLarge();
  assertNotTooDeep(text, budget);
  return text;
}

function addParts(written: Growing, parts: Template, facts: Facts): void {
  written.add("[");
  for (const [at, part] of parts.entries()) {
    if (at > 0) written.add(",");
    written.add(partText(part, facts));
  }
  written.add("]");
}

function partText(part: string | Path, facts: Facts): string {
  if (typeof part === "string") return JSON.stringify(part);
  const name = part.steps.findLast((step) => typeof step === "string") ?? "";
  const value = facts.at(part)?.text;
  return `${JSON.stringify({ path: part.text, name }).slice(0, -1)}${value === undefined ? "" : `,"value":${value}`}}`;
}

function tooLarge(): FillError {
  return new FillError(`would be larger than ${MAX_FILLED} bytes`);
}

/** Refuses JSON that no parser of ours would accept, because a deep value was inserted at a deep place. */
function assertNotTooDeep(text: string, budget: WorkBudget): void {
  if (!hasManyBrackets(text)) return;
  budget.spend(text.length / SCANNED_PER_UNIT);
  try {
    scanJson(Buffer.from(text));
  } catch (error) {
    if (error instanceof JsonError) throw new FillError("would be nested too deeply");
    throw error;
  }
}

/** Characters that are parsed for one unit, at worst. */
const SCANNED_PER_UNIT = 3;
/** JSON with fewer opening brackets cannot be nested deeper than a parser of ours accepts. */
const MANY_BRACKETS = 60;

/** Returns whether the text may be nested too deeply. Texts with few brackets, which are most, need not be parsed again. */
function hasManyBrackets(text: string): boolean {
  let count = 0;
  for (const bracket of ["{", "["])
    for (let at = text.indexOf(bracket); at !== -1; at = text.indexOf(bracket, at + 1)) {
      count += 1;
      if (count >= MANY_BRACKETS) return true;
    }
  return false;
}
