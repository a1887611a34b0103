import { RotateCcw, Send } from "lucide-react";
import { memo } from "react";
import { paths } from "../../paths.ts";
import { DeliveryLight, endpointName, failureWord, StatusCode } from "../../shared/shared.ts";
import type { Endpoints } from "../../shared/shared.ts";
import { relativeText, useNow } from "../../ui/ui.ts";
import type { GridColumn } from "../../ui/ui.ts";
import type { LogRow } from "./rows.ts";

export interface ColumnDeps {
  readonly endpoints: Endpoints;
  readonly mayReplay: boolean;
  readonly onReplay: (id: string, event: string) => void;
  readonly onOpen: (id: string) => void;
}

const day = new Intl.DateTimeFormat("en", { month: "short", day: "2-digit" });
const clock = new Intl.DateTimeFormat("en", {
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  hourCycle: "h23",
});

export function logColumns({ endpoints, mayReplay, onReplay, onOpen }: ColumnDeps): readonly GridColumn<LogRow>[] {
  return [
    { header: "State", width: "7rem", cell: (row) => <State state={row.state} attempts={row.attempts} /> },
    {
      header: "Response",
      width: "8rem",
      from: "sm",
      cell: (row) => <Answer statusCode={row.statusCode} errorClass={row.errorClass} />,
    },
    {
      header: "Event type",
      width: "minmax(6.5rem, 1.3fr)",
      cell: (row) => <EventCell id={row.id} event={row.event} onOpen={onOpen} />,
    },
    {
      header: "Endpoint",
      width: "minmax(10rem, 2fr)",
      from: "md",
      cell: (row) => endpointText(row.endpointId, endpoints),
    },
    { header: "Attempts", width: "5.5rem", align: "end", from: "lg", cell: (row) => row.attempts },
    { header: "Next attempt", width: "8rem", from: "lg", cell: (row) => <Next atMs={row.nextMs} /> },
    { header: "Created", width: "minmax(5.75rem, 9rem)", cell: (row) => <Created atMs={row.createdMs} /> },
    {
      header: "Replay",
      width: "4.5rem",
      from: "sm",
      cell: (row) => (
        <ReplayCell
          id={row.id}
          event={row.event}
          verb={row.state === "pending" ? SEND_NOW : REPLAY}
          why={whyNot(row, mayReplay)}
          onReplay={onReplay}
        />
      ),
    },
  ];
}

function endpointText(id: string, endpoints: Endpoints): string {
  const found = endpoints.byId.get(id);
  return found === undefined ? id : endpointName(found);
}

// Rows change in place, and many pass by while one scrolls: a cell is drawn again when what it shows is another text.

const State = memo(function State({ state, attempts }: { readonly state: string; readonly attempts: number }) {
  return (
    <span className="flex">
      <DeliveryLight delivery={{ state, attempt_count: attempts }} />
    </span>
  );
});

interface AnswerProps {
  readonly statusCode: number | null;
  readonly errorClass: string | null;
}

const Answer = memo(function Answer({ statusCode, errorClass }: AnswerProps) {
  if (statusCode !== null) return <StatusCode code={statusCode} />;
  if (errorClass === null) return <span className="text-faint">—</span>;
  return <span className="text-xs text-bad">{failureWord({ errorClass, statusCode })}</span>;
});

interface EventCellProps {
  readonly id: string;
  readonly event: string;
  readonly onOpen: (id: string) => void;
}

/** An address to open in another tab; a plain link, because each of the router's listens to the router. */
const EventCell = memo(function EventCell({ id, event, onOpen }: EventCellProps) {
  return (
    <a
      href={paths.delivery(id)}
      tabIndex={-1}
      className="block truncate font-mono text-xs hover:underline"
      onClick={(click) => {
        if (click.metaKey || click.ctrlKey || click.shiftKey) return;
        click.preventDefault();
        onOpen(id);
      }}
    >
      {event}
    </a>
  );
});

const Next = memo(function Next({ atMs }: { readonly atMs: number | null }) {
  return atMs === null ? <span className="text-faint">—</span> : <Countdown atMs={atMs} />;
});

function Countdown({ atMs }: { readonly atMs: number }) {
  const now = useNow();
  return <span className="tabular text-muted">{atMs <= now ? "now" : relativeText(atMs, now)}</span>;
}

const Created = memo(function Created({ atMs }: { readonly atMs: number }) {
  const date = new Date(atMs);
  return (
    <time dateTime={date.toISOString()} title={date.toISOString()} className="tabular text-muted">
      <span className="max-sm:hidden">{day.format(date)}, </span>
      {clock.format(date)}
    </time>
  );
});

interface ReplayCellProps {
  readonly id: string;
  readonly event: string;
  readonly verb: string;
  /** Null where it can be sent. */
  readonly why: string | null;
  readonly onReplay: (id: string, event: string) => void;
}

const SEND_NOW = "Send now";
const REPLAY = "Replay";

const ReplayCell = memo(function ReplayCell({ id, event, verb, why, onReplay }: ReplayCellProps) {
  return (
    <button
      type="button"
      tabIndex={-1}
      aria-label={`${verb} ${event}`}
      title={why ?? `${verb} delivery`}
      disabled={why !== null}
      onClick={() => onReplay(id, event)}
      className="flex size-7 items-center justify-center rounded-md text-muted hover:bg-hover hover:text-ink disabled:opacity-30"
    >
      {verb === SEND_NOW ? SEND_ICON : REPLAY_ICON}
    </button>
  );
});

const REPLAY_ICON = <RotateCcw aria-hidden size={14} />;
const SEND_ICON = <Send aria-hidden size={14} />;

/** Returns why a delivery cannot be sent now; null where it can. */
function whyNot(row: Pick<LogRow, "state" | "attempts" | "nextMs">, may: boolean): string | null {
  if (!may) return "You can't replay deliveries.";
  const isWaiting = row.attempts > 0 && row.nextMs !== null;
  return row.state === "pending" && !isWaiting ? "The first attempt is still to come." : null;
}
