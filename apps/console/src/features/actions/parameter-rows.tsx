import { Plus, Trash2 } from "lucide-react";
import type { wire } from "../../api/api.ts";
import type { ProblemAt } from "../../shared/shared.ts";
import { bindFields, Button, IconButton, Select, Switch, TagInput, TextField } from "../../ui/ui.ts";
import { newParameter, step } from "./contract-draft.ts";
import type { ParameterDraft } from "./contract-draft.ts";

const TYPES: readonly { readonly value: wire.ActionParameterType; readonly label: string }[] = [
  { value: "string", label: "Text" },
  { value: "int", label: "Whole number" },
  { value: "number", label: "Number" },
  { value: "boolean", label: "Yes or no" },
];

export interface ParameterRowsProps {
  readonly params: readonly ParameterDraft[];
  readonly onChange: (params: readonly ParameterDraft[]) => void;
  /** Problems at pointers from the contract on. */
  readonly problems: ProblemAt;
}

/** Edits the required and optional parameters of an action. A call with any other parameter is refused. */
export function ParameterRows({ params, onChange, problems }: ParameterRowsProps) {
  return (
    <div className="flex min-w-0 flex-col gap-3">
      {params.length === 0 ? <p className="text-sm text-muted">No parameters.</p> : null}
      {params.map((parameter, at) => (
        <div
          key={parameter.key}
          role="group"
          aria-label={`Parameter ${at + 1}`}
          className="flex items-start gap-2 rounded-lg border border-line bg-sunken p-3"
        >
          <Row
            parameter={parameter}
            onChange={(next) => onChange(params.with(at, next))}
            problems={(member) => problems(`/params/${step(parameter.name.trim())}${member}`)}
          />
          <IconButton size="sm" label={`Remove parameter ${at + 1}`} onPress={() => onChange(params.toSpliced(at, 1))}>
            <Trash2 aria-hidden size={15} />
          </IconButton>
        </div>
      ))}
      <div>
        <Button size="sm" icon={<Plus aria-hidden size={14} />} onPress={() => onChange([...params, newParameter()])}>
          Add parameter
        </Button>
      </div>
    </div>
  );
}

interface RowProps {
  readonly parameter: ParameterDraft;
  readonly onChange: (parameter: ParameterDraft) => void;
  /** Returns the problem at a pointer from the parameter on; "" stands for any problem of the parameter. */
  readonly problems: (member: string) => string | undefined;
}

function Row({ parameter, onChange, problems }: RowProps) {
  const fields = bindFields({ value: parameter, change: onChange, problem: problems });
  const { type } = parameter;
  const isElsewhere = ["/min", "/max", "/enum"].some((member) => problems(member) !== undefined);
  const unit = type === "string" ? "length (characters)" : "value";
  return (
    <div className="grid min-w-0 flex-1 items-start gap-3 sm:grid-cols-2">
      <TextField label="Parameter name" mono {...fields.text("/name")} error={isElsewhere ? undefined : problems("")} />
      <Select label="Type" options={TYPES} {...fields.choice("/type")} />
      <div className="flex flex-wrap gap-x-4 gap-y-2 sm:col-span-2">
        <Switch {...fields.flag("/required")}>Required</Switch>
        <Switch {...fields.flag("/sensitive")}>Sensitive: hidden in previews and the audit log</Switch>
      </div>
      {type === "boolean" ? null : (
        <>
          <TextField label={`Minimum ${unit}`} inputMode="decimal" {...fields.text("/min")} />
          <TextField label={`Maximum ${unit}`} inputMode="decimal" {...fields.text("/max")} />
          <TagInput label="Allowed values" description="Leave empty to allow any value." {...fields.tags("/enum")} />
        </>
      )}
      <TextField label="Description" description="Shown to people and AI models." {...fields.text("/description")} />
    </div>
  );
}
