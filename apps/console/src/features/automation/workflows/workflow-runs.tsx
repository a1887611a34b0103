import { usePages } from "../../../api/api.ts";
import type { wire } from "../../../api/api.ts";
import { paths } from "../../../paths.ts";
import { Link, RelativeTime, Table } from "../../../ui/ui.ts";
import type { TableColumn } from "../../../ui/ui.ts";
import { WorkflowRunLight } from "../run-lights.tsx";
import { eventOf } from "./trigger.ts";
import { RunList, useRunState } from "../run-list.tsx";

const STATES = [
  { value: "running", label: "Running" },
  { value: "waiting", label: "Waiting" },
  { value: "completed", label: "Completed" },
  { value: "failed", label: "Failed" },
  { value: "cancelled", label: "Cancelled" },
  { value: "limited", label: "Rate limited" },
];

export function WorkflowRuns({ workflow }: { readonly workflow: wire.Workflow }) {
  const filter = useRunState("state");
  const pages = usePages("workflows.runs.list", { path: { id: workflow.id }, query: filter.query });
  return (
    <RunList
      pages={pages}
      filter={filter}
      states={STATES}
      none="No runs yet"
      hint={`A run starts when ${eventOf(workflow)} is fired and the condition is met.`}
    >
      {(rows) => <Table label="Runs" rows={rows} columns={COLUMNS} />}
    </RunList>
  );
}

const COLUMNS: readonly TableColumn<wire.WorkflowRun>[] = [
  {
    header: "Run",
    cell: (run) => (
      <Link to={paths.workflowRun(run.id)} look="plain" className="font-mono text-xs break-all hover:underline">
        {run.id}
      </Link>
    ),
  },
  { header: "State", cell: (run) => <WorkflowRunLight state={run.state} /> },
  {
    header: "Step",
    from: "md",
    cell: (run) => (run.step === null ? <span className="text-muted">–</span> : <code>{run.step}</code>),
  },
  { header: "Error", from: "lg", cell: (run) => <span className="wrap-anywhere">{run.error}</span> },
  { header: "Started", from: "sm", cell: (run) => <RelativeTime at={run.created_at} /> },
];
