import { useQuery } from "@tanstack/react-query";
import { readExact } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { ActorName, JsonBlock, Outcome } from "../../governance/governance.ts";
import { paths } from "../../paths.ts";
import { Card, Code, KeyValue, Link, Loaded, PageHeader, RelativeTime, ShowAs, usePathParameter } from "../../ui/ui.ts";
import type { KeyValueRow } from "../../ui/ui.ts";

/** One row of the audit, as it was written. */
export function Screen() {
  const id = usePathParameter("id");
  const query = useQuery(readExact("audit.get", { path: { id } }));
  return (
    <Loaded query={query} label="Loading the row" page="Audit row">
      {(row) => <Row row={row} />}
    </Loaded>
  );
}

function Row({ row }: { readonly row: wire.AuditRow }) {
  return (
    <>
      <PageHeader
        title={row.action}
        mono
        back={{ to: paths.audit, label: "Audit" }}
        status={<Outcome status={row.status} />}
        description={
          <>
            Row {row.seq} of this environment's chain, <RelativeTime at={row.occurred_at} />.
          </>
        }
        actions={<ShowAs operation="audit.get" input={{ path: { id: row.id } }} />}
      />
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <Card title="What happened">
          <KeyValue rows={facts(row)} />
        </Card>
        <Card title="The chain" description="Each row's hash covers the one before it.">
          <KeyValue
            rows={[
              { label: "Hash", value: <code className="text-xs break-all">{row.hash}</code> },
              { label: "Of the row before", value: <code className="text-xs break-all">{row.prev_hash}</code> },
              { label: "Written by", value: `${row.deployment.version} on ${row.deployment.instance_id}` },
            ]}
          />
        </Card>
        {row.prompt === null ? null : (
          <Card title="What the AI was asked">
            <bdi className="break-words whitespace-pre-wrap">{row.prompt}</bdi>
          </Card>
        )}
        <Card title="Parameters" description="Redacted before they were written.">
          <JsonBlock label="Parameters" value={row.params_redacted} empty="It took none." />
        </Card>
        <Card title="Result">
          <JsonBlock label="Result" value={row.result_redacted} empty="It answered nothing that is kept." />
        </Card>
      </div>
    </>
  );
}

function facts(row: wire.AuditRow): KeyValueRow[] {
  const some: (KeyValueRow | null)[] = [
    { label: "About", value: row.kind.replaceAll("_", " ") },
    { label: "By", value: <ActorName actor={row.actor} /> },
    row.actor.ip === null ? null : { label: "From", value: <code>{row.actor.ip}</code> },
    row.approver === null ? null : { label: "Approved by", value: <ActorName actor={row.approver} /> },
    row.error_code === null ? null : { label: "Refused with", value: <Code>{row.error_code}</Code> },
    row.proposal_id === null
      ? null
      : { label: "Proposal", value: <Link to={paths.approval(row.proposal_id)}>{row.proposal_id}</Link> },
    row.run_id === null ? null : { label: "Run", value: <Link to={paths.run(row.run_id)}>{row.run_id}</Link> },
    row.contract_version === null ? null : { label: "Contract", value: `version ${row.contract_version}` },
    row.backend === null
      ? null
      : { label: "Backend", value: `${row.backend.host}, ${row.backend.status ?? "no answer"}` },
    row.duration_ms === null ? null : { label: "Took", value: `${row.duration_ms} ms` },
    row.request_id === null ? null : { label: "Request", value: <code className="text-xs">{row.request_id}</code> },
  ];
  return some.filter((one) => one !== null);
}
