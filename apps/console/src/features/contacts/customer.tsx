import { read, usePages } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { paths } from "../../paths.ts";
import { EmailAddress } from "../../shared/shared.ts";
import {
  Badge,
  Card,
  EmptyState,
  JsonTree,
  KeyValue,
  labelOf,
  Link,
  LoadedPages,
  PageHeader,
  RelativeTime,
  ResourcePage,
  ShowAs,
  Table,
} from "../../ui/ui.ts";

/** Shows one customer with their tickets and the data of connectors. */
export function Screen() {
  return (
    <ResourcePage read={(id) => read("customers.get", { path: { id } })} heading="Customer">
      {(customer) => <Customer customer={customer} />}
    </ResourcePage>
  );
}

function Customer({ customer }: { readonly customer: wire.Customer }) {
  return (
    <>
      <PageHeader
        title={customer.name ?? customer.email ?? customer.external_ids[0] ?? customer.id}
        back={{ to: paths.customers, label: "Customers" }}
        status={customer.lifecycle_stage === null ? undefined : <Badge>{customer.lifecycle_stage}</Badge>}
        actions={
          <>
            <ShowAs operation="customers.get" input={{ path: { id: customer.id } }} />
            <Link to={paths.contact(customer.id)} look="button">
              Timeline
            </Link>
          </>
        }
      />
      <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,2fr)_minmax(18rem,1fr)]">
        <div className="flex min-w-0 flex-col gap-4">
          <Tickets customerId={customer.id} />
          <Card title="Connector data" description="Requested from the connectors when you opened this page.">
            {Object.keys(customer.context).length === 0 ? (
              <p className="text-muted">No enabled connector provides customer data.</p>
            ) : (
              <JsonTree label="Context" value={customer.context} depth={4} />
            )}
          </Card>
        </div>
        <Card title="Details">
          <KeyValue
            rows={[
              {
                label: "E-mail",
                value: customer.email === null ? "Unknown" : <EmailAddress address={customer.email} />,
              },
              {
                label: "External IDs",
                value: customer.external_ids.length === 0 ? "None" : customer.external_ids.join(", "),
              },
              { label: "Tags", value: customer.tags.length === 0 ? "None" : customer.tags.join(", ") },
              { label: "Score", value: customer.score.toLocaleString("en") },
              { label: "Open tickets", value: customer.tickets_open },
              { label: "Last activity", value: <RelativeTime at={customer.last_activity_at} /> },
            ]}
          />
        </Card>
      </div>
    </>
  );
}

function Tickets({ customerId }: { readonly customerId: string }) {
  const pages = usePages("tickets.list", { query: { customer_id: customerId } });
  return (
    <Card title="Tickets" flush>
      <LoadedPages pages={pages} label="Loading the tickets" empty={<EmptyState title="No tickets yet" />}>
        {(rows) => (
          <Table
            label="Tickets"
            rows={rows}
            columns={[
              {
                header: "Ticket",
                cell: (ticket) => (
                  <Link to={paths.ticket(ticket.id)} look="plain" className="wrap-anywhere hover:underline">
                    <bdi>{ticket.subject ?? ticket.external_id}</bdi>
                  </Link>
                ),
              },
              { header: "State", cell: (ticket) => <Badge>{labelOf(ticket.status)}</Badge> },
              { header: "Updated", from: "sm", cell: (ticket) => <RelativeTime at={ticket.updated_at} /> },
            ]}
          />
        )}
      </LoadedPages>
    </Card>
  );
}
