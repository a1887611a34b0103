import { useState } from "react";
import type { wire } from "../../api/api.ts";
import {
  below,
  ConditionFields,
  EditorForm,
  ItemList,
  problemAt,
  problemsOf,
  useChoices,
} from "../../automation/automation.ts";
import type { Fault } from "../../automation/automation.ts";
import { Button, Card, ComboBox, Switch, TextField } from "../../ui/ui.ts";
import { freeId, stepIds, STEPS, workflowOf } from "../../features/automation/workflows/workflow-draft.ts";
import type { WorkflowDraft } from "../../features/automation/workflows/workflow-draft.ts";

export interface WorkflowEditorProps {
  readonly draft: WorkflowDraft;
  readonly onChange: (draft: WorkflowDraft) => void;
  readonly onSave: (body: wire.NewWorkflow) => void;
  readonly onReset: () => void;
  readonly saveLabel: string;
  readonly isPending: boolean;
  readonly maySave: boolean;
  readonly error: unknown;
}

/** What begins it, and its steps in order. */
export function WorkflowEditor({ draft, onChange, onSave, onReset, saveLabel, ...state }: WorkflowEditorProps) {
  const [found, setFound] = useState<readonly Fault[]>([]);
  const choices = useChoices(stepIds(draft.steps));
  const faults = problemsOf(found, state.error);
  const problems = problemAt(faults);
  const eventProblem = problems("/trigger/event");
  const change = (part: Partial<WorkflowDraft>): void => onChange({ ...draft, ...part });
  /** Rows that move or go take their faults with them. */
  const changeRows = (part: Partial<WorkflowDraft>, isSame: boolean): void => {
    if (!isSame) {
      setFound([]);
      onReset();
    }
    change(part);
  };
  const save = (): void => {
    const { body, faults: now } = workflowOf(draft);
    setFound(now);
    onReset();
    if (now.length === 0) onSave(body);
  };
  return (
    <EditorForm label="Workflow" onSubmit={save} error={state.error} faults={faults}>
      <Card title="When">
        <div className="flex flex-col gap-4">
          <TextField
            label="Name"
            maxLength={200}
            value={draft.name}
            onChange={(name) => change({ name })}
            error={problems("/name")}
          />
          <ComboBox
            label="Event"
            description="It begins a run."
            mono
            options={choices.events}
            value={draft.event}
            onChange={(event) => change({ event })}
            placeholder="order.created"
            {...(eventProblem === undefined ? {} : { error: eventProblem })}
          />
          <ConditionFields
            label="Condition"
            empty="Without a condition each such event begins a run."
            draft={draft.when}
            onChange={(when) => changeRows({ when }, when.rows.length === draft.when.rows.length)}
            problems={below(problems, "/trigger/when")}
          />
          <Switch isSelected={draft.enabled} onChange={(enabled) => change({ enabled })}>
            Runs by itself
          </Switch>
        </div>
      </Card>
      <Card title="Steps" description="The first begins; each is followed by the one below, unless it says otherwise.">
        <ItemList
          label="Steps"
          one="Step"
          kinds={STEPS}
          items={draft.steps}
          onChange={(steps) =>
            changeRows(
              { steps },
              steps.length === draft.steps.length && steps.every(({ key }, at) => key === draft.steps[at]?.key),
            )
          }
          problems={below(problems, "/steps")}
          choices={choices}
          begin={() => ({ id: freeId(draft.steps) })}
        />
      </Card>
      <div className="flex items-center gap-3">
        <Button type="submit" variant="primary" isPending={state.isPending} isDisabled={!state.maySave}>
          {saveLabel}
        </Button>
        {state.maySave ? null : <p className="text-sm text-muted">Your role does not change workflows.</p>}
      </div>
    </EditorForm>
  );
}
