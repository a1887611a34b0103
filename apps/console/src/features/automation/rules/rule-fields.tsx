import { useState } from "react";
import {
  below,
  ConditionFields,
  EditorForm,
  ItemList,
  problemAt,
  problemsOf,
  useChoices,
} from "../../../automation/automation.ts";
import type { Fault } from "../../../automation/automation.ts";
import type { wire } from "../../../api/api.ts";
import { Button, Card, Switch, TagInput, TextField } from "../../../ui/ui.ts";
import { ACTIONS, ruleOf } from "./rule-draft.ts";
import type { RuleDraft } from "./rule-draft.ts";

export interface RuleEditorProps {
  readonly draft: RuleDraft;
  readonly onChange: (draft: RuleDraft) => void;
  readonly onSave: (body: wire.NewRule) => void;
  readonly onReset: () => void;
  readonly saveLabel: string;
  readonly isPending: boolean;
  readonly maySave: boolean;
  readonly error: unknown;
}

/** When, if, then: the whole of a rule as a form. */
export function RuleEditor({ draft, onChange, onSave, onReset, saveLabel, ...state }: RuleEditorProps) {
  const [found, setFound] = useState<readonly Fault[]>([]);
  const choices = useChoices();
  const faults = problemsOf(found, state.error);
  const problems = problemAt(faults);
  const change = (part: Partial<RuleDraft>): void => onChange({ ...draft, ...part });
  /** Rows that move or go take their faults with them. */
  const changeRows = (part: Partial<RuleDraft>, isSame: boolean): void => {
    if (!isSame) {
      setFound([]);
      onReset();
    }
    change(part);
  };
  const save = (): void => {
    const { body, faults: now } = ruleOf(draft);
    setFound(now);
    onReset();
    if (now.length === 0) onSave(body);
  };
  return (
    <EditorForm label="Rule" onSubmit={save} error={state.error} faults={faults}>
      <Card title="When">
        <div className="flex flex-col gap-4">
          <TextField
            label="Name"
            maxLength={200}
            value={draft.name}
            onChange={(name) => change({ name })}
            error={problems("/name")}
          />
          <TagInput
            label="Events"
            description="The rule listens to these; * is every event."
            values={draft.on}
            onChange={(on) => change({ on })}
            suggestions={choices.events}
            placeholder="order.created"
            {...errorOf(problems("/on"))}
          />
          <Order draft={draft} change={change} problems={problems} />
        </div>
      </Card>
      <Card title="If" description="Fields are paths such as data.order.total or contact.score. Nothing is converted.">
        <ConditionFields
          label="Condition"
          empty="Without a condition it runs on each of its events."
          draft={draft.when}
          onChange={(when) =>
            changeRows({ when }, when.rows.length === draft.when.rows.length && when.mode === draft.when.mode)
          }
          problems={below(problems, "/when")}
        />
      </Card>
      <Card title="Then" description="Done in this order, all or none.">
        <ItemList
          label="Actions"
          one="Action"
          kinds={ACTIONS}
          items={draft.then}
          onChange={(then) =>
            changeRows(
              { then },
              then.every((item, at) => item.key === draft.then[at]?.key) && then.length === draft.then.length,
            )
          }
          problems={below(problems, "/then")}
          choices={choices}
        />
      </Card>
      <div className="flex items-center gap-3">
        <Button type="submit" variant="primary" isPending={state.isPending} isDisabled={!state.maySave}>
          {saveLabel}
        </Button>
        {state.maySave ? null : <p className="text-sm text-muted">Your role does not change rules.</p>}
      </div>
    </EditorForm>
  );
}

interface OrderProps {
  readonly draft: RuleDraft;
  readonly change: (part: Partial<RuleDraft>) => void;
  readonly problems: (pointer: string) => string | undefined;
}

function Order({ draft, change, problems }: OrderProps) {
  return (
    <>
      <div className="grid items-start gap-4 sm:grid-cols-2">
        <TextField
          label="Priority"
          description="0 to 1000; lower ones run first."
          inputMode="numeric"
          value={draft.priority}
          onChange={(priority) => change({ priority })}
          error={problems("/priority")}
        />
        <TextField
          label="Runs in a minute, at most"
          description="1 to 6000; more are held back, and told in its runs."
          inputMode="numeric"
          value={draft.limit}
          onChange={(limit) => change({ limit })}
          error={problems("/max_runs_per_minute")}
        />
      </div>
      <Switch isSelected={draft.enabled} onChange={(enabled) => change({ enabled })}>
        Runs by itself
      </Switch>
    </>
  );
}

function errorOf(error: string | undefined): { readonly error?: string } {
  return error === undefined ? {} : { error };
}
