import type { wire } from "../../../api/api.ts";
import { conditionOf, draftOfCondition, emptyCondition } from "../../../shared/shared.ts";
import type { Fault, ConditionDraft } from "../../../shared/shared.ts";
import type { ItemDraft } from "../item-kind.ts";
import { draftOfItem, newItem, valueOfItems } from "../items.ts";
import { STEPS } from "./steps.ts";

/** All members of a schedule, with the defaults of the API. */
export interface ScheduleDraft {
  readonly cron: string;
  readonly time_zone: string;
  readonly missed: wire.WorkflowSchedule["missed"];
}

/** A workflow as it stands in the form. */
export interface WorkflowDraft {
  readonly name: string;
  readonly startedBy: "event" | "schedule";
  /** Both are kept while the user compares them. */
  readonly event: string;
  readonly schedule: ScheduleDraft;
  readonly when: ConditionDraft;
  readonly steps: readonly ItemDraft[];
  /** The maximum number of runs per minute. */
  readonly limit: string;
  readonly enabled: boolean;
}

export function newWorkflowDraft(): WorkflowDraft {
  return {
    name: "",
    startedBy: "event",
    event: "",
    schedule: newSchedule(),
    when: emptyCondition(),
    steps: STEPS.slice(0, 1).map((kind) => newItem(kind, { id: "step_1" })),
    limit: "600",
    enabled: true,
  };
}

export function draftOfWorkflow({
  name,
  trigger,
  steps,
  max_runs_per_minute: limit,
  enabled,
}: wire.Workflow): WorkflowDraft {
  return {
    name,
    startedBy: trigger.schedule === undefined ? "event" : "schedule",
    event: trigger.event ?? "",
    schedule: trigger.schedule === undefined ? newSchedule() : scheduleOf(trigger.schedule),
    when: draftOfCondition(trigger.when),
    steps: steps.map((step) => draftOfItem({ ...step }, STEPS)),
    limit: String(limit),
    enabled,
  };
}

/** Every working day at nine, where the user is. */
function newSchedule(): ScheduleDraft {
  return { cron: "0 9 * * MON-FRI", time_zone: new Intl.DateTimeFormat().resolvedOptions().timeZone, missed: "skip" };
}

function scheduleOf({ cron, time_zone: zone = "UTC", missed = "skip" }: wire.WorkflowScheduleInput): ScheduleDraft {
  return { cron, time_zone: zone, missed };
}

/** Returns the workflow as the API accepts it, and the faults that prevent sending it. */
export function workflowOf(draft: WorkflowDraft): {
  readonly body: wire.NewWorkflow;
  readonly faults: readonly Fault[];
} {
  const { condition, faults } = conditionOf(draft.when);
  const steps = valueOfItems(draft.steps, STEPS);
  const event = draft.event.trim();
  const isByEvent = draft.startedBy === "event";
  const { cron, time_zone: zone, missed } = draft.schedule;
  const start = isByEvent ? { event } : { schedule: { cron: cron.trim(), time_zone: zone.trim(), missed } };
  const trigger = { ...start, ...(draft.when.rows.length === 0 ? {} : { when: condition }) };
  return {
    body: {
      name: draft.name.trim(),
      trigger,
      steps: steps.values as unknown as wire.WorkflowStep[],
      max_runs_per_minute: Number(draft.limit),
      enabled: draft.enabled,
    },
    faults: [
      ...(draft.name.trim() === "" ? [{ pointer: "/name", message: "Enter a name for the workflow." }] : []),
      ...(/^\d+$/.test(draft.limit.trim())
        ? []
        : [{ pointer: "/max_runs_per_minute", message: "Enter a whole number." }]),
      ...(isByEvent && event === ""
        ? [{ pointer: "/trigger/event", message: "Enter the event type that starts the workflow." }]
        : []),
      ...(draft.steps.length === 0 ? [{ pointer: "/steps", message: "Add a step." }] : []),
      ...faults.map((fault) => ({ ...fault, pointer: `/trigger/when${fault.pointer}` })),
      ...steps.faults.map((fault) => ({ ...fault, pointer: `/steps${fault.pointer}` })),
    ],
  };
}
