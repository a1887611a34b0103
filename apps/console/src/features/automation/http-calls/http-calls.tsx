import { Globe } from "lucide-react";
import type { wire } from "../../../api/api.ts";
import { paths } from "../../../paths.ts";
import { StatusCode } from "../../../shared/shared.ts";
import { Link, RelativeTime, ResourceList } from "../../../ui/ui.ts";
import type { FilterField, TableColumn } from "../../../ui/ui.ts";
import { CALL_STATES, CallLight } from "./call-light.tsx";
import { CallOwner } from "./call-owner.tsx";

const FILTERS: readonly FilterField[] = [
  { name: "state", label: "State", options: CALL_STATES, isPinned: true },
  { name: "workflow_id", label: "Workflow", mono: true, placeholder: "wf_…" },
  { name: "rule_id", label: "Rule", mono: true, placeholder: "rule_…" },
  { name: "run_id", label: "Run", mono: true, placeholder: "wfr_…" },
];

/** Lists the requests of rules and workflows to APIs. */
export function Screen() {
  return (
    <ResourceList
      operation="http_calls.list"
      title="HTTP calls"
      description="The requests that rules and workflows sent to APIs, with each response."
      filters={FILTERS}
      noun="HTTP calls"
      icon={Globe}
      emptyAction={
        <Link to={paths.workflow("new")} look="primary">
          Create workflow
        </Link>
      }
      hint="Calls appear here when a rule or workflow calls an API."
      columns={COLUMNS}
    />
  );
}

const COLUMNS: readonly TableColumn<wire.HttpCall>[] = [
  {
    header: "Request",
    className: "w-full max-w-0",
    cell: (call) => (
      <Link to={paths.httpCall(call.id)} look="plain" className="block truncate font-mono text-xs hover:underline">
        {call.request.method} {call.request.url}
      </Link>
    ),
  },
  { header: "State", cell: (call) => <CallLight state={call.state} /> },
  {
    header: "Status",
    from: "sm",
    cell: (call) => (call.status_code === null ? "" : <StatusCode code={call.status_code} />),
  },
  { header: "Rule or workflow", from: "lg", cell: (call) => <CallOwner call={call} /> },
  { header: "Attempts", from: "md", align: "end", cell: (call) => call.attempts },
  {
    header: "Duration",
    from: "md",
    align: "end",
    cell: (call) => (call.duration_ms === null ? "" : `${call.duration_ms} ms`),
  },
  { header: "Created", from: "sm", cell: (call) => <RelativeTime at={call.created_at} /> },
];
