import { usePages } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { paths } from "../../paths.ts";
import { Card, EmptyState, Link, LoadedPages, RelativeTime, StatusLight, Table } from "../../ui/ui.ts";

const WORDS: Readonly<Record<string, string>> = {
  "webhook_endpoints.create": "Added",
  "webhook_endpoints.update": "Changed",
  "webhook_endpoints.toggle": "Switched on or off",
  "webhook_endpoints.delete": "Deleted",
  "webhook_endpoints.headers": "Showed the header values",
  "webhook_endpoints.secret": "Looked at the secret",
  "webhook_endpoints.secret.regenerate": "Made a new secret",
  "webhook_endpoints.replay_failed": "Replayed failed deliveries",
};

/** Who did what to the endpoint, from the audit. */
export function Activity({ endpointId }: { readonly endpointId: string }) {
  const pages = usePages("audit.list", { query: { kind: "endpoint", limit: 100 } });
  return (
    <Card title="Activity" description="What people and keys did to it, from the audit." flush>
      <LoadedPages pages={pages} label="Loading the activity" empty={<Nothing />}>
        {(rows) => <Found rows={rows.filter((row) => isAbout(row, endpointId))} />}
      </LoadedPages>
    </Card>
  );
}

function Found({ rows }: { readonly rows: readonly wire.AuditRow[] }) {
  if (rows.length === 0) return <Nothing />;
  return (
    <Table
      label="Activity"
      rows={rows}
      keyOf={(row) => row.id}
      columns={[
        {
          id: "what",
          header: "What",
          cell: (row) => <Link to={paths.auditRow(row.id)}>{WORDS[row.action] ?? row.action}</Link>,
        },
        {
          id: "who",
          header: "Who",
          cell: (row) => row.actor.display ?? row.actor.type,
          className: "max-w-56 truncate",
        },
        {
          id: "how",
          header: "How it ended",
          from: "sm",
          cell: (row) => (
            <StatusLight tone={row.status === "ok" ? "good" : "bad"}>{row.error_code ?? row.status}</StatusLight>
          ),
        },
        { id: "when", header: "When", cell: (row) => <RelativeTime at={row.occurred_at} /> },
      ]}
    />
  );
}

function Nothing() {
  return <EmptyState title="Nobody changed it among the newest entries." />;
}

function isAbout({ params_redacted: params, result_redacted: result }: wire.AuditRow, id: string): boolean {
  return [params, result].some((one) => typeof one === "object" && one !== null && "id" in one && one.id === id);
}
