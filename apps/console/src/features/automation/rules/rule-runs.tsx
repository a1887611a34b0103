import { useState } from "react";
import { usePages } from "../../../api/api.ts";
import type { wire } from "../../../api/api.ts";
import { paths } from "../../../paths.ts";
import { Button, Dialog, KeyValue, Link, RelativeTime, Table, wordsOf } from "../../../ui/ui.ts";
import { LeafTable } from "../../../shared/shared.ts";
import { RuleRunLight } from "../run-lights.tsx";
import { RunList, useRunState } from "../run-list.tsx";
import { actionLabel } from "./rule-draft.ts";

const STATUSES = [
  { value: "ok", label: "Done" },
  { value: "failed", label: "Failed" },
  { value: "refused", label: "Denied" },
  { value: "unmatched", label: "Condition not met" },
  { value: "skipped", label: "Skipped" },
  { value: "limited", label: "Rate limited" },
  { value: "running", label: "Running" },
];

/** Lists the runs of a rule, with the result for each of its events. */
export function RuleRuns({ rule }: { readonly rule: wire.Rule }) {
  const filter = useRunState("status");
  const [shown, setShown] = useState<wire.RuleRun>();
  const pages = usePages("rules.runs", { path: { id: rule.id }, query: filter.query }, { exact: true });
  return (
    <>
      <RunList
        pages={pages}
        filter={filter}
        states={STATUSES}
        none="No runs yet"
        hint="Each event that the rule listens to is listed here, even if the condition is not met."
      >
        {(rows) => <RunTable rows={rows} onShow={setShown} />}
      </RunList>
      {shown === undefined ? null : <RunDialog run={shown} onClose={() => setShown(undefined)} />}
    </>
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
      columns={[
        {
          header: "Event type",
          cell: (run) => (
            <Link to={paths.event(run.event_id)} look="plain" className="font-mono break-all hover:underline">
              {run.event}
            </Link>
          ),
        },
        { header: "Outcome", cell: (run) => <RuleRunLight state={run.status} /> },
        { header: "Reason", from: "lg", cell: (run) => <span className="wrap-anywhere">{run.reason}</span> },
        { header: "Time", from: "sm", cell: (run) => <RelativeTime at={run.created_at} /> },
        {
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
    <Dialog title="Run details" size="lg" isOpen onClose={onClose}>
      <div className="flex flex-col gap-4">
        <KeyValue
          rows={[
            { label: "Outcome", value: <RuleRunLight state={run.status} /> },
            run.reason === null ? null : { label: "Reason", value: run.reason },
            { label: "Event", value: <Link to={paths.event(run.event_id)}>{run.event_id}</Link> },
            {
              label: "Contact",
              value:
                run.contact_id === null ? "None" : <Link to={paths.contact(run.contact_id)}>{run.contact_id}</Link>,
            },
            { label: "Started", value: <RelativeTime at={run.started_at} /> },
            { label: "Version", value: run.rule_version },
            {
              label: "Actions",
              value:
                run.actions.length === 0
                  ? "None"
                  : run.actions.map(({ type, status }) => `${actionLabel(type)}: ${wordsOf(status)}`).join(", "),
            },
            run.actions.some(({ type }) => type === "http")
              ? { label: "HTTP calls", value: <Link to={`${paths.httpCalls}?run_id=${run.id}`}>Show HTTP calls</Link> }
              : null,
          ]}
        />
        <LeafTable leaves={run.leaves} />
      </div>
    </Dialog>
  );
}
