import { isRecord, locate, pointerOf, readField } from "../../lib/lib.ts";
import type { Path, ScannedJson, Steps, Violation, WorkBudget } from "../../lib/lib.ts";
import type { Fact, Facts } from "./facts.ts";
import { hasRoot } from "./fill.ts";
import type { Written } from "./fill.ts";
import { exactOf, operators } from "./operators.ts";
import type { Operand } from "./operators.ts";

/** A compiled condition. Its leaves are in one list, in the order in which they are written. */
export interface Condition {
  readonly leaves: readonly Leaf[];
  readonly root: Node;
}

export interface Verdict {
  readonly truth: boolean;
  /** JSON text: the result of each leaf. */
  readonly leaves: string;
}

interface Leaf {
  readonly field: Path;
  readonly operand: Operand;
  /** JSON text, without its last brace, of the members that are known before the facts are. */
  readonly head: string;
  holds(fact: Fact | undefined, operand: Operand, budget: WorkBudget): boolean;
}

type Node = { readonly kind: GroupKind; readonly nodes: readonly Node[] } | { readonly leaf: number };
type GroupKind = (typeof GROUPS)[number];
const GROUPS = ["all", "any", "not"] as const;
/** The maximum depth of nested groups. */
export const MAX_DEPTH = 5;
const MAX_LEAVES = 100;
const MAX_GROUPS = 100;
/** The maximum length of a value that is shown with a leaf. */
const MAX_SHOWN = 500;
const LEAF_MEMBERS = new Set(["field", "op", "value"]);

/** A condition that is always true. */
export const ALWAYS: Condition = { leaves: [], root: { kind: "all", nodes: [] } };

/**
 * Compiles a condition: `{all|any|not: […]}` of nodes, or one leaf `{field, op, value}`. `not` is true if none of its nodes is.
 * Faults have pointers from the root of the whole text. A value that `isOpen` is not checked, because it is not known yet.
 */
export function readCondition(written: Written & { readonly isOpen?: (value: unknown) => boolean }): {
  condition: Condition;
  faults: readonly Violation[];
} {
  const reading: Reading = { ...written, faults: [], leaves: [], groups: 0 };
  const root = readNode(reading, { node: locate(written.scan.value, written.place)?.value, place: [], depth: 0 });
  return { condition: { leaves: reading.leaves, root }, faults: reading.faults };
}

/** The units of a leaf, and of its result as text. */
const LEAF_UNITS = 1;
const SHOWN_UNITS = 15;

/**
 * Evaluates every leaf, even if the result is already known, so that a run can show each of them. Throws `TooExpensiveError` if the
 * budget does not suffice.
 */
export function evaluate({ leaves, root }: Condition, facts: Facts, budget = facts.budget): Verdict {
  facts.budget = budget;
  const truths: boolean[] = [];
  const told = leaves.map((leaf) => {
    budget.spend(LEAF_UNITS + SHOWN_UNITS);
    const fact = facts.at(leaf.field);
    const truth = leaf.holds(fact, leaf.operand, budget);
    truths.push(truth);
    return `${leaf.head},"found":${fact !== undefined},"actual":${shownValue(fact)},"truth":${truth}}`;
  });
  return { truth: decide(root, (leaf) => truths[leaf] === true), leaves: `[${told.join(",")}]` };
}

/** Returns the truth that `evaluate` returns, without the leaves. Reads no leaf that is not needed. */
export function holds({ leaves, root }: Condition, facts: Facts, budget = facts.budget): boolean {
  facts.budget = budget;
  return decide(root, (at) => {
    const leaf = leaves[at];
    budget.spend(LEAF_UNITS);
    return leaf?.holds(facts.at(leaf.field), leaf.operand, budget) === true;
  });
}

/** Returns a field and the text that it must have if the condition holds. Undefined if the condition requires none. */
export function requiredText({ leaves, root }: Condition): { readonly field: Path; readonly text: string } | undefined {
  const nodes = "leaf" in root ? [root] : root.kind === "all" ? root.nodes : [];
  for (const node of nodes) {
    const leaf = "leaf" in node ? leaves[node.leaf] : undefined;
    const value = leaf?.operand.value;
    if (leaf !== undefined && leaf.holds === operators["eq"]?.holds && typeof value === "string")
      return { field: leaf.field, text: value };
  }
  return undefined;
}

function decide(node: Node, truthOf: (leaf: number) => boolean): boolean {
  if ("leaf" in node) return truthOf(node.leaf);
  if (node.kind === "all") return node.nodes.every((one) => decide(one, truthOf));
  const isAny = node.nodes.some((one) => decide(one, truthOf));
  return node.kind === "any" ? isAny : !isAny;
}

