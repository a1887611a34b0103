import { ListTree } from "lucide-react";
import { useState } from "react";
import { usePages } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { paths } from "../../paths.ts";
import {
  Button,
  Card,
  CodeBlock,
  Dialog,
  EmptyState,
  FilterBar,
  labelOf,
  Link,
  LoadedPages,
  optionsOf,
  RelativeTime,
  StatusLight,
  Table,
  useFilters,
} from "../../ui/ui.ts";
import type { Tone } from "../../ui/ui.ts";

const HOOKS = ["subscriber", "webhook", "identity", "context", "action", "test"];
const OUTCOMES = [
  "ok",
  "threw",
  "deadline",
  "memory",
  "crashed",
  "protocol",
  "start",
  "unavailable",
  "skipped",
  "refused",
];
const TONES: Readonly<Record<string, Tone>> = { ok: "good", skipped: "neutral", refused: "warn" };

/** Each call of the connector: what it was called for, what it asked of the service, and how it ended. */
export function RunLog({ connectorKey }: { readonly connectorKey: string }) {
  const [filters] = useFilters();
  const [shown, setShown] = useState<wire.ConnectorRun>();
  const query = {
    ...(filters["hook"] === undefined ? {} : { hook: filters["hook"] }),
    ...(filters["outcome"] === undefined ? {} : { outcome: filters["outcome"] }),
  };
  const pages = usePages("connectors.runs.list", { path: { key: connectorKey }, query });
  return (
    <div>
      <FilterBar
        fields={[
          { name: "hook", label: "Hook", options: optionsOf(HOOKS), isPinned: true },
          { name: "outcome", label: "Outcome", options: optionsOf(OUTCOMES), isPinned: true },
        ]}
      />
      <Card flush>
        <LoadedPages
          pages={pages}
          label="Loading the run log"
          empty={
            <EmptyState title="No runs yet" icon={<ListTree aria-hidden size={20} />}>
              When the connector is enabled, each event and webhook that it receives is listed here.
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

function RunTable({
  rows,
  onShow,
}: {
  readonly rows: readonly wire.ConnectorRun[];
  readonly onShow: (run: wire.ConnectorRun) => void;
}) {
  return (
    <Table
      label="Run log"
      rows={rows}
      columns={[
        {
          header: "Hook",
          cell: (run) => (
            <span className="flex flex-col">
              <span className="font-medium">{labelOf(run.hook)}</span>
              <code className="text-xs break-all text-muted">{run.name}</code>
            </span>
          ),
        },
        {
          header: "Outcome",
          cell: (run) => <StatusLight tone={TONES[run.outcome] ?? "bad"}>{labelOf(run.outcome)}</StatusLight>,
        },
        {
          header: "Event",
          from: "md",
          cell: (run) => (run.event_id === null ? "" : <Link to={paths.event(run.event_id)}>View event</Link>),
        },
        { header: "Service calls", from: "lg", align: "end", cell: (run) => run.services.length },
        { header: "Duration", from: "sm", align: "end", cell: (run) => `${run.duration_ms} ms` },
        { header: "Time", cell: (run) => <RelativeTime at={run.started_at} /> },
        {
          header: "Details",
          align: "end",
          cell: (run) => (
            <Button
              size="sm"
              variant="quiet"
              aria-label={`Details of ${run.hook} ${run.name}`}
              onPress={() => onShow(run)}
            >
              Details
            </Button>
          ),
        },
      ]}
    />
  );
}

function RunDialog({ run, onClose }: { readonly run: wire.ConnectorRun; readonly onClose: () => void }) {
  const calls = run.services.map(callLine).join("\n");
  const lines = run.log.map(({ level, message }) => `${level.padEnd(5)} ${message}`).join("\n");
  return (
    <Dialog title={`${labelOf(run.hook)} ${run.name}`} size="lg" isOpen onClose={onClose}>
      <div className="flex flex-col gap-3">
        {run.error === null ? null : <p className="wrap-anywhere text-bad">{run.error}</p>}
        <h3 className="text-sm font-semibold">Service calls</h3>
        {calls === "" ? <p className="text-sm text-muted">None.</p> : <CodeBlock label="Calls" text={calls} />}
        <h3 className="text-sm font-semibold">Log</h3>
        {lines === "" ? <p className="text-sm text-muted">None.</p> : <CodeBlock label="Log" text={lines} />}
      </div>
    </Dialog>
  );
}

function callLine(call: wire.ConnectorServiceCall): string {
  const what = call.host === undefined ? call.service : `${call.service} ${call.method ?? ""} ${call.host}`;
  const end = call.error === null ? String(call.status ?? "ok") : `${call.error.code}: ${call.error.message}`;
  return `${what} → ${end} (${call.duration_ms} ms)`;
}
