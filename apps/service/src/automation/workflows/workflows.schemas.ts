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
import { ConditionView } from "../expressions/conditions.ts";
import { Secret } from "../../webhooks/deliveries/deliver.ts";
import { MAX_STEPS } from "./definition.ts";

const STEP_TYPES = ["condition", "webhook", "action", "delay", "wait_approval", "fire_event"] as const;
const Filled = (description: string): ReturnType<typeof Type.Unsafe<object>> =>
  Type.Unsafe<object>({
    type: "object",
    description: `${description} Texts may hold \`\${$.data.x}\`, \`\${event}\`, \`\${contact.email}\`, \`\${input.x}\` and \`\${steps.<id>.x}\`; one such token alone is the value itself.`,
    examples: [{ order: "${$.data.order.id}" }],
  });
/** A step's id, or null for the end. */
const Way = (description: string): ReturnType<typeof Type.Unsafe<string | null | undefined>> =>
  Type.Unsafe<string | null | undefined>({
    type: "string",
    nullable: true,
    examples: [null],
    description: `${description} A step's id, or null for the end.`,
  });
const Trigger = Type.Object(
  {
    event: Sample("order.created", { maxLength: 128, description: "The event that starts a run." }),
    when: Type.Optional(Nullable(ConditionView)),
  },
  {
    ...closed,
    title: "WorkflowTrigger",
    description: "The event that starts a run, and the condition that it has to meet.",
  },
);
const Step = Type.Unsafe<object>({
  type: "object",
  title: "WorkflowStep",
  description:
    "What a step takes depends on its `type`: `condition {when, then, else?}`, `webhook {url, headers?, body?, on_failure?}`, " +
    "`delay {seconds}`, `fire_event {event, data?}`, `action {action, parameters?}`, `wait_approval {approver_roles, expires_in_seconds?}`. " +
    "All but `condition` also take `next`.",
  required: ["id", "type"],
  additionalProperties: false,
  properties: {
    id: Sample("notify", { description: "A letter, then letters, digits, _ and -; unique in the workflow." }),
    type: OneOf(STEP_TYPES),
    next: Way("The step that follows; by default the one below."),
    when: ConditionView,
    then: Way("The step that follows when the condition holds."),
    else: Way("The step that follows when the condition does not hold; by default the end."),
    url: Sample("https://example.com/hook", { maxLength: 2048, description: "Where a webhook goes." }),
    headers: {
      type: "object",
      additionalProperties: { type: "string", ...secret },
      description: "A webhook's own headers.",
    },
    body: Filled(
      "The `data` of what a webhook sends, with the event `workflow.webhook`; by default the trigger's data.",
    ),
    on_failure: Way(
      "The step that follows when all attempts of a webhook have failed. Without it the run fails, as it does after other steps that fail.",
    ),
    seconds: Type.Integer({ description: "How long a delay waits: up to 366 days.", examples: [3600] }),
    event: Sample("order.reminded", { description: "The event that `fire_event` fires." }),
    data: Filled("The data of the fired event; by default the trigger's."),
    action: Sample("crm.tag", {
      description: "The key of an action contract whose `surface` has `workflow`. The run fails when the action does.",
    }),
    parameters: Filled("The parameters of the action."),
    approver_roles: {
      type: "array",
      items: { type: "string" },
      description: "Roles of the people who may approve. The run fails when they reject.",
    },
    expires_in_seconds: Type.Integer({
      description: "How long the approval may take, by default a day. The run fails when it expires.",
    }),
  },
  examples: [{ id: "notify", type: "webhook", url: "https://example.com/hook" }],
});
const Steps = Type.Array(Step, {
  minItems: 1,
  maxItems: MAX_STEPS,
  description:
    "The steps in order, each with an `id` and a `type`. A run begins with the first and goes through each at most once.",
});
const Name = Sample("Large orders", { minLength: 1, maxLength: 200 });

