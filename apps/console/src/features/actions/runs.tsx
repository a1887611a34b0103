import { Play } from "lucide-react";
import type { wire } from "../../api/api.ts";
import { paths } from "../../paths.ts";
import { ActorName } from "../../shared/shared.ts";
import { Badge, Link, optionsOf, RelativeTime, ResourceList, sinceFilter } from "../../ui/ui.ts";
import type { FilterField, TableColumn } from "../../ui/ui.ts";
import { RunLight } from "./lights.tsx";
import { actionName, runWords } from "./states.ts";

const STATES = ["queued", "executing", "executed", "failed", "undone", "undo_failed"];
const FILTERS: readonly FilterField[] = [
  {
    name: "status",
    label: "State",
    options: STATES.map((value) => ({ value, label: runWords(value).word })),
    isPinned: true,
  },
  sinceFilter,
  { name: "action", label: "Action", mono: true, placeholder: "billing.refund" },
  {
    name: "surface",
    label: "Surface",
    options: optionsOf(["api", "console", "mcp", "assistant", "rule", "workflow", "connector"]),
  },
];

/** Lists the runs of actions in all states. */
export function Screen() {
  return (
    <ResourceList
      operation="runs.list"
      title="Action runs"
      description="Each call of an action's backend, with its requester, approver and result."
      filters={FILTERS}
      noun="runs"
      icon={Play}
      emptyAction={
        <Link to={paths.actions} look="primary">
          View actions
        </Link>
      }
      hint="Runs appear here when an action's backend is called."
      label="Runs"
      columns={COLUMNS}
    />
  );
}

const COLUMNS: readonly TableColumn<wire.Run>[] = [
  {
    header: "Action",
    cell: (run) => (
      <Link to={paths.run(run.id)} look="plain" className="font-mono break-all hover:underline">
        {actionName(run.action)}
      </Link>
    ),
  },
  {
    header: "State",
    cell: (run) => (
      <span className="flex flex-wrap items-center gap-2">
        <RunLight status={run.status} />
        {run.simulated ? <Badge>Simulated</Badge> : null}
      </span>
    ),
  },
  { header: "Requested by", from: "sm", cell: (run) => <ActorName actor={run.actor} /> },
  {
    header: "Approved by",
    from: "lg",
    cell: (run) => (run.approver === null ? "" : <ActorName actor={run.approver} />),
  },
  {
    header: "Duration",
    from: "md",
    align: "end",
    cell: (run) => (run.duration_ms === null ? "" : `${run.duration_ms} ms`),
  },
  { header: "Started", cell: (run) => <RelativeTime at={run.started_at} /> },
];
