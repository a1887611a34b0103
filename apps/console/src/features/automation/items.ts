import { draftOfCondition, isObject, newKey, pretty, readObject } from "../../shared/shared.ts";
import type { Fault, ConditionDraft } from "../../shared/shared.ts";
import { memberOf } from "./item-values.ts";
import { pairsOf, pairsOfRows, fieldText } from "./item-members.ts";
import type { FieldSpec, ItemDraft, ItemKind, PairDraft } from "./item-kind.ts";

interface Parts {
  readonly texts: Record<string, string>;
  readonly tags: Record<string, readonly string[]>;
  readonly pairs: Record<string, readonly PairDraft[]>;
  readonly conditions: Record<string, ConditionDraft>;
}
type Value = Readonly<Record<string, unknown>>;

const NO_OBJECT = "Enter a valid JSON object.";

/** Returns true if no row was added, moved or removed. */
export function haveSameRows(some: readonly KeyedRow[], others: readonly KeyedRow[]): boolean {
  return some.length === others.length && some.every(({ key }, at) => key === others[at]?.key);
}

interface KeyedRow {
  readonly key: string;
}

export function newItem(kind: ItemKind, texts: Readonly<Record<string, string>> = {}): ItemDraft {
  return { key: newKey(), type: kind.type, isJson: false, json: "", ...noParts(), texts: { ...kind.begins, ...texts } };
}

/** Returns the item as another type, with the texts of fields that both types have. */
export function asType(item: ItemDraft, kind: ItemKind): ItemDraft {
  return { ...item, type: kind.type, texts: { ...kind.begins, ...item.texts } };
}

export function draftOfItem(value: Value, kinds: readonly ItemKind[]): ItemDraft {
  const type = String(value["type"]);
  const parts = partsOf(
    value,
    kinds.find((one) => one.type === type),
  );
  return { key: newKey(), type, isJson: parts === undefined, json: pretty(value), ...(parts ?? noParts()) };
}

function noParts(): Parts {
  return { texts: {}, tags: {}, pairs: {}, conditions: {} };
}

/** Returns undefined where the form cannot show the whole value. */
function partsOf(value: Value, kind: ItemKind | undefined): Parts | undefined {
  const parts = noParts();
  const fields = kind?.fields ?? [];
  const members = membersOf(value, fields);
  if (members === undefined) return undefined;
  for (const { name, selects } of fields) {
    const selected = selects?.find((one) => value[one] !== undefined);
    if (selected !== undefined) parts.texts[name] = selected;
  }
  const isRead = members.every(([field, member]) => takeMember(parts, field, member));
  return isRead && members.every(([field]) => isShown(field, parts.texts, fields)) ? parts : undefined;
}

type Member = readonly [field: FieldSpec, member: unknown];

/** Returns each member with its field; undefined if a member has none. */
function membersOf(value: Value, fields: readonly FieldSpec[]): readonly Member[] | undefined {
  const found: Member[] = [];
  for (const [name, member] of Object.entries(value)) {
    if (name === "type") continue;
    const isNested = fields.some((one) => one.name.startsWith(`${name}/`));
    const inner: readonly (readonly [string, unknown])[] =
      isNested && isObject(member)
        ? Object.entries(member).map(([part, inside]) => [`${name}/${part}`, inside])
        : [[name, member]];
    for (const [path, one] of inner) {
      const field = fields.find((spec) => (spec.name === path || spec.alias === path) && spec.selects === undefined);
      if (field === undefined) return undefined;
      found.push([field, one]);
    }
  }
  return found;
}

/** Adds a member to the parts. Returns false where its field cannot show it. */
function takeMember({ texts, tags, pairs, conditions }: Parts, field: FieldSpec, member: unknown): boolean {
  const { name, kind } = field;
  const rows = kind === "pairs" ? pairsOf(member) : kind === "rows" ? pairsOfRows(member) : undefined;
  if (rows !== undefined) pairs[name] = rows;
  else if (kind === "condition" && isObject(member)) conditions[name] = draftOfCondition(member);
  else if (kind === "tags" && isTexts(member)) tags[name] = member;
  else {
    const text = fieldText(field, member);
    if (text === undefined) return false;
    texts[name] = text;
  }
  return true;
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}

/** Returns whether the field belongs to the item as it stands. */
export function isShown(
  { only }: FieldSpec,
  texts: Readonly<Record<string, string>>,
  fields: readonly FieldSpec[],
): boolean {
  if (only === undefined) return true;
  const other = fields.find(({ name }) => name === only.field);
  return only.values.includes(texts[only.field] ?? "") && (other === undefined || isShown(other, texts, fields));
}

/** Returns the fields of an item as it stands. */
export function shownFields(item: ItemDraft, kind: ItemKind | undefined): readonly FieldSpec[] {
  const fields = kind?.fields ?? [];
  return fields.filter((field) => isShown(field, item.texts, fields));
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
export function valueOfItem(draft: ItemDraft, kinds: readonly ItemKind[]): ItemValue {
  if (draft.isJson) {
    const value = readObject(draft.json);
    const faults = value === undefined ? [{ pointer: "", message: NO_OBJECT }] : [];
    return { value: { type: draft.type, ...value }, faults };
  }
  const value: { type: string } & Record<string, unknown> = { type: draft.type };
  const faults: Fault[] = [];
  const kind = kinds.find(({ type }) => type === draft.type);
  for (const field of shownFields(draft, kind)) {
    if (field.selects !== undefined) continue;
    const { member, found } = memberOf(draft, field);
    if (member !== undefined) put(value, field.name, member);
    faults.push(...found.map((fault) => ({ ...fault, pointer: `/${field.name}${fault.pointer}` })));
  }
  return { value, faults };
}

function put(value: Record<string, unknown>, path: string, member: unknown): void {
  const [name = "", part] = path.split("/");
  if (part === undefined) value[name] = member;
  else value[name] = { ...(value[name] as object | undefined), [part]: member };
}

/** Returns all items of a list. `root` is the list's pointer in the object that is sent. */
export function valueOfItems(
  items: readonly ItemDraft[],
  kinds: readonly ItemKind[],
  root = "",
): { readonly values: ItemValue["value"][]; readonly faults: readonly Fault[] } {
  const built = items.map((item) => valueOfItem(item, kinds));
  return {
    values: built.map(({ value }) => value),
    faults: built.flatMap(({ faults }, at) =>
      faults.map((fault) => ({ ...fault, pointer: `${root}/${at}${fault.pointer}` })),
    ),
  };
}