export const WorkflowBody = Type.Object(
  { name: Name, trigger: Trigger, steps: Steps, enabled: Type.Optional(Type.Boolean({ default: true })) },
  { ...closed, title: "NewWorkflow" },
);
export const WorkflowPatch = Type.Object(
  {
    name: Type.Optional(Name),
    trigger: Type.Optional(Trigger),
    steps: Type.Optional(Steps),
    enabled: Type.Optional(Type.Boolean()),
  },
  { ...closed, minProperties: 1, title: "WorkflowChange" },
);

const workflowView = {
  id: WireId("wf"),
  object: OneOf(["workflow"]),
  name: Sample("Large orders"),
  enabled: Type.Boolean(),
  version: Type.Integer({ description: "One more with every other trigger or steps.", examples: [1] }),
  author_environment: OneOf(["live", "sandbox"], "What a sandbox credential wrote acts in the sandbox alone."),
  trigger: Trigger,
  steps: Type.Array(Step),
  scope_kind: Owned.scope_kind,
  scope_key: Owned.scope_key,
  created_at: Owned.created_at,
  updated_at: Timestamp,
};
export const WorkflowView = Type.Object(workflowView, {
  title: "Workflow",
  description: "One definition for both environments.",
});
export const WorkflowWithSecret = Type.Object(
  {
    ...workflowView,
    signing_secret: Secret,
  },
  { title: "WorkflowWithSecret" },
);
export const WorkflowListView = ListOf(WorkflowView);
export const WorkflowListQuery = Type.Object(PageQuery, closed);

export const TestBody = Type.Object(
  {
    event: Sample("order.created", { minLength: 1, maxLength: 128 }),
    data: Type.Unsafe<object>({ type: "object", examples: [{ total: 120 }] }),
  },
  { ...closed, title: "WorkflowTest" },
);
const Output = Nullable(
  Type.Unsafe<object>({
    type: "object",
    description:
      "What later steps see as `steps.<id>`: `{result}` of a condition, `{delivery_id, state, status_code}` of a webhook, `{seconds}` of a delay, `{event_id}` of a fired event, the run of an action, the proposal of an approval.",
    examples: [{ result: true }],
  }),
);
export const TestView = Type.Object(
  {
    object: OneOf(["workflow_test"]),
    matches: Type.Boolean({ description: "Whether the event starts a run." }),
    steps: Type.Array(
      Type.Object({ id: Sample("notify"), type: OneOf(STEP_TYPES), output: Output }, { title: "WorkflowTestStep" }),
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
  event: Sample("order.created"),
  event_id: WireId("evt"),
  started_by: Nullable(Type.String({ description: "The rule that started it; null: its trigger.", examples: [null] })),
  state: OneOf(RUN_STATES),
  step: Nullable(Sample("notify", { description: "Where it is, or where it ended early." })),
  error: Nullable(Sample("Step notify failed: The delivery failed for good.")),
  continues_at: Nullable(
    Type.String({ format: "date-time", description: "When the delay that it waits for is over." }),
  ),
  ended_at: Nullable(Timestamp),
  ...Owned,
};
export const RunListView = ListOf(Type.Object(runView, { title: "WorkflowRun" }));
export const RunListQuery = Type.Object(
  { state: Type.Optional(OneOf(RUN_STATES, "Runs in this state.")), ...PageQuery },
  closed,
);
export const RunView = Type.Object(
  {
    ...runView,
    input: Nullable(
      Type.Unsafe<object>({
        type: "object",
        description: "What the rule gave it, seen as `input` by conditions and templates.",
        examples: [null],
      }),
    ),
    steps: Type.Array(
      Type.Object(
        {
          id: Sample("notify"),
          type: OneOf(STEP_TYPES),
          state: OneOf(["waiting", "completed", "failed", "cancelled"]),
          error: Nullable(Sample("The delivery failed for good.")),
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
