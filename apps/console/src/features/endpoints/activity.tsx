import { usePages } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { paths } from "../../paths.ts";
import { outcomeWord } from "../../shared/shared.ts";
import { Card, EmptyState, Link, LoadedPages, RelativeTime, StatusLight, Table } from "../../ui/ui.ts";

const WORDS: Readonly<Record<string, string>> = {
  "webhook_endpoints.create": "Created",
  "webhook_endpoints.update": "Updated",
  "webhook_endpoints.toggle": "Turned on or off",
  "webhooks.seek": "Moved a consumer",
  "webhooks.consumers.delete": "Deleted a consumer",
  "webhooks.consumers.end": "Ended an idle consumer",
  "webhook_endpoints.delete": "Deleted",
  "webhook_endpoints.headers": "Showed header values",
  "webhook_endpoints.secret": "Showed secret",
  "webhook_endpoints.secret.regenerate": "Regenerated secret",
  "webhook_endpoints.replay_failed": "Replayed failed deliveries",
  "webhook_endpoints.backfill": "Sent missed events",
  "webhook_endpoints.lanes.retry": "Retried lanes",
  "webhook_endpoints.lanes.skip": "Skipped deliveries of lanes",
};

/** Lists changes to the endpoint and their authors, from the audit log. */
export function Activity({ endpointId }: { readonly endpointId: string }) {
  const pages = usePages("audit.list", { query: { kind: "endpoint", limit: 100 } });
  return (
    <Card title="Activity" description="Changes by people and API keys, from the audit log." flush>
      <LoadedPages pages={pages} label="Loading the activity" empty={<Nothing />}>
        {(rows) => <ActivityTable rows={rows.filter((row) => isAbout(row, endpointId))} />}
      </LoadedPages>
    </Card>
  );
}

function ActivityTable({ rows }: { readonly rows: readonly wire.AuditRow[] }) {
  if (rows.length === 0) return <Nothing />;
  return (
    <Table
      label="Activity"
      rows={rows}
      columns={[
        { header: "Action", cell: (row) => <Link to={paths.auditRow(row.id)}>{WORDS[row.action] ?? row.action}</Link> },
        { header: "Actor", cell: (row) => row.actor.display ?? row.actor.type, className: "max-w-56 truncate" },
        {
          header: "Outcome",
          from: "sm",
          cell: (row) => (
            <StatusLight tone={row.status === "ok" ? "good" : "bad"}>
              {row.error_code ?? outcomeWord(row.status)}
            </StatusLight>
          ),
        },
        { header: "Time", cell: (row) => <RelativeTime at={row.occurred_at} /> },
      ]}
    />
  );
}

function Nothing() {
  return <EmptyState title="No recent changes" />;
}

function isAbout({ params_redacted: params, result_redacted: result }: wire.AuditRow, id: string): boolean {
  return [params, result].some((one) => typeof one === "object" && one !== null && "id" in one && one.id === id);
}
