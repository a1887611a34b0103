import { useQuery } from "@tanstack/react-query";
import { read } from "../../../api/api.ts";
import type { wire } from "../../../api/api.ts";
import { paths } from "../../../paths.ts";
import { AbsoluteTime, Card, KeyValue, Link, Loaded, Table } from "../../../ui/ui.ts";
import type { TableColumn } from "../../../ui/ui.ts";

/** Shows when a workflow starts next, when it started last, and what an outage prevented. */
export function WorkflowSchedule({ workflow }: { readonly workflow: wire.Workflow }) {
  const schedule = useQuery(read("workflows.schedule", { path: { id: workflow.id } }));
  return (
    <Loaded query={schedule} label="Loading the schedule">
      {(found) => (
        <Card title="Schedule" stacked>
          <KeyValue rows={rowsOf(found)} />
          <Table
            label={found.enabled ? "Next times" : "Next times: none, because the workflow is disabled"}
            rows={found.next}
            keyOf={(time) => time.at}
            columns={COLUMNS}
          />
        </Card>
      )}
    </Loaded>
  );
}

function rowsOf({ cron, time_zone: timeZone, missed, last_fired: last, skipped }: wire.WorkflowSchedule) {
  return [
    { label: "Cron", value: <code>{cron}</code> },
    { label: "Time zone", value: timeZone },
    { label: "Missed times", value: missed === "once" ? "Start one run for all of them" : "Skip" },
    { label: "Last start", value: last === null ? "–" : <Link to={paths.event(last.event_id)}>{last.local}</Link> },
    { label: "Last missed", value: skipped === null ? "–" : `${skipped.count}, until ${skipped.last.local}` },
  ];
}

const COLUMNS: readonly TableColumn<wire.ScheduleTime>[] = [
  { header: "In the time zone", cell: (time) => <code className="text-xs">{time.local}</code> },
  { header: "Your time", from: "sm", cell: (time) => <AbsoluteTime at={time.at} /> },
];
