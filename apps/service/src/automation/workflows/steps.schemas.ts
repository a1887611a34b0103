import { t } from "../../lib/lib.ts";
import { ConditionView } from "../../events/events.ts";
import { METHODS } from "../../http-calls/http-calls.ts";
import { MAX_STEPS } from "./definition.ts";
import { MAX_BRANCHES, MAX_CONCURRENCY, MAX_INNER_STEPS, MAX_ITEMS } from "./read-step.ts";
import { ITEM_FAILURES } from "./step.ts";

const INNER_TYPES = [
  "condition",
  "webhook",
  "http",
  "action",
  "delay",
  "wait_approval",
  "wait_event",
  "set",
  "fire_event",
] as const;
const PARENT_TYPES = ["parallel", "for_each"] as const;
export const STEP_TYPES = [...INNER_TYPES, ...PARENT_TYPES] as const;
const Filled = (description: string): ReturnType<typeof t.Unsafe<object>> =>
  t.Unsafe<object>({
    type: "object",
    description: `${description} Texts can contain \`\${$.data.x}\`, \`\${event}\`, \`\${contact.email}\`, \`\${input.x}\` and \`\${steps.<id>.x}\`, and in a loop \`\${item.x}\` and \`\${index}\`; a text that is only one token becomes the value itself.`,
    examples: [{ order: "${$.data.order.id}" }],
  });
/** Describes a target: a step's id, or null for the end. */
const Way = (description: string): ReturnType<typeof t.Unsafe<string | null | undefined>> =>
  t.Unsafe<string | null | undefined>({
    type: "string",
    nullable: true,
    examples: [null],
    description: `${description} The id of a step, or null to end the run.`,
  });
const properties = {
  id: t.StringExample("notify", "A letter, followed by letters, digits, _ and -. Unique in the workflow."),
  next: Way("The next step. Default: the following one in the list."),
  when: ConditionView,
  then: Way("The next step if the condition is true."),
  else: Way("The next step if the condition is false. Default: the run ends."),
  url: t.StringExample("https://example.com/hook", { maxLength: 2048, description: "The URL of a webhook." }),
  headers: {
    type: "object",
    additionalProperties: { type: "string", ...t.secret },
    description: "Custom headers of a webhook.",
  },
  body: Filled("The `data` that a webhook sends, with the event `workflow.webhook`. Default: the trigger's data."),
  on_failure: Way(
    "The next step if a webhook or an HTTP call has failed, with no further attempt, or if an action has failed. Without it, the run fails, as after any other failed step.",
  ),
  on_approved: Way("The next step after an approval and, for an action, its success. Another name for `next`."),
  on_rejected: Way("The next step if a person rejects. Without it, the run fails."),
  on_expired: Way("The next step if no person decides in time. Without it, the run fails."),
  seconds: t.Integer({ description: "The length of a delay in seconds, at most 366 days.", examples: [3600] }),
  event: t.StringExample(
    "order.reminded",
    "The event that `fire_event` fires, or the event or pattern (`order.*`) for which `wait_event` waits.",
  ),
  match: {
    type: "object",
    nullable: true,
    description:
      "A condition on the event for which `wait_event` waits, as in rules. Its fields begin with `event` or `data` and read that event; its values can contain the tokens of other texts, such as `${$.data.order}`, which read the run. A missing value fails the step.",
    examples: [{ field: "data.order", op: "eq", value: "${$.data.order}" }],
  },
  timeout_seconds: t.Integer({
    description: "How long `wait_event` waits, in seconds, at most 366 days.",
    examples: [86_400],
  }),
  tenants: t.OneOf(
    ["own", "shared"],
    "The events for which `wait_event` waits, by their tenant. `own` (default): those of the run's own tenant; in a run without a tenant, those without one. `shared`: a run of a tenant also takes events without one; a run without a tenant also takes events of any tenant, and belongs to that tenant from then on. A run of a tenant never takes the event of another one.",
  ),
  on_timeout: Way("The next step if no matching event arrives in time. Without it, the run fails."),
  values: Filled("The output of a `set` step."),
  data: Filled("The data of the fired event. Default: the trigger's data."),
  action: t.StringExample(
    "crm.tag",
    "The key of an action contract whose `surface` includes `workflow`. The run fails if the action fails.",
  ),
  parameters: Filled("The parameters of the action."),
  approver_roles: {
    type: "array",
    items: { type: "string" },
    description: "Roles of the people who may approve.",
  },
  title: t.StringExample("Release order ${$.data.order}", {
    maxLength: 200,
    description:
      "The heading of an approval. `title`, `summary` and `fields` can contain the same tokens as other texts. A missing value is shown as `[missing: path]`.",
  }),
  summary: t.StringExample("${contact.email} ordered for ${$.data.total} EUR.", {
    maxLength: 1000,
    description: "A text below the heading of an approval.",
  }),
  fields: {
    type: "array",
    maxItems: 20,
    description: "The facts that approvers see, in order.",
    items: {
      type: "object",
      title: "WorkflowApprovalField",
      required: ["label", "value"],
      additionalProperties: false,
      properties: {
        label: t.StringExample("Total", { maxLength: 100 }),
        value: t.StringExample("${$.data.total} EUR", { maxLength: 500 }),
      },
    },
  },
  method: t.OneOf(METHODS, "The method of an HTTP call."),
  query: Filled("Parameters that are added to the URL of an HTTP call."),
  form: Filled("The fields of a form that an HTTP call sends."),
  text: t.StringExample("order ${$.data.id}", "The text that an HTTP call sends."),
  auth: {
    type: "object",
    description:
      "How an HTTP call proves who sends it: `{type: bearer | basic | api_key | oauth2_client_credentials, secret_ref, in?, name?, token_url?, client_id?, scope?}`.",
    examples: [{ type: "bearer", secret_ref: "crm_token" }],
  },
  success_when: ConditionView,
  timeout_ms: t.Integer({
    description: "The time that an HTTP call has, from 100 to 30000. Default: 10000.",
    examples: [10_000],
  }),
  retries: t.Integer({
    description: "How often an HTTP call is sent again after a passing failure, at most 5. Default: 3.",
    examples: [3],
  }),
  expose: {
    type: "array",
    items: { type: "string" },
    description: "The members of the response's body that are kept. Default: all.",
    examples: [["id", "status"]],
  },
  sign: t.Boolean({
    description:
      "Whether an HTTP call has the headers `webhook-id`, `webhook-timestamp` and `webhook-signature`, with the workflow's signing secret. Default: false.",
    examples: [true],
  }),
  expires_in_seconds: t.Integer({
    description: "How long the approval waits, in seconds. Default: one day.",
  }),
};

