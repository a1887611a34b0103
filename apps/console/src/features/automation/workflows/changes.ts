import { childPath } from "../../../ui/ui.ts";
import type { ItemDraft, ItemKind } from "../item-kind.ts";
import { END } from "../item-members.ts";
import { newItem, switched, valueOfItem } from "../items.ts";
import { newKey } from "../../../shared/shared.ts";
import { STEPS, stepKind } from "./steps.ts";

type Steps = readonly ItemDraft[];

/** Returns the id of a step as it is written; empty if it has none. */
export function idOf(step: ItemDraft | undefined): string {
  if (step === undefined) return "";
  if (!step.isJson) return (step.texts["id"] ?? "").trim();
  const { id } = valueOfItem(step, STEPS).value as { readonly id?: unknown };
  return typeof id === "string" ? id : "";
}

/** Returns an id that no step has yet. */
export function freeId(steps: Steps): string {
  const taken = new Set(steps.map(idOf));
  let number = steps.length + 1;
  while (taken.has(`step_${number}`)) number += 1;
  return `step_${number}`;
}

/** The list after a change, and the step to show. */
export interface Changed {
  readonly steps: Steps;
  readonly at: number;
}

/** Adds a step after another one. What followed that one follows the new step. */
export function added(steps: Steps, after: number, kind: ItemKind): Changed {
  const before = steps[after];
  if (before === undefined) return { steps: [...steps, newItem(kind, { id: freeId(steps) })], at: steps.length };
  const at = after + 1;
  const [way] = waysOf(before);
  const id = freeId(steps);
  const target = before.texts[way ?? ""] ?? "";
  const follower = target === "" ? (idOf(steps[at]) === "" ? END : idOf(steps[at])) : target;
  const step = leadingTo(newItem(kind, { id }), way === "next" && target === "" ? "" : follower, follower);
  const leading = way === undefined ? steps : steps.with(after, led(before, way, id));
  return { steps: leading.toSpliced(at, 0, step), at };
}

/** Returns the step before a new one with its way to it. A way that is left out leads to the step below already. */
function led(step: ItemDraft, way: string, id: string): ItemDraft {
  const texts = { ...step.texts, [way]: way === "next" ? "" : id };
  return step.isJson ? step : { ...step, texts };
}

/** Returns the names of the ways of a step, the usual one first. */
function waysOf(step: ItemDraft): readonly string[] {
  if (step.isJson) return [];
  const ways = stepKind(step.type)?.fields.filter(({ kind }) => kind === "way") ?? [];
  return ways.toSorted((a, b) => Number(b.name === "next") - Number(a.name === "next")).map(({ name }) => name);
}

/** Sets the first way of a new step. Ways other than `next` need a target. */
function leadingTo(step: ItemDraft, next: string, target: string): ItemDraft {
  const [way] = waysOf(step);
  if (way === undefined) return step;
  return { ...step, texts: { ...step.texts, [way]: way === "next" ? next : target } };
}

/** Adds a step at the beginning of a branch. It stands at the end of the list, and no step leads to it by its position. */
export function addedToBranch(
  steps: Steps,
  branch: { readonly at: number; readonly member: string; readonly to: string | null },
  kind: ItemKind,
): Changed {
  const id = freeId(steps);
  const last = steps.length - 1;
  const target = branch.to ?? END;
  const step = leadingTo(newItem(kind, { id }), target, target);
  const from = steps[branch.at];
  if (from === undefined || from.isJson) return { steps, at: branch.at };
  const leading = steps.with(branch.at, { ...from, texts: { ...from.texts, [branch.member]: id } });
  const pinned = leading.map((one, at) => (at === last ? pinnedToEnd(one) : one));
  return { steps: [...pinned, step], at: steps.length };
}

/** A last step that ends by its position would lead to the new step. */
function pinnedToEnd(step: ItemDraft): ItemDraft {
  if (waysOf(step)[0] !== "next" || (step.texts["next"] ?? "") !== "") return step;
  return { ...step, texts: { ...step.texts, next: END } };
}

/** Removes a step. Ways to it lead to the step that followed it. */
export function removed(steps: Steps, at: number): Changed {
  const step = steps[at];
  if (step === undefined) return { steps, at };
  const id = idOf(step);
  const [way = "next"] = waysOf(step);
  const below = idOf(steps[at + 1]);
  const written = step.texts[way] ?? "";
  const follower = written === "" ? (below === "" ? END : below) : written;
  const rest = steps.toSpliced(at, 1);
  return {
    steps: id === "" ? rest : rest.map((one) => withTargets(one, id, follower)),
    at: Math.max(0, Math.min(at, rest.length - 1)),
  };
}

function withTargets(step: ItemDraft, from: string, to: string): ItemDraft {
  const texts = { ...step.texts };
  for (const way of waysOf(step)) {
    // A step cannot follow itself.
    if (texts[way] === from) texts[way] = to === idOf(step) ? END : to;
  }
  return { ...step, texts };
}

/** Adds a copy of a step below it, with an id of its own. */
export function duplicated(steps: Steps, at: number): Changed {
  const step = steps[at];
  if (step === undefined) return { steps, at };
  const id = freeId(steps);
  const key = newKey();
  const form = step.isJson ? switched(step, STEPS) : step;
  const copy = form === undefined ? { ...step, key } : { ...form, key, texts: { ...form.texts, id } };
  return { steps: steps.toSpliced(at + 1, 0, copy), at: at + 1 };
}

export function moved(steps: Steps, at: number, by: -1 | 1): Changed {
  const step = steps[at];
  const to = at + by;
  if (step === undefined || to < 0 || to >= steps.length) return { steps, at };
  return { steps: steps.toSpliced(at, 1).toSpliced(to, 0, step), at: to };
}

/** Replaces a step. When its id changes, the ways and values of the other steps keep pointing to it. */
export function replaced(steps: Steps, at: number, step: ItemDraft): Steps {
  const [from, to] = [idOf(steps[at]), idOf(step)];
  const others = steps.toSpliced(at, 1).map(idOf);
  const next = steps.with(at, step);
  if (from === to || from === "" || to === "" || others.includes(from) || others.includes(to)) return next;
  return next.map((one) => (one === step ? one : withPaths(withTargets(one, from, to), from, to)));
}

/** Changes the paths to the outputs of a step, in texts and conditions, and in JSON. */
function withPaths(step: ItemDraft, from: string, to: string): ItemDraft {
  const path = new RegExp(String.raw`(?<![\w.-])((?:\$\.)?)steps(?:\.${from}(?![\w-])|\['${from}'\])`, "g");
  // Neither ids nor their paths have characters that JSON escapes.
  return JSON.parse(JSON.stringify(step).replaceAll(path, `$1${childPath("steps", to)}`)) as ItemDraft;
}
