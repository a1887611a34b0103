import { Zap } from "lucide-react";
import { useQueryClient } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import type { ReactNode } from "react";
import { refresh } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { paths } from "../../paths.ts";
import { useAccess } from "../../session/session.ts";
import { useEventTypes } from "../../shared/shared.ts";
import {
  Button,
  EmptyState,
  Link,
  RelativeTime,
  ResourceList,
  ShowAs,
  sinceFilter,
  useFilters,
  useIsFiltered,
} from "../../ui/ui.ts";
import type { FilterField, Filters, Option, TableColumn } from "../../ui/ui.ts";
import { FireDialog } from "./fire-dialog.tsx";

export function Screen() {
  const [filters, change] = useFilters();
  const [isFiring, setFiring] = useState(false);
  const isFiltered = useIsFiltered();
  const { options } = useEventTypes();
  const fields = useMemo(() => fieldsOf(options), [options]);
  const client = useQueryClient();
  const may = useAccess().may("events.fire");
  const fire = (
    <Button variant="primary" icon={<Zap aria-hidden size={15} />} isDisabled={!may} onPress={() => setFiring(true)}>
      Fire event
    </Button>
  );
  return (
    <>
      <ResourceList
        operation="events.list"
        title="Events"
        filters={fields}
        actions={
          <>
            <Button variant="quiet" onPress={() => void refresh(client, ["events.list"])}>
              Refresh
            </Button>
            {fire}
          </>
        }
        noun="events"
        empty={
          isFiltered ? (
            <EmptyState
              title="No matching events"
              action={<Button onPress={() => change(NO_FILTERS)}>Clear filters</Button>}
            />
          ) : (
            <NoEvent fire={fire} />
          )
        }
        columns={COLUMNS}
      />
      {isFiring ? <FireDialog event={filters["event"] ?? "order.created"} onClose={() => setFiring(false)} /> : null}
    </>
  );
}

function NoEvent({ fire }: { readonly fire: ReactNode }) {
  return (
    <EmptyState
      title="No events yet"
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
      Your systems fire events through the API. Each event is delivered to its subscribers.
    </EmptyState>
  );
}

const NO_FILTERS: Filters = { event: "", subject: "", tenant: "", since: "", until: "" };
const MOST_PREVIEW = 160;

const COLUMNS: readonly TableColumn<wire.Event>[] = [
  {
    header: "Event type",
    className: "max-w-64",
    cell: (row) => (
      <Link to={paths.event(row.id)} look="plain" className="block truncate font-mono text-xs hover:underline">
        {row.event}
      </Link>
    ),
  },
  {
    header: "Subject",
    from: "sm",
    className: "max-w-48 truncate",
    cell: (row) => row.subject ?? <span className="text-faint">—</span>,
  },
  {
    header: "Data",
    from: "md",
    className: "w-full max-w-0 truncate",
    cell: (row) => <code className="text-xs text-muted">{JSON.stringify(row.data).slice(0, MOST_PREVIEW)}</code>,
  },
  { header: "Occurred", cell: (row) => <RelativeTime at={row.occurred_at} /> },
];

function fieldsOf(events: readonly Option[]): readonly FilterField[] {
  return [
    { name: "event", label: "Event type", isPinned: true, options: events },
    { name: "subject", label: "Subject", isPinned: true, placeholder: "cus_4711" },
    { name: "tenant", label: "Tenant", mono: true, placeholder: "acme" },
    sinceFilter,
    { name: "until", bound: "created_before", label: "Before", placeholder: "2026-11-21T12:00:00Z", mono: true },
  ];
}
