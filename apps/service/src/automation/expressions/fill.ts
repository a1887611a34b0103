import { JsonError, locate, pointerOf, readTemplate, scanJson } from "../../lib/lib.ts";
import type { Path, ScannedJson, Steps, Template, Violation } from "../../lib/lib.ts";
import type { Facts } from "./facts.ts";

/** JSON that somebody wrote: where in a text it stands, and with which names its paths may begin. */
export interface Written {
  readonly scan: ScannedJson;
  readonly place: Steps;
  readonly roots: readonly string[];
}

/** JSON with values of the event in it. */
export interface Fill {
  /** Text of JSON; a path whose value stands there as it is spelled; a text with values in it. */
  readonly pieces: readonly (string | Path | { readonly text: Template })[];
  /** What it looks at. */
  readonly paths: readonly Path[];
}

/** It came out too large or too deep: the event's values are what makes it so. */
export class FillError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "FillError";
  }
}

/** Bytes: as much as an event may carry. */
const MAX_FILLED = 262_144;

/**
 * Compiles JSON. A text that is one `${$.data.x}` becomes the value itself, of its type and with all its digits; in other texts
 * values stand as text. Where a text is no template there is a fault, at a pointer from the text's own root.
 */
export function compileFill({ scan, place, roots }: Written): { fill: Fill; faults: readonly Violation[] } {
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
    pieces.push(rest.length === 0 && typeof first === "object" ? first : { text: template });
  }

  add(locate(scan.value, place)?.value, place);
  return { fill: { pieces, paths }, faults };
}

/** An object of JSON that was compiled apart. */
export function fillOfMembers(members: readonly (readonly [string, Fill])[]): Fill {
  const pieces = members.flatMap(([name, fill], at) => [
    `${at === 0 ? "" : ","}${JSON.stringify(name)}:`,
    ...fill.pieces,
  ]);
  return { pieces: ["{", ...pieces, "}"], paths: members.flatMap(([, fill]) => fill.paths) };
}

/** A text with `${…}`; undefined when a token is no path, or begins with another name. */
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

/** What is not there is empty, and so is null. Throws FillError. */
export function textOf(template: Template, facts: Facts): string {
  let text = "";
  for (const part of template) {
    text += typeof part === "string" ? part : plainAt(part, facts);
    if (text.length > MAX_FILLED) throw tooLarge();
  }
  return text;
}

function plainAt(path: Path, facts: Facts): string {
  const fact = facts.at(path);
  if (fact === undefined || fact.value === null) return "";
  return typeof fact.value === "string" ? fact.value : fact.text;
}

/** The JSON text; what is not there is null. Throws FillError. */
export function filled({ pieces }: Fill, facts: Facts): string {
  let text = "";
  for (const piece of pieces) {
    if (typeof piece === "string") text += piece;
    else if ("steps" in piece) text += facts.at(piece)?.text ?? "null";
    else text += JSON.stringify(textOf(piece.text, facts).toWellFormed());
    if (text.length > MAX_FILLED) throw tooLarge();
  }
  if (Buffer.byteLength(text) > MAX_FILLED) throw tooLarge();
  assertNotTooDeep(text);
  return text;
}

function tooLarge(): FillError {
  return new FillError(`would be larger than ${MAX_FILLED} bytes`);
}

/** A deep value put into a deep place would be JSON that nobody reads any more. */
function assertNotTooDeep(text: string): void {
  try {
    scanJson(Buffer.from(text));
  } catch (error) {
    if (error instanceof JsonError) throw new FillError("would be nested too deeply");
    throw error;
  }
}
