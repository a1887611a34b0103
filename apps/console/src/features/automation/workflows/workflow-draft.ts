import type { wire } from "../../../api/api.ts";
import {
  conditionOf,
  draftOfCondition,
  draftOfItem,
  emptyCondition,
  newItem,
  valueOfItems,
} from "../../../automation/automation.ts";
import type { ConditionDraft, Fault, FieldSpec, ItemDraft, ItemKind } from "../../../automation/automation.ts";

const HEADERS =
  "Names and values; may be empty. Stored values show as [redacted]: leave them to keep them. If you change the address, enter them again.";
const TEMPLATES = "Texts may hold ${$.data.x}, ${event}, ${contact.email}, ${input.x} and ${steps.<id>.x}.";
const ID: FieldSpec = {
  name: "id",
  label: "Id",
  kind: "text",
  hint: "A letter, then letters, digits, _ and -; unique here.",
  required: true,
};
const NEXT: FieldSpec = { name: "next", label: "Then", kind: "way", hint: "As usual: the step below." };

/** What a step can be, and what each takes. */
export const STEPS: readonly ItemKind[] = [
  {
    type: "webhook",
    label: "Post a webhook",
    does: "Posts to an address, signed by the workflow's secret; the run goes on when it was taken.",
    fields: [
      ID,
      { name: "url", label: "Address", kind: "text", hint: "An https address on the internet.", required: true },
      { name: "headers", label: "Headers", kind: "json", hint: HEADERS },
      { name: "body", label: "Data", kind: "json", hint: `Left empty, the trigger's data. ${TEMPLATES}` },
      NEXT,
      { name: "on_failure", label: "Where it failed for good", kind: "way", hint: "As usual: the run fails." },
    ],
  },
  {
    type: "delay",
    label: "Wait",
    does: "Waits, up to 366 days.",
    fields: [
      ID,
      { name: "seconds", label: "Seconds", kind: "whole", hint: "3600 is an hour, 86400 a day.", required: true },
      NEXT,
    ],
  },
  {
    type: "condition",
    label: "Decide",
    does: "Goes one way or the other.",
    fields: [
      ID,
      { name: "when", label: "Condition of the step", kind: "condition" },
      { name: "then", label: "Where it holds", kind: "way", hint: "A step, or the end. It has to be said." },
      { name: "else", label: "Where it does not", kind: "way", hint: "As usual: the end." },
    ],
  },
  {
    type: "action",
    label: "Run an action",
    does: "Runs an action contract.",
    fields: [
      ID,
      { name: "action", label: "Action", kind: "text", suggest: "actions", required: true },
      { name: "parameters", label: "Parameters", kind: "json", hint: TEMPLATES },
      NEXT,
    ],
  },
  {
    type: "wait_approval",
    label: "Ask somebody",
    does: "Waits until somebody approves it; a rejection ends the run.",
    fields: [
      ID,
      { name: "approver_roles", label: "Who may approve", kind: "tags", suggest: "roles" },
      { name: "expires_in_seconds", label: "Seconds that it waits", kind: "whole", hint: "May be left empty." },
      NEXT,
    ],
  },
  {
    type: "fire_event",
    label: "Fire an event",
    does: "Fires a further event.",
    fields: [
      ID,
      { name: "event", label: "Event", kind: "text", suggest: "events", required: true },
      { name: "data", label: "Data", kind: "json", hint: `Left empty, the trigger's. ${TEMPLATES}` },
      NEXT,
    ],
  },
];

/** A workflow as it stands in the form. */
export interface WorkflowDraft {
  readonly name: string;
  readonly event: string;
  readonly when: ConditionDraft;
  readonly steps: readonly ItemDraft[];
  readonly enabled: boolean;
}

export function newWorkflowDraft(): WorkflowDraft {
  return {
    name: "",
    event: "",
    when: emptyCondition(),
    steps: STEPS.slice(0, 1).map((kind) => newItem(kind, { id: "step_1" })),
    enabled: true,
  };
}

/** An id that no step has yet. */
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
    event: trigger.event,
    when: draftOfCondition(trigger.when),
    steps: steps.map((step) => draftOfItem({ ...step }, STEPS)),
    enabled,
  };
}

/** As the API takes it, and what keeps it from being sent. */
export function workflowOf(draft: WorkflowDraft): {
  readonly body: wire.NewWorkflow;
  readonly faults: readonly Fault[];
} {
  const { condition, faults } = conditionOf(draft.when);
  const steps = valueOfItems(draft.steps, STEPS);
  const trigger = { event: draft.event.trim(), ...(draft.when.rows.length === 0 ? {} : { when: condition }) };
  return {
    body: {
      name: draft.name.trim(),
      trigger,
      steps: steps.values as unknown as wire.WorkflowStep[],
      enabled: draft.enabled,
    },
    faults: [
      ...(draft.name.trim() === "" ? [{ pointer: "/name", message: "A workflow needs a name." }] : []),
      ...(trigger.event === "" ? [{ pointer: "/trigger/event", message: "Say which event begins it." }] : []),
      ...(draft.steps.length === 0 ? [{ pointer: "/steps", message: "Add a step." }] : []),
      ...faults.map((fault) => ({ ...fault, pointer: `/trigger/when${fault.pointer}` })),
      ...steps.faults.map((fault) => ({ ...fault, pointer: `/steps${fault.pointer}` })),
    ],
  };
}
