import { environmentFields, EnvironmentFilter, promotionFields, t } from "../../lib/lib.ts";
import { ConditionView, LeafView } from "../../events/events.ts";
import { Secret } from "../../webhooks/webhooks.ts";
import { ACTION_TYPES } from "./actions.ts";

const Then = t.Unsafe<object[]>({
  type: "array",
  minItems: 1,
  maxItems: 10,
  items: {
    type: "object",
    title: "RuleAction",
    required: ["type"],
    properties: { type: { type: "string", enum: [...ACTION_TYPES] } },
    additionalProperties: true,
    // The action may contain the headers of a webhook.
    ...t.secret,
  },
  description:
    "The actions, which run in order: `fire_event {event, data}`, `post_webhook {url, headers?, body?}`, `adjust_score {by}`, `add_tag {tag}`, " +
    "`notify {to[], message}`, `run_action {action, parameters}`, `start_workflow {workflow_id, input?}`, " +
    "`http {method, url, query?, headers?, body? | form? | text?, auth?, success_when?, timeout_ms?, retries?, expose?, sign?}`. Texts can contain " +
    "`${$.data.x}`. A webhook is a delivery of the event. With a `body`, it is a delivery of the event `rule.webhook` with the body as its `data`. " +
    "`notify` tells members: `to` contains roles (`admin`), ids (`mem_…`) or e-mail addresses of members. They find it in `GET /v1/notifications`, and get it by e-mail if the operator has set a mail server. It also fires the system event `notification.created`. If no member is reached, the action is `failed` with `nobody_reached`.",
  examples: [[{ type: "add_tag", tag: "big-spender" }]],
});
const on = t.Array(t.StringExample("order.created", { minLength: 1, maxLength: 128 }), {
  minItems: 1,
  maxItems: 50,
  description: "Event names, or patterns such as `order.*`. `*` means every event except system events.",
});
const common = {
  when: t.Optional(ConditionView),
  priority: t.Optional(
    t.Integer({ minimum: 0, maximum: 1000, default: 100, description: "Rules with lower values run first." }),
  ),
  enabled: t.Optional(t.Boolean({ default: true })),
  max_runs_per_minute: t.Optional(
    t.Integer({
      minimum: 1,
      maximum: 6000,
      default: 600,
      description: "The maximum number of runs per minute. Further runs are `limited` and do nothing.",
    }),
  ),
};
const Name = t.StringExample("Big orders", { minLength: 1, maxLength: 200 });

export const RuleBody = t.Object({ name: Name, on, then: Then, ...common }, { ...t.strict, title: "NewRule" });
export const RulePatch = t.Object(
  { name: t.Optional(Name), on: t.Optional(on), then: t.Optional(Then), ...common },
  { ...t.strict, minProperties: 1, title: "RuleChange" },
);

const ruleView = {
  id: t.WireId("rule"),
  object: t.OneOf(["rule"]),
  name: t.StringExample("Big orders"),
  on: t.Array(t.StringExample("order.created")),
  when: ConditionView,
  then: Then,
  priority: t.Integer(),
  enabled: t.Boolean(),
  max_runs_per_minute: t.Integer(),
  version: t.Integer({ description: "The number of the version. Each change increases it by one." }),
  author: t.Object(
    { kind: t.OneOf(["key", "member"]), id: t.WireId("key"), environment: t.OneOf(["live", "sandbox"]) },
    {
      title: "RuleAuthor",
      description: "The last author. The rule acts with the rights that this key or member has at that moment.",
    },
  ),
  ...t.ownershipFields,
  ...environmentFields,
  ...promotionFields("rule", "rule"),
  updated_at: t.Timestamp,
};
export const RuleView = t.Object(ruleView, { title: "Rule" });
export const RuleWithSecret = t.Object({ ...ruleView, signing_secret: Secret }, { title: "RuleWithSecret" });
export const RuleListView = t.ListOf(RuleView);
export const RuleListQuery = t.Object({ environment: EnvironmentFilter, ...t.PageQuery }, t.strict);

export const TestBody = t.Object(
  {
    event: t.Optional(t.StringExample("order.created", { minLength: 1, maxLength: 128 })),
    data: t.Optional(t.Unsafe<object>({ type: "object", examples: [{ total: 120 }] })),
    tenant: t.Optional(t.Tenant("The tenant of the given event. Default: none.")),
    event_id: t.Optional(t.WireId("evt")),
  },
  { ...t.strict, title: "RuleTest", description: "An event with its data, or the `event_id` of a past event." },
);
export const TestView = t.Object(
  {
    object: t.OneOf(["rule_test"]),
    rule_id: t.WireId("rule"),
    event: t.StringExample("order.created"),
    contact_id: t.Nullable(t.WireId("con")),
    listens: t.Boolean({ description: "Whether the rule is enabled and subscribes to the event." }),
    matched: t.Boolean({ description: "Whether the condition is true." }),
    would_run: t.Boolean(),
    actions: t.Array(
      t.Object(
        { type: t.OneOf(ACTION_TYPES) },
        {
          additionalProperties: true,
          description:
            "`run_action` and `start_workflow` as they would be requested. `foresight` contains the expected result.",
        },
      ),
    ),
    leaves: t.Array(LeafView),
  },
  { title: "RuleTrial" },
);

const RUN_STATUSES = ["running", "ok", "failed", "unmatched", "skipped", "limited", "refused"] as const;
const Reason = {
  reason_code: t.Nullable(t.StringExample("once_per_chain", "A machine-readable reason.")),
  reason: t.Nullable(t.StringExample("The rule already ran for an event that led to this one.")),
};
export const RunListQuery = t.Object(
  { status: t.Optional(t.OneOf(RUN_STATUSES, "The final status of the run.")), ...t.PageQuery },
  t.strict,
);
export const RunListView = t.ListOf(
  t.Object(
    {
      id: t.WireId("rrun"),
      object: t.OneOf(["rule_run"]),
      rule_id: t.WireId("rule"),
      rule_version: t.Integer(),
      event_id: t.WireId("evt"),
      event: t.StringExample("order.created"),
      contact_id: t.Nullable(t.WireId("con")),
      status: t.OneOf(RUN_STATUSES),
      ...Reason,
      leaves: t.Array(LeafView),
      actions: t.Array(
        t.Object(
          { type: t.OneOf(ACTION_TYPES), status: t.OneOf(["done", "failed", "pending", "simulated"]) },
          { additionalProperties: true },
        ),
      ),
      ...t.ownershipFields,
      started_at: t.Timestamp,
      ended_at: t.Nullable(t.Timestamp),
    },
    { title: "RuleRun" },
  ),
);
