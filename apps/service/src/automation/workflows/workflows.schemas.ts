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
  secret,
  Timestamp,
  Type,
  WireId,
} from "../../lib/lib.ts";
import { ConditionView } from "../expressions/conditions.ts";
import { Secret } from "../../webhooks/webhooks.ts";
import { METHODS } from "../http-calls/template.ts";
import { ScheduleInput } from "../schedules/schedules.schemas.ts";
import { MAX_STEPS } from "./definition.ts";

const STEP_TYPES = [
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
const Filled = (description: string): ReturnType<typeof Type.Unsafe<object>> =>
  Type.Unsafe<object>({
    type: "object",
    description: `${description} Texts can contain \`\${$.data.x}\`, \`\${event}\`, \`\${contact.email}\`, \`\${input.x}\` and \`\${steps.<id>.x}\`; a text that is only one token becomes the value itself.`,
    examples: [{ order: "${$.data.order.id}" }],
  });
/** Describes a target: a step's id, or null for the end. */
const Way = (description: string): ReturnType<typeof Type.Unsafe<string | null | undefined>> =>
  Type.Unsafe<string | null | undefined>({
    type: "string",
    nullable: true,
    examples: [null],
    description: `${description} The id of a step, or null to end the run.`,
  });
const Trigger = Type.Object(
  {
    event: Type.Optional(
      StringExample("order.created", {
        maxLength: 128,
        description:
          "The event that starts a run, or a pattern such as `order.*`. Required unless there is a `schedule`.",
      }),
    ),
    schedule: Type.Optional(ScheduleInput),
    when: Type.Optional(Nullable(ConditionView)),
  },
  {
    ...strict,
    title: "WorkflowTrigger",
    description: "The event or the schedule that starts a run, and the condition that its event must meet.",
    examples: [{ event: "order.created" }],
  },
);
const Step = Type.Unsafe<object>({
  type: "object",
  title: "WorkflowStep",
  description:
    "The members of a step depend on its `type`: `condition {when, then, else?}`, `webhook {url, headers?, body?, on_failure?}`, " +
    "`delay {seconds}`, `set {values}`, `wait_event {event, match?, timeout_seconds, on_timeout?}`, `fire_event {event, data?}`, `action {action, parameters?}`, `wait_approval {approver_roles, expires_in_seconds?, title?, summary?, fields?}`, " +
    "`http {method, url, query?, headers?, body? | form? | text?, auth?, success_when?, timeout_ms?, retries?, expose?, sign?, on_failure?}`. " +
    "All types except `condition` also accept `next`. `action` and `wait_approval` accept `on_approved` in place of `next`, `on_rejected` and " +
    "`on_expired`; `action` also accepts `on_failure`.",
  required: ["id", "type"],
  additionalProperties: false,
  properties: {
    id: StringExample("notify", {
      description: "A letter, followed by letters, digits, _ and -. Unique in the workflow.",
    }),
    type: OneOf(STEP_TYPES),
    next: Way("The next step. Default: the following one in the list."),
    when: ConditionView,
    then: Way("The next step if the condition is true."),
    else: Way("The next step if the condition is false. Default: the run ends."),
    url: StringExample("https://example.com/hook", { maxLength: 2048, description: "The URL of a webhook." }),
    headers: {
      type: "object",
      additionalProperties: { type: "string", ...secret },
      description: "Custom headers of a webhook.",
    },
    body: Filled("The `data` that a webhook sends, with the event `workflow.webhook`. Default: the trigger's data."),
    on_failure: Way(
      "The next step if a webhook or an HTTP call has failed, with no further attempt, or if an action has failed. Without it, the run fails, as after any other failed step.",
    ),
    on_approved: Way("The next step after an approval and, for an action, its success. Another name for `next`."),
    on_rejected: Way("The next step if a person rejects. Without it, the run fails."),
    on_expired: Way("The next step if no person decides in time. Without it, the run fails."),
    seconds: Type.Integer({ description: "The length of a delay in seconds, at most 366 days.", examples: [3600] }),
    event: StringExample("order.reminded", {
      description:
        "The event that `fire_event` fires, or the event or pattern (`order.*`) for which `wait_event` waits.",
    }),
    match: {
      type: "object",
      nullable: true,
      description:
        "A condition on the event for which `wait_event` waits, as in rules. Its fields begin with `event` or `data` and read that event; its values can contain the tokens of other texts, such as `${$.data.order}`, which read the run. A missing value fails the step.",
      examples: [{ field: "data.order", op: "eq", value: "${$.data.order}" }],
    },
    timeout_seconds: Type.Integer({
      description: "How long `wait_event` waits, in seconds, at most 366 days.",
      examples: [86_400],
    }),
    on_timeout: Way("The next step if no matching event arrives in time. Without it, the run fails."),
    values: Filled("The output of a `set` step."),
    data: Filled("The data of the fired event. Default: the trigger's data."),
    action: StringExample("crm.tag", {
      description:
        "The key of an action contract whose `surface` includes `workflow`. The run fails if the action fails.",
    }),
    parameters: Filled("The parameters of the action."),
    approver_roles: {
      type: "array",
      items: { type: "string" },
      description: "Roles of the people who may approve.",
    },
    title: StringExample("Release order ${$.data.order}", {
      maxLength: 200,
      description:
        "The heading of an approval. `title`, `summary` and `fields` can contain the same tokens as other texts. A missing value is shown as `[missing: path]`.",
    }),
    summary: StringExample("${contact.email} ordered for ${$.data.total} EUR.", {
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
          label: StringExample("Total", { maxLength: 100 }),
          value: StringExample("${$.data.total} EUR", { maxLength: 500 }),
        },
      },
    },
    method: OneOf(METHODS, "The method of an HTTP call."),
    query: Filled("Parameters that are added to the URL of an HTTP call."),
    form: Filled("The fields of a form that an HTTP call sends."),
    text: StringExample("order ${$.data.id}", { description: "The text that an HTTP call sends." }),
    auth: {
      type: "object",
      description:
        "How an HTTP call proves who sends it: `{type: bearer | basic | api_key | oauth2_client_credentials, secret_ref, in?, name?, token_url?, client_id?, scope?}`.",
      examples: [{ type: "bearer", secret_ref: "crm_token" }],
    },
    success_when: ConditionView,
    timeout_ms: Type.Integer({
      description: "The time that an HTTP call has, from 100 to 30000. Default: 10000.",
      examples: [10_000],
    }),
    retries: Type.Integer({
      description: "How often an HTTP call is sent again after a passing failure, at most 5. Default: 3.",
      examples: [3],
    }),
    expose: {
      type: "array",
      items: { type: "string" },
      description: "The members of the response's body that are kept. Default: all.",
      examples: [["id", "status"]],
    },
    sign: Type.Boolean({
      description:
        "Whether an HTTP call has the headers `webhook-id`, `webhook-timestamp` and `webhook-signature`, with the workflow's signing secret. Default: false.",
      examples: [true],
    }),
    expires_in_seconds: Type.Integer({
      description: "How long the approval waits, in seconds. Default: one day.",
    }),
  },
  examples: [{ id: "notify", type: "webhook", url: "https://example.com/hook" }],
});
const Steps = Type.Array(Step, {
  minItems: 1,
  maxItems: MAX_STEPS,
  description:
    "The steps in order, each with an `id` and a `type`. A run starts with the first step and runs each step at most once.",
});
const Name = StringExample("Large orders", { minLength: 1, maxLength: 200 });

