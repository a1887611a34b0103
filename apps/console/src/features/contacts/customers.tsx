import { UserRound } from "lucide-react";
import type { wire } from "../../api/api.ts";
import { paths } from "../../paths.ts";
import { Badge, Link, RelativeTime, ResourceList, ShowAs } from "../../ui/ui.ts";
import type { FilterField, TableColumn } from "../../ui/ui.ts";

const FILTERS: readonly FilterField[] = [
  { name: "email", label: "E-mail", isPinned: true },
  { name: "external_id", label: "External ID", mono: true, isPinned: true },
  { name: "tag", label: "Tag" },
  { name: "lifecycle_stage", label: "Stage" },
];

/** Contacts as your product knows them: by its own ids. */
export function Screen() {
  return (
    <ResourceList
      operation="customers.list"
      title="Customers"
      description="Customer profiles, combined from events, your product and connectors."
      filters={FILTERS}
      noun="customers"
      icon={UserRound}
      emptyAction={
        <ShowAs operation="customers.put" input={{ path: { id: "cus_42" }, body: { email: "ada@example.com" } }} />
      }
      hint="Customers are created by events such as customer.created, or by your product with its own IDs."
      columns={COLUMNS}
    />
  );
}

const COLUMNS: readonly TableColumn<wire.Customer>[] = [
  {
    header: "Customer",
    cell: (customer) => (
      <Link to={paths.customer(customer.id)} look="plain" className="font-medium break-all hover:underline">
        <bdi>{customer.name ?? customer.email ?? customer.external_ids[0] ?? customer.id}</bdi>
      </Link>
    ),
  },
  { header: "External IDs", from: "md", cell: (customer) => customer.external_ids.join(", ") },
  {
    header: "Stage",
    from: "sm",
    cell: (customer) => (customer.lifecycle_stage === null ? "" : <Badge>{customer.lifecycle_stage}</Badge>),
  },
  { header: "Open tickets", align: "end", cell: (customer) => customer.tickets_open },
  { header: "Score", from: "sm", align: "end", cell: (customer) => customer.score },
  { header: "Last activity", from: "sm", cell: (customer) => <RelativeTime at={customer.last_activity_at} /> },
];
