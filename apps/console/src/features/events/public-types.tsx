import { useQuery } from "@tanstack/react-query";
import { read } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { paths } from "../../paths.ts";
import { Card, EmptyState, FilterBar, Link, Loaded, PageHeader, Table, useFilters } from "../../ui/ui.ts";

/** The event types that a tenant may subscribe to, in the portal. */
export function Screen() {
  const types = useQuery({ ...read("event_types.list"), staleTime: Infinity });
  return (
    <>
      <PageHeader
        title="Event types"
        description="The events that your endpoints can subscribe to, each with its schema and an example."
      />
      <FilterBar fields={[{ name: "q", label: "Name or description", isPinned: true, placeholder: "invoice" }]} />
      <Loaded query={types} label="Loading the event types" lines={8}>
        {({ data }) => <TypeTable types={data} />}
      </Loaded>
    </>
  );
}

function TypeTable({ types }: { readonly types: readonly wire.EventType[] }) {
  const [{ q = "" }] = useFilters();
  const found = types.filter(({ name, title, description }) =>
    `${name} ${title} ${description}`.toLowerCase().includes(q.toLowerCase()),
  );
  if (found.length === 0) return <EmptyState title={q === "" ? "No event types yet" : "No matching event types"} />;
  return (
    <Card flush>
      <Table
        label="Event types"
        rows={found}
        keyOf={({ name }) => name}
        columns={[
          {
            header: "Name",
            cell: ({ name }) => (
              <Link to={paths.eventType(name)} className="font-mono text-xs break-all">
                {name}
              </Link>
            ),
          },
          { header: "Description", from: "sm", cell: ({ description }) => description },
        ]}
      />
    </Card>
  );
}
