import { useQuery } from "@tanstack/react-query";
import { read } from "../../api/api.ts";
import { paths } from "../../paths.ts";
import { Badge, Card, KeyValue, labelOf, Link, PageHeader, RelativeTime, ResourcePage, ShowAs } from "../../ui/ui.ts";

/** Shows one ticket as its last event or connector left it. */
export function Screen() {
  return (
    <ResourcePage read={(id) => read("tickets.get", { path: { id } })} heading="Ticket">
      {(ticket) => (
        <>
          <PageHeader
            title={ticket.subject ?? ticket.external_id}
            back={{ to: paths.tickets, label: "Tickets" }}
            status={<Badge>{labelOf(ticket.status)}</Badge>}
            actions={<ShowAs operation="tickets.get" input={{ path: { id: ticket.id } }} />}
          />
          <Card title="Details">
            <KeyValue
              rows={[
                { label: "External ID", value: <code className="break-all">{ticket.external_id}</code> },
                { label: "Priority", value: ticket.priority === null ? "None" : labelOf(ticket.priority) },
                { label: "Assignee", value: <bdi>{ticket.assignee ?? "None"}</bdi> },
                {
                  label: "Customer",
                  value: ticket.customer_id === null ? "Unknown" : <CustomerLink id={ticket.customer_id} />,
                },
                { label: "Opened", value: <RelativeTime at={ticket.created_at} /> },
                { label: "Updated", value: <RelativeTime at={ticket.updated_at} /> },
              ]}
            />
          </Card>
        </>
      )}
    </ResourcePage>
  );
}

/** Reads the contact, because reading the customer would call the connectors. */
function CustomerLink({ id }: { readonly id: string }) {
  const { data } = useQuery(read("contacts.get", { path: { id } }));
  return (
    <Link to={paths.customer(id)} className="wrap-anywhere">
      <bdi>{data?.name ?? data?.email ?? data?.external_ids[0] ?? id}</bdi>
    </Link>
  );
}
