import { isExactNumber } from "../../api/api.ts";
import type { FieldSpec, PairDraft } from "./item-kind.ts";
import { isObject, newKey, pretty } from "../../shared/shared.ts";

/** Stands for null, the end of a run. No step has this name. */
export const END = "end:";

/** Returns the text of a member's field; undefined where the field cannot show the member. */
export function fieldText(field: FieldSpec, member: unknown): string | undefined {
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
  flag: (member) => (typeof member === "boolean" ? (member ? "true" : "") : undefined),
  choice: (member, { options = [] }) => options.find(({ value }) => value === member)?.value,
};

/** Returns the rows of an object; undefined if it has other members than texts, or those that can be written as one. */
export function pairsOf(object: unknown): readonly PairDraft[] | undefined {
  if (!isObject(object) || !Object.values(object).every(isPlain)) return undefined;
  return Object.entries(object).map(([name, value]) => ({
    key: newKey(),
    name,
    value: typeof value === "string" ? value : JSON.stringify(value),
  }));
}

function isPlain(value: unknown): boolean {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean" || isExactNumber(value);
}

/** Returns the rows of a list of labels and texts; undefined for any other value. */
export function pairsOfRows(list: unknown): readonly PairDraft[] | undefined {
  if (!Array.isArray(list) || !list.every(isRow)) return undefined;
  return list.map(({ label, value }) => ({ key: newKey(), name: label, value }));
}

interface Row {
  readonly label: string;
  readonly value: string;
}

function isRow(value: unknown): value is Row {
  if (!isObject(value) || Object.keys(value).length !== 2) return false;
  return typeof value["label"] === "string" && typeof value["value"] === "string";
}

export function newPair(): PairDraft {
  return { key: newKey(), name: "", value: "" };
}
