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
  Timestamp,
  Type,
  WireId,
} from "../../lib/lib.ts";
import { ConditionView } from "../../events/events.ts";
import { Secret } from "../../webhooks/webhooks.ts";
import { ScheduleInput } from "../schedules/schedules.schemas.ts";
import { Step, STEP_TYPES, Steps } from "./steps.schemas.ts";

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
const Name = StringExample("Large orders", { minLength: 1, maxLength: 200 });

const RunsPerMinute = Type.Integer({
  minimum: 1,
  maximum: 60_000,
  default: 600,
  description:
    "The maximum number of runs that start per minute. Further runs are `limited` and do nothing. The branches and items of a run do not count.",
});

export const WorkflowBody = Type.Object(
  {
    name: Name,
    trigger: Trigger,
    steps: Steps,
    enabled: Type.Optional(Type.Boolean({ default: true })),
    max_runs_per_minute: Type.Optional(RunsPerMinute),
  },
  { ...strict, title: "NewWorkflow" },
);
export const WorkflowPatch = Type.Object(
  {
    name: Type.Optional(Name),
    trigger: Type.Optional(Trigger),
    steps: Type.Optional(Steps),
    enabled: Type.Optional(Type.Boolean()),
    max_runs_per_minute: Type.Optional(RunsPerMinute),
  },
  { ...strict, minProperties: 1, title: "WorkflowChange" },
);

const workflowView = {
  id: WireId("wf"),
  object: OneOf(["workflow"]),
  name: StringExample("Large orders"),
  enabled: Type.Boolean(),
  max_runs_per_minute: Type.Integer({ examples: [600] }),
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
    tenant: Type.Optional(Tenant("The tenant of the event. Default: none.")),
  },
  { ...strict, title: "WorkflowTest" },
);
const Output = Nullable(
  Type.Unsafe<object>({
    type: "object",
    description:
      "The output that later steps use as `steps.<id>`: `{result}` of a condition, `{delivery_id, state, status_code}` of a webhook, `{seconds}` of a delay, `{event_id}` of a fired event, the values of a set step, `{branches, count, completed, failed, failures}` of parallel branches, `{items, count, completed, failed, failures}` of a loop. A step that waits for an event has its `{id, type, data, contact?}`, an action its run, an approval its proposal.",
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

const RUN_STATES = ["running", "waiting", "completed", "failed", "cancelled", "limited"] as const;
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
  parent: Nullable(
    Type.Object(
      {
        run_id: WireId("wfr"),
        index: Type.Integer({ description: "The position of the branch or the item, from 0.", examples: [0] }),
      },
      { title: "WorkflowRunParent", description: "The run of which this one is a branch or an item. Null for others." },
    ),
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
  {
    state: Type.Optional(OneOf(RUN_STATES, "The state of the runs.")),
    parent_run_id: Type.Optional(WireId("wfr")),
    ...PageQuery,
  },
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
    item: Nullable(
      Type.Object(
        { value: Type.Unsafe<unknown>({ description: "The item as its list had it." }) },
        { title: "WorkflowRunItem", description: "The item that a run in a loop has. Null for others." },
      ),
    ),
    children: Type.Array(
      Type.Object(
        {
          id: WireId("wfr"),
          parent_step: Nullable(
            StringExample("notify", { description: "The step that started the branch or the item." }),
          ),
          index: Type.Integer({ description: "The position of the branch or the item, from 0.", examples: [0] }),
          state: OneOf(RUN_STATES),
          step: Nullable(StringExample("notify")),
          error: Nullable(StringExample("Step notify failed: The delivery failed, with no further attempt.")),
          ended_at: Nullable(Timestamp),
        },
        { title: "WorkflowRunChild" },
      ),
      {
        description:
          "The first 100 branches and items, each with the id of its own run. The list of runs has all of them with `parent_run_id`.",
      },
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
