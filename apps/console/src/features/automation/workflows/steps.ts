import {
  Equal,
  GitBranch,
  Globe,
  Hourglass,
  Play,
  Radio,
  Repeat,
  ShieldCheck,
  Split,
  Webhook,
  Zap,
} from "lucide-react";
import type { LucideIcon } from "lucide-react";
import { labelOf } from "../../../ui/ui.ts";
import { HTTP_FIELDS } from "../http-calls/http-fields.ts";
import type { FieldSpec, ItemKind } from "../item-kind.ts";

/** A type of step. Its fields of the kind `way` are its ways to other steps. */
export interface StepKind extends ItemKind {
  readonly icon: LucideIcon;
  /** Paths in the output that later steps use most. */
  readonly outputs: readonly string[];
}

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
const NEXT: FieldSpec = {
  name: "next",
  label: "Next step",
  kind: "way",
  hint: "Default: the step below.",
  absent: "below",
  isShort: true,
};

function way(name: string, label: string, hint: string): FieldSpec {
  return { name, label, kind: "way", hint, branch: label, isShort: true };
}

/** The ways of steps that a person decides. */
const DECISIONS: readonly FieldSpec[] = [
  { ...NEXT, alias: "on_approved", hint: "After an approval. Default: the step below." },
  way("on_rejected", "On rejection", "Default: the run fails."),
  way("on_expired", "On expiry", "Default: the run fails."),
];
const ON_FAILURE = way("on_failure", "On final failure", "Default: the run fails.");

const AFTER_ALL = "After all have ended and one failed. Default: the run fails.";

