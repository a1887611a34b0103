import { below, ConditionFields } from "../../../shared/shared.ts";
import { Card, Switch, TagInput, TextField } from "../../../ui/ui.ts";
import type { DefinitionFieldsProps } from "../automation-kind.ts";
import { useChoices } from "../choices.ts";
import { ItemList } from "../item-list.tsx";
import { haveSameRows } from "../items.ts";
import { SampleProvider } from "../sample.tsx";
import { ACTIONS } from "./rule-draft.ts";
import type { RuleDraft } from "./rule-draft.ts";

/** Edits a whole rule: its events, its condition and its actions. */
export function RuleFields(props: DefinitionFieldsProps<RuleDraft>) {
  const [event = ""] = props.draft.on;
  return (
    <SampleProvider event={event}>
      <Fields {...props} />
    </SampleProvider>
  );
}

function Fields({ draft, fields, changeRows, problems }: DefinitionFieldsProps<RuleDraft>) {
  const choices = useChoices();
  return (
    <>
      <Card title="General" stacked>
        <TextField label="Name" maxLength={200} {...fields.text("/name")} />
        <div className="grid items-start gap-4 sm:grid-cols-2">
          <TextField
            label="Priority"
            description="0 to 1000. Rules with lower numbers run first."
            {...fields.whole("/priority")}
          />
          <TextField
            label="Maximum runs per minute"
            description={'1 to 6000. Events above the limit are listed under Runs as "Rate limited".'}
            {...fields.whole("/max_runs_per_minute")}
          />
        </div>
        <Switch {...fields.flag("/enabled")}>Enabled</Switch>
      </Card>
      <Card title="When">
        <TagInput
          label="Event types"
          description="The event types that start the rule. Use * for all except system events."
          {...fields.tags("/on")}
          suggestions={choices.events}
          placeholder="order.created"
        />
      </Card>
      <Card title="If" description={'Use paths such as data.order.total_minor. Types must match: "5" is not 5.'}>
        <ConditionFields
          label="Condition"
          empty="Without conditions, the rule runs on each event of these types."
          draft={draft.when}
          onChange={(when) =>
            changeRows({ when }, haveSameRows(when.rows, draft.when.rows) && when.mode === draft.when.mode)
          }
          problems={below(problems, "/when")}
          offers={choices.values}
        />
      </Card>
      <Card title="Then" description="The actions run in this order. If one fails, the others still run.">
        <ItemList
          label="Actions"
          one="Action"
          kinds={ACTIONS}
          items={draft.then}
          onChange={(then) => changeRows({ then }, haveSameRows(then, draft.then))}
          problems={below(problems, "/then")}
          choices={choices}
        />
      </Card>
    </>
  );
}
