import { fillTemplate, pointerOf, readTemplate } from "../kernel/kernel.ts";
import type { ScannedJson, Violation } from "../kernel/kernel.ts";
import { valueAt } from "./condition.ts";
import { ROOTS } from "./facts.ts";
import type { Fact, Facts } from "./facts.ts";

type Place = readonly (string | number)[];

/**
 * The value at a place with its templates filled in, as JSON text. A text that is one token alone becomes the value it
 * names, of whatever type and spelled as it came; in other text a value is put as text. What names nothing is null alone, and
 * empty in text. Everything but texts is passed on as it is spelled.
 */
export function render(source: ScannedJson, place: Place, facts: Facts): string {
  return renderValue({ source, facts }, place, valueAt(source, place));
}

/** What is wrong with the templates at a place. */
export function templateFaults(source: ScannedJson, place: Place): Violation[] {
  return faultsIn(valueAt(source, place), place);
}

function renderValue(of: { source: ScannedJson; facts: Facts }, place: Place, value: unknown): string {
  if (typeof value === "string") return renderText(value, of.facts) ?? of.source.slice(place) ?? "null";
  if (Array.isArray(value)) {
    return `[${value.map((each: unknown, at) => renderValue(of, [...place, at], each)).join(",")}]`;
  }
  if (typeof value !== "object" || value === null) return of.source.slice(place) ?? "null";
  const members = Object.entries(value).map(
    ([name, each]) => `${JSON.stringify(name)}:${renderValue(of, [...place, name], each)}`,
  );
  return `{${members.join(",")}}`;
}

/** Undefined for text without tokens. */
function renderText(text: string, facts: Facts): string | undefined {
  const template = readTemplate(text) ?? [];
  const [only] = template;
  if (template.every((part) => typeof part === "string")) return undefined;
  if (template.length === 1 && typeof only === "object") return facts.at(only)?.text ?? "null";
  return JSON.stringify(fillTemplate(template, (path) => textOf(facts.at(path))));
}

function textOf(fact: Fact | undefined): string {
  if (fact === undefined) return "";
  return typeof fact.value === "string" ? fact.value : fact.text;
}

function faultsIn(value: unknown, place: Place): Violation[] {
  if (typeof value === "string") {
    const template = readTemplate(value);
    const isFine = template?.every((part) => typeof part === "string" || ROOTS.includes(part.steps[0])) ?? false;
    const message =
      "has a token that is not ${$.event}, ${$.data…}, ${$.input…} or ${$.steps.<id>…}, an RFC 9535 singular query";
    return isFine ? [] : [{ pointer: pointerOf(place), code: "template", message }];
  }
  if (typeof value !== "object" || value === null) return [];
  const children: (readonly [string | number, unknown])[] = Array.isArray(value)
    ? value.map((each: unknown, at) => [at, each] as const)
    : Object.entries(value);
  return children.flatMap(([step, each]) => faultsIn(each, [...place, step]));
}
