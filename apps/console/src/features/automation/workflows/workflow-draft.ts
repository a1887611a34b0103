import type { wire } from "../../../api/api.ts";
import { conditionOf, draftOfCondition, emptyCondition } from "../../../shared/shared.ts";
import type { Fault, ConditionDraft } from "../../../shared/shared.ts";
import { trimmed, wholeNumberFaults } from "../../../ui/ui.ts";
import type { ItemDraft } from "../item-kind.ts";
import { draftOfItem, newItem, valueOfItems } from "../items.ts";
import { STEPS } from "./steps.ts";

/** A workflow while it is edited. */
export type WorkflowDraft = Pick<wire.Workflow, "name" | "max_runs_per_minute" | "enabled"> & {
  readonly startedBy: "event" | "schedule";
  /** Both are kept while the user compares them. */
  readonly trigger: { readonly event: string; readonly schedule: wire.WorkflowScheduleInput };
  readonly when: ConditionDraft;
  readonly steps: readonly ItemDraft[];
};

export function newWorkflowDraft(): WorkflowDraft {
  return {
    name: "",
    startedBy: "event",
    trigger: { event: "", schedule: newSchedule() },
    when: emptyCondition(),
    steps: STEPS.slice(0, 1).map((kind) => newItem(kind, { id: "step_1" })),
    max_runs_per_minute: 600,
    enabled: true,
  };
}

export function draftOfWorkflow({ name, max_runs_per_minute, enabled, ...workflow }: wire.Workflow): WorkflowDraft {
  const { event = "", schedule, when } = workflow.trigger;
  return {
    name,
    startedBy: schedule === undefined ? "event" : "schedule",
    trigger: {
      event,
      schedule: schedule === undefined ? newSchedule() : { time_zone: "UTC", missed: "skip", ...schedule },
    },
    when: draftOfCondition(when),
    steps: workflow.steps.map((step) => draftOfItem({ ...step }, STEPS)),
    max_runs_per_minute,
    enabled,
  };
}

/** Every working day at nine, where the user is. */
function newSchedule(): wire.WorkflowScheduleInput {
  return { cron: "0 9 * * MON-FRI", time_zone: new Intl.DateTimeFormat().resolvedOptions().timeZone, missed: "skip" };
}

/** Returns the workflow as the API accepts it, and the faults that prevent sending it. */
export function workflowOf(draft: WorkflowDraft): {
  readonly body: wire.NewWorkflow;
  readonly faults: readonly Fault[];
} {
  const { name, trigger, max_runs_per_minute, enabled } = trimmed(draft, [
    "/name",
    "/trigger/event",
    "/trigger/schedule/cron",
    "/trigger/schedule/time_zone",
  ]);
  const { event, schedule } = trigger;
  const { condition, faults } = conditionOf(draft.when, "/trigger/when");
  const steps = valueOfItems(draft.steps, STEPS, "/steps");
  const isByEvent = draft.startedBy === "event";
  return {
    body: {
      name,
      trigger: {
        ...(isByEvent ? { event } : { schedule }),
        ...(draft.when.rows.length === 0 ? {} : { when: condition }),
      },
      steps: steps.values as unknown as wire.WorkflowStep[],
      max_runs_per_minute,
      enabled,
    },
    faults: [
      ...(name === "" ? [{ pointer: "/name", message: "Enter a name for the workflow." }] : []),
      ...wholeNumberFaults(draft, ["/max_runs_per_minute"]),
      ...(isByEvent && event === ""
        ? [{ pointer: "/trigger/event", message: "Enter the event type that starts the workflow." }]
        : []),
      ...(draft.steps.length === 0 ? [{ pointer: "/steps", message: "Add a step." }] : []),
      ...faults,
      ...steps.faults,
    ],
  };
}
