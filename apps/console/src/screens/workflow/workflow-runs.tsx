import { usePages } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { WorkflowRunLight } from "../../automation/automation.ts";
import { paths } from "../../paths.ts";
import { Button, Card, EmptyState, Link, LoadedPages, RelativeTime, Select, Table, useUrlState } from "../../ui/ui.ts";

const STATES = [
  { value: "all", label: "All runs" },
  { value: "running", label: "Running" },
  { value: "waiting", label: "Waiting" },
  { value: "completed", label: "Completed" },
  { value: "failed", label: "Failed" },
  { value: "cancelled", label: "Cancelled" },
];

export function WorkflowRuns({ workflow }: { readonly workflow: wire.Workflow }) {
  const [state, setState] = useUrlState("state", "all");
  const pages = usePages("workflows.runs.list", { path: { id: workflow.id }, query: state === "all" ? {} : { state } });
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap items-end justify-between gap-2">
        <div className="w-52">
          <Select label="Show" options={STATES} value={state} onChange={setState} />
        </div>
        <Button size="sm" onPress={pages.refetch}>
          Look again
        </Button>
      </div>
      <Card flush>
        <LoadedPages
          pages={pages}
          label="Loading the runs"
          empty={
            <EmptyState
              title={state === "all" ? "No run yet" : "No such run"}
              action={
                <Link to={paths.tester} look="button">
                  Send an event
                </Link>
              }
            >
              A run begins when {workflow.trigger.event} comes and its condition holds.
            </EmptyState>
          }
        >
          {(rows) => <RunTable rows={rows} />}
        </LoadedPages>
      </Card>
    </div>
  );
}

function RunTable({ rows }: { readonly rows: readonly wire.WorkflowRun[] }) {
  return (
    <Table
      label="Runs"
      rows={rows}
      keyOf={(run) => run.id}
      columns={[
        {
          id: "run",
          header: "Run",
          cell: (run) => (
            <Link to={paths.workflowRun(run.id)} look="plain" className="font-mono text-xs break-all hover:underline">
              {run.id}
            </Link>
          ),
        },
        { id: "state", header: "State", cell: (run) => <WorkflowRunLight state={run.state} /> },
        {
          id: "step",
          header: "At step",
          from: "md",
          cell: (run) => (run.step === null ? <span className="text-muted">–</span> : <code>{run.step}</code>),
        },
        { id: "error", header: "Why", from: "lg", cell: (run) => <span className="break-words">{run.error}</span> },
        { id: "at", header: "Began", from: "sm", cell: (run) => <RelativeTime at={run.created_at} /> },
      ]}
    />
  );
}
