import { LifeBuoy } from "lucide-react";
import { usePages } from "../../api/api.ts";
import { paths } from "../../paths.ts";
import {
  Badge,
  Card,
  EmptyState,
  FilterBar,
  Link,
  LoadedPages,
  PageHeader,
  RelativeTime,
  ShowAs,
  Table,
  useFilters,
  useIsFiltered,
} from "../../ui/ui.ts";

const STATES = ["open", "pending", "on_hold", "resolved", "closed"];
const PRIORITIES = ["low", "normal", "high", "urgent"];

/** Tickets, from events, from your product, and from connectors. */
export function Screen() {
  const isFiltered = useIsFiltered();
  const [filters] = useFilters();
  const query = Object.fromEntries(
    ["status", "priority", "assignee", "customer_id", "external_id"].flatMap((name) =>
      filters[name] === undefined ? [] : [[name, filters[name]] as const],
    ),
  );
  const pages = usePages("tickets.list", { query });
  const option = (value: string) => ({ value, label: value.replace("_", " ") });
  return (
    <>
      <PageHeader
        title="Tickets"
        description="What customers wait for, from events, your product and connectors."
        actions={<ShowAs operation="tickets.list" input={{ query }} />}
      />
      <FilterBar
        fields={[
          { name: "status", label: "State", options: STATES.map(option), isPinned: true },
          { name: "priority", label: "Priority", options: PRIORITIES.map(option), isPinned: true },
          { name: "assignee", label: "Who works on it" },
          { name: "customer_id", label: "Customer", mono: true, placeholder: "con_…" },
          { name: "external_id", label: "Your id", mono: true },
        ]}
      />
      <Card flush>
        <LoadedPages
          pages={pages}
          label="Loading the tickets"
          empty={
            <EmptyState
              title={isFiltered ? "No ticket fits these filters" : "No ticket yet"}
              icon={<LifeBuoy aria-hidden size={20} />}
              action={
                <ShowAs
                  operation="tickets.put"
                  input={{ path: { id: "T-1" }, body: { subject: "It does not work", status: "open" } }}
                />
              }
            >
              The event ticket.created makes one, and so does a helpdesk's connector.
            </EmptyState>
          }
        >
          {(rows) => (
            <Table
              label="Tickets"
              rows={rows}
              keyOf={(ticket) => ticket.id}
              columns={[
                {
                  id: "subject",
                  header: "Ticket",
                  cell: (ticket) => (
                    <span className="flex min-w-0 flex-col">
                      <Link
                        to={paths.ticket(ticket.id)}
                        look="plain"
                        className="line-clamp-2 w-fit font-medium break-words hover:underline"
                      >
                        <bdi>{ticket.subject ?? ticket.external_id}</bdi>
                      </Link>
                      <code className="text-xs break-all text-muted">{ticket.external_id}</code>
                    </span>
                  ),
                },
                { id: "status", header: "State", cell: (ticket) => <Badge>{ticket.status}</Badge> },
                { id: "priority", header: "Priority", from: "sm", cell: (ticket) => ticket.priority ?? "" },
                { id: "assignee", header: "Who", from: "md", cell: (ticket) => ticket.assignee ?? "nobody" },
                {
                  id: "customer",
                  header: "Customer",
                  from: "md",
                  cell: (ticket) =>
                    ticket.customer_id === null ? "" : <Link to={paths.customer(ticket.customer_id)}>Open</Link>,
                },
                { id: "updated", header: "Changed", cell: (ticket) => <RelativeTime at={ticket.updated_at} /> },
              ]}
            />
          )}
        </LoadedPages>
      </Card>
    </>
  );
}
