import type { Tx } from "../../platform/db/db.ts";
import type { WorkflowsDeps } from "./deps.ts";
import * as store from "./children.store.ts";
import type { ChildCounts, ChildInsert, ChildOutput, FailedChild, Parent } from "./children.store.ts";
import { itemsOf } from "./items.ts";
import type { ForEachStep } from "./items.ts";
import { mayDescend, TOO_MANY_DESCENDANTS } from "./limits.ts";
import type { At, StepResult } from "./step-result.ts";
import type { Step } from "./step.ts";

/** A step whose branches or items are child runs. */
export type ParentStep = ForEachStep | Extract<Step, { type: "parallel" }>;

/** Seconds after which a parent looks at its children even if none of them made it due. */
const LOOKS_AGAIN_SECONDS = 600;
/** The maximum size in bytes of the children's outputs, which is also that of an event's data. */
const MAX_OUTPUTS = 262_144;
/** The maximum number of failures that an output and an error name. */
const MAX_NAMED = 20;

/** Starts the branches, or the first items. The step waits until all of them have ended. */
export async function beginChildren(
  deps: WorkflowsDeps,
  tx: Tx,
  { run, facts }: At,
  step: ParentStep,
): Promise<StepResult> {
  const { ids } = deps;
  const child = (of: Pick<ChildInsert, "index" | "step" | "item" | "queued">): ChildInsert => ({
    parent: run,
    id: ids.uuid(),
    ...of,
  });
  if (step.type === "parallel") {
    const children = step.branches.map(([first], index) =>
      child({ index, step: first?.id ?? null, item: null, queued: false }),
    );
    await store.insertChildren(tx, children);
    return waits({ queued: 0, open: children.length, completed: 0, failed: 0 });
  }
  const items = itemsOf(step, facts);
  if ("error" in items) return { kind: "failed", error: items.error, output: null, next: step.onFailure };
  const first = step.steps[0]?.id ?? null;
  const children = items.map((item, index) => child({ index, step: first, item, queued: index >= step.concurrency }));
  if (children.length === 0) return await ended(tx, run, step, { queued: 0, open: 0, completed: 0, failed: 0 });
  if (!(await mayDescend(deps, run, children.length)))
    return { kind: "failed", error: TOO_MANY_DESCENDANTS, output: null, next: step.onFailure };
  await store.insertChildren(tx, children);
  return waits({ queued: children.length, open: 0, completed: 0, failed: 0 });
}

/** Starts the next items, or ends the step after the last one. The run is locked. */
export async function continueChildren(tx: Tx, { run }: At, step: ParentStep): Promise<StepResult> {
  const counts = await store.countChildren(tx.query, run);
  const free = widthOf(step) - counts.open;
  if (counts.queued > 0 && free > 0) await store.startQueued(tx.query, run, free);
  return counts.queued + counts.open > 0 ? waits(counts) : await ended(tx, run, step, counts);
}

function widthOf(step: ParentStep): number {
  return step.type === "for_each" ? step.concurrency : step.branches.length;
}

function waits(counts: ChildCounts): StepResult {
  return { kind: "delay", output: JSON.stringify(summaryOf(counts)), seconds: LOOKS_AGAIN_SECONDS };
}

function summaryOf({ queued, open, completed, failed }: ChildCounts): Readonly<Record<string, number>> {
  return { count: queued + open + completed + failed, completed, failed };
}

async function ended(tx: Tx, run: Parent, step: ParentStep, counts: ChildCounts): Promise<StepResult> {
  const failures = counts.failed === 0 ? [] : await store.failedChildren(tx.query, run, MAX_NAMED);
  const collects = step.type === "parallel" || step.collects;
  const outputs = collects ? await store.childOutputs(tx.query, run, MAX_OUTPUTS) : [];
  const output = outputOf(step, counts, { failures, outputs: collects ? outputs : undefined });
  const error = errorOf(step, counts, failures) ?? (outputs === undefined ? tooLarge(step) : undefined);
  if (error !== undefined && step.onFailure === undefined)
    return { kind: "failed", error, output, next: step.onFailure };
  // A failed run stays at its step, so that a replayed delivery can continue its child, and then the run. After this, none can.
  await store.detachChildren(tx.query, run);
  return error === undefined
    ? { kind: "done", output, next: step.next }
    : { kind: "failed", error, output, next: step.onFailure };
}

function outputOf(
  step: ParentStep,
  counts: ChildCounts,
  {
    failures,
    outputs,
  }: { readonly failures: readonly FailedChild[]; readonly outputs: readonly ChildOutput[] | undefined },
): string {
  const summary = {
    ...summaryOf(counts),
    failures: failures.map((child) => ({ index: child.child_index, error: reasonOf(child) })),
  };
  if (outputs === undefined) return JSON.stringify(summary);
  const byChild = Map.groupBy(outputs, (one) => one.child_index);
  const objects = Array.from({ length: summaryOf(counts)["count"] ?? 0 }, (_, index) => {
    const members = (byChild.get(index) ?? []).map((one) => `${JSON.stringify(one.step_id)}:${one.output ?? "null"}`);
    return `{${members.join(",")}}`;
  });
  const name = step.type === "parallel" ? "branches" : "items";
  return `{"${name}":[${objects.join(",")}],${JSON.stringify(summary).slice(1)}`;
}

function errorOf(step: ParentStep, counts: ChildCounts, failures: readonly FailedChild[]): string | undefined {
  const [first] = failures;
  if (first === undefined || (step.type === "for_each" && step.onItemFailure === "continue")) return undefined;
  const [one, many] = step.type === "parallel" ? ["Branch", "branches"] : ["Item", "items"];
  const others = counts.failed - 1;
  const more = others === 0 ? "" : ` ${others} other ${many} failed too.`;
  return `${one} ${first.child_index ?? 0} failed: ${reasonOf(first)}${more}`;
}

function reasonOf({ state, error }: FailedChild): string {
  return error ?? (state === "cancelled" ? "It was cancelled." : "No reason is known.");
}

function tooLarge(step: ParentStep): string {
  const advice = step.type === "for_each" ? " Set collect to false if later steps do not need them." : "";
  return `The outputs of the steps have more than ${MAX_OUTPUTS} bytes together.${advice}`;
}
