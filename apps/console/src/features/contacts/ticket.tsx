import { useQuery } from "@tanstack/react-query";
import { read } from "../../api/api.ts";
import { paths } from "../../paths.ts";
import {
  Badge,
  Card,
  KeyValue,
  Link,
  Loaded,
  PageHeader,
  RelativeTime,
  ShowAs,
  usePathParameter,
} from "../../ui/ui.ts";

/** One ticket, as its last event or connector left it. */
export function Screen() {
  const id = usePathParameter("id");
  const query = useQuery(read("tickets.get", { path: { id } }));
  return (
    <Loaded query={query} label="Loading the ticket" page="Ticket">
      {(ticket) => (
        <>
          <PageHeader
            title={ticket.subject ?? ticket.external_id}
            back={{ to: paths.tickets, label: "Tickets" }}
            status={<Badge>{ticket.status}</Badge>}
            actions={<ShowAs operation="tickets.get" input={{ path: { id: ticket.id } }} />}
          />
          <Card title="About it">
            <KeyValue
              rows={[
                { label: "Your id", value: <code className="break-all">{ticket.external_id}</code> },
                { label: "Priority", value: ticket.priority ?? "none" },
                { label: "Who works on it", value: <bdi>{ticket.assignee ?? "nobody"}</bdi> },
                {
                  label: "Customer",
                  value:
                    ticket.customer_id === null ? (
                      "not known"
                    ) : (
                      <Link to={paths.customer(ticket.customer_id)}>Open the customer</Link>
                    ),
                },
                { label: "Opened", value: <RelativeTime at={ticket.created_at} /> },
                { label: "Changed", value: <RelativeTime at={ticket.updated_at} /> },
              ]}
            />
          </Card>
        </>
      )}
    </Loaded>
  );
}
