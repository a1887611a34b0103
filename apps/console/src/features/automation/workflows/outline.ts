import { labelOf } from "../../../ui/ui.ts";
import type { FieldSpec } from "../item-kind.ts";
import { innerOf } from "./inner-steps.ts";
import type { InnerList, RawStep } from "./inner-steps.ts";
import { stepKind } from "./steps.ts";

export type { RawStep } from "./inner-steps.ts";

/** A way from a step to another; null is the end. */
export interface Way {
  readonly member: string;
  /** "If met"; empty for the usual next step. */
  readonly label: string;
  readonly to: string | null;
}

export interface OutlineNode {
  /** Position in the list of steps. */
  readonly at: number;
  readonly id: string;
  readonly type: string;
  readonly ways: readonly Way[];
  /** The branches of the step, or the steps of its loop. */
  readonly inner: readonly InnerList[];
}

/** One line of an outline. `level` is its indentation. */
export type OutlineRow = { readonly key: string; readonly level: number } & (
  | { readonly kind: "step"; readonly node: OutlineNode }
  /** The beginning of a branch. The steps of the branch follow, unless it leads to the end or to a step elsewhere. */
  | { readonly kind: "branch"; readonly node: OutlineNode; readonly way: Way; readonly isFollowed: boolean }
  /** The beginning of a list inside the step above. Its steps follow. */
  | { readonly kind: "list"; readonly label: string }
  | { readonly kind: "inner"; readonly id: string; readonly type: string }
  /** A way back to a step that stands elsewhere. */
  | { readonly kind: "jump"; readonly to: string }
  | { readonly kind: "end" }
  /** The steps after it are on no way from the first one. */
  | { readonly kind: "unreached" }
);

/** Returns the steps with their ways, as runs go them. Ways that are missing in the definition lead to their default. */
export function nodesOf(steps: readonly RawStep[]): readonly OutlineNode[] {
  return steps.map((step, at) => {
    const below = steps[at + 1]?.["id"];
    const type = stepText(step["type"]);
    const ways = waysOf(step, typeof below === "string" ? below : null);
    return { at, id: stepText(step["id"]), type, ways, inner: innerOf(step) };
  });
}

/** Returns the list of steps that contains a step: that of the workflow, a branch or a loop. */
export function listWith(steps: readonly RawStep[], id: string): readonly RawStep[] {
  const inner = steps.flatMap((step) => innerOf(step).map((list) => list.steps));
  return inner.find((list) => list.some((step) => step["id"] === id)) ?? steps;
}

/** Returns a workflow's steps as values whose members can be read by name. */
export function rawSteps(steps: readonly object[]): readonly RawStep[] {
  return steps.map((step) => ({ ...step }));
}

function stepText(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function waysOf(step: RawStep, below: string | null): readonly Way[] {
  const fields = stepKind(stepText(step["type"]))?.fields.filter(({ kind }) => kind === "way") ?? UNKNOWN_TYPE;
  const known = fields.flatMap((field) => wayOf(field, targetOf(step, field), below));
  // Ways that this console does not know have such names.
  const others = Object.entries(step)
    .filter(
      ([name, to]) =>
        name.startsWith("on_") && isTarget(to) && !fields.some((field) => field.name === name || field.alias === name),
    )
    .map(([member, to]): Way => ({ member, label: labelOf(member), to: to as string | null }));
  return [...known, ...others];
}

function targetOf(step: RawStep, { name, alias = name }: FieldSpec): unknown {
  return step[name] === undefined ? step[alias] : step[name];
}

const UNKNOWN_TYPE: readonly FieldSpec[] = [{ name: "next", label: "", kind: "way", absent: "below" }];

function isTarget(value: unknown): boolean {
  return value === null || typeof value === "string";
}

function wayOf({ name, branch = "", absent }: FieldSpec, target: unknown, below: string | null): readonly Way[] {
  if (isTarget(target)) return [{ member: name, label: branch, to: target as string | null }];
  if (absent === undefined) return [];
  return [{ member: name, label: branch, to: absent === "below" ? below : null }];
}

/** Returns whether a run can come from one step to the other. */
export function reaches(nodes: readonly OutlineNode[], from: string, to: string): boolean {
  return reachOf(byIdOf(nodes), from).has(to);
}

type ById = ReadonlyMap<string, OutlineNode>;

function byIdOf(nodes: readonly OutlineNode[]): ById {
  return new Map(nodes.toReversed().map((node) => [node.id, node]));
}

/** Returns the steps after a step, without the step itself unless it repeats. */
function reachOf(byId: ById, from: string): ReadonlySet<string> {
  const reached = new Set<string>();
  const open = [from];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    for (const { to } of byId.get(id)?.ways ?? []) {
      if (to === null || reached.has(to) || !byId.has(to)) continue;
      reached.add(to);
      open.push(to);
    }
  }
  return reached;
}

