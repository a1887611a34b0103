import { readExact, useWrite } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { paths } from "../../paths.ts";
import { useAccess } from "../../session/session.ts";
import { ActorName, JsonBlock, useStepUp } from "../../shared/shared.ts";
import {
  Card,
  ConfirmButton,
  IdLink,
  KeyValue,
  labelOf,
  Link,
  PageHeader,
  RelativeTime,
  ResourcePage,
  ShowAs,
  toastSuccess,
  toastError,
} from "../../ui/ui.ts";
import type { KeyValueRow } from "../../ui/ui.ts";
import { RunLight } from "./lights.tsx";
import { actionName, isRegistered, runWords } from "./states.ts";

/** One run of an action. */
export function Screen() {
  return (
    <ResourcePage read={(id) => readExact("runs.get", { path: { id } })} heading="Action run">
      {(run) => <Run run={run} />}
    </ResourcePage>
  );
}

function Run({ run }: { readonly run: wire.Run }) {
  return (
    <>
      <PageHeader
        title={actionName(run.action)}
        mono
        back={{ to: paths.runs, label: "Action runs" }}
        status={<RunLight status={run.status} />}
        description={
          run.simulated
            ? "Simulated sandbox run: the action has no sandbox URL, so nothing was called."
            : runWords(run.status, run.action).means
        }
        actions={
          <>
            <ShowAs operation="runs.get" input={{ path: { id: run.id } }} />
            <Undo run={run} />
          </>
        }
      />
      <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,2fr)_minmax(18rem,1fr)]">
        <div className="flex min-w-0 flex-col gap-4">
          {run.error === null ? null : <Failure error={run.error} />}
          <Card title="Result">
            <JsonBlock label="Result" value={run.result} empty="The backend's response has no visible fields." />
          </Card>
          <Card title="Parameters" description="Secrets are redacted.">
            <JsonBlock label="Parameters" value={run.parameters} />
          </Card>
        </div>
        <Card title="Details">
          <KeyValue rows={facts(run)} />
        </Card>
      </div>
    </>
  );
}

function Failure({ error }: { readonly error: wire.RunError }) {
  return (
    <Card title="Error">
      <p className="break-words">{error.detail ?? error.code}</p>
      {error.outcome_unknown ? (
        <p className="mt-2 text-warn">
          The outcome is unknown: the backend did not respond, but may have run the action. Check the backend before you
          request the action again.
        </p>
      ) : null}
      <p className="mt-2 text-sm text-muted">
        <code>{error.code}</code>
      </p>
    </Card>
  );
}

function Undo({ run }: { readonly run: wire.Run }) {
  const access = useAccess();
  const undo = useWrite("runs.undo", { refreshes: ["runs.", "proposals.", "audit."] });
  const stepUp = useStepUp();
  if (!run.reversible) return null;
  const send = (close: () => void): void => {
    const orProve = stepUp.orProve({ operation: "runs.undo", id: run.id }, () => send(close));
    undo.mutate(
      { path: { id: run.id } },
      {
        ...toastSuccess("Undo started."),
        onError: (error) => (orProve(error) ? undefined : toastError(error)),
        onSettled: close,
      },
    );
  };
  return (
    <>
      <ConfirmButton label="Undo run" isDisabled={!access.may("runs.undo")} isPending={undo.isPending} onConfirm={send}>
        <p>The backend is called to undo the action. A run can be undone once.</p>
        {run.undo_until === null ? null : (
          <p>
            This run can be undone until <RelativeTime at={run.undo_until} />.
          </p>
        )}
      </ConfirmButton>
      {stepUp.dialog}
    </>
  );
}

function facts(run: wire.Run): (KeyValueRow | null)[] {
  return [
    {
      label: "Action",
      value: isRegistered(run) ? (
        <Link to={paths.action(run.action)}>{run.action}</Link>
      ) : (
        <code>{actionName(run.action)}</code>
      ),
    },
    { label: "Contract", value: `Version ${run.contract_version}` },
    { label: "Requested by", value: <ActorName actor={run.actor} /> },
    { label: "Surface", value: labelOf(run.surface) },
    run.actor.type === "ai"
      ? { label: "AI history", value: <Link to={`${paths.aiHistory}?run_id=${run.id}`}>View request</Link> }
      : null,
    run.approver === null ? null : { label: "Approved by", value: <ActorName actor={run.approver} /> },
    run.proposal_id === null
      ? null
      : { label: "Proposal", value: <IdLink to={paths.approval(run.proposal_id)} id={run.proposal_id} /> },
    run.backend === null
      ? null
      : { label: "Backend", value: `${run.backend.host}, ${run.backend.status ?? "no response"}` },
    { label: "Started", value: <RelativeTime at={run.started_at} /> },
    run.duration_ms === null ? null : { label: "Duration", value: `${run.duration_ms} ms` },
    run.undone_by === null ? null : { label: "Undone by", value: <ActorName actor={run.undone_by} /> },
    run.audit_id === null
      ? null
      : { label: "Audit log", value: <IdLink to={paths.auditRow(run.audit_id)} id={run.audit_id} /> },
    run.prompt === null ? null : { label: "Reason", value: <bdi className="break-words">{run.prompt}</bdi> },
  ];
}
