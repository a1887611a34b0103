import type { wire } from "../../../api/api.ts";
import type { Fault } from "../../../shared/shared.ts";
import { labelOf } from "../../../ui/ui.ts";
import { conditionOf, draftOfCondition, emptyCondition } from "../conditions.ts";
import type { ConditionDraft } from "../conditions.ts";
import { draftOfItem, newItem, valueOfItems } from "../items.ts";
import type { FieldSpec, ItemDraft, ItemKind } from "../items.ts";

const HEADERS =
  "Optional. Names and values. Stored values show as [redacted]: leave that text to keep a value. If you change the URL, enter the values again.";
const TEMPLATES = "Texts can contain ${$.data.x}, ${event}, ${contact.email}, ${input.x} and ${steps.<id>.x}.";
const ID: FieldSpec = {
  name: "id",
  label: "ID",
  kind: "text",
  hint: "A letter, followed by letters, digits, _ and -. Must be unique in the workflow.",
  required: true,
};
const NEXT: FieldSpec = { name: "next", label: "Next step", kind: "way", hint: "Default: the step below." };

/** The kinds of steps of a workflow, with their fields. */
export const STEPS: readonly ItemKind[] = [
  {
    type: "webhook",
    label: "Webhook",
    does: "Posts to a URL, signed with the workflow's secret. The run continues when the webhook is delivered.",
    fields: [
      ID,
      { name: "url", label: "URL", kind: "text", hint: "A public https URL.", required: true },
      { name: "headers", label: "Headers", kind: "json", hint: HEADERS },
      { name: "body", label: "Data", kind: "json", hint: `Leave empty to send the trigger's data. ${TEMPLATES}` },
      NEXT,
      { name: "on_failure", label: "On final failure", kind: "way", hint: "Default: the run fails." },
    ],
  },
  {
    type: "delay",
    label: "Delay",
    does: "Waits for up to 366 days.",
    fields: [
      ID,
      {
        name: "seconds",
        label: "Duration (seconds)",
        kind: "whole",
        hint: "3600 is one hour. 86400 is one day.",
        required: true,
      },
      NEXT,
    ],
  },
  {
    type: "condition",
    label: "Condition",
    does: "Continues with one step or another, depending on a condition.",
    fields: [
      ID,
      { name: "when", label: "Step condition", kind: "condition" },
      { name: "then", label: "If met", kind: "way", hint: "Required. A step or the end." },
      { name: "else", label: "If not met", kind: "way", hint: "Default: the end." },
    ],
  },
  {
    type: "action",
    label: "Action",
    does: "Runs an action.",
    fields: [
      ID,
      { name: "action", label: "Action", kind: "text", suggest: "actions", required: true },
      { name: "parameters", label: "Parameters", kind: "json", hint: TEMPLATES },
      NEXT,
    ],
  },
  {
    type: "wait_approval",
    label: "Approval",
    does: "Waits for a person's approval. A rejection ends the run.",
    fields: [
      ID,
      { name: "approver_roles", label: "Approver roles", kind: "tags", suggest: "roles" },
      { name: "expires_in_seconds", label: "Approval timeout (seconds)", kind: "whole", hint: "Optional." },
      NEXT,
    ],
  },
  {
    type: "fire_event",
    label: "Event",
    does: "Fires another event.",
    fields: [
      ID,
      { name: "event", label: "Event type", kind: "text", suggest: "events", required: true },
      { name: "data", label: "Data", kind: "json", hint: `Leave empty to use the trigger's data. ${TEMPLATES}` },
      NEXT,
    ],
  },
];

export function stepLabel(type: string): string {
  return STEPS.find((kind) => kind.type === type)?.label ?? labelOf(type);
}

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

/** Returns an id that no step has yet. */
export function freeId(steps: readonly ItemDraft[]): string {
  const taken = new Set(stepIds(steps));
  let number = steps.length + 1;
  while (taken.has(`step_${number}`)) number += 1;
  return `step_${number}`;
}

export function stepIds(steps: readonly ItemDraft[]): readonly string[] {
  const ids = valueOfItems(steps, STEPS).values.map((step) => step["id"]);
  return ids.filter((id) => typeof id === "string");
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
