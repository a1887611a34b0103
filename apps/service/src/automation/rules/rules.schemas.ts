import {
  closed,
  ListOf,
  Nullable,
  OneOf,
  Owned,
  PageQuery,
  Sample,
  secret,
  Timestamp,
  Type,
  WireId,
} from "../../lib/lib.ts";
import { ConditionView, operators } from "../expressions/conditions.ts";
import { Secret } from "../../webhooks/deliveries/deliver.ts";
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
    // The headers of a webhook.
    ...secret,
  },
  description:
    "`fire_event {event, data}`, `post_webhook {url, headers?, body?}`, `adjust_score {by}`, `add_tag {tag}`, " +
    "`notify {to[], message}`, `run_action {action, parameters}`, `start_workflow {workflow_id, input?}`, done in order. Texts may hold " +
    "`${$.data.x}`. A webhook is a delivery of the event; with a `body`, of the event `rule.webhook` with the body as its `data`. " +
    "`notify` fires the event `notification.created` and sends nothing itself.",
  examples: [[{ type: "add_tag", tag: "big-spender" }]],
});
const on = Type.Array(Sample("order.created", { minLength: 1, maxLength: 128 }), {
  minItems: 1,
  maxItems: 50,
  description: "Event names; `*` is every event but those that the service fires about itself.",
});
const common = {
  when: Type.Optional(ConditionView),
  priority: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 1000, default: 100, description: "Lower ones run first." }),
  ),
  enabled: Type.Optional(Type.Boolean({ default: true })),
  max_runs_per_minute: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 6000,
      default: 600,
      description: "Further runs are `limited` and do nothing.",
    }),
  ),
};
const Name = Sample("Big orders", { minLength: 1, maxLength: 200 });

export const RuleBody = Type.Object({ name: Name, on, then: Then, ...common }, { ...closed, title: "NewRule" });
export const RulePatch = Type.Object(
  { name: Type.Optional(Name), on: Type.Optional(on), then: Type.Optional(Then), ...common },
  { ...closed, minProperties: 1, title: "RuleChange" },
);

const ruleView = {
  id: WireId("rule"),
  object: OneOf(["rule"]),
  name: Sample("Big orders"),
  on: Type.Array(Sample("order.created")),
  when: ConditionView,
  then: Then,
  priority: Type.Integer(),
  enabled: Type.Boolean(),
  max_runs_per_minute: Type.Integer(),
  version: Type.Integer({ description: "Counts changes." }),
  author: Type.Object(
    { kind: OneOf(["key", "member"]), id: WireId("key"), environment: OneOf(["live", "sandbox"]) },
    {
      title: "RuleAuthor",
      description: "Who wrote it last. The rule acts with the rights that this key or member has at that moment.",
    },
  ),
  ...Owned,
  updated_at: Timestamp,
};
export const RuleView = Type.Object(ruleView, { title: "Rule" });
export const RuleWithSecret = Type.Object({ ...ruleView, signing_secret: Secret }, { title: "RuleWithSecret" });
export const RuleListView = ListOf(RuleView);
export const RuleListQuery = Type.Object(PageQuery, closed);

export const TestBody = Type.Object(
  {
    event: Type.Optional(Sample("order.created", { minLength: 1, maxLength: 128 })),
    data: Type.Optional(Type.Unsafe<object>({ type: "object", examples: [{ total: 120 }] })),
    event_id: Type.Optional(WireId("evt")),
  },
  { ...closed, title: "RuleTest", description: "An event with its data, or `event_id` of a past one." },
);
const Leaf = Type.Object(
  {
    path: Sample("/all/0", { description: "Where the leaf stands, an RFC 6901 pointer into `when`." }),
    field: Sample("data.total"),
    op: OneOf(Object.keys(operators)),
    expected: Type.Unsafe<unknown>({
      examples: [100],
      description: "The leaf's value, as it was written.",
    }),
    found: Type.Boolean({ description: "Whether the field was there." }),
    actual: Type.Unsafe<unknown>({
      examples: [120],
      description: "What the field held, as it was written; beyond 500 characters a text of its beginning.",
    }),
    truth: Type.Boolean(),
  },
  { title: "RuleLeaf" },
);
export const TestView = Type.Object(
  {
    object: OneOf(["rule_test"]),
    rule_id: WireId("rule"),
    event: Sample("order.created"),
    contact_id: Nullable(WireId("con")),
    listens: Type.Boolean({ description: "Whether it is enabled and listens to the event." }),
    matched: Type.Boolean({ description: "Whether its condition holds." }),
    would_run: Type.Boolean(),
    actions: Type.Array(
      Type.Object(
        { type: OneOf(ACTION_TYPES) },
        {
          additionalProperties: true,
          description:
            "`run_action` and `start_workflow` as they would be asked for, with the `foresight` of what comes of it.",
        },
      ),
    ),
    leaves: Type.Array(Leaf),
  },
  { title: "RuleTrial" },
);

const RUN_STATUSES = ["running", "ok", "failed", "unmatched", "skipped", "limited", "refused"] as const;
const Reason = {
  reason_code: Nullable(Sample("once_per_chain", { description: "Why, for programs." })),
  reason: Nullable(Sample("The rule did something in an event that led to this one.")),
};
export const RunListQuery = Type.Object(
  { status: Type.Optional(OneOf(RUN_STATUSES, "How the run ended.")), ...PageQuery },
  closed,
);
export const RunListView = ListOf(
  Type.Object(
    {
      id: WireId("rrun"),
      object: OneOf(["rule_run"]),
      rule_id: WireId("rule"),
      rule_version: Type.Integer(),
      event_id: WireId("evt"),
      event: Sample("order.created"),
      contact_id: Nullable(WireId("con")),
      status: OneOf(RUN_STATUSES),
      ...Reason,
      leaves: Type.Array(Leaf),
      actions: Type.Array(
        Type.Object(
          { type: OneOf(ACTION_TYPES), status: OneOf(["done", "failed", "pending", "simulated"]) },
          { additionalProperties: true },
        ),
      ),
      ...Owned,
      started_at: Timestamp,
      ended_at: Nullable(Timestamp),
    },
    { title: "RuleRun" },
  ),
);
