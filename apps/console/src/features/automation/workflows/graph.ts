import type { wire } from "../../../api/api.ts";

/** A way from a step to another; null is the end. */
export interface Way {
  readonly to: string | null;
  /** "if met", "on failure"; empty for the default next step. */
  readonly label: string;
}

export interface GraphNode {
  readonly id: string;
  readonly type: string;
  readonly ways: readonly Way[];
}

/** All ways of a saved workflow, as its runs go them. */
export function graphOf(steps: readonly wire.WorkflowStep[]): readonly GraphNode[] {
  return steps.map((step, at) => {
    const below = steps[at + 1]?.id ?? null;
    const follows = step.next === undefined ? below : step.next;
    return { id: step.id, type: step.type, ways: waysOf(step, follows) };
  });
}

function waysOf(step: wire.WorkflowStep, follows: string | null): readonly Way[] {
  if (step.type === "condition") {
    return [
      { to: step.then ?? null, label: "if met" },
      { to: step.else ?? null, label: "if not met" },
    ];
  }
  const ways = [{ to: follows, label: "" }];
  return step.on_failure === undefined ? ways : [...ways, { to: step.on_failure, label: "on failure" }];
}
