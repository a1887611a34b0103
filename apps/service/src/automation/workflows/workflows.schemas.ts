import { environmentFields, EnvironmentFilter, promotionFields, t } from "../../lib/lib.ts";
import { ConditionView } from "../../events/events.ts";
import { Secret } from "../../webhooks/webhooks.ts";
import { ScheduleInput } from "../schedules/schedules.schemas.ts";
import { Step, STEP_TYPES, Steps } from "./steps.schemas.ts";

const Trigger = t.Object(
  {
    event: t.Optional(
      t.StringExample("order.created", {
        maxLength: 128,
        description:
          "The event that starts a run, or a pattern such as `order.*`. Required unless there is a `schedule`.",
      }),
    ),
    schedule: t.Optional(ScheduleInput),
    when: t.Optional(t.Nullable(ConditionView)),
  },
  {
    ...t.strict,
    title: "WorkflowTrigger",
    description: "The event or the schedule that starts a run, and the condition that its event must meet.",
    examples: [{ event: "order.created" }],
  },
);
const Name = t.StringExample("Large orders", { minLength: 1, maxLength: 200 });

const RunsPerMinute = t.Integer({
  minimum: 1,
  maximum: 60_000,
  default: 600,
  description:
    "The maximum number of runs that start per minute. Further runs are `limited` and do nothing. The branches and items of a run do not count.",
});

export const WorkflowBody = t.Object(
  {
    name: Name,
    trigger: Trigger,
    steps: Steps,
    enabled: t.Optional(t.Boolean({ default: true })),
    max_runs_per_minute: t.Optional(RunsPerMinute),
  },
  { ...t.strict, title: "NewWorkflow" },
);
export const WorkflowPatch = t.Object(
  {
    name: t.Optional(Name),
    trigger: t.Optional(Trigger),
    steps: t.Optional(Steps),
    enabled: t.Optional(t.Boolean()),
    max_runs_per_minute: t.Optional(RunsPerMinute),
  },
  { ...t.strict, minProperties: 1, title: "WorkflowChange" },
);

const workflowView = {
  id: t.WireId("wf"),
  object: t.OneOf(["workflow"]),
  name: t.StringExample("Large orders"),
  enabled: t.Boolean(),
  max_runs_per_minute: t.Integer({ examples: [600] }),
  version: t.Integer({
    description: "The number of the version. Each change of the trigger or the steps increases it by one.",
    examples: [1],
  }),
  author_environment: t.OneOf(["live", "sandbox"], "The same as `environment`."),
  trigger: Trigger,
  steps: t.Array(Step),
  ...t.ownershipFields,
  ...environmentFields,
  ...promotionFields("wf", "workflow"),
  updated_at: t.Timestamp,
};
export const WorkflowView = t.Object(workflowView, { title: "Workflow" });
export const WorkflowWithSecret = t.Object(
  {
    ...workflowView,
    signing_secret: Secret,
  },
  { title: "WorkflowWithSecret" },
);
export const WorkflowListView = t.ListOf(WorkflowView);
export const WorkflowListQuery = t.Object({ environment: EnvironmentFilter, ...t.PageQuery }, t.strict);