interface Walk {
  readonly byId: ById;
  readonly nodes: readonly OutlineNode[];
  readonly rows: OutlineRow[];
  readonly seen: Set<number>;
}

/** Returns the lines of an outline: each step once, the branches of a step indented below it, and then the step at which they meet again. */
export function outlineOf(nodes: readonly OutlineNode[]): readonly OutlineRow[] {
  const walk: Walk = { byId: byIdOf(nodes), nodes, rows: [], seen: new Set() };
  const first = nodes[0];
  if (first === undefined) return [];
  follow(walk, first, { level: 0, stops: new Set() });
  const rest = nodes.filter(({ at }) => !walk.seen.has(at));
  if (rest.length > 0) walk.rows.push({ kind: "unreached", key: "unreached", level: 0 });
  for (const node of rest) if (!walk.seen.has(node.at)) follow(walk, node, { level: 0, stops: new Set() });
  return walk.rows;
}

interface Place {
  readonly level: number;
  /** Steps that stand further down, at lesser levels. */
  readonly stops: ReadonlySet<string>;
}

function follow(walk: Walk, begin: OutlineNode, place: Place): void {
  for (let node: OutlineNode | undefined = begin; node !== undefined;) node = followStep(walk, node, place);
}

/** Adds a step with its branches. Returns the step after it, if that stands next. */
function followStep(walk: Walk, node: OutlineNode, { level, stops }: Place): OutlineNode | undefined {
  const usual = node.ways.find(({ label }) => label === "");
  const branches = node.ways.filter(({ label }) => label !== "");
  const onward = usual === undefined ? meetingOf(walk, branches) : usual.to;
  walk.seen.add(node.at);
  walk.rows.push({ kind: "step", key: `step ${node.at}`, level, node });
  addInner(walk, node, level + 1);
  const inner = onward === null ? stops : new Set([...stops, onward]);
  for (const way of branches) addBranch(walk, { node, way }, { level: level + 1, stops: inner });
  if (onward !== null) return nextOf(walk, { node, onward }, { level, stops });
  const isLast = node.at === walk.nodes.length - 1;
  if (usual !== undefined && !isLast) walk.rows.push({ kind: "end", key: `end ${node.at}`, level });
  return undefined;
}

function addInner({ rows }: Walk, { at, inner }: OutlineNode, level: number): void {
  for (const [place, { label, steps }] of inner.entries()) {
    const key = `inner ${at} ${place}`;
    rows.push({ kind: "list", key, level, label });
    for (const [index, step] of steps.entries())
      rows.push({
        kind: "inner",
        key: `${key} ${index}`,
        level: level + 1,
        id: stepText(step["id"]),
        type: stepText(step["type"]),
      });
  }
}

/** Returns the step after another one. Adds a line for one that stands elsewhere, except where branches meet below anyway. */
function nextOf(
  { byId, seen, rows }: Walk,
  { node, onward }: { readonly node: OutlineNode; readonly onward: string },
  { level, stops }: Place,
): OutlineNode | undefined {
  const next = byId.get(onward);
  const isElsewhere = next === undefined || seen.has(next.at);
  if (!isElsewhere && !stops.has(onward)) return next;
  if (isElsewhere) rows.push({ kind: "jump", key: `jump ${node.at}`, level, to: onward });
  return undefined;
}

function addBranch(walk: Walk, { node, way }: { readonly node: OutlineNode; readonly way: Way }, place: Place): void {
  const next = way.to === null ? undefined : walk.byId.get(way.to);
  const isFollowed = next !== undefined && !walk.seen.has(next.at) && !place.stops.has(next.id);
  walk.rows.push({
    kind: "branch",
    key: `branch ${node.at} ${way.member}`,
    level: place.level,
    node,
    way,
    isFollowed,
  });
  if (isFollowed) follow(walk, next, { ...place, level: place.level + 1 });
}

/** Returns the first step to which all branches lead; null where they do not meet again. */
function meetingOf({ byId, nodes }: Walk, branches: readonly Way[]): string | null {
  const reached = branches.map(({ to }) => (to === null ? new Set<string>() : new Set([to, ...reachOf(byId, to)])));
  const [first, ...others] = reached;
  const common = others.reduce<ReadonlySet<string>>((all, one) => all.intersection(one), first ?? new Set());
  const candidates = nodes.filter(({ id }) => common.has(id));
  const earliest = candidates.find(({ id }) => !candidates.some((other) => reachOf(byId, other.id).has(id)));
  return earliest?.id ?? null;
}
