import { isExactNumber } from "../../api/api.ts";
import type { FieldSpec, PairDraft } from "./item-kind.ts";
import { isObject, newKey, pretty } from "./values.ts";

/** Stands for null, the end of a run. No step has this name. */
export const END = "end:";

/** Returns the text of a member's field; undefined where the field cannot show the member. */
export function textOf(field: FieldSpec, member: unknown): string | undefined {
  return TEXTS[field.kind]?.(member, field);
}

const asItIs = (member: unknown): string | undefined => (typeof member === "string" ? member : undefined);

const TEXTS: Readonly<Partial<Record<string, (member: unknown, field: FieldSpec) => string | undefined>>> = {
  text: asItIs,
  long: asItIs,
  way: (member) => (member === null ? END : asItIs(member)),
  json: (member) => (isObject(member) ? pretty(member) : undefined),
  value: pretty,
  whole: (member) => (typeof member === "number" ? String(member) : undefined),
  choice: (member, { options = [] }) => options.find(({ value }) => value === member)?.value,
};

/** Returns whether a member of an object of texts can be written as a text, which means the same. */
export function isPlain(value: unknown): boolean {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean" || isExactNumber(value);
}

export function pairsOf(object: Readonly<Record<string, unknown>>): readonly PairDraft[] {
  return Object.entries(object).map(([name, value]) => ({
    key: newKey(),
    name,
    value: typeof value === "string" ? value : JSON.stringify(value),
  }));
}

export function newPair(): PairDraft {
  return { key: newKey(), name: "", value: "" };
}
