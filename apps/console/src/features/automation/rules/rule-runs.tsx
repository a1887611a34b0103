import { useState } from "react";
import { usePages } from "../../../api/api.ts";
import type { wire } from "../../../api/api.ts";
import { LeafTable, RuleRunLight } from "../../../automation/automation.ts";
import { paths } from "../../../paths.ts";
import {
  Button,
  Card,
  Dialog,
  EmptyState,
  KeyValue,
  Link,
  LoadedPages,
  RelativeTime,
  Select,
  Table,
  useUrlState,
} from "../../../ui/ui.ts";

const STATUSES = [
  { value: "all", label: "All runs" },
  { value: "ok", label: "Done" },
  { value: "failed", label: "Failed" },
  { value: "refused", label: "Refused" },
  { value: "unmatched", label: "Did not hold" },
  { value: "skipped", label: "Skipped" },
  { value: "limited", label: "Held by its limit" },
  { value: "running", label: "Running" },
];

/** What came of each event that it listened to. */
export function RuleRuns({ rule }: { readonly rule: wire.Rule }) {
  const [status, setStatus] = useUrlState("status", "all");
  const [shown, setShown] = useState<wire.RuleRun>();
  const query = status === "all" ? {} : { status };
  const pages = usePages("rules.runs", { path: { id: rule.id }, query }, { exact: true });
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap items-end justify-between gap-2">
        <div className="w-52">
          <Select label="Show" options={STATUSES} value={status} onChange={setStatus} />
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
              title={status === "all" ? "It did not run yet" : "No such run"}
              action={
                <Link to={paths.tester} look="button">
                  Send an event
                </Link>
              }
            >
              Each event that it listens to leaves a line here, also when the condition does not hold.
            </EmptyState>
          }
        >
          {(rows) => <RunTable rows={rows} onShow={setShown} />}
        </LoadedPages>
      </Card>
      {shown === undefined ? null : <RunDialog run={shown} onClose={() => setShown(undefined)} />}
    </div>
  );
}

interface RunTableProps {
  readonly rows: readonly wire.RuleRun[];
  readonly onShow: (run: wire.RuleRun) => void;
}

function RunTable({ rows, onShow }: RunTableProps) {
  return (
    <Table
      label="Runs"
      rows={rows}
      keyOf={(run) => run.id}
      columns={[
        {
          id: "event",
          header: "Event",
          cell: (run) => (
            <Link to={paths.event(run.event_id)} look="plain" className="font-mono break-all hover:underline">
              {run.event}
            </Link>
          ),
        },
        { id: "status", header: "Came to", cell: (run) => <RuleRunLight state={run.status} /> },
        { id: "reason", header: "Why", from: "lg", cell: (run) => <span className="break-words">{run.reason}</span> },
        { id: "at", header: "When", from: "sm", cell: (run) => <RelativeTime at={run.created_at} /> },
        {
          id: "explain",
          header: "Details",
          align: "end",
          cell: (run) => (
            <Button
              size="sm"
              variant="quiet"
              aria-label={`Explain the run of ${run.event}`}
              onPress={() => onShow(run)}
            >
              Explain
            </Button>
          ),
        },
      ]}
    />
  );
}

function RunDialog({ run, onClose }: { readonly run: wire.RuleRun; readonly onClose: () => void }) {
  return (
    <Dialog title="The run explained" size="lg" isOpen onClose={onClose}>
      <div className="flex flex-col gap-4">
        <KeyValue
          rows={[
            { label: "Came to", value: <RuleRunLight state={run.status} /> },
            ...(run.reason === null ? [] : [{ label: "Why", value: run.reason }]),
            { label: "Event", value: <Link to={paths.event(run.event_id)}>{run.event_id}</Link> },
            {
              label: "Contact",
              value:
                run.contact_id === null ? (
                  "Nobody known"
                ) : (
                  <Link to={paths.contact(run.contact_id)}>{run.contact_id}</Link>
                ),
            },
            { label: "Began", value: <RelativeTime at={run.started_at} /> },
            { label: "Version", value: run.rule_version },
            {
              label: "Actions",
              value:
                run.actions.length === 0
                  ? "None"
                  : run.actions.map(({ type, status }) => `${type.replaceAll("_", " ")}: ${status}`).join(", "),
            },
          ]}
        />
        <LeafTable leaves={run.leaves} />
      </div>
    </Dialog>
  );
}
