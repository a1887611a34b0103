import { read } from "../../api/api.ts";
import { paths } from "../../paths.ts";
import { Badge, Card, KeyValue, Link, PageHeader, RelativeTime, ResourcePage, ShowAs } from "../../ui/ui.ts";

/** One ticket, as its last event or connector left it. */
export function Screen() {
  return (
    <ResourcePage read={(id) => read("tickets.get", { path: { id } })} label="Loading the ticket" heading="Ticket">
      {(ticket) => (
        <>
          <PageHeader
            title={ticket.subject ?? ticket.external_id}
            back={{ to: paths.tickets, label: "Tickets" }}
            status={<Badge>{ticket.status}</Badge>}
            actions={<ShowAs operation="tickets.get" input={{ path: { id: ticket.id } }} />}
          />
          <Card title="Details">
            <KeyValue
              rows={[
                { label: "External ID", value: <code className="break-all">{ticket.external_id}</code> },
                { label: "Priority", value: ticket.priority ?? "none" },
                { label: "Assignee", value: <bdi>{ticket.assignee ?? "none"}</bdi> },
                {
                  label: "Customer",
                  value:
                    ticket.customer_id === null ? (
                      "unknown"
                    ) : (
                      <Link to={paths.customer(ticket.customer_id)}>Open customer</Link>
                    ),
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