/** Returns the value as JSON text. A long value becomes a string with its beginning. */
function shownValue(fact: Fact | undefined): string {
  if (fact === undefined) return "null";
  const { text } = fact;
  return text.length <= MAX_SHOWN ? text : JSON.stringify(`${text.slice(0, MAX_SHOWN).toWellFormed()}…`);
}

interface Reading extends Written {
  readonly isOpen?: (value: unknown) => boolean;
  readonly faults: Violation[];
  readonly leaves: Leaf[];
  groups: number;
}

interface At {
  readonly node: unknown;
  readonly place: Steps;
  readonly depth: number;
}

const NEVER: Node = { kind: "any", nodes: [] };

function readNode(reading: Reading, at: At): Node {
  const { node, place } = at;
  if (!isRecord(node)) return faulty(reading, place, ["node", "must be {all|any|not: […]} or {field, op, value}"]);
  const names = Object.keys(node);
  const kind = GROUPS.find((group) => names.includes(group));
  if (kind === undefined) return readLeaf(reading, node, place);
  if (names.length > 1) return faulty(reading, place, ["node", `must have only ${kind}`]);
  return readGroup(reading, at, { kind, nodes: node[kind] });
}

function readGroup(reading: Reading, at: At, group: { kind: GroupKind; nodes: unknown }): Node {
  const place = [...at.place, group.kind];
  reading.groups += 1;
  if (!Array.isArray(group.nodes)) return faulty(reading, place, ["type", "must be a list"]);
  if (at.depth >= MAX_DEPTH)
    return faulty(reading, place, ["too_deep", `must not be nested more than ${MAX_DEPTH} groups deep`]);
  const nodes: readonly unknown[] = group.nodes;
  if (reading.groups > MAX_GROUPS || nodes.length > MAX_LEAVES)
    return faulty(reading, place, ["too_many", `must have at most ${MAX_GROUPS} groups and ${MAX_LEAVES} leaves`]);
  return {
    kind: group.kind,
    nodes: nodes.map((node, index) => readNode(reading, { node, place: [...place, index], depth: at.depth + 1 })),
  };
}

function readLeaf(reading: Reading, leaf: Readonly<Record<string, unknown>>, place: Steps): Node {
  const { field, op } = leaf;
  const unknown = Object.keys(leaf).find((name) => !LEAF_MEMBERS.has(name));
  if (unknown !== undefined) return faulty(reading, [...place, unknown], ["unknown", "is not a member of a leaf"]);
  const path = typeof field === "string" ? readField(field) : undefined;
  if (path === undefined || !hasRoot(path, reading.roots))
    return faulty(
      reading,
      [...place, "field"],
      [
        "path",
        `must be a path such as data.order.total or $.data['a b'][0]; it must begin with one of ${reading.roots.join(", ")}`,
      ],
    );
  const operator = typeof op === "string" && Object.hasOwn(operators, op) ? operators[op] : undefined;
  if (operator === undefined)
    return faulty(reading, [...place, "op"], ["op", `must be one of ${Object.keys(operators).join(", ")}`]);
  const fault = valueFault(reading, operator, leaf["value"]);
  if (fault !== undefined) return faulty(reading, [...place, "value"], ["value", `${fault} for ${String(op)}`]);
  if (reading.leaves.length === MAX_LEAVES)
    return faulty(reading, place, ["too_many", `must have at most ${MAX_LEAVES} leaves`]);
  const operand = operandAt(reading.scan, [...reading.place, ...place, "value"], leaf["value"]);
  const head = JSON.stringify({ path: pointerOf(place), field, op }).slice(0, -1);
  reading.leaves.push({ field: path, operand, head: `${head},"expected":${operand.text}`, holds: operator.holds });
  return { leaf: reading.leaves.length - 1 };
}

function valueFault(
  { isOpen }: Reading,
  operator: { fault(value: unknown): string | undefined },
  value: unknown,
): string | undefined {
  return isOpen?.(value) === true ? undefined : operator.fault(value);
}

function operandAt(scan: ScannedJson, place: Steps, value: unknown): Operand {
  const items = Array.isArray(value) ? value.map((item, at) => operandAt(scan, [...place, at], item)) : [];
  const text = scan.slice(place) ?? "null";
  return { value, text, exact: exactOf(value, text), items };
}

function faulty(reading: Reading, place: Steps, [code, message]: readonly [string, string]): Node {
  reading.faults.push({ pointer: pointerOf([...reading.place, ...place]), code, message });
  return NEVER;
}
