import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { isProblem, usePages, useWrite } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { paths } from "../../paths.ts";
import { useAccess, useSession } from "../../session/session.ts";
import { below, ConditionFields, EditorForm, problemAt, problemsOf, StepUpDialog } from "../../shared/shared.ts";
import type { ProblemAt } from "../../shared/shared.ts";
import {
  bindFields,
  Button,
  Card,
  PageHeader,
  Select,
  ShowAs,
  TextField,
  toast,
  UnsavedWarning,
  useDraft,
  useNow,
} from "../../ui/ui.ts";
import type { WireFields } from "../../ui/ui.ts";
import { AgentFields } from "./agent-fields.tsx";
import { canStand, newStandingDraft, offersOf, standingOf, summable } from "./standing-draft.ts";
import type { StandingDraft } from "./standing-draft.ts";

/** `/standing-approvals/new`, the form by which an owner approves in advance. */
export function NewStandingApproval() {
  const draft = useDraft(newStandingDraft);
  const navigate = useNavigate();
  const access = useAccess();
  const nowMs = useNow();
  const { environment } = useSession();
  const contracts = usePages("action_contracts.list", { query: { limit: 100 } }).rows.filter(
    (one) => one.acts_in.includes(environment) && canStand(one),
  );
  const contract = contracts.find(({ key }) => key === draft.value.action);
  const create = useWrite("standing_approvals.create", { refreshes: ["standing_approvals.", "audit."] });
  const { body, faults } = standingOf(draft.value, contract, nowMs);
  const problems = problemsOf(faults, create.error);
  const at = problemAt(problems);
  // The proof is for exactly these terms, so both requests send the same.
  const [unproved, setUnproved] = useState<typeof body>();
  const save = (terms: typeof body): void =>
    create.mutate(
      { body: terms },
      {
        onError: (error) => setUnproved(isProblem(error, "step_up_required") ? terms : undefined),
        onSuccess: (standing) => {
          toast("Standing approval created. It counts from the next call.");
          void navigate({ to: paths.standingApproval(standing.id), replace: true, ignoreBlocker: true });
        },
      },
    );
  const change = (value: StandingDraft): void => {
    create.reset();
    draft.change(value);
  };
  const fields = bindFields({ value: draft.value, change, problem: at });
  const part: PartProps = { draft: draft.value, fields, at };
  const mayCreate = access.may("standing_approvals.create");
  return (
    <>
      <PageHeader
        title="Approve in advance"
        back={{ to: paths.standingApprovals, label: "Standing approvals" }}
        description="Calls that match are approved at once, in your name, until the budget is used up. The audit log shows each of them."
        actions={<ShowAs operation="standing_approvals.create" input={{ body }} />}
      />
      <EditorForm
        label="Standing approval"
        onSubmit={() => save(body)}
        error={unproved === undefined ? create.error : null}
        faults={problems}
      >
        <What {...part} change={change} contracts={contracts} />
        <Card title="Covered callers" description="Only proposals of these callers are approved.">
          <AgentFields {...fields.tags("/agents")} />
        </Card>
        <Card
          title="Condition"
          description="A call without a parameter that the condition reads, or with a negative number in it, waits for a person."
        >
          <ConditionFields
            label="Condition"
            empty="Without conditions, every call of the action matches."
            draft={draft.value.condition}
            onChange={(condition) => change({ ...draft.value, condition })}
            problems={below(at, "/when")}
            offers={offersOf(contract)}
          />
        </Card>
        <Budget {...part} contract={contract} />
        {mayCreate ? null : <p className="text-sm text-muted">Only owners can approve in advance.</p>}
        <div>
          <Button
            type="submit"
            variant="primary"
            isDisabled={!mayCreate || faults.length > 0 || contract === undefined}
            isPending={create.isPending}
          >
            Approve in advance
          </Button>
        </div>
      </EditorForm>
      {unproved === undefined ? null : (
        <StepUpDialog
          decisions={{ standing_approval: unproved }}
          onClose={() => setUnproved(undefined)}
          onProved={() => {
            setUnproved(undefined);
            save(unproved);
          }}
        />
      )}
      <UnsavedWarning isUnsaved={draft.isUnsaved} />
    </>
  );
}

interface PartProps {
  readonly draft: StandingDraft;
  readonly fields: WireFields<StandingDraft>;
  readonly at: ProblemAt;
}

interface WhatProps extends PartProps {
  readonly change: (draft: StandingDraft) => void;
  readonly contracts: readonly wire.ActionContract[];
}

function What({ draft, fields, change, contracts, at }: WhatProps) {
  const { budget } = draft;
  const options = contracts.map(({ key, label, version }) => ({
    value: key,
    label,
    detail: `${key}, version ${version}`,
  }));
  return (
    <Card title="Action">
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          label="Name"
          description="Proposals and the audit log show it."
          isRequired
          {...fields.text("/name")}
        />
        <Select
          label="Action"
          description="Actions that are destructive, or need several people, are not offered."
          options={options}
          value={draft.action === "" ? null : draft.action}
          onChange={(action) =>
            change({ ...draft, action, budget: { ...budget, sum: { ...budget.sum, parameter: "" } } })
          }
          error={at("/action") ?? at("/contract_version")}
        />
      </div>
    </Card>
  );
}

const UNITS = [
  { value: "day", label: "Day" },
  { value: "hour", label: "Hour" },
] as const;
const ENDS = [
  { value: "1", label: "In a day" },
  { value: "7", label: "In 7 days" },
  { value: "30", label: "In 30 days" },
  { value: "90", label: "In 90 days" },
];

function Budget({ draft, fields, contract, at }: PartProps & { readonly contract: wire.ActionContract | undefined }) {
  const sums = [{ value: "", label: "None" }, ...summable(contract).map((name) => ({ value: name, label: name }))];
  return (
    <Card title="Budget" description="Beyond the budget, proposals wait for a person.">
      <div className="grid gap-4 sm:grid-cols-3">
        <TextField label="Calls" isRequired {...fields.whole("/budget/count")} />
        <Select
          label="Per"
          description="In the workspace's time zone."
          options={UNITS}
          {...fields.choice("/budget/per")}
          error={at("/time_zone")}
        />
        <Select label="Ends" options={ENDS} {...fields.text("/days")} error={at("/expires_at")} />
        <Select
          label="Limited sum"
          description="A number whose total is limited too."
          options={sums}
          {...fields.text("/budget/sum/parameter")}
        />
        {draft.budget.sum.parameter === "" ? null : (
          <TextField
            label="Maximum sum"
            inputMode="decimal"
            isRequired
            placeholder="500.00"
            {...fields.text("/budget/sum/max")}
          />
        )}
      </div>
    </Card>
  );
}
