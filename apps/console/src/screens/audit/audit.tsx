import { ScrollText } from "lucide-react";
import { usePages } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { ActorName, Outcome } from "../../governance/governance.ts";
import { paths } from "../../paths.ts";
import {
  Card,
  EmptyState,
  FilterBar,
  Link,
  LoadedPages,
  PageHeader,
  rangeStart,
  RelativeTime,
  ShowAs,
  Table,
  timeRanges,
  useFilters,
} from "../../ui/ui.ts";
import { Export } from "../../features/audit/export.tsx";
import { Verify } from "../../features/audit/verify.tsx";

const KINDS =
  "run proposal contract ai rule workflow connector sign_in account session member key secret endpoint source contact workspace audit".split(
    " ",
  );
const ACTORS = ["user", "service", "ai", "rule", "workflow", "connector", "system"];
const FILTERS = ["kind", "action", "actor_type", "actor_id", "status", "proposal_id", "run_id"];

/** Everything that somebody did, in a chain that shows each change of it. */
export function Screen() {
  const [filters] = useFilters();
  const after = rangeStart(filters["since"]);
  const chosen = FILTERS.flatMap((name) => (filters[name] === undefined ? [] : [[name, filters[name]] as const]));
  const query = { ...Object.fromEntries(chosen), ...(after === undefined ? {} : { created_after: after }) };
  const pages = usePages("audit.list", { query });
  return (
    <>
      <PageHeader
        title="Audit"
        description="Who did what, and what came of it. Rows are added and never changed: each carries the hash of the one before."
        actions={
          <>
            <ShowAs operation="audit.list" input={{ query }} />
            <Export query={query} />
          </>
        }
      />
      <div className="flex flex-col gap-4">
        <Verify />
        <div>
          <FilterBar
            fields={[
              { name: "kind", label: "About", options: KINDS.map(option), isPinned: true },
              { name: "since", label: "Time", options: timeRanges, isPinned: true },
              { name: "status", label: "Ended", options: ["ok", "refused", "failed", "executed"].map(option) },
              { name: "action", label: "Operation or action", mono: true, placeholder: "keys.create" },
              { name: "actor_type", label: "Kind of actor", options: ACTORS.map(option) },
              { name: "actor_id", label: "Actor's id", mono: true },
              { name: "proposal_id", label: "Proposal", mono: true },
              { name: "run_id", label: "Run", mono: true },
            ]}
          />
          <Card flush>
            <LoadedPages
              pages={pages}
              label="Loading the audit"
              empty={
                <EmptyState title="No row fits these filters" icon={<ScrollText aria-hidden size={20} />}>
                  Every write, every refusal and every run of an action is told here.
                </EmptyState>
              }
            >
              {(rows) => <AuditTable rows={rows} />}
            </LoadedPages>
          </Card>
        </div>
      </div>
    </>
  );
}

function option(value: string): { readonly value: string; readonly label: string } {
  return { value, label: value.replaceAll("_", " ") };
}

function AuditTable({ rows }: { readonly rows: readonly wire.AuditRow[] }) {
  return (
    <Table
      label="Audit"
      rows={rows}
      keyOf={(row) => row.id}
      columns={[
        {
          id: "seq",
          header: "No.",
          align: "end",
          cell: (row) => (
            <Link to={paths.auditRow(row.id)} look="plain" className="tabular-nums hover:underline">
              {row.seq}
            </Link>
          ),
        },
        { id: "at", header: "When", from: "sm", cell: (row) => <RelativeTime at={row.occurred_at} /> },
        {
          id: "action",
          header: "What",
          cell: (row) => (
            <span className="flex min-w-0 flex-col">
              <code className="break-words">{row.action}</code>
              <span className="text-xs text-muted sm:hidden">
                <RelativeTime at={row.occurred_at} />
              </span>
              {row.error_code === null ? null : <code className="text-xs text-bad">{row.error_code}</code>}
            </span>
          ),
        },
        { id: "status", header: "Ended", cell: (row) => <Outcome status={row.status} /> },
        { id: "actor", header: "By", from: "sm", cell: (row) => <ActorName actor={row.actor} /> },
        {
          id: "ip",
          header: "From",
          from: "lg",
          cell: (row) => (row.actor.ip === null ? "" : <code className="text-xs">{row.actor.ip}</code>),
        },
      ]}
    />
  );
}
