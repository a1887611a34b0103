import { Zap } from "lucide-react";
import { useMemo, useState } from "react";
import { usePages } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { FireDialog, useEventTypes } from "../../shared/shared.ts";
import { paths } from "../../paths.ts";
import { useAccess } from "../../session/session.ts";
import {
  Button,
  Card,
  EmptyState,
  FilterBar,
  Link,
  LoadedPages,
  PageHeader,
  rangeStart,
  RelativeTime,
  ShowAs,
  Table,
  timeRanges,
  useFilters,
} from "../../ui/ui.ts";
import type { FilterField, Filters, Option, TableColumn } from "../../ui/ui.ts";

export function Screen() {
  const [filters, change] = useFilters();
  const [isFiring, setFiring] = useState(false);
  const types = useEventTypes();
  const query = useMemo(() => queryOf(filters), [filters]);
  const pages = usePages("events.list", { query });
  const may = useAccess().may("events.fire");
  const fire = (
    <Button variant="primary" icon={<Zap aria-hidden size={15} />} isDisabled={!may} onPress={() => setFiring(true)}>
      Fire an event
    </Button>
  );
  return (
    <>
      <PageHeader
        title="Events"
        actions={
          <>
            <ShowAs operation="events.list" input={{ query }} />
            <Button variant="quiet" onPress={pages.refetch}>
              Refresh
            </Button>
            {fire}
          </>
        }
      />
      <FilterBar fields={fieldsOf(types.options)} />
      <LoadedPages
        pages={pages}
        label="Loading the events"
        empty={
          Object.keys(query).length > 0 ? (
            <EmptyState
              title="No event matches."
              action={<Button onPress={() => change(NO_FILTERS)}>Clear the filters</Button>}
            />
          ) : (
            <EmptyState
              title="No event was fired yet."
              icon={<Zap aria-hidden size={20} />}
              action={
                <>
                  {fire}
                  <ShowAs
                    operation="events.fire"
                    input={{ body: { event: "order.created", data: { order: { external_id: "ord_1" } } } }}
                  />
                </>
              }
            >
              Your systems fire them by the API; each is delivered to whoever subscribes.
            </EmptyState>
          )
        }
      >
        {(rows) => (
          <Card flush>
            <Table label="Events" columns={COLUMNS} rows={rows} keyOf={(row) => row.id} />
          </Card>
        )}
      </LoadedPages>
      {isFiring ? <FireDialog event={filters["event"] ?? "order.created"} onClose={() => setFiring(false)} /> : null}
    </>
  );
}

const NO_FILTERS: Filters = { event: "", subject: "", since: "", until: "" };
const MOST_PREVIEW = 160;

const COLUMNS: readonly TableColumn<wire.Event>[] = [
  {
    id: "event",
    header: "Event",
    className: "max-w-64",
    cell: (row) => (
      <Link to={paths.event(row.id)} look="plain" className="block truncate font-mono text-xs hover:underline">
        {row.event}
      </Link>
    ),
  },
  {
    id: "subject",
    header: "Subject",
    from: "sm",
    className: "max-w-48 truncate",
    cell: (row) => row.subject ?? <span className="text-faint">—</span>,
  },
  {
    id: "data",
    header: "Data",
    from: "md",
    className: "w-full max-w-0 truncate",
    cell: (row) => <code className="text-xs text-muted">{JSON.stringify(row.data).slice(0, MOST_PREVIEW)}</code>,
  },
  { id: "occurred", header: "Occurred", cell: (row) => <RelativeTime at={row.occurred_at} /> },
];

function fieldsOf(events: readonly Option[]): readonly FilterField[] {
  return [
    { name: "event", label: "Event", isPinned: true, options: events },
    { name: "subject", label: "Subject", isPinned: true, placeholder: "cus_4711" },
    { name: "since", label: "Time", isPinned: true, options: timeRanges },
    { name: "until", label: "Before", placeholder: "2026-11-21T12:00:00Z", mono: true },
  ];
}

function queryOf(filters: Filters) {
  const query = {
    event: filters["event"],
    subject: filters["subject"],
    created_after: rangeStart(filters["since"]),
    created_before: rangeStart(filters["until"]),
  };
  return Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined)) as {
    readonly [Name in keyof typeof query]?: string;
  };
}
