import { Play } from "lucide-react";
import { usePages } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { ActorName, RunLight } from "../../governance/governance.ts";
import { paths } from "../../paths.ts";
import {
  Badge,
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
  useIsFiltered,
} from "../../ui/ui.ts";

const STATUSES = ["queued", "executing", "executed", "failed", "undone", "undo_failed"];
const SURFACES = ["api", "console", "mcp", "assistant", "rule", "workflow", "connector"];

/** Actions that were carried out, or were tried. */
export function Screen() {
  const isFiltered = useIsFiltered();
  const [filters] = useFilters();
  const after = rangeStart(filters["since"]);
  const chosen = ["status", "action", "surface"].flatMap((name) =>
    filters[name] === undefined ? [] : [[name, filters[name]] as const],
  );
  const query = { ...Object.fromEntries(chosen), ...(after === undefined ? {} : { created_after: after }) };
  const pages = usePages("runs.list", { query });
  return (
    <>
      <PageHeader
        title="Action runs"
        description="Each call of an action's backend: who asked, who approved, and what it answered."
        actions={<ShowAs operation="runs.list" input={{ query }} />}
      />
      <FilterBar
        fields={[
          { name: "status", label: "State", options: STATUSES.map(option), isPinned: true },
          { name: "since", label: "Time", options: timeRanges, isPinned: true },
          { name: "action", label: "Action", mono: true, placeholder: "billing.refund" },
          { name: "surface", label: "Asked through", options: SURFACES.map(option) },
        ]}
      />
      <Card flush>
        <LoadedPages
          pages={pages}
          label="Loading the runs"
          empty={
            <EmptyState
              title={isFiltered ? "No run fits these filters" : "No run yet"}
              icon={<Play aria-hidden size={20} />}
              action={
                <Link to={paths.actions} look="primary">
                  See the actions
                </Link>
              }
            >
              A run stands here as soon as an action's backend is called.
            </EmptyState>
          }
        >
          {(rows) => <RunTable rows={rows} />}
        </LoadedPages>
      </Card>
    </>
  );
}

function option(value: string): { readonly value: string; readonly label: string } {
  return { value, label: value.replaceAll("_", " ") };
}

function RunTable({ rows }: { readonly rows: readonly wire.Run[] }) {
  return (
    <Table
      label="Runs"
      rows={rows}
      keyOf={(run) => run.id}
      columns={[
        {
          id: "action",
          header: "Action",
          cell: (run) => (
            <Link to={paths.run(run.id)} look="plain" className="font-mono break-all hover:underline">
              {run.action}
            </Link>
          ),
        },
        {
          id: "status",
          header: "State",
          cell: (run) => (
            <span className="inline-flex flex-wrap items-center gap-2">
              <RunLight status={run.status} />
              {run.simulated ? <Badge>simulated</Badge> : null}
            </span>
          ),
        },
        { id: "by", header: "Asked by", from: "sm", cell: (run) => <ActorName actor={run.actor} /> },
        {
          id: "approver",
          header: "Approved by",
          from: "lg",
          cell: (run) => (run.approver === null ? "" : <ActorName actor={run.approver} />),
        },
        {
          id: "took",
          header: "Took",
          from: "md",
          align: "end",
          cell: (run) => (run.duration_ms === null ? "" : `${run.duration_ms} ms`),
        },
        { id: "at", header: "When", cell: (run) => <RelativeTime at={run.started_at} /> },
      ]}
    />
  );
}
