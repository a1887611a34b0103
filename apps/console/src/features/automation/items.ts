import type { Fault } from "../../shared/shared.ts";
import { conditionOf, draftOfCondition, emptyCondition } from "./conditions.ts";
import type { ConditionDraft } from "./conditions.ts";
import { isObject, newKey, pretty, readObject } from "./values.ts";

/** One member of an action or a step. The kind `way` is the next step of a run. */
export interface FieldSpec {
  readonly name: string;
  readonly label: string;
  readonly kind: "text" | "long" | "whole" | "json" | "tags" | "way" | "condition";
  readonly hint?: string;
  /** True to send the member even when it is empty, so that the service says what is missing. */
  readonly required?: boolean;
  readonly suggest?: "events" | "actions" | "workflows" | "roles";
}

/** A kind of action or step, with its fields. */
export interface ItemKind {
  readonly type: string;
  readonly label: string;
  readonly does: string;
  readonly fields: readonly FieldSpec[];
}

/** An action or a step as it stands in the form. A value without a form is JSON. */
export interface ItemDraft {
  readonly key: string;
  readonly type: string;
  readonly isJson: boolean;
  readonly json: string;
  readonly texts: Readonly<Record<string, string>>;
  readonly tags: Readonly<Record<string, readonly string[]>>;
  readonly conditions: Readonly<Record<string, ConditionDraft>>;
}

type Parts = Pick<ItemDraft, "texts" | "tags" | "conditions">;
type Value = Readonly<Record<string, unknown>>;

/** Stands for null, the end of a run. No step has this name. */
export const END = "end:";
const NO_OBJECT = "Enter a valid JSON object.";

/** Returns true if no row was added, moved or removed. */
export function haveSameRows(some: readonly Keyed[], others: readonly Keyed[]): boolean {
  return some.length === others.length && some.every(({ key }, at) => key === others[at]?.key);
}

interface Keyed {
  readonly key: string;
}

export function newItem(kind: ItemKind, texts: Readonly<Record<string, string>> = {}): ItemDraft {
  return { key: newKey(), type: kind.type, isJson: false, json: "", texts, tags: {}, conditions: {} };
}

export function draftOfItem(value: Value, kinds: readonly ItemKind[]): ItemDraft {
  const type = String(value["type"]);
  const parts = partsOf(
    value,
    kinds.find((one) => one.type === type),
  );
  const none: Parts = { texts: {}, tags: {}, conditions: {} };
  return { key: newKey(), type, isJson: parts === undefined, json: pretty(value), ...(parts ?? none) };
}

/** Returns undefined where the form cannot show the whole value. */
function partsOf(value: Value, kind: ItemKind | undefined): Parts | undefined {
  const texts: Record<string, string> = {};
  const tags: Record<string, readonly string[]> = {};
  const conditions: Record<string, ConditionDraft> = {};
  for (const [name, member] of Object.entries(value)) {
    if (name === "type") continue;
    const field = kind?.fields.find((one) => one.name === name);
    if (field === undefined) return undefined;
    if (field.kind === "condition" && isObject(member)) conditions[name] = draftOfCondition(member);
    else if (field.kind === "tags" && isTexts(member)) tags[name] = member;
    else {
      const text = textOf(field, member);
      if (text === undefined) return undefined;
      texts[name] = text;
    }
  }
  return { texts, tags, conditions };
}

const TEXTS: ReadonlySet<string> = new Set(["text", "long", "way"]);

function textOf({ kind }: FieldSpec, member: unknown): string | undefined {
  if (kind === "json") return isObject(member) ? pretty(member) : undefined;
  if (kind === "whole") return typeof member === "number" ? String(member) : undefined;
  if (kind === "way" && member === null) return END;
  return TEXTS.has(kind) && typeof member === "string" ? member : undefined;
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}

/** Returns the draft in the other notation; undefined where the form cannot show the JSON. */
export function switched(draft: ItemDraft, kinds: readonly ItemKind[]): ItemDraft | undefined {
  if (!draft.isJson) return { ...draft, isJson: true, json: pretty(valueOfItem(draft, kinds).value) };
  const value = readObject(draft.json);
  const form = value === undefined ? undefined : draftOfItem(value, kinds);
  return form === undefined || form.isJson ? undefined : { ...form, key: draft.key };
}

export interface ItemValue {
  readonly value: { readonly type: string } & Record<string, unknown>;
  /** Faults at pointers from the item on. */
  readonly faults: readonly Fault[];
}

/** Returns the item as the API accepts it. */
function valueOfItem(draft: ItemDraft, kinds: readonly ItemKind[]): ItemValue {
  if (draft.isJson) {
    const value = readObject(draft.json);
    const faults = value === undefined ? [{ pointer: "", message: NO_OBJECT }] : [];
    return { value: { type: draft.type, ...value }, faults };
  }
  const value: { type: string } & Record<string, unknown> = { type: draft.type };
  const faults: Fault[] = [];
  for (const field of kinds.find(({ type }) => type === draft.type)?.fields ?? []) {
    const { member, found } = memberOf(draft, field);
    if (member !== undefined) value[field.name] = member;
    faults.push(...found.map((fault) => ({ ...fault, pointer: `/${field.name}${fault.pointer}` })));
  }
  return { value, faults };
}

interface Member {
  /** Undefined for a member that is left out. */
  readonly member: unknown;
  readonly found: readonly Fault[];
}

function memberOf(draft: ItemDraft, { name, kind, required = false }: FieldSpec): Member {
  if (kind === "condition") {
    const { condition, faults } = conditionOf(draft.conditions[name] ?? emptyCondition());
    return { member: condition, found: faults };
  }
  if (kind === "tags") return { member: draft.tags[name] ?? [], found: [] };
  const text = draft.texts[name] ?? "";
  return text.trim() === "" && !required ? { member: undefined, found: [] } : READERS[kind](text);
}

const READERS: Readonly<Record<"text" | "long" | "whole" | "json" | "way", (text: string) => Member>> = {
  text: (text) => ({ member: text, found: [] }),
  long: (text) => ({ member: text, found: [] }),
  way: (text) => ({ member: text === END ? null : text, found: [] }),
  json(text) {
    const member = text.trim() === "" ? {} : readObject(text);
    return { member, found: member === undefined ? [{ pointer: "", message: NO_OBJECT }] : [] };
  },
  whole(text) {
    const isWhole = /^-?\d+$/.test(text.trim());
    return { member: Number(text), found: isWhole ? [] : [{ pointer: "", message: "Enter a whole number." }] };
  },
};

/** Returns all items of a list. Faults are at pointers from the list on. */
export function valueOfItems(
  items: readonly ItemDraft[],
  kinds: readonly ItemKind[],
): { readonly values: ItemValue["value"][]; readonly faults: readonly Fault[] } {
  const built = items.map((item) => valueOfItem(item, kinds));
  return {
    values: built.map(({ value }) => value),
    faults: built.flatMap(({ faults }, at) => faults.map((fault) => ({ ...fault, pointer: `/${at}${fault.pointer}` }))),
  };
}
