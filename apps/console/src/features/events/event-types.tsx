import { useQuery } from "@tanstack/react-query";
import { read } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { paths } from "../../paths.ts";
import { numberText } from "../../shared/shared.ts";
import {
  Button,
  Card,
  EmptyState,
  FilterBar,
  Link,
  Loaded,
  PageHeader,
  RelativeTime,
  Segmented,
  ShowAs,
  useFilters,
  useCreating,
  useUrlState,
} from "../../ui/ui.ts";
import { CustomerTypes } from "./customer-types.tsx";
import { TypeDialog } from "./type-dialog.tsx";
import { DOMAINS, domainName } from "./domains.ts";

const HOURS = 720;
const VIEWS = [
  { value: "all", label: "All types" },
  { value: "customers", label: "What customers see" },
] as const;

/** The same list with the dialog that creates one. */
export function NewScreen() {
  return <Screen isNew />;
}

export function Screen({ isNew = false }: { readonly isNew?: boolean }) {
  const types = useQuery({ ...read("event_types.list"), staleTime: Infinity });
  const usage = useQuery(read("usage.events", { query: { hours: HOURS } }));
  const { button, dialog } = useCreating({
    isNew,
    list: paths.eventTypes,
    operation: "event_types.create",
    label: "Create event type",
    dialog: (onClose) => <TypeDialog onClose={onClose} />,
  });
  const [view, setView] = useUrlState("view", "all");
  const isForCustomers = view === "customers";
  return (
    <>
      <PageHeader
        title="Event types"
        description="The event types of the catalog and your own, each with a schema, an example and its subscribers, and the other events that were fired."
        actions={
          <>
            <ShowAs operation="event_types.list" input={{}} />
            {button}
          </>
        }
      />
      <Loaded query={types} label="Loading the event types" lines={12}>
        {({ data }) => (
          <>
            <div className="flex">
              <Segmented label="Show" options={VIEWS} value={isForCustomers ? "customers" : "all"} onChange={setView} />
            </div>
            {isForCustomers ? (
              <CustomerTypes types={data} />
            ) : (
              <Catalogue types={data} usage={usage.data?.data ?? []} />
            )}
          </>
        )}
      </Loaded>
      {dialog}
    </>
  );
}

interface CatalogueProps {
  readonly types: readonly wire.EventType[];
  readonly usage: readonly wire.EventUsage[];
}

function Catalogue({ types, usage }: CatalogueProps) {
  const [filters, change] = useFilters();
  const asked = (filters["q"] ?? "").toLowerCase();
  const domain = filters["domain"] ?? "";
  const seen = new Map(usage.map((one) => [one.event, one]));
  const found = types.filter((type) => matches(type, asked) && (domain === "" || type.domain === domain));
  const known = new Set(types.map((type) => type.name));
  const custom = usage.filter((one) => !known.has(one.event) && one.event.toLowerCase().includes(asked));
  const isCustomShown = custom.length > 0 && (domain === "" || domain === "custom");
  const domains = [...new Set(types.map((type) => type.domain))];
  return (
    <>
      <FilterBar
        fields={[
          { name: "q", label: "Name or description", isPinned: true, placeholder: "invoice" },
          {
            name: "domain",
            label: "Domain",
            isPinned: true,
            options: [...new Set([...domains, "custom"])].map((value) => ({ value, label: domainName(value) })),
          },
        ]}
      />
      <div className="flex flex-col gap-4">
        {isCustomShown ? <Custom events={custom} /> : null}
        {domains.map((one) => (
          <Domain key={one} domain={one} types={found.filter((type) => type.domain === one)} seen={seen} />
        ))}
        {found.length === 0 && !isCustomShown ? (
          <EmptyState
            title="No matching event types"
            action={<Button onPress={() => change({ q: "", domain: "" })}>Clear filters</Button>}
          >
            You can fire any event, also without a type.
          </EmptyState>
        ) : null}
      </div>
    </>
  );
}

function Custom({ events }: { readonly events: readonly wire.EventUsage[] }) {
  return (
    <Card title="Without a type" description="Other events that were fired in the last 30 days." flush>
      <ul className="divide-y divide-line">
        {events.map((event) => (
          <li key={event.event} className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 px-4 py-2.5">
            <Link
              to={paths.eventType(event.event)}
              look="plain"
              className="min-w-0 truncate font-mono text-sm hover:underline"
            >
              {event.event}
            </Link>
            <span className="text-sm text-muted">
              <UsageText event={event} />
            </span>
          </li>
        ))}
      </ul>
    </Card>
  );
}

interface DomainProps {
  readonly domain: string;
  readonly types: readonly wire.EventType[];
  readonly seen: ReadonlyMap<string, wire.EventUsage>;
}

function Domain({ domain, types, seen }: DomainProps) {
  if (types.length === 0) return null;
  return (
    <Card
      title={domainName(domain)}
      {...(DOMAINS[domain] === undefined ? {} : { description: DOMAINS[domain].about })}
      flush
    >
      <ul className="divide-y divide-line">
        {types.map((type) => (
          <li key={type.name} className="grid gap-x-4 px-4 py-2.5 sm:grid-cols-[minmax(0,16rem)_minmax(0,1fr)_auto]">
            <Link to={paths.eventType(type.name)} look="plain" className="truncate font-mono text-sm hover:underline">
              {type.name}
            </Link>
            <span className="text-sm text-muted">{type.description}</span>
            <span className="tabular text-sm whitespace-nowrap text-muted">
              <UsageText event={seen.get(type.name)} />
            </span>
          </li>
        ))}
      </ul>
    </Card>
  );
}

function UsageText({ event }: { readonly event: wire.EventUsage | undefined }) {
  if (event === undefined) return null;
  return (
    <>
      {numberText(event.count)} in 30 days, last <RelativeTime at={event.last_hour} />
    </>
  );
}

function matches(type: wire.EventType, asked: string): boolean {
  return `${type.name} ${type.title} ${type.description}`.toLowerCase().includes(asked);
}
