import {
  closed,
  ListOf,
  Nullable,
  OneOf,
  Owned,
  PageQuery,
  Sample,
  Timestamp,
  Type,
  WireId,
} from "../kernel/kernel.ts";
import { ConditionView } from "../conditions/conditions.ts";
import { Secret } from "../deliver/deliver.ts";
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
  { ...closed, title: "WorkflowTrigger" },
);
const Step = Type.Unsafe<object>({
  type: "object",
  title: "WorkflowStep",
  description:
    "`condition {when, then, else?}`, `webhook {url, headers?, body?, on_failure?}`, `delay {seconds}`, `fire_event {event, data?}`; " +
    "`action` and `wait_approval` where the installation does them.",
  required: ["id", "type"],
  additionalProperties: false,
  properties: {
    id: Sample("notify", { description: "A letter, then letters, digits, _ and -; unique in the workflow." }),
    type: OneOf(STEP_TYPES),
    next: Way("What follows; by default the step below."),
    when: ConditionView,
    then: Way("Where a condition that holds leads."),
    else: Way("Where one that does not hold leads; by default the end."),
    url: Sample("https://example.com/hook", { maxLength: 2048, description: "Where a webhook goes." }),
    headers: { type: "object", additionalProperties: { type: "string" }, description: "A webhook's own headers." },
    body: Filled("A webhook's `data`; by default the trigger's."),
    on_failure: Way("Where a webhook that failed for good leads; by default the run fails."),
    seconds: Type.Integer({ description: "How long a delay is: up to 366 days.", examples: [3600] }),
    event: Sample("order.reminded", { description: "What `fire_event` fires." }),
    data: Filled("The fired event's; by default the trigger's."),
    action: Sample("crm.tag", { description: "An action's key." }),
    parameters: Filled("An action's."),
    approver_roles: { type: "array", items: { type: "string" }, description: "Who may approve." },
    expires_in_seconds: Type.Integer({ description: "How long an approval is waited for." }),
  },
  examples: [{ id: "notify", type: "webhook", url: "https://example.com/hook" }],
});
const Steps = Type.Array(Step, {
  minItems: 1,
  maxItems: MAX_STEPS,
  description: "In order; the first begins. A run goes through each once at most.",
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
    description: "What later steps see as `steps.<id>`.",
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
