import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { readExact, useWrite } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { ActorName, JsonBlock, RunLight, runWords } from "../../governance/governance.ts";
import { paths } from "../../paths.ts";
import { useAccess } from "../../session/session.ts";
import {
  Button,
  Card,
  ConfirmDialog,
  KeyValue,
  Link,
  Loaded,
  PageHeader,
  RelativeTime,
  ShowAs,
  toast,
  toastError,
  usePathParameter,
} from "../../ui/ui.ts";
import type { KeyValueRow } from "../../ui/ui.ts";

/** One run of an action. */
export function Screen() {
  const id = usePathParameter("id");
  const query = useQuery(readExact("runs.get", { path: { id } }));
  return (
    <Loaded query={query} label="Loading the run" page="Action run">
      {(run) => <Run run={run} />}
    </Loaded>
  );
}

function Run({ run }: { readonly run: wire.Run }) {
  return (
    <>
      <PageHeader
        title={run.action}
        mono
        back={{ to: paths.runs, label: "Action runs" }}
        status={<RunLight status={run.status} />}
        description={
          run.simulated
            ? "A run in the sandbox, without a sandbox endpoint: nothing was called."
            : runWords(run.status).means
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
            <JsonBlock label="Result" value={run.result} empty="The backend's answer has nothing that is shown." />
          </Card>
          <Card title="Parameters" description="Redacted: secrets are not shown.">
            <JsonBlock label="Parameters" value={run.parameters} />
          </Card>
        </div>
        <Card title="About it">
          <KeyValue rows={facts(run)} />
        </Card>
      </div>
    </>
  );
}

function Failure({ error }: { readonly error: wire.RunError }) {
  return (
    <Card title="Why it failed">
      <p className="break-words">{error.detail ?? error.code}</p>
      {error.outcome_unknown ? (
        <p className="mt-2 text-warn">
          Nobody knows whether the backend did it all the same: its answer never came. Look there before it is asked for
          again.
        </p>
      ) : null}
      <p className="mt-2 text-sm text-muted">
        <code>{error.code}</code>
      </p>
    </Card>
  );
}

function Undo({ run }: { readonly run: wire.Run }) {
  const [isAsking, setAsking] = useState(false);
  const access = useAccess();
  const undo = useWrite("runs.undo", { refreshes: ["runs.", "proposals.", "audit."] });
  if (!run.reversible) return null;
  return (
    <>
      <Button variant="danger" isDisabled={!access.may("runs.undo")} onPress={() => setAsking(true)}>
        Undo…
      </Button>
      <ConfirmDialog
        title="Undo this run"
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        confirmLabel="Undo it"
        isPending={undo.isPending}
        onConfirm={() =>
          undo.mutate(
            { path: { id: run.id } },
            {
              onSuccess: () => toast("It is being undone."),
              onError: toastError,
              onSettled: () => setAsking(false),
            },
          )
        }
      >
        <p>The backend is asked to take it back. That can be done once.</p>
        {run.undo_until === null ? null : (
          <p>
            It can be undone until <RelativeTime at={run.undo_until} />.
          </p>
        )}
      </ConfirmDialog>
    </>
  );
}

function facts(run: wire.Run): KeyValueRow[] {
  const some: (KeyValueRow | null)[] = [
    { label: "Action", value: <Link to={paths.action(run.action)}>{run.action}</Link> },
    { label: "Contract", value: `version ${run.contract_version}` },
    { label: "Asked by", value: <ActorName actor={run.actor} /> },
    { label: "Through", value: run.surface },
    run.approver === null ? null : { label: "Approved by", value: <ActorName actor={run.approver} /> },
    run.proposal_id === null
      ? null
      : { label: "Proposal", value: <Link to={paths.approval(run.proposal_id)}>Open it</Link> },
    run.backend === null
      ? null
      : { label: "Backend", value: `${run.backend.host}, ${run.backend.status ?? "no answer"}` },
    { label: "Began", value: <RelativeTime at={run.started_at} /> },
    run.duration_ms === null ? null : { label: "Took", value: `${run.duration_ms} ms` },
    run.undone_by === null ? null : { label: "Undone by", value: <ActorName actor={run.undone_by} /> },
    run.audit_id === null ? null : { label: "Audit", value: <Link to={paths.auditRow(run.audit_id)}>Its row</Link> },
    run.prompt === null ? null : { label: "Asked because", value: <bdi className="break-words">{run.prompt}</bdi> },
  ];
  return some.filter((one) => one !== null);
}
