import { LifeBuoy } from "lucide-react";
import type { wire } from "../../api/api.ts";
import { paths } from "../../paths.ts";
import { Badge, labelOf, Link, optionsOf, RelativeTime, ResourceList, ShowAs } from "../../ui/ui.ts";
import type { FilterField, TableColumn } from "../../ui/ui.ts";

const FILTERS: readonly FilterField[] = [
  {
    name: "status",
    label: "State",
    options: optionsOf(["open", "pending", "on_hold", "resolved", "closed"]),
    isPinned: true,
  },
  { name: "priority", label: "Priority", options: optionsOf(["low", "normal", "high", "urgent"]), isPinned: true },
  { name: "assignee", label: "Assignee" },
  { name: "customer_id", label: "Customer", mono: true, placeholder: "con_…" },
  { name: "external_id", label: "External ID", mono: true },
];

/** Tickets, from events, from your product, and from connectors. */
export function Screen() {
  return (
    <ResourceList
      operation="tickets.list"
      title="Tickets"
      description="Customers' support tickets from events, your product and connectors."
      filters={FILTERS}
      noun="tickets"
      icon={LifeBuoy}
      emptyAction={
        <ShowAs
          operation="tickets.put"
          input={{ path: { id: "T-1" }, body: { subject: "It does not work", status: "open" } }}
        />
      }
      hint="Tickets are created by ticket.created events and by helpdesk connectors."
      columns={COLUMNS}
    />
  );
}

const COLUMNS: readonly TableColumn<wire.Ticket>[] = [
  {
    header: "Ticket",
    cell: (ticket) => (
      <span className="flex min-w-0 flex-col">
        <Link
          to={paths.ticket(ticket.id)}
          look="plain"
          className="line-clamp-2 w-fit font-medium wrap-anywhere hover:underline"
        >
          <bdi>{ticket.subject ?? ticket.external_id}</bdi>
        </Link>
        <code className="text-xs break-all text-muted">{ticket.external_id}</code>
      </span>
    ),
  },
  { header: "State", cell: (ticket) => <Badge>{labelOf(ticket.status)}</Badge> },
  { header: "Priority", from: "sm", cell: (ticket) => labelOf(ticket.priority ?? "") },
  { header: "Assignee", from: "md", cell: (ticket) => ticket.assignee ?? "None" },
  {
    header: "Customer",
    from: "md",
    cell: (ticket) => (ticket.customer_id === null ? "" : <Link to={paths.customer(ticket.customer_id)}>Open</Link>),
  },
  { header: "Updated", cell: (ticket) => <RelativeTime at={ticket.updated_at} /> },
];