export const WorkflowBody = Type.Object(
  { name: Name, trigger: Trigger, steps: Steps, enabled: Type.Optional(Type.Boolean({ default: true })) },
  { ...strict, title: "NewWorkflow" },
);
export const WorkflowPatch = Type.Object(
  {
    name: Type.Optional(Name),
    trigger: Type.Optional(Trigger),
    steps: Type.Optional(Steps),
    enabled: Type.Optional(Type.Boolean()),
  },
  { ...strict, minProperties: 1, title: "WorkflowChange" },
);

const workflowView = {
  id: WireId("wf"),
  object: OneOf(["workflow"]),
  name: StringExample("Large orders"),
  enabled: Type.Boolean(),
  version: Type.Integer({
    description: "The number of the version. Each change of the trigger or the steps increases it by one.",
    examples: [1],
  }),
  author_environment: OneOf(["live", "sandbox"], "The same as `environment`."),
  trigger: Trigger,
  steps: Type.Array(Step),
  ...ownershipFields,
  ...environmentFields,
  ...promotionFields("wf", "workflow"),
  updated_at: Timestamp,
};
export const WorkflowView = Type.Object(workflowView, { title: "Workflow" });
export const WorkflowWithSecret = Type.Object(
  {
    ...workflowView,
    signing_secret: Secret,
  },
  { title: "WorkflowWithSecret" },
);
export const WorkflowListView = ListOf(WorkflowView);
export const WorkflowListQuery = Type.Object({ environment: EnvironmentFilter, ...PageQuery }, strict);

