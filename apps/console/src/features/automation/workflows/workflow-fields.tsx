import { below, ConditionFields } from "../../../shared/shared.ts";
import { Card, ComboBox, deferred, Segmented, Switch, TextField } from "../../../ui/ui.ts";
import type { DefinitionFieldsProps } from "../automation-kind.ts";
import { useChoices } from "../choices.ts";
import { haveSameRows } from "../items.ts";
import { SampleProvider } from "../sample.tsx";
import { idOf } from "./changes.ts";
import { StepEditor } from "./step-editor.tsx";
import type { WorkflowDraft } from "./workflow-draft.ts";

const ScheduleFields = deferred(async () => (await import("./schedule-fields.tsx")).ScheduleFields);

const STARTS = [
  { value: "event", label: "Event" },
  { value: "schedule", label: "Schedule" },
] as const;

/** Edits a workflow's trigger, and its steps in order. */
export function WorkflowFields(props: DefinitionFieldsProps<WorkflowDraft>) {
  return (
    <SampleProvider event={props.draft.startedBy === "event" ? props.draft.trigger.event : "schedule.due"}>
      <Fields {...props} />
    </SampleProvider>
  );
}

function Fields({ draft, fields, changeRows, problems }: DefinitionFieldsProps<WorkflowDraft>) {
  const choices = useChoices(draft.steps.map(idOf));
  return (
    <>
      <Card title="General" stacked>
        <TextField label="Name" maxLength={200} {...fields.text("/name")} />
        <TextField
          label="Maximum runs per minute"
          description={'1 to 60000. Events above the limit are listed under Runs as "Rate limited".'}
          {...fields.whole("/max_runs_per_minute")}
        />
        <Switch {...fields.flag("/enabled")}>Enabled</Switch>
      </Card>
      <Card title="When" stacked>
        <Segmented
          label="Started by"
          options={STARTS}
          value={draft.startedBy}
          onChange={fields.choice("/startedBy").onChange}
        />
        {draft.startedBy === "event" ? (
          <ComboBox
            label="Event type"
            description="The event type that starts a run."
            mono
            options={choices.events}
            placeholder="order.created"
            {...fields.text("/trigger/event")}
          />
        ) : (
          <ScheduleFields fields={fields} problem={problems("/trigger/schedule")} />
        )}
        <ConditionFields
          label="Condition"
          empty={
            draft.startedBy === "event"
              ? "Without conditions, each event of this type starts a run."
              : "Without conditions, a run starts each time."
          }
          draft={draft.when}
          onChange={(when) => changeRows({ when }, haveSameRows(when.rows, draft.when.rows))}
          problems={below(problems, "/trigger/when")}
          offers={choices.values}
        />
      </Card>
      <Card
        title="Steps"
        description="A run starts with the first step. The step below follows, unless a step names another one."
      >
        <StepEditor
          steps={draft.steps}
          onChange={(steps) => changeRows({ steps }, haveSameRows(steps, draft.steps))}
          problems={below(problems, "/steps")}
          choices={choices}
        />
      </Card>
    </>
  );
}
