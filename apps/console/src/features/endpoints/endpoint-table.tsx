import type { wire } from "../../api/api.ts";
import { paths } from "../../paths.ts";
import { rateText, shownAddress, useAllTypes } from "../../shared/shared.ts";
import { Badge, deferred, Link, Table } from "../../ui/ui.ts";
import type { TableColumn } from "../../ui/ui.ts";
import { EndpointLight } from "./endpoint-light.tsx";
import { HourBar } from "./hour-bar.tsx";

// The list is shown before the code of the cells that need more of it.
const RowSwitch = deferred(
  async () => (await import("./endpoint-cells.tsx")).RowSwitch,
  <span className="block h-4.5 w-8" />,
);
const RelativeTime = deferred(async () => (await import("./endpoint-cells.tsx")).RelativeTime);

type Row = wire.ListedWebhookEndpoint;

/** Endpoints with how they fared in the last 24 hours. */
export function EndpointTable({ rows }: { readonly rows: readonly Row[] }) {
  return <Table label="Endpoints" columns={COLUMNS} rows={rows} />;
}

const COLUMNS: readonly TableColumn<Row>[] = [
  { header: "Endpoint", cell: (row) => <UrlCell endpoint={row} />, className: "max-w-56 min-w-44 sm:max-w-72" },
  { header: "Enabled", cell: (row) => <RowSwitch endpoint={row} /> },
  { header: "State", from: "sm", cell: (row) => <StateCell endpoint={row} /> },
  { header: "Event types", from: "lg", cell: (row) => <EventChips events={row.events} /> },
  {
    header: "Last 24 hours",
    from: "md",
    cell: ({ stats }) => (stats === undefined ? null : <HourBar hours={stats.hours} />),
  },
  {
    header: "Success rate",
    align: "end",
    from: "sm",
    className: "whitespace-nowrap",
    cell: ({ stats }) => rate(stats?.success_rate),
  },
  {
    header: "Latency (p95)",
    align: "end",
    from: "lg",
    className: "whitespace-nowrap",
    cell: ({ stats }) => milliseconds(stats?.p95_ms),
  },
  { header: "Next retry", from: "lg", cell: (row) => <Next row={row} /> },
];

function UrlCell({ endpoint }: { readonly endpoint: Row }) {
  return (
    <div className="min-w-0">
      <Link to={paths.endpoint(endpoint.id)} look="plain" className="block truncate font-medium hover:underline">
        {shownAddress(endpoint)}
      </Link>
      <span className="flex sm:hidden">
        <EndpointLight endpoint={endpoint} />
      </span>
      {endpoint.description === "" ? null : (
        <p dir="auto" className="truncate text-xs text-muted">
          {endpoint.description}
        </p>
      )}
    </div>
  );
}

function StateCell({ endpoint }: { readonly endpoint: Row }) {
  return (
    <div className="flex flex-col">
      <EndpointLight endpoint={endpoint} />
      {endpoint.failing_since === null ? null : (
        <span className="text-xs text-muted">
          First failed <RelativeTime at={endpoint.failing_since} />
        </span>
      )}
    </div>
  );
}

const MOST_CHIPS = 2;

function EventChips({ events }: { readonly events: readonly string[] }) {
  const all = useAllTypes();
  if (events.includes("*")) return <>{all}</>;
  const more = events.length - MOST_CHIPS;
  return (
    <span className="flex max-w-60 flex-wrap gap-1">
      {events.slice(0, MOST_CHIPS).map((name) => (
        <Badge key={name}>{name.length > 28 ? `${name.slice(0, 27)}…` : name}</Badge>
      ))}
      {more > 0 ? <Badge>+{more}</Badge> : null}
    </span>
  );
}

function Next({ row: { active, stats } }: { readonly row: Row }) {
  const at = stats?.next_attempt_at ?? null;
  if (at === null) return <span className="text-faint">—</span>;
  return active ? <RelativeTime at={at} /> : <span className="text-muted">When it is on</span>;
}

function rate(value: number | null | undefined): string {
  return value === null || value === undefined ? "—" : rateText(value);
}

function milliseconds(value: number | null | undefined): string {
  if (value === null || value === undefined) return "—";
  return value < 1000 ? `${Math.round(value)} ms` : `${(value / 1000).toFixed(1)} s`;
}
