import { useState } from "react";
import { EditorForm, problemAt, problemsOf } from "../../shared/shared.ts";
import type { Fault } from "../../shared/shared.ts";
import { Button, Card, Select, Switch, TagInput, TextField } from "../../ui/ui.ts";
import { BackendFields } from "./backend-fields.tsx";
import { CheckList } from "./check-list.tsx";
import { contractOf } from "./contract-draft.ts";
import type { ContractDraft, PartProps } from "./contract-draft.ts";
import { ParameterRows } from "./parameter-rows.tsx";

const ROLES = ["owner", "admin", "developer", "operator", "viewer", "ai"];
const SURFACES = ["api", "console", "mcp", "assistant", "rule", "workflow", "connector"];
const RISKS = [
  { value: "low", label: "Low" },
  { value: "medium", label: "Medium" },
  { value: "high", label: "High (needs approval)" },
];

export interface ContractEditorProps {
  readonly draft: ContractDraft;
  readonly onChange: (draft: ContractDraft) => void;
  readonly onSave: () => void;
  readonly onReset: () => void;
  /** True while the key can be chosen. */
  readonly isNew: boolean;
  readonly isPending: boolean;
  readonly maySave: boolean;
  readonly error: unknown;
}

/** Shows a whole contract as a form: what it does, who may request it, who approves it, and which backend is called. */
export function ContractEditor({ draft, onChange, onSave, onReset, isNew, ...state }: ContractEditorProps) {
  const [found, setFound] = useState<readonly Fault[]>([]);
  const faults = problemsOf(found, state.error);
  const part: PartProps = {
    draft,
    change: (some) => onChange({ ...draft, ...some }),
    problems: problemAt(faults),
  };
  const save = (): void => {
    const { faults: now } = contractOf(draft);
    setFound(now);
    onReset();
    if (now.length === 0) onSave();
  };
  return (
    <EditorForm label="Action" onSubmit={save} error={state.error} faults={faults}>
      <Card title="General">
        <Words {...part} isNew={isNew} />
      </Card>
      <Card title="Parameters" description="Requests with other parameters are rejected. Values are never converted.">
        <ParameterRows
          params={draft.params}
          problems={part.problems}
          onChange={(params) => {
            // Removed rows take their faults with them.
            if (params.length !== draft.params.length) {
              setFound([]);
              onReset();
            }
            part.change({ params });
          }}
        />
      </Card>
      <Card title="Access and approval">
        <People {...part} />
      </Card>
      <Card title="Backend" description="Receives POST requests that are signed with the contract's own secret.">
        <BackendFields {...part} />
      </Card>
      <div className="flex flex-wrap items-center gap-3">
        <Button type="submit" variant="primary" isPending={state.isPending} isDisabled={!state.maySave}>
          {isNew ? "Register action" : "Save action"}
        </Button>
        {state.maySave ? null : <p className="text-sm text-muted">Your role can't change actions.</p>}
      </div>
    </EditorForm>
  );
}

function Words({ draft, change, problems, isNew }: PartProps & { readonly isNew: boolean }) {
  return (
    <div className="flex flex-col gap-4">
      {isNew ? (
        <TextField
          label="Key"
          description="The action's name in calls, such as billing.refund. You can't change it later."
          mono
          autoComplete="off"
          value={draft.key}
          onChange={(key) => change({ key })}
          error={problems("/key")}
        />
      ) : null}
      <TextField
        label="Label"
        description="A short name that people see, such as Refund a payment."
        maxLength={200}
        value={draft.label}
        onChange={(label) => change({ label })}
        error={problems("/label")}
      />
      <TextField
        label="Description"
        description="Shown to people and AI models."
        lines={2}
        value={draft.description}
        onChange={(description) => change({ description })}
        error={problems("/description")}
      />
      <div className="max-w-72">
        <Select
          label="Risk"
          options={RISKS}
          value={draft.risk}
          onChange={(risk) => change({ risk })}
          {...errorOf(problems("/risk"))}
        />
      </div>
      <Switch
        isSelected={draft.destructive}
        onChange={(destructive) =>
          change({ destructive, ...(destructive ? { isConfirmed: true, fourEyes: true } : {}) })
        }
      >
        Destructive: the effect can't be reversed
      </Switch>
      <Switch isSelected={draft.idempotent} onChange={(idempotent) => change({ idempotent })}>
        Idempotent: the backend treats repeated calls as one
      </Switch>
      <Switch isSelected={draft.audit} onChange={(audit) => change({ audit })}>
        Record each run in the audit log
      </Switch>
    </div>
  );
}

function People({ draft, change, problems }: PartProps) {
  return (
    <div className="flex flex-col gap-4">
      <CheckList
        label="Allowed roles"
        names={ROLES}
        values={draft.roles}
        onChange={(roles) => change({ roles })}
        error={problems("/roles")}
      />
      <CheckList
        label="Surfaces"
        names={SURFACES}
        values={draft.surface}
        onChange={(surface) => change({ surface })}
        error={problems("/surface")}
      />
      <div className="grid items-start gap-4 sm:grid-cols-2">
        <TextField
          label="Scope"
          description="Optional. A scope that the key must have, such as billing:write."
          mono
          value={draft.scope}
          onChange={(scope) => change({ scope })}
          error={problems("/scope")}
        />
        <TextField
          label="Operator permission"
          description="Optional. A permission that the caller must have in addition to the role, such as refunds."
          mono
          value={draft.permission}
          onChange={(permission) => change({ permission })}
          error={problems("/permission")}
        />
      </div>
      <Switch isSelected={draft.isConfirmed} onChange={(isConfirmed) => change({ isConfirmed })}>
        Require approval before the action runs
      </Switch>
      {problems("/requires_confirmation") === undefined ? null : (
        <p className="text-sm text-bad">{problems("/requires_confirmation")}</p>
      )}
      {draft.isConfirmed ? <Approval draft={draft} change={change} problems={problems} /> : null}
    </div>
  );
}

function Approval({ draft, change, problems }: PartProps) {
  return (
    <>
      <CheckList
        label="Approver roles"
        names={ROLES.filter((role) => role !== "ai")}
        values={draft.approvers}
        onChange={(approvers) => change({ approvers })}
        error={problems("/approval/approver_roles")}
      />
      <Switch isSelected={draft.fourEyes} onChange={(fourEyes) => change({ fourEyes })}>
        Require second-person approval
      </Switch>
      <div className="grid items-start gap-4 sm:grid-cols-2">
        <TextField
          label="Required approvals"
          inputMode="numeric"
          value={draft.approvals}
          onChange={(approvals) => change({ approvals })}
          error={problems("/approval/required")}
        />
        <TextField
          label="Approval timeout (seconds)"
          inputMode="numeric"
          description="86400 is one day."
          value={draft.expires}
          onChange={(expires) => change({ expires })}
          error={problems("/approval/expires_in_seconds")}
        />
      </div>
      <TagInput
        label="Rules that may approve"
        description="Rule names or IDs. You can add rules you may approve for; owners can add any."
        values={draft.allowRule}
        onChange={(allowRule) => change({ allowRule })}
        {...errorOf(problems("/approval/allow_rule"))}
      />
    </>
  );
}

function errorOf(error: string | undefined): { readonly error?: string } {
  return error === undefined ? {} : { error };
}
