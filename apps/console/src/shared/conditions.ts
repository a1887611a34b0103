import type { wire } from "../api/api.ts";
import type { Fault } from "./faults.ts";
import { isObject, newKey, pretty, readObject, readValue, valueText } from "./values.ts";

export type GroupMode = "all" | "any" | "not";

export interface LeafDraft {
  readonly key: string;
  readonly kind: "leaf";
  readonly field: string;
  readonly op: string;
  readonly value: string;
}

/** A group within the group, as JSON. */
export interface NestedDraft {
  readonly key: string;
  readonly kind: "group";
  readonly json: string;
}

export type RowDraft = LeafDraft | NestedDraft;

/** A condition as it stands in the form: one group, with its leaves as fields and its groups as JSON. */
export interface ConditionDraft {
  readonly mode: GroupMode;
  readonly rows: readonly RowDraft[];
}

export const MODES: readonly GroupMode[] = ["all", "any", "not"];
const LEAF_MEMBERS = new Set(["field", "op", "value"]);

/** Returns a condition that always holds. */
export function emptyCondition(): ConditionDraft {
  return { mode: "all", rows: [] };
}

export function newLeaf(): LeafDraft {
  return { key: newKey(), kind: "leaf", field: "", op: "eq", value: "" };
}

export function newNested(): NestedDraft {
  return { key: newKey(), kind: "group", json: pretty({ any: [{ field: "data.plan", op: "eq", value: "gold" }] }) };
}

/** Returns the draft of a condition. A single leaf becomes a group of one, which means the same. */
export function draftOfCondition(condition: wire.Condition | null | undefined): ConditionDraft {
  if (condition === null || condition === undefined) return emptyCondition();
  const mode = MODES.find((one) => Array.isArray(condition[one]));
  if (mode === undefined) return { mode: "all", rows: isObject(condition) ? [rowOf(condition)] : [] };
  return { mode, rows: (condition[mode] ?? []).map(rowOf) };
}

function rowOf(node: Readonly<Record<string, unknown>>): RowDraft {
  const { field, op, value } = node;
  const isLeaf = typeof field === "string" && typeof op === "string";
  if (!isLeaf || Object.keys(node).some((name) => !LEAF_MEMBERS.has(name)))
    return { key: newKey(), kind: "group", json: pretty(node) };
  return { key: newKey(), kind: "leaf", field, op, value: valueText(value) };
}

/** Returns the condition as the API accepts it. `root` is its pointer in the object that is sent. */
export function conditionOf(
  { mode, rows }: ConditionDraft,
  root = "",
): {
  readonly condition: wire.Condition;
  readonly faults: readonly Fault[];
} {
  const faults: Fault[] = [];
  const nodes = rows.map((row, at): Record<string, unknown> => {
    if (row.kind === "leaf") return { field: row.field.trim(), op: row.op, value: readValue(row.value) };
    const group = readObject(row.json);
    if (group === undefined) faults.push({ pointer: `${root}/${mode}/${at}`, message: "Enter a valid JSON object." });
    return group ?? {};
  });
  return { condition: { [mode]: nodes }, faults };
}
