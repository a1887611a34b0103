import { below, ConditionFields } from "../../../shared/shared.ts";
import { Card, ComboBox, Switch, TextField } from "../../../ui/ui.ts";
import type { DefinitionFieldsProps } from "../automation-kind.ts";
import { useChoices } from "../choices.ts";
import { haveSameRows } from "../items.ts";
import { SampleProvider } from "../sample.tsx";
import { idOf } from "./changes.ts";
import { StepEditor } from "./step-editor.tsx";
import type { WorkflowDraft } from "./workflow-draft.ts";

/** Edits a workflow's trigger, and its steps in order. */
export function WorkflowFields(props: DefinitionFieldsProps<WorkflowDraft>) {
  return (
    <SampleProvider event={props.draft.event}>
      <Fields {...props} />
    </SampleProvider>
  );
}

function Fields({ draft, change, changeRows, problems }: DefinitionFieldsProps<WorkflowDraft>) {
  const choices = useChoices(draft.steps.map(idOf));
  const eventProblem = problems("/trigger/event");
  return (
    <>
      <Card title="General">
        <div className="flex flex-col gap-4">
          <TextField
            label="Name"
            maxLength={200}
            value={draft.name}
            onChange={(name) => change({ name })}
            error={problems("/name")}
          />
          <Switch isSelected={draft.enabled} onChange={(enabled) => change({ enabled })}>
            Enabled
          </Switch>
        </div>
      </Card>
      <Card title="When">
        <div className="flex flex-col gap-4">
          {draft.schedule === null ? (
            <ComboBox
              label="Event type"
              description="The event type that starts a run."
              mono
              options={choices.events}
              value={draft.event}
              onChange={(event) => change({ event })}
              placeholder="order.created"
              {...(eventProblem === undefined ? {} : { error: eventProblem })}
            />
          ) : (
            <ScheduleFields schedule={draft.schedule} change={change} problems={problems} />
          )}
          <ConditionFields
            label="Condition"
            empty="Without conditions, each event of this type starts a run."
            draft={draft.when}
            onChange={(when) => changeRows({ when }, haveSameRows(when.rows, draft.when.rows))}
            problems={below(problems, "/trigger/when")}
            offers={choices.values}
          />
        </div>
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

interface ScheduleFieldsProps extends Pick<DefinitionFieldsProps<WorkflowDraft>, "change" | "problems"> {
  readonly schedule: NonNullable<WorkflowDraft["schedule"]>;
}

function ScheduleFields({ schedule, change, problems }: ScheduleFieldsProps) {
  return (
    <>
      <TextField
        label="Cron"
        description="Five fields: minute, hour, day of month, month, day of week."
        mono
        value={schedule.cron}
        onChange={(cron) => change({ schedule: { ...schedule, cron } })}
        error={problems("/trigger/schedule/cron")}
      />
      <TextField
        label="Time zone"
        description="An IANA name, such as Europe/Berlin."
        value={schedule.time_zone ?? "UTC"}
        onChange={(zone) => change({ schedule: { ...schedule, time_zone: zone } })}
        error={problems("/trigger/schedule/time_zone")}
      />
    </>
  );
}
