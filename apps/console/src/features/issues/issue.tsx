import { useQuery } from "@tanstack/react-query";
import { read } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { paths } from "../../paths.ts";
import { useAccess } from "../../session/session.ts";
import {
  Card,
  Chart,
  CopiedId,
  KeyValue,
  labelOf,
  Link,
  PageHeader,
  RelativeTime,
  ResourcePage,
  ShowAs,
  Table,
  useNow,
} from "../../ui/ui.ts";
import { IssueActions } from "./issue-actions.tsx";
import { IssueLight, KINDS, objectPath } from "./words.tsx";

/** Shows an issue with its causes, its failures over time, and what can be done. */
export function Screen() {
  return (
    <ResourcePage read={(id) => read("issues.get", { path: { id } })} heading="Issue">
      {(issue) => (
        <>
          <PageHeader
            title={`${KINDS[issue.kind]}: ${issue.object_name ?? issue.object_id}`}
            back={{ to: paths.issues, label: "Issues" }}
            status={<IssueLight issue={issue} />}
            actions={
              <>
                <ShowAs operation="issues.get" input={{ path: { id: issue.id } }} />
                <IssueActions issue={issue} />
              </>
            }
          />
          <div className="grid items-start gap-4 lg:grid-cols-2">
            <Details issue={issue} />
            <Hours issue={issue} />
          </div>
          <Causes rows={issue.fingerprints} />
          <Samples rows={issue.samples} />
          {issue.tenants.length === 0 ? null : <Tenants rows={issue.tenants} />}
        </>
      )}
    </ResourcePage>
  );
}

function Details({ issue }: { readonly issue: wire.IssueDetail }) {
  return (
    <Card title="Details">
      <KeyValue
        rows={[
          {
            label: "Object",
            value:
              issue.object_name === null ? (
                <code className="break-all">{issue.object_id}</code>
              ) : (
                <Link to={objectPath(issue)} className="wrap-anywhere">
                  <bdi>{issue.object_name}</bdi>
                </Link>
              ),
          },
          { label: "Failures", value: issue.count },
          { label: "First seen", value: <RelativeTime at={issue.first_seen_at} /> },
          { label: "Last seen", value: <RelativeTime at={issue.last_seen_at} /> },
          { label: "Opened again", value: issue.reopened_count },
          { label: "Owner", value: issue.owner === null ? "None" : <Owner id={issue.owner} /> },
          issue.state === "ignored"
            ? {
                label: "Ignored until",
                value: issue.ignored_until === null ? "Changed by hand" : <RelativeTime at={issue.ignored_until} />,
              }
            : null,
          ...(issue.resolved_at === null
            ? []
            : [
                { label: "Resolved", value: <RelativeTime at={issue.resolved_at} /> },
                { label: "Resolved by", value: labelOf(issue.resolved_by ?? "service") },
              ]),
          { label: "ID", value: <CopiedId id={issue.id} what="issue" /> },
        ]}
      />
    </Card>
  );
}

function Owner({ id }: { readonly id: string }) {
  const may = useAccess().may("members.list");
  const { data } = useQuery({ ...read("members.list", { query: { limit: 100 } }), enabled: may });
  return <bdi>{data?.data.find((member) => member.id === id)?.name ?? id}</bdi>;
}

const HOUR_MS = 3_600_000;
const SHOWN_HOURS = 48;

function Hours({ issue }: { readonly issue: wire.IssueDetail }) {
  const last = Math.floor(useNow() / HOUR_MS) * HOUR_MS;
  const counts = new Map(issue.series.map(({ hour, count }) => [Date.parse(hour), count]));
  const hours = Array.from({ length: SHOWN_HOURS }, (_, at) => last - (SHOWN_HOURS - 1 - at) * HOUR_MS);
  return (
    <Card title="Failures by hour">
      <Chart
        title="Failures in the last 48 hours"
        kind="bar"
        at={hours.map((hour) => new Date(hour).toISOString())}
        series={[{ name: "Failures", tone: "bad", values: hours.map((hour) => counts.get(hour) ?? 0) }]}
      />
    </Card>
  );
}

function Causes({ rows }: { readonly rows: readonly wire.IssueFingerprint[] }) {
  return (
    <Card title="Causes" description="Failures with the same status or error class, and the same message." flush>
      <Table
        label="Causes"
        rows={rows}
        keyOf={(row) => `${row.code} ${row.message ?? ""}`}
        columns={[
          { header: "Code", cell: (row) => <code>{row.code}</code> },
          { header: "Message", cell: (row) => <span className="wrap-anywhere">{row.message ?? "None"}</span> },
          { header: "Failures", cell: (row) => row.count },
          { header: "Last seen", cell: (row) => <RelativeTime at={row.last_seen_at} /> },
        ]}
      />
    </Card>
  );
}

function Samples({ rows }: { readonly rows: readonly wire.IssueSample[] }) {
  return (
    <Card title="Last failures" flush>
      <Table
        label="Last failures"
        rows={rows.map((row, at) => ({ ...row, at_row: at }))}
        keyOf={(row) => String(row.at_row)}
        columns={[
          { header: "Time", cell: (row) => <RelativeTime at={row.at} /> },
          { header: "Code", cell: (row) => <code>{row.code}</code> },
          {
            header: "Message",
            from: "sm",
            cell: (row) => <span className="wrap-anywhere">{row.message ?? "None"}</span>,
          },
          { header: "Log", cell: (row) => <Log sample={row} /> },
        ]}
      />
    </Card>
  );
}

function Log({ sample }: { readonly sample: wire.IssueSample }) {
  if (sample.delivery_id !== null) return <Link to={paths.delivery(sample.delivery_id)}>Delivery</Link>;
  if (sample.receipt_id !== null) return <Link to={paths.receipt(sample.receipt_id)}>Receipt</Link>;
  if (sample.run_id !== null) return <Link to={paths.run(sample.run_id)}>Run</Link>;
  return sample.event_id === null ? "None" : <Link to={paths.event(sample.event_id)}>Event</Link>;
}

function Tenants({ rows }: { readonly rows: readonly wire.IssueTenant[] }) {
  return (
    <Card title="Tenants" description="The tenants whose events failed." flush>
      <Table
        label="Tenants"
        rows={rows}
        keyOf={(row) => row.tenant}
        columns={[
          {
            header: "Tenant",
            cell: (row) => (
              <Link to={paths.tenant(row.tenant)} className="wrap-anywhere">
                {row.tenant}
              </Link>
            ),
          },
          { header: "Failures", cell: (row) => row.count },
          { header: "Last seen", cell: (row) => <RelativeTime at={row.last_seen_at} /> },
        ]}
      />
    </Card>
  );
}
