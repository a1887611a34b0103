import { RotateCcw } from "lucide-react";
import { paths } from "../../paths.ts";
import { DeliveryLight, EndpointLink, failureWord, StatusCode } from "../../outbound/outbound.ts";
import type { Endpoints } from "../../outbound/outbound.ts";
import { Link, relativeText, useNow } from "../../ui/ui.ts";
import type { GridColumn } from "../../ui/ui.ts";
import type { LogRow } from "./rows.ts";

export interface ColumnDeps {
  readonly endpoints: Endpoints;
  /** Null where the person may not. */
  readonly onReplay: ((row: LogRow) => void) | null;
}

const day = new Intl.DateTimeFormat("en", { month: "short", day: "2-digit" });
const clock = new Intl.DateTimeFormat("en", {
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  hourCycle: "h23",
});

export function logColumns({ endpoints, onReplay }: ColumnDeps): readonly GridColumn<LogRow>[] {
  return [
    { id: "state", header: "State", width: "7rem", cell: (row) => <RowLight row={row} /> },
    { id: "answer", header: "Answer", width: "8rem", from: "sm", cell: (row) => <Answer row={row} /> },
    { id: "event", header: "Event", width: "minmax(6.5rem, 1.3fr)", cell: (row) => <EventCell row={row} /> },
    {
      id: "endpoint",
      header: "Endpoint",
      width: "minmax(10rem, 2fr)",
      from: "md",
      cell: (row) => <EndpointLink id={row.endpointId} endpoints={endpoints} />,
    },
    { id: "attempts", header: "Attempts", width: "5.5rem", align: "end", from: "lg", cell: (row) => row.attempts },
    { id: "next", header: "Next attempt", width: "8rem", from: "lg", cell: (row) => <Next row={row} /> },
    {
      id: "created",
      header: "Created",
      width: "minmax(5.75rem, 9rem)",
      cell: (row) => <Created atMs={row.createdMs} />,
    },
    {
      id: "replay",
      header: "Replay",
      width: "4.5rem",
      from: "sm",
      cell: (row) => <ReplayCell row={row} onReplay={onReplay} />,
    },
  ];
}

function RowLight({ row }: { readonly row: LogRow }) {
  return (
    <span className="flex">
      <DeliveryLight delivery={{ state: row.state, attempt_count: row.attempts }} />
    </span>
  );
}

function Answer({ row: { statusCode, errorClass } }: { readonly row: LogRow }) {
  if (statusCode !== null) return <StatusCode code={statusCode} />;
  if (errorClass === null) return <span className="text-faint">—</span>;
  return <span className="text-xs text-bad">{failureWord({ errorClass, statusCode })}</span>;
}

function EventCell({ row }: { readonly row: LogRow }) {
  return (
    <Link to={paths.delivery(row.id)} look="plain" className="block truncate font-mono text-xs hover:underline">
      {row.event}
    </Link>
  );
}

function Next({ row }: { readonly row: LogRow }) {
  return row.nextMs === null ? <span className="text-faint">—</span> : <Countdown atMs={row.nextMs} />;
}

function Countdown({ atMs }: { readonly atMs: number }) {
  const now = useNow();
  return <span className="tabular text-muted">{atMs <= now ? "now" : relativeText(atMs, now)}</span>;
}

function Created({ atMs }: { readonly atMs: number }) {
  const date = new Date(atMs);
  return (
    <time dateTime={date.toISOString()} title={date.toISOString()} className="tabular text-muted">
      <span className="max-sm:hidden">{day.format(date)}, </span>
      {clock.format(date)}
    </time>
  );
}

function ReplayCell({ row, onReplay }: { readonly row: LogRow; readonly onReplay: ((row: LogRow) => void) | null }) {
  const why = whyNot(row, onReplay !== null);
  return (
    <button
      type="button"
      tabIndex={-1}
      aria-label={`Replay ${row.event}`}
      title={why ?? "Replay now"}
      disabled={why !== null}
      onClick={() => onReplay?.(row)}
      className="flex size-7 items-center justify-center rounded-md text-muted hover:bg-hover hover:text-ink disabled:opacity-30"
    >
      <RotateCcw aria-hidden size={14} />
    </button>
  );
}

/** Why a delivery cannot be replayed now; null where it can. */
export function whyNot(row: Pick<LogRow, "state">, may: boolean): string | null {
  if (!may) return "Your role does not allow replays.";
  if (row.state === "pending") return "It is under way already.";
  return row.state === "cancelled" ? "It was cancelled." : null;
}