export const TestBody = Type.Object(
  {
    event: StringExample("order.created", { minLength: 1, maxLength: 128 }),
    data: Type.Unsafe<object>({ type: "object", examples: [{ total: 120 }] }),
  },
  { ...strict, title: "WorkflowTest" },
);
const Output = Nullable(
  Type.Unsafe<object>({
    type: "object",
    description:
      "The output that later steps use as `steps.<id>`: `{result}` of a condition, `{delivery_id, state, status_code}` of a webhook, `{seconds}` of a delay, `{event_id}` of a fired event, the values of a set step. A step that waits for an event has its `{id, type, data, contact?}`, an action its run, an approval its proposal.",
    examples: [{ result: true }],
  }),
);
export const TestView = Type.Object(
  {
    object: OneOf(["workflow_test"]),
    matches: Type.Boolean({ description: "Whether the event starts a run." }),
    steps: Type.Array(
      Type.Object(
        {
          id: StringExample("notify"),
          type: OneOf(STEP_TYPES),
          branch: Nullable(
            Type.Object(
              { step: StringExample("ask"), way: StringExample("on_rejected") },
              {
                title: "WorkflowTestBranch",
                description: "The decision that leads here. Null: the way on which every decision is an approval.",
              },
            ),
          ),
          output: Output,
        },
        { title: "WorkflowTestStep" },
      ),
    ),
  },
  { title: "WorkflowTrial" },
);

const RUN_STATES = ["running", "waiting", "completed", "failed", "cancelled"] as const;
const runView = {
  id: WireId("wfr"),
  object: OneOf(["workflow_run"]),
  workflow_id: WireId("wf"),
  workflow_version: Type.Integer({ examples: [1] }),
  event: StringExample("order.created"),
  event_id: WireId("evt"),
  started_by: Nullable(
    Type.String({ description: "The rule that started the run. Null: the trigger started it.", examples: [null] }),
  ),
  state: OneOf(RUN_STATES),
  step: Nullable(
    StringExample("notify", { description: "The current step, or the step at which the run ended early." }),
  ),
  error: Nullable(StringExample("Step notify failed: The delivery failed, with no further attempt.")),
  continues_at: Nullable(
    Type.String({
      format: "date-time",
      description: "When the current delay ends, or when a wait for an event is next checked.",
    }),
  ),
  ended_at: Nullable(Timestamp),
  ...ownershipFields,
};
export const RunListView = ListOf(Type.Object(runView, { title: "WorkflowRun" }));
export const RunListQuery = Type.Object(
  { state: Type.Optional(OneOf(RUN_STATES, "The state of the runs.")), ...PageQuery },
  strict,
);
export const RunView = Type.Object(
  {
    ...runView,
    input: Nullable(
      Type.Unsafe<object>({
        type: "object",
        description: "The input from the rule. Conditions and templates use it as `input`.",
        examples: [null],
      }),
    ),
    steps: Type.Array(
      Type.Object(
        {
          id: StringExample("notify"),
          type: OneOf(STEP_TYPES),
          state: OneOf(["waiting", "completed", "failed", "cancelled"]),
          error: Nullable(StringExample("The delivery failed, with no further attempt.")),
          started_at: Timestamp,
          ended_at: Nullable(Timestamp),
          output: Output,
        },
        { title: "WorkflowRunStep" },
      ),
    ),
  },
  { title: "WorkflowRunWithSteps" },
);
