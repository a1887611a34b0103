import type { wire } from "../../../api/api.ts";
import {
  conditionOf,
  draftOfCondition,
  draftOfItem,
  emptyCondition,
  newItem,
  valueOfItems,
} from "../../../automation/automation.ts";
import type { ConditionDraft, Fault, ItemDraft, ItemKind } from "../../../automation/automation.ts";

const HEADERS =
  "Names and values; may be empty. Stored values show as [redacted]: leave them to keep them. If you change the address, enter them again.";
const TEMPLATES = "Texts may hold ${$.data.x}, ${event} and ${contact.email}.";

/** What a rule can do, and what each takes. */
export const ACTIONS: readonly ItemKind[] = [
  {
    type: "add_tag",
    label: "Tag the contact",
    does: "Puts a tag on the contact that the event is about.",
    fields: [{ name: "tag", label: "Tag", kind: "text", hint: TEMPLATES, required: true }],
  },
  {
    type: "adjust_score",
    label: "Change the score",
    does: "Adds to the contact's score, or takes from it.",
    fields: [{ name: "by", label: "By", kind: "whole", hint: "A whole number; below zero it takes.", required: true }],
  },
  {
    type: "fire_event",
    label: "Fire an event",
    does: "Fires a further event; a rule runs once at most in such a chain.",
    fields: [
      { name: "event", label: "Event", kind: "text", suggest: "events", required: true },
      { name: "data", label: "Data", kind: "json", hint: TEMPLATES, required: true },
    ],
  },
  {
    type: "post_webhook",
    label: "Post a webhook",
    does: "Posts to an address, signed by the rule's secret, with the retries and the log of every delivery.",
    fields: [
      { name: "url", label: "Address", kind: "text", hint: "An https address on the internet.", required: true },
      { name: "headers", label: "Headers", kind: "json", hint: HEADERS },
      { name: "body", label: "Data", kind: "json", hint: `Left empty, the event itself is sent. ${TEMPLATES}` },
    ],
  },
  {
    type: "notify",
    label: "Notify people",
    does: "Fires a notification that whoever listens passes on.",
    fields: [
      { name: "to", label: "To", kind: "tags", hint: "Addresses or names, up to 20." },
      { name: "message", label: "Message", kind: "long", hint: TEMPLATES, required: true },
    ],
  },
  {
    type: "run_action",
    label: "Run an action",
    does: "Runs an action contract; where it wants a confirmation, somebody is asked first.",
    fields: [
      { name: "action", label: "Action", kind: "text", suggest: "actions", required: true },
      { name: "parameters", label: "Parameters", kind: "json", hint: TEMPLATES, required: true },
    ],
  },
  {
    type: "start_workflow",
    label: "Start a workflow",
    does: "Starts a run of a workflow.",
    fields: [
      { name: "workflow_id", label: "Workflow", kind: "text", suggest: "workflows", required: true },
      { name: "input", label: "Input", kind: "json", hint: `Seen by its steps as input. ${TEMPLATES}` },
    ],
  },
];

/** A rule as it stands in the form. */
export interface RuleDraft {
  readonly name: string;
  readonly on: readonly string[];
  readonly priority: string;
  readonly limit: string;
  readonly enabled: boolean;
  readonly when: ConditionDraft;
  readonly then: readonly ItemDraft[];
}

export function newRuleDraft(): RuleDraft {
  return {
    name: "",
    on: [],
    priority: "100",
    limit: "600",
    enabled: true,
    when: emptyCondition(),
    then: ACTIONS.slice(0, 1).map((kind) => newItem(kind)),
  };
}

export function draftOfRule(rule: wire.Rule): RuleDraft {
  return {
    name: rule.name,
    on: rule.on,
    priority: String(rule.priority),
    limit: String(rule.max_runs_per_minute),
    enabled: rule.enabled,
    when: draftOfCondition(rule.when),
    then: rule.then.map((action) => draftOfItem(action, ACTIONS)),
  };
}

/** As the API takes it, and what keeps it from being sent. */
export function ruleOf(draft: RuleDraft): { readonly body: wire.NewRule; readonly faults: readonly Fault[] } {
  const { condition, faults } = conditionOf(draft.when);
  const actions = valueOfItems(draft.then, ACTIONS);
  const numbers: readonly (readonly [pointer: string, text: string])[] = [
    ["/priority", draft.priority],
    ["/max_runs_per_minute", draft.limit],
  ];
  return {
    body: {
      name: draft.name.trim(),
      on: [...draft.on],
      when: condition,
      then: actions.values,
      priority: Number(draft.priority),
      max_runs_per_minute: Number(draft.limit),
      enabled: draft.enabled,
    },
    faults: [
      ...(draft.name.trim() === "" ? [{ pointer: "/name", message: "A rule needs a name." }] : []),
      ...(draft.on.length === 0 ? [{ pointer: "/on", message: "Add an event, or * for every event." }] : []),
      ...numbers
        .filter(([, text]) => !/^\d+$/.test(text.trim()))
        .map(([pointer]) => ({ pointer, message: "This is no whole number." })),
      ...faults.map((fault) => ({ ...fault, pointer: `/when${fault.pointer}` })),
      ...actions.faults.map((fault) => ({ ...fault, pointer: `/then${fault.pointer}` })),
    ],
  };
}
