import { closed, ListOf, Nullable, OneOf, Owned, PageQuery, Timestamp, Type, WireId } from "../kernel/kernel.ts";
import { MAX_STEPS } from "./definition.ts";

const STEP_TYPES = ["condition", "webhook", "action", "delay", "wait_approval", "fire_event"] as const;
const StepId = (description: string): ReturnType<typeof Nullable<ReturnType<typeof Type.String>>> =>
  Nullable(Type.String({ description: `A step's id, or null for the end. ${description}` }));
const Condition = Type.Unsafe<object>({
  type: "object",
  description:
    "{all|any|not: [conditions]}, five levels at most, or {field, op, value}: a path into {event, data, steps} such as " +
    "data.order.total; eq, ne, gt, gte, lt, lte, in, not_in, contains, starts_with, ends_with or exists; a value of the same type.",
});
const Filled = Type.Unsafe<object>({
  type: "object",
  description:
    "Texts may hold ${$.data.x}, ${$.event} and ${$.steps.<id>.x}; one token alone is the value itself. By default the trigger's data.",
});

const trigger = {
  event: Type.String({ maxLength: 128, description: "The event that starts a run." }),
  when: Type.Optional(Nullable(Condition)),
};
const branches = Object.fromEntries([
  ["then", Type.Optional(StepId("Where a condition that holds leads."))],
  ["else", Type.Optional(StepId("Where one that does not hold leads; by default the end."))],
]);
const step = {
  id: Type.String({ description: "A letter, then letters, digits, _ and -; unique in the workflow." }),
  type: OneOf(STEP_TYPES),
  next: Type.Optional(StepId("By default the step below.")),
  ...branches,
  when: Type.Optional(Condition),
  url: Type.Optional(Type.String({ maxLength: 2048, description: "Where a webhook goes." })),
  headers: Type.Optional(Type.Record(Type.String(), Type.String())),
  body: Type.Optional(Filled),
  on_failure: Type.Optional(StepId("Where a webhook leads that failed for good; by default the run fails.")),
  seconds: Type.Optional(Type.Integer({ description: "How long a delay is." })),
  event: Type.Optional(Type.String({ description: "What fire_event fires." })),
  data: Type.Optional(Filled),
  action: Type.Optional(Type.String()),
  parameters: Type.Optional(Filled),
  approver_roles: Type.Optional(Type.Array(Type.String())),
  expires_in_seconds: Type.Optional(Type.Integer()),
};
const Trigger = Type.Object(trigger, closed);
const Steps = Type.Array(Type.Object(step, closed), {
  minItems: 1,
  maxItems: MAX_STEPS,
  description: "In order; the first begins. A run goes through each once at most.",
});
const Name = Type.String({ minLength: 1, maxLength: 200 });

export const WorkflowBody = Type.Object(
  { name: Name, trigger: Trigger, steps: Steps, enabled: Type.Optional(Type.Boolean({ default: true })) },
  closed,
);
export const WorkflowPatch = Type.Partial(
  Type.Object({ name: Name, trigger: Trigger, steps: Steps, enabled: Type.Boolean() }),
  {
    ...closed,
    minProperties: 1,
  },
);

const { environment: _both, ...shared } = Owned;
const workflowView = {
  id: WireId("wf"),
  object: OneOf(["workflow"]),
  name: Type.String(),
  enabled: Type.Boolean(),
  version: Type.Integer({ description: "One more with every other trigger or steps." }),
  trigger: Type.Object(trigger),
  steps: Type.Array(Type.Object(step)),
  author_environment: OneOf(["live", "sandbox"], "What a sandbox credential wrote acts in the sandbox alone."),
  ...shared,
  updated_at: Timestamp,
};
export const WorkflowView = Type.Object(workflowView, { description: "One definition for both environments." });
export const WorkflowWithSecret = Type.Object({
  ...workflowView,
  signing_secret: Type.String({ description: "Signs what the workflow's webhooks send. Shown in this answer only." }),
});
export const WorkflowListView = ListOf(WorkflowView);
export const WorkflowListQuery = Type.Object(PageQuery, closed);

export const TestBody = Type.Object(
  { event: Type.String({ minLength: 1, maxLength: 128 }), data: Type.Unsafe<object>({ type: "object" }) },
  closed,
);
const Output = Nullable(Type.Unsafe<object>({ type: "object", description: "What later steps see as steps.<id>." }));
export const TestView = Type.Object({
  object: OneOf(["workflow_test"]),
  matches: Type.Boolean({ description: "Whether the event starts a run." }),
  steps: Type.Array(Type.Object({ id: Type.String(), type: OneOf(STEP_TYPES), output: Output })),
});

const RUN_STATES = ["running", "waiting", "completed", "failed", "cancelled"] as const;
const runView = {
  id: WireId("wfr"),
  object: OneOf(["workflow_run"]),
  workflow_id: WireId("wf"),
  workflow_version: Type.Integer(),
  event: Type.String(),
  event_id: WireId("evt"),
  state: OneOf(RUN_STATES),
  step: Nullable(Type.String({ description: "Where it is, or where it ended early." })),
  error: Nullable(Type.String()),
  continues_at: Nullable(Type.String({ format: "date-time", description: "When a delay is over." })),
  ended_at: Nullable(Timestamp),
  ...Owned,
};
export const RunListView = ListOf(Type.Object(runView));
export const RunListQuery = Type.Object({ state: Type.Optional(OneOf(RUN_STATES)), ...PageQuery }, closed);
export const RunView = Type.Object({
  ...runView,
  steps: Type.Array(
    Type.Object({
      id: Type.String(),
      type: OneOf(STEP_TYPES),
      state: OneOf(["waiting", "completed", "failed", "cancelled"]),
      error: Nullable(Type.String()),
      started_at: Timestamp,
      ended_at: Nullable(Timestamp),
      output: Output,
    }),
  ),
});
