import {
  environmentFields,
  EnvironmentFilter,
  promotionFields,
  strict,
  ListOf,
  Nullable,
  OneOf,
  ownershipFields,
  PageQuery,
  StringExample,
  Tenant,
  secret,
  Timestamp,
  Type,
  WireId,
} from "../../lib/lib.ts";
import { ConditionView, LeafView } from "../../events/events.ts";
import { Secret } from "../../webhooks/webhooks.ts";
import { ACTION_TYPES } from "./actions.ts";

const Then = Type.Unsafe<object[]>({
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
    ...secret,
  },
  description:
    "The actions, which run in order: `fire_event {event, data}`, `post_webhook {url, headers?, body?}`, `adjust_score {by}`, `add_tag {tag}`, " +
    "`notify {to[], message}`, `run_action {action, parameters}`, `start_workflow {workflow_id, input?}`, " +
    "`http {method, url, query?, headers?, body? | form? | text?, auth?, success_when?, timeout_ms?, retries?, expose?, sign?}`. Texts can contain " +
    "`${$.data.x}`. A webhook is a delivery of the event. With a `body`, it is a delivery of the event `rule.webhook` with the body as its `data`. " +
    "`notify` tells members: `to` contains roles (`admin`), ids (`mem_…`) or e-mail addresses of members. They find it in `GET /v1/notifications`, and get it by e-mail if the operator has set a mail server. It also fires the system event `notification.created`. If no member is reached, the action is `failed` with `nobody_reached`.",
  examples: [[{ type: "add_tag", tag: "big-spender" }]],
});
const on = Type.Array(StringExample("order.created", { minLength: 1, maxLength: 128 }), {
  minItems: 1,
  maxItems: 50,
  description: "Event names, or patterns such as `order.*`. `*` means every event except system events.",
});
const common = {
  when: Type.Optional(ConditionView),
  priority: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 1000, default: 100, description: "Rules with lower values run first." }),
  ),
  enabled: Type.Optional(Type.Boolean({ default: true })),
  max_runs_per_minute: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 6000,
      default: 600,
      description: "The maximum number of runs per minute. Further runs are `limited` and do nothing.",
    }),
  ),
};
const Name = StringExample("Big orders", { minLength: 1, maxLength: 200 });

export const RuleBody = Type.Object({ name: Name, on, then: Then, ...common }, { ...strict, title: "NewRule" });
export const RulePatch = Type.Object(
  { name: Type.Optional(Name), on: Type.Optional(on), then: Type.Optional(Then), ...common },
  { ...strict, minProperties: 1, title: "RuleChange" },
);

const ruleView = {
  id: WireId("rule"),
  object: OneOf(["rule"]),
  name: StringExample("Big orders"),
  on: Type.Array(StringExample("order.created")),
  when: ConditionView,
  then: Then,
  priority: Type.Integer(),
  enabled: Type.Boolean(),
  max_runs_per_minute: Type.Integer(),
  version: Type.Integer({ description: "The number of the version. Each change increases it by one." }),
  author: Type.Object(
    { kind: OneOf(["key", "member"]), id: WireId("key"), environment: OneOf(["live", "sandbox"]) },
    {
      title: "RuleAuthor",
      description: "The last author. The rule acts with the rights that this key or member has at that moment.",
    },
  ),
  ...ownershipFields,
  ...environmentFields,
  ...promotionFields("rule", "rule"),
  updated_at: Timestamp,
};
export const RuleView = Type.Object(ruleView, { title: "Rule" });
export const RuleWithSecret = Type.Object({ ...ruleView, signing_secret: Secret }, { title: "RuleWithSecret" });
export const RuleListView = ListOf(RuleView);
export const RuleListQuery = Type.Object({ environment: EnvironmentFilter, ...PageQuery }, strict);

export const TestBody = Type.Object(
  {
    event: Type.Optional(StringExample("order.created", { minLength: 1, maxLength: 128 })),
    data: Type.Optional(Type.Unsafe<object>({ type: "object", examples: [{ total: 120 }] })),
    tenant: Type.Optional(Tenant("The tenant of the given event. Default: none.")),
    event_id: Type.Optional(WireId("evt")),
  },
  { ...strict, title: "RuleTest", description: "An event with its data, or the `event_id` of a past event." },
);
export const TestView = Type.Object(
  {
    object: OneOf(["rule_test"]),
    rule_id: WireId("rule"),
    event: StringExample("order.created"),
    contact_id: Nullable(WireId("con")),
    listens: Type.Boolean({ description: "Whether the rule is enabled and subscribes to the event." }),
    matched: Type.Boolean({ description: "Whether the condition is true." }),
    would_run: Type.Boolean(),
    actions: Type.Array(
      Type.Object(
        { type: OneOf(ACTION_TYPES) },
        {
          additionalProperties: true,
          description:
            "`run_action` and `start_workflow` as they would be requested. `foresight` contains the expected result.",
        },
      ),
    ),
    leaves: Type.Array(LeafView),
  },
  { title: "RuleTrial" },
);

const RUN_STATUSES = ["running", "ok", "failed", "unmatched", "skipped", "limited", "refused"] as const;
const Reason = {
  reason_code: Nullable(StringExample("once_per_chain", { description: "A machine-readable reason." })),
  reason: Nullable(StringExample("The rule already ran for an event that led to this one.")),
};
export const RunListQuery = Type.Object(
  { status: Type.Optional(OneOf(RUN_STATUSES, "The final status of the run.")), ...PageQuery },
  strict,
);
export const RunListView = ListOf(
  Type.Object(
    {
      id: WireId("rrun"),
      object: OneOf(["rule_run"]),
      rule_id: WireId("rule"),
      rule_version: Type.Integer(),
      event_id: WireId("evt"),
      event: StringExample("order.created"),
      contact_id: Nullable(WireId("con")),
      status: OneOf(RUN_STATUSES),
      ...Reason,
      leaves: Type.Array(LeafView),
      actions: Type.Array(
        Type.Object(
          { type: OneOf(ACTION_TYPES), status: OneOf(["done", "failed", "pending", "simulated"]) },
          { additionalProperties: true },
        ),
      ),
      ...ownershipFields,
      started_at: Timestamp,
      ended_at: Nullable(Timestamp),
    },
    { title: "RuleRun" },
  ),
);
