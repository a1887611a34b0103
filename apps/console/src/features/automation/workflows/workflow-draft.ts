import type { wire } from "../../../api/api.ts";
import { conditionOf, draftOfCondition, emptyCondition } from "../../../shared/shared.ts";
import type { Fault, ConditionDraft } from "../../../shared/shared.ts";
import type { ItemDraft } from "../item-kind.ts";
import { draftOfItem, newItem, valueOfItems } from "../items.ts";
import { STEPS } from "./steps.ts";

/** A workflow as it stands in the form. */
export interface WorkflowDraft {
  readonly name: string;
  readonly event: string;
  /** Null if an event starts the workflow. */
  readonly schedule: wire.WorkflowScheduleInput | null;
  readonly when: ConditionDraft;
  readonly steps: readonly ItemDraft[];
  readonly enabled: boolean;
}

export function newWorkflowDraft(): WorkflowDraft {
  return {
    name: "",
    event: "",
    schedule: null,
    when: emptyCondition(),
    steps: STEPS.slice(0, 1).map((kind) => newItem(kind, { id: "step_1" })),
    enabled: true,
  };
}

export function draftOfWorkflow({ name, trigger, steps, enabled }: wire.Workflow): WorkflowDraft {
  return {
    name,
    event: trigger.event ?? "",
    schedule: trigger.schedule ?? null,
    when: draftOfCondition(trigger.when),
    steps: steps.map((step) => draftOfItem({ ...step }, STEPS)),
    enabled,
  };
}

/** Returns the workflow as the API accepts it, and the faults that prevent sending it. */
export function workflowOf(draft: WorkflowDraft): {
  readonly body: wire.NewWorkflow;
  readonly faults: readonly Fault[];
} {
  const { condition, faults } = conditionOf(draft.when);
  const steps = valueOfItems(draft.steps, STEPS);
  const event = draft.event.trim();
  const start = draft.schedule === null ? { event } : { schedule: draft.schedule };
  const trigger = { ...start, ...(draft.when.rows.length === 0 ? {} : { when: condition }) };
  return {
    body: {
      name: draft.name.trim(),
      trigger,
      steps: steps.values as unknown as wire.WorkflowStep[],
      enabled: draft.enabled,
    },
    faults: [
      ...(draft.name.trim() === "" ? [{ pointer: "/name", message: "Enter a name for the workflow." }] : []),
      ...(draft.schedule === null && event === ""
        ? [{ pointer: "/trigger/event", message: "Enter the event type that starts the workflow." }]
        : []),
      ...(draft.steps.length === 0 ? [{ pointer: "/steps", message: "Add a step." }] : []),
      ...faults.map((fault) => ({ ...fault, pointer: `/trigger/when${fault.pointer}` })),
      ...steps.faults.map((fault) => ({ ...fault, pointer: `/steps${fault.pointer}` })),
    ],
  };
}
