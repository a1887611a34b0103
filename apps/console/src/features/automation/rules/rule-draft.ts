import type { wire } from "../../../api/api.ts";
import { conditionOf, draftOfCondition, emptyCondition } from "../../../shared/shared.ts";
import type { Fault, ConditionDraft } from "../../../shared/shared.ts";
import { labelOf, trimmed, wholeNumberFaults } from "../../../ui/ui.ts";
import { HTTP_FIELDS } from "../http-calls/http-fields.ts";
import { draftOfItem, newItem, valueOfItems } from "../items.ts";
import type { ItemDraft, ItemKind } from "../item-kind.ts";

const HEADERS =
  "Optional. Names and values. Stored values show as [redacted]: leave that text to keep a value. If you change the URL, enter the values again.";
const TEMPLATES = "Texts can contain ${$.data.x}, ${event} and ${contact.email}.";

/** The kinds of actions of a rule, with their fields. */
export const ACTIONS: readonly ItemKind[] = [
  {
    type: "add_tag",
    label: "Add tag",
    does: "Adds a tag to the event's contact.",
    fields: [{ name: "tag", label: "Tag", kind: "text", hint: TEMPLATES, required: true, takesValues: true }],
  },
  {
    type: "adjust_score",
    label: "Change score",
    does: "Adds points to the contact's score or subtracts them.",
    fields: [
      {
        name: "by",
        label: "Points",
        kind: "whole",
        hint: "A whole number. Negative numbers subtract points.",
        required: true,
      },
    ],
  },
  {
    type: "fire_event",
    label: "Fire event",
    does: "Fires another event. A rule runs at most once in a chain of events.",
    fields: [
      { name: "event", label: "Event type", kind: "text", suggest: "events", required: true },
      { name: "data", label: "Data", kind: "json", hint: TEMPLATES, required: true, takesValues: true },
    ],
  },
  {
    type: "post_webhook",
    label: "Send webhook",
    does: "Posts to a URL, signed with the rule's secret. The webhook is retried and logged like every delivery.",
    fields: [
      { name: "url", label: "URL", kind: "text", hint: "A public https URL.", required: true },
      { name: "headers", label: "Headers", kind: "json", hint: HEADERS },
      {
        name: "body",
        label: "Data",
        kind: "json",
        hint: `Leave empty to send the event itself. ${TEMPLATES}`,
        takesValues: true,
      },
    ],
  },
  {
    type: "http",
    label: "Call API",
    does: "Sends any request to any API, and keeps the response. The call is retried and logged.",
    begins: { method: "GET" },
    fields: HTTP_FIELDS,
  },
  {
    type: "notify",
    label: "Notify people",
    does: "Fires a notification event that subscribers forward.",
    fields: [
      { name: "to", label: "Recipients", kind: "tags", hint: "Up to 20 addresses or names.", required: true },
      { name: "message", label: "Message", kind: "long", hint: TEMPLATES, required: true, takesValues: true },
    ],
  },
  {
    type: "run_action",
    label: "Run action",
    does: "Runs an action. If the action needs confirmation, a person must approve it first.",
    fields: [
      { name: "action", label: "Action", kind: "text", suggest: "actions", required: true },
      {
        name: "parameters",
        label: "Parameters",
        kind: "json",
        hint: TEMPLATES,
        required: true,
        takesValues: true,
      },
    ],
  },
  {
    type: "start_workflow",
    label: "Start workflow",
    does: "Starts a run of a workflow.",
    fields: [
      { name: "workflow_id", label: "Workflow", kind: "text", suggest: "workflows", required: true },
      {
        name: "input",
        label: "Input",
        kind: "json",
        hint: `Available to the steps as input. ${TEMPLATES}`,
        takesValues: true,
      },
    ],
  },
];

export function actionLabel(type: string): string {
  return ACTIONS.find((kind) => kind.type === type)?.label ?? labelOf(type);
}

/** A rule while it is edited. */
export type RuleDraft = Pick<wire.Rule, "name" | "on" | "priority" | "max_runs_per_minute" | "enabled"> & {
  readonly when: ConditionDraft;
  readonly then: readonly ItemDraft[];
};

export function newRuleDraft(): RuleDraft {
  const then = ACTIONS.slice(0, 1).map((kind) => newItem(kind));
  return { name: "", on: [], priority: 100, max_runs_per_minute: 600, enabled: true, when: emptyCondition(), then };
}

export function draftOfRule({ name, on, priority, max_runs_per_minute, enabled, ...rule }: wire.Rule): RuleDraft {
  const when = draftOfCondition(rule.when);
  const then = rule.then.map((action) => draftOfItem(action, ACTIONS));
  return { name, on, priority, max_runs_per_minute, enabled, when, then };
}

/** Returns the rule as the API accepts it, and the faults that prevent sending it. */
export function ruleOf(draft: RuleDraft): { readonly body: wire.NewRule; readonly faults: readonly Fault[] } {
  const rule = trimmed(draft, ["/name"]);
  const { condition, faults } = conditionOf(rule.when, "/when");
  const actions = valueOfItems(rule.then, ACTIONS, "/then");
  return {
    body: { ...rule, when: condition, then: actions.values },
    faults: [
      ...(rule.name === "" ? [{ pointer: "/name", message: "Enter a name for the rule." }] : []),
      ...(rule.on.length === 0
        ? [{ pointer: "/on", message: "Add an event type, or * for all except system events." }]
        : []),
      ...wholeNumberFaults(rule, ["/priority", "/max_runs_per_minute"]),
      ...faults,
      ...actions.faults,
    ],
  };
}
