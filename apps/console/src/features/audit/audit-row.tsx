import { readExact } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { paths } from "../../paths.ts";
import { ActorName, JsonBlock, Outcome } from "../../shared/shared.ts";
import {
  Card,
  Code,
  CopiedId,
  KeyValue,
  labelOf,
  Link,
  PageHeader,
  RelativeTime,
  ResourcePage,
  ShowAs,
} from "../../ui/ui.ts";
import type { KeyValueRow } from "../../ui/ui.ts";

/** Shows one entry of the audit log as it was written. */
export function Screen() {
  return (
    <ResourcePage read={(id) => readExact("audit.get", { path: { id } })} heading="Audit entry">
      {(row) => <Row row={row} />}
    </ResourcePage>
  );
}

function Row({ row }: { readonly row: wire.AuditRow }) {
  return (
    <>
      <PageHeader
        title={row.action}
        mono
        back={{ to: paths.audit, label: "Audit log" }}
        status={<Outcome status={row.status} />}
        description={
          <>
            Entry {row.seq} of this environment's chain, written <RelativeTime at={row.occurred_at} />.
          </>
        }
        actions={<ShowAs operation="audit.get" input={{ path: { id: row.id } }} />}
      />
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <Card title="Details">
          <KeyValue rows={facts(row)} />
        </Card>
        <Card title="Hash chain" description="Each entry's hash covers the previous entry.">
          <KeyValue
            rows={[
              { label: "Hash", value: <code className="text-xs break-all">{row.hash}</code> },
              { label: "Previous hash", value: <code className="text-xs break-all">{row.prev_hash}</code> },
              { label: "Service", value: `Version ${row.deployment.version}, node ${row.deployment.instance_id}` },
            ]}
          />
        </Card>
        {row.prompt === null ? null : (
          <Card title="AI prompt">
            <bdi className="break-words whitespace-pre-wrap">{row.prompt}</bdi>
          </Card>
        )}
        <Card title="Parameters" description="Secrets were removed before storage.">
          <JsonBlock label="Parameters" value={row.params_redacted} empty="No parameters." />
        </Card>
        <Card title="Result">
          <JsonBlock label="Result" value={row.result_redacted} empty="No stored result." />
        </Card>
      </div>
    </>
  );
}

function facts(row: wire.AuditRow): (KeyValueRow | null)[] {
  return [
    { label: "Kind", value: labelOf(row.kind) },
    { label: "Actor", value: <ActorName actor={row.actor} /> },
    row.actor.ip === null ? null : { label: "IP address", value: <code>{row.actor.ip}</code> },
    row.approver === null ? null : { label: "Approved by", value: <ActorName actor={row.approver} /> },
    row.error_code === null ? null : { label: "Error code", value: <Code>{row.error_code}</Code> },
    row.proposal_id === null
      ? null
      : { label: "Proposal", value: <Link to={paths.approval(row.proposal_id)}>{row.proposal_id}</Link> },
    row.run_id === null ? null : { label: "Run", value: <Link to={paths.run(row.run_id)}>{row.run_id}</Link> },
    row.contract_version === null ? null : { label: "Contract", value: `Version ${row.contract_version}` },
    row.backend === null
      ? null
      : { label: "Backend", value: `${row.backend.host}, ${row.backend.status ?? "no response"}` },
    row.duration_ms === null ? null : { label: "Duration", value: `${row.duration_ms} ms` },
    row.request_id === null ? null : { label: "Request ID", value: <CopiedId id={row.request_id} what="request" /> },
    { label: "ID", value: <CopiedId id={row.id} what="entry" /> },
  ];
}