/** The types of steps, with their fields. A new type or way needs a line here and no other change of the editor. */
export const STEPS: readonly StepKind[] = [
  {
    type: "http",
    label: "Call API",
    icon: Globe,
    does: "Sends any request to any API. The run continues with the response.",
    begins: { method: "GET" },
    outputs: ["status", "body", "headers", "text"],
    fields: [ID, ...HTTP_FIELDS, { ...NEXT, section: "Ways" }, ON_FAILURE],
  },
  {
    type: "condition",
    label: "Condition",
    icon: GitBranch,
    does: "Continues with one step or another, depending on a condition.",
    outputs: ["result"],
    fields: [
      ID,
      { name: "when", label: "Step condition", kind: "condition", required: true },
      { ...way("then", "If met", "Required. A step or the end."), absent: "end" },
      { ...way("else", "If not met", "Default: the end."), absent: "end" },
    ],
  },
  {
    type: "wait_approval",
    label: "Approval",
    icon: ShieldCheck,
    does: "Waits for a person's approval.",
    outputs: ["state", "approvals[0].by.display", "approvals[0].comment"],
    fields: [
      ID,
      { name: "approver_roles", label: "Approver roles", kind: "tags", suggest: "roles", required: true },
      {
        name: "expires_in_seconds",
        label: "Approval timeout (seconds)",
        kind: "whole",
        hint: "Default: 86400, which is one day.",
      },
      {
        name: "title",
        label: "Title",
        kind: "text",
        hint: "Optional. The heading of the approval.",
        takesValues: true,
      },
      { name: "summary", label: "Summary", kind: "long", hint: "Optional.", takesValues: true },
      { name: "fields", label: "Facts for the approver", kind: "rows", one: "Fact", takesValues: true },
      ...DECISIONS,
    ],
  },
  {
    type: "webhook",
    label: "Webhook",
    icon: Webhook,
    does: "Posts to a URL, signed with the workflow's secret. The run continues when the webhook is delivered.",
    outputs: ["state", "status_code", "delivery_id"],
    fields: [
      ID,
      { name: "url", label: "URL", kind: "text", hint: "A public https URL.", required: true },
      { name: "headers", label: "Headers", kind: "json", hint: HEADERS },
      {
        name: "body",
        label: "Data",
        kind: "json",
        hint: `Leave empty to send the trigger's data. ${TEMPLATES}`,
        takesValues: true,
      },
      NEXT,
      ON_FAILURE,
    ],
  },
  {
    type: "action",
    label: "Action",
    icon: Play,
    does: "Runs an action.",
    outputs: ["status", "result", "id"],
    fields: [
      ID,
      { name: "action", label: "Action", kind: "text", suggest: "actions", required: true },
      { name: "parameters", label: "Parameters", kind: "json", hint: TEMPLATES, takesValues: true },
      ...DECISIONS,
      way("on_failure", "On failure", "Default: the run fails."),
    ],
  },
  {
    type: "delay",
    label: "Delay",
    icon: Hourglass,
    does: "Waits for up to 366 days.",
    outputs: ["seconds"],
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
    type: "wait_event",
    label: "Wait for event",
    icon: Radio,
    does: "Waits until a matching event arrives.",
    outputs: ["data", "type", "contact.email", "timed_out"],
    fields: [
      ID,
      {
        name: "event",
        label: "Event type",
        kind: "text",
        hint: "A name, or a pattern such as order.*.",
        suggest: "events",
        required: true,
      },
      {
        name: "match",
        label: "Event condition",
        kind: "condition",
        hint: "Without conditions, the first event matches.",
      },
      { name: "timeout_seconds", label: "Timeout (seconds)", kind: "whole", hint: "Up to 366 days.", required: true },
      NEXT,
      way("on_timeout", "On timeout", "Default: the run fails."),
    ],
  },
  {
    type: "set",
    label: "Set values",
    icon: Equal,
    does: "Keeps values under names for later steps.",
    outputs: [],
    fields: [
      ID,
      { name: "values", label: "Values", kind: "json", hint: TEMPLATES, required: true, takesValues: true },
      NEXT,
    ],
  },
  {
    type: "parallel",
    label: "Branches",
    icon: Split,
    does: "Runs up to ten lists of steps at the same time.",
    begins: { branches: '[\n  [{ "id": "branch_1", "type": "set", "values": {} }]\n]' },
    outputs: ["branches", "count"],
    fields: [
      ID,
      {
        name: "branches",
        label: "Branches",
        kind: "value",
        hint: "A JSON list with a list of steps for each branch.",
        required: true,
        takesValues: true,
      },
      NEXT,
      { ...ON_FAILURE, hint: AFTER_ALL },
    ],
  },
  {
    type: "for_each",
    label: "Loop",
    icon: Repeat,
    does: "Runs steps for each item of a list.",
    begins: { in: '"${$.data.items}"', steps: '[{ "id": "item_1", "type": "set", "values": { "item": "${item}" } }]' },
    outputs: ["items", "count", "failed"],
    fields: [
      ID,
      {
        name: "in",
        label: "List",
        kind: "value",
        hint: 'A JSON list, or one token in quotation marks, such as "${$.data.lines}". At most 1000 items.',
        required: true,
        takesValues: true,
      },
      {
        name: "steps",
        label: "Steps for each item",
        kind: "value",
        hint: "A JSON list of steps. Texts can also contain ${item}, ${item.x} and ${index}.",
        required: true,
        takesValues: true,
      },
      { name: "max", label: "Maximum items", kind: "whole", hint: "Default: 1000.", isShort: true },
      { name: "concurrency", label: "At the same time", kind: "whole", hint: "1 to 10. Default: 1.", isShort: true },
      {
        name: "on_item_failure",
        label: "If an item fails",
        kind: "choice",
        options: [
          { value: "fail", label: "Fail after all items" },
          { value: "continue", label: "Count it and continue" },
        ],
      },
      {
        name: "collect",
        label: "Keep the outputs of items",
        kind: "value",
        hint: "true or false. Default: true. They can have 256 KiB together.",
        isShort: true,
      },
      NEXT,
      { ...ON_FAILURE, hint: AFTER_ALL },
    ],
  },
  {
    type: "fire_event",
    label: "Event",
    icon: Zap,
    does: "Fires another event.",
    outputs: ["event_id"],
    fields: [
      ID,
      { name: "event", label: "Event type", kind: "text", suggest: "events", required: true },
      {
        name: "data",
        label: "Data",
        kind: "json",
        hint: `Leave empty to use the trigger's data. ${TEMPLATES}`,
        takesValues: true,
      },
      NEXT,
    ],
  },
];

export function stepKind(type: string): StepKind | undefined {
  return STEPS.find((kind) => kind.type === type);
}

export function stepLabel(type: string): string {
  return stepKind(type)?.label ?? labelOf(type);
}

/** The icons of the types. */
export const STEP_ICONS: Readonly<Record<string, LucideIcon>> = Object.fromEntries(
  STEPS.map(({ type, icon }) => [type, icon]),
);
