import { useWrite } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { paths } from "../../paths.ts";
import { useAccess } from "../../session/session.ts";
import { PortalPreviewButton } from "../../shared/shared.ts";
import { Card, EmptyState, FilterBar, Link, Switch, Table, toastError, useFilters } from "../../ui/ui.ts";

/** Shows which event types the workspace's customers see in the portal, and changes it. System events are never among them. */
export function CustomerTypes({ types }: { readonly types: readonly wire.EventType[] }) {
  const [{ q = "" }] = useFilters();
  const asked = q.toLowerCase();
  const found = types.filter(
    ({ system, name, title, description }) =>
      !system && `${name} ${title} ${description}`.toLowerCase().includes(asked),
  );
  // The order does not depend on the switches, so that no row moves under the pointer.
  const rows = [...found.filter(isOwn), ...found.filter((one) => !isOwn(one))];
  return (
    <>
      <FilterBar fields={[{ name: "q", label: "Name or description", isPinned: true, placeholder: "invoice" }]} />
      <Card
        title={`Customers see ${types.filter(isShown).length} event types`}
        description="In the portal, customers can select these event types. Your own types are shown at first, and those of the catalog while you fire them (in the last 30 days)."
        actions={<PortalPreviewButton />}
        flush
      >
        {rows.length === 0 ? (
          <EmptyState title="No matching event types" />
        ) : (
          <Table
            label="Event types for customers"
            rows={rows}
            keyOf={({ name }) => name}
            columns={[
              { header: "Shown", cell: (type) => <ShownSwitch type={type} /> },
              {
                header: "Name",
                cell: ({ name }) => (
                  <Link to={paths.eventType(name)} look="plain" className="font-mono text-xs break-all hover:underline">
                    {name}
                  </Link>
                ),
              },
              { header: "Description", from: "sm", cell: ({ description }) => description },
              { header: "Origin", from: "md", cell: (type) => (isOwn(type) ? "Your own" : "Catalog") },
            ]}
          />
        )}
      </Card>
    </>
  );
}

function isShown({ visibility }: wire.EventType): boolean {
  return visibility === "public";
}

function isOwn({ origin }: wire.EventType): boolean {
  return origin === "custom";
}

function ShownSwitch({ type }: { readonly type: wire.EventType }) {
  const may = useAccess().may("event_types.update");
  const update = useWrite("event_types.update", { refreshes: ["event_types."] });
  return (
    <Switch
      isSelected={isShown(type)}
      isDisabled={!may || update.isPending}
      onChange={(isOn) =>
        update.mutate(
          { path: { name: type.name }, body: { visibility: isOn ? "public" : "private" } },
          { onError: toastError },
        )
      }
    >
      <span className="sr-only">Show {type.name} to customers</span>
    </Switch>
  );
}
