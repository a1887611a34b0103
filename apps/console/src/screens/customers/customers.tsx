import { UserRound } from "lucide-react";
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

/** Contacts as your product knows them: by its own ids. */
export function Screen() {
  const isFiltered = useIsFiltered();
  const [filters] = useFilters();
  const query = Object.fromEntries(
    ["email", "external_id", "tag", "lifecycle_stage"].flatMap((name) =>
      filters[name] === undefined ? [] : [[name, filters[name]] as const],
    ),
  );
  const pages = usePages("customers.list", { query });
  return (
    <>
      <PageHeader
        title="Customers"
        description="Contacts with what events, your product and connectors say of them."
        actions={<ShowAs operation="customers.list" input={{ query }} />}
      />
      <FilterBar
        fields={[
          { name: "email", label: "E-mail", isPinned: true },
          { name: "external_id", label: "Your id", mono: true, isPinned: true },
          { name: "tag", label: "Tag" },
          { name: "lifecycle_stage", label: "Stage" },
        ]}
      />
      <Card flush>
        <LoadedPages
          pages={pages}
          label="Loading the customers"
          empty={
            <EmptyState
              title={isFiltered ? "No customer fits these filters" : "No customer yet"}
              icon={<UserRound aria-hidden size={20} />}
              action={
                <ShowAs
                  operation="customers.put"
                  input={{ path: { id: "cus_42" }, body: { email: "ada@example.com" } }}
                />
              }
            >
              Events such as customer.created make them, or your product does by its own ids.
            </EmptyState>
          }
        >
          {(rows) => (
            <Table
              label="Customers"
              rows={rows}
              keyOf={(customer) => customer.id}
              columns={[
                {
                  id: "name",
                  header: "Customer",
                  cell: (customer) => (
                    <Link
                      to={paths.customer(customer.id)}
                      look="plain"
                      className="font-medium break-all hover:underline"
                    >
                      <bdi>{customer.name ?? customer.email ?? customer.external_ids[0] ?? customer.id}</bdi>
                    </Link>
                  ),
                },
                { id: "ids", header: "Your ids", from: "md", cell: (customer) => customer.external_ids.join(", ") },
                {
                  id: "stage",
                  header: "Stage",
                  from: "sm",
                  cell: (customer) =>
                    customer.lifecycle_stage === null ? "" : <Badge>{customer.lifecycle_stage}</Badge>,
                },
                { id: "tickets", header: "Open tickets", align: "end", cell: (customer) => customer.tickets_open },
                { id: "score", header: "Score", from: "sm", align: "end", cell: (customer) => customer.score },
                {
                  id: "last",
                  header: "Last activity",
                  from: "sm",
                  cell: (customer) => <RelativeTime at={customer.last_activity_at} />,
                },
              ]}
            />
          )}
        </LoadedPages>
      </Card>
    </>
  );
}