const INNER =
  "Their ids are unique in the workflow, and their ways lead to steps of the same list. They read the outputs of the steps before.";

const InnerStep = t.Unsafe<object>({
  type: "object",
  title: "WorkflowInnerStep",
  description: "A step of a branch or of a loop: any type except `parallel` and `for_each`.",
  required: ["id", "type"],
  additionalProperties: false,
  properties: { ...properties, type: t.OneOf(INNER_TYPES) },
  examples: [{ id: "notify", type: "webhook", url: "https://example.com/hook" }],
});

const InnerSteps = (description: string): ReturnType<typeof t.Array<typeof InnerStep>> =>
  t.Array(InnerStep, { minItems: 1, maxItems: MAX_INNER_STEPS, description });

export const Step = t.Unsafe<object>({
  type: "object",
  title: "WorkflowStep",
  description:
    "The members of a step depend on its `type`: `condition {when, then, else?}`, `webhook {url, headers?, body?, on_failure?}`, " +
    "`delay {seconds}`, `set {values}`, `wait_event {event, match?, tenants?, timeout_seconds, on_timeout?}`, `fire_event {event, data?}`, `action {action, parameters?}`, `wait_approval {approver_roles, expires_in_seconds?, title?, summary?, fields?}`, " +
    "`http {method, url, query?, headers?, body? | form? | text?, auth?, success_when?, timeout_ms?, retries?, expose?, sign?, on_failure?}`, " +
    "`parallel {branches, on_failure?}`, `for_each {in, steps, max?, concurrency?, on_item_failure?, collect?, on_failure?}`. " +
    "All types except `condition` also accept `next`. `action` and `wait_approval` accept `on_approved` in place of `next`, `on_rejected` and " +
    "`on_expired`; `action` also accepts `on_failure`.",
  required: ["id", "type"],
  additionalProperties: false,
  properties: {
    ...properties,
    type: t.OneOf(STEP_TYPES),
    branches: t.Array(InnerSteps("The steps of one branch."), {
      minItems: 1,
      maxItems: MAX_BRANCHES,
      description: `The branches of \`parallel\`, which run at the same time. ${INNER} The step ends when all branches have ended, and fails if one failed.`,
    }),
    in: {
      description: `The list whose items \`for_each\` runs its steps for: a list, or only one token such as \`\${$.data.lines}\`. A value that is missing or not a list, and a list with more than \`max\` items, fails the step.`,
      examples: ["${$.data.lines}"],
    },
    steps: InnerSteps(`The steps that \`for_each\` runs for each item. ${INNER}`),
    max: t.Integer({
      minimum: 1,
      maximum: MAX_ITEMS,
      description: `The maximum number of items, at most ${MAX_ITEMS}. Default: ${MAX_ITEMS}.`,
      examples: [100],
    }),
    concurrency: t.Integer({
      minimum: 1,
      maximum: MAX_CONCURRENCY,
      description: `How many items run at the same time, at most ${MAX_CONCURRENCY}. Default: 1, so that they run in order.`,
      examples: [5],
    }),
    on_item_failure: t.OneOf(
      ITEM_FAILURES,
      "The effect of failed items, once all items have ended: `fail` (default) fails the step, `continue` counts them in its output.",
    ),
    collect: t.Boolean({
      description:
        "Whether the output of `for_each` contains the outputs of its items, which must have at most 262144 bytes together. Default: true.",
      examples: [false],
    }),
  },
  examples: [{ id: "notify", type: "webhook", url: "https://example.com/hook" }],
});
export const Steps = t.Array(Step, {
  minItems: 1,
  maxItems: MAX_STEPS,
  description:
    "The steps in order, each with an `id` and a `type`. A run starts with the first step and runs each step at most once.",
});
