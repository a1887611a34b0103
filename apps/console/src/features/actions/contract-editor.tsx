import { useState } from "react";
import { EditorForm, problemAt, problemsOf } from "../../shared/shared.ts";
import type { Fault } from "../../shared/shared.ts";
import { bindFields, Button, Card, Select, Switch, TagInput, TextField } from "../../ui/ui.ts";
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
  const problems = problemAt(faults);
  const change = (some: Partial<ContractDraft>): void => onChange({ ...draft, ...some });
  const fields = bindFields({ value: draft.body, change: (body) => change({ body }), problem: problems });
  const part: PartProps = { draft, change, fields, problems };
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
          problems={problems}
          onChange={(params) => {
            // Removed rows take their faults with them.
            if (params.length !== draft.params.length) {
              setFound([]);
              onReset();
            }
            change({ params });
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

function Words({ draft: { body }, change, fields, isNew }: PartProps & { readonly isNew: boolean }) {
  return (
    <div className="flex flex-col gap-4">
      {isNew ? (
        <TextField
          label="Key"
          description="The action's name in calls, such as billing.refund. You can't change it later."
          mono
          autoComplete="off"
          {...fields.text("/key")}
        />
      ) : null}
      <TextField
        label="Label"
        description="A short name that people see, such as Refund a payment."
        maxLength={200}
        {...fields.text("/label")}
      />
      <TextField
        label="Description"
        description="Shown to people and AI models."
        lines={2}
        {...fields.text("/description")}
      />
      <div className="max-w-72">
        <Select label="Risk" options={RISKS} {...fields.choice("/risk")} />
      </div>
      <Switch
        isSelected={body.destructive}
        onChange={(destructive) => {
          const approval = { ...body.approval, four_eyes: true };
          change({ body: { ...body, destructive, ...(destructive ? { requires_confirmation: true, approval } : {}) } });
        }}
      >
        Destructive: the effect can't be reversed
      </Switch>
      <Switch {...fields.flag("/idempotent")}>Idempotent: the backend treats repeated calls as one</Switch>
      <Switch {...fields.flag("/audit")}>Record each run in the audit log</Switch>
    </div>
  );
}

function People({ draft, fields, problems }: PartProps) {
  return (
    <div className="flex flex-col gap-4">
      <CheckList label="Allowed roles" names={ROLES} {...fields.tags("/roles")} />
      <CheckList label="Surfaces" names={SURFACES} {...fields.tags("/surface")} />
      <div className="grid items-start gap-4 sm:grid-cols-2">
        <TextField
          label="Scope"
          description="Optional. A scope that the key must have, such as billing:write."
          mono
          {...fields.text("/scope", null)}
        />
        <TextField
          label="Operator permission"
          description="Optional. A permission that the caller must have in addition to the role, such as refunds."
          mono
          {...fields.text("/permission", null)}
        />
      </div>
      <Switch {...fields.flag("/requires_confirmation")}>Require approval before the action runs</Switch>
      {problems("/requires_confirmation") === undefined ? null : (
        <p className="text-sm text-bad">{problems("/requires_confirmation")}</p>
      )}
      {draft.body.requires_confirmation ? <Approval fields={fields} /> : null}
    </div>
  );
}

function Approval({ fields }: Pick<PartProps, "fields">) {
  return (
    <>
      <CheckList
        label="Approver roles"
        names={ROLES.filter((role) => role !== "ai")}
        {...fields.tags("/approval/approver_roles")}
      />
      <Switch {...fields.flag("/approval/four_eyes")}>Require second-person approval</Switch>
      <div className="grid items-start gap-4 sm:grid-cols-2">
        <TextField label="Required approvals" {...fields.whole("/approval/required")} />
        <TextField
          label="Approval timeout (seconds)"
          description="86400 is one day."
          {...fields.whole("/approval/expires_in_seconds")}
        />
      </div>
      <TagInput
        label="Rules that may approve"
        description="Rule names or IDs. You can add rules you may approve for; owners can add any."
        {...fields.tags("/approval/allow_rule")}
      />
    </>
  );
}
