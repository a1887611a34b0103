import { Building2 } from "lucide-react";
import type { wire } from "../../api/api.ts";
import { paths } from "../../paths.ts";
import { Link, RelativeTime, ResourceList, ShowAs } from "../../ui/ui.ts";
import type { TableColumn } from "../../ui/ui.ts";
import { countText } from "./counts.ts";

export function Screen() {
  return (
    <ResourceList
      operation="tenants.list"
      title="Tenants"
      description="Your own customers, by your own IDs, that have endpoints, sources, keys or recent events."
      noun="tenants"
      icon={Building2}
      emptyAction={
        <ShowAs
          operation="events.fire"
          input={{ body: { event: "order.created", data: { order: { external_id: "ord_1" } }, tenant: "acme" } }}
        />
      }
      hint="A tenant appears when an event, an endpoint, a source or a key names it."
      keyOf={({ tenant }) => tenant}
      columns={COLUMNS}
    />
  );
}

const COLUMNS: readonly TableColumn<wire.Tenant>[] = [
  {
    header: "Tenant",
    className: "max-w-32 sm:max-w-64",
    cell: ({ tenant }) => (
      <Link to={paths.tenant(tenant)} look="plain" className="block truncate font-mono text-xs hover:underline">
        {tenant}
      </Link>
    ),
  },
  { header: "Endpoints", align: "end", cell: ({ endpoints }) => endpoints },
  { header: "Keys", from: "md", align: "end", cell: ({ keys }) => keys },
  { header: "Events (24 h)", from: "sm", align: "end", cell: ({ events_24h: events }) => countText(events) },
  {
    header: "Failures (24 h)",
    align: "end",
    cell: ({ failures_24h: failures }) => (
      <span className={failures.count === 0 ? "" : "text-bad"}>{countText(failures)}</span>
    ),
  },
  { header: "Last event", from: "sm", cell: ({ last_seen_at: at }) => <RelativeTime at={at} /> },
];