export const TestBody = t.Object(
  {
    event: t.StringExample("order.created", { minLength: 1, maxLength: 128 }),
    data: t.Unsafe<object>({ type: "object", examples: [{ total: 120 }] }),
    tenant: t.Optional(t.Tenant("The tenant of the event. Default: none.")),
  },
  { ...t.strict, title: "WorkflowTest" },
);
const Output = t.Nullable(
  t.Unsafe<object>({
    type: "object",
    description:
      "The output that later steps use as `steps.<id>`: `{result}` of a condition, `{delivery_id, state, status_code}` of a webhook, `{seconds}` of a delay, `{event_id}` of a fired event, the values of a set step, `{branches, count, completed, failed, failures}` of parallel branches, `{items, count, completed, failed, failures}` of a loop. A step that waits for an event has its `{id, type, data, contact?}`, an action its run, an approval its proposal.",
    examples: [{ result: true }],
  }),
);
export const TestView = t.Object(
  {
    object: t.OneOf(["workflow_test"]),
    matches: t.Boolean({ description: "Whether the event starts a run." }),
    steps: t.Array(
      t.Object(
        {
          id: t.StringExample("notify"),
          type: t.OneOf(STEP_TYPES),
          branch: t.Nullable(
            t.Object(
              { step: t.StringExample("ask"), way: t.StringExample("on_rejected") },
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
  id: t.WireId("wfr"),
  object: t.OneOf(["workflow_run"]),
  workflow_id: t.WireId("wf"),
  workflow_version: t.Integer({ examples: [1] }),
  event: t.StringExample("order.created"),
  event_id: t.WireId("evt"),
  started_by: t.Nullable(
    t.String({ description: "The rule that started the run. Null: the trigger started it.", examples: [null] }),
  ),
  parent: t.Nullable(
    t.Object(
      {
        run_id: t.WireId("wfr"),
        index: t.Integer({ description: "The position of the branch or the item, from 0.", examples: [0] }),
      },
      { title: "WorkflowRunParent", description: "The run of which this one is a branch or an item. Null for others." },
    ),
  ),
  state: t.OneOf(RUN_STATES),
  step: t.Nullable(t.StringExample("notify", "The current step, or the step at which the run ended early.")),
  error: t.Nullable(t.StringExample("Step notify failed: The delivery failed, with no further attempt.")),
  continues_at: t.Nullable(
    t.String({
      format: "date-time",
      description: "When the current delay ends, or when a wait for an event is next checked.",
    }),
  ),
  ended_at: t.Nullable(t.Timestamp),
  ...t.ownershipFields,
};
export const RunListView = t.ListOf(t.Object(runView, { title: "WorkflowRun" }));
export const RunListQuery = t.Object(
  {
    state: t.Optional(t.OneOf(RUN_STATES, "The state of the runs.")),
    parent_run_id: t.Optional(t.WireId("wfr")),
    ...t.PageQuery,
  },
  t.strict,
);
export const RunView = t.Object(
  {
    ...runView,
    input: t.Nullable(
      t.Unsafe<object>({
        type: "object",
        description: "The input from the rule. Conditions and templates use it as `input`.",
        examples: [null],
      }),
    ),
    item: t.Nullable(
      t.Object(
        { value: t.Unsafe<unknown>({ description: "The item as its list had it." }) },
        { title: "WorkflowRunItem", description: "The item that a run in a loop has. Null for others." },
      ),
    ),
    children: t.Array(
      t.Object(
        {
          id: t.WireId("wfr"),
          parent_step: t.Nullable(t.StringExample("notify", "The step that started the branch or the item.")),
          index: t.Integer({ description: "The position of the branch or the item, from 0.", examples: [0] }),
          state: t.OneOf(RUN_STATES),
          step: t.Nullable(t.StringExample("notify")),
          error: t.Nullable(t.StringExample("Step notify failed: The delivery failed, with no further attempt.")),
          ended_at: t.Nullable(t.Timestamp),
        },
        { title: "WorkflowRunChild" },
      ),
      {
        description:
          "The first 100 branches and items, each with the id of its own run. The list of runs has all of them with `parent_run_id`.",
      },
    ),
    steps: t.Array(
      t.Object(
        {
          id: t.StringExample("notify"),
          type: t.OneOf(STEP_TYPES),
          state: t.OneOf(["waiting", "completed", "failed", "cancelled"]),
          error: t.Nullable(t.StringExample("The delivery failed, with no further attempt.")),
          started_at: t.Timestamp,
          ended_at: t.Nullable(t.Timestamp),
          output: Output,
        },
        { title: "WorkflowRunStep" },
      ),
    ),
  },
  { title: "WorkflowRunWithSteps" },
);
