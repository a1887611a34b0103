import { Webhook } from "lucide-react";
import { usePages } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { paths } from "../../paths.ts";
import { usePortal } from "../../session/session.ts";
import { shownAddress, useEventTypes } from "../../shared/shared.ts";
import {
  Button,
  Card,
  deferred,
  EmptyState,
  LoadedPages,
  PageHeader,
  ShowAs,
  useCreating,
  useFilters,
} from "../../ui/ui.ts";
import type { EventTypes } from "../../shared/shared.ts";
import type { Filters } from "../../ui/ui.ts";
import { EndpointTable } from "./endpoint-table.tsx";

// The list is shown before the code of the parts that need more of it.
const CreateDialog = deferred(async () => (await import("./create-dialog.tsx")).CreateDialog);
const EndpointFilters = deferred(
  async () => (await import("./endpoint-filters.tsx")).EndpointFilters,
  <div className="h-10" />,
);

/** The same list with the dialog that creates one. */
export function NewScreen() {
  return <Screen isNew />;
}

export function Screen({ isNew = false }: { readonly isNew?: boolean }) {
  const [filters, change] = useFilters();
  const { button, dialog } = useCreating({
    isNew,
    list: paths.endpoints,
    operation: "webhook_endpoints.create",
    label: "Create endpoint",
    dialog: (onClose) => <CreateDialog onClose={onClose} />,
  });
  const types = useEventTypes();
  const isPortal = usePortal() !== undefined;
  const pages = usePages("webhook_endpoints.list", { query: { with: "stats", limit: 100 } });
  return (
    <>
      <PageHeader
        title="Endpoints"
        description="URLs that receive events. Each matching event is sent as a signed POST request and retried if it fails."
        actions={
          <>
            <ShowAs
              operation="webhook_endpoints.create"
              input={{ body: { url: "https://example.com/webhooks", events: ["*"] } }}
            />
            {button}
          </>
        }
      />
      <EndpointFilters events={types.options} />
      <LoadedPages
        pages={pages}
        label="Loading the endpoints"
        empty={
          <EmptyState title="No endpoints yet" icon={<Webhook aria-hidden size={20} />} action={button}>
            Create an endpoint with the URL of your receiver.{" "}
            {isPortal ? null : "To try it out, use the URL of the built-in inbox from the Tester page."}
          </EmptyState>
        }
      >
        {(rows) => (
          <Matches rows={rows.filter((row) => isWanted(row, filters, types))} onClear={() => change(NO_FILTERS)} />
        )}
      </LoadedPages>
      {dialog}
    </>
  );
}

const NO_FILTERS: Filters = { q: "", state: "", event: "", tenant: "" };

function Matches({
  rows,
  onClear,
}: {
  readonly rows: readonly wire.ListedWebhookEndpoint[];
  readonly onClear: () => void;
}) {
  if (rows.length > 0) {
    return (
      <Card flush>
        <EndpointTable rows={rows} />
      </Card>
    );
  }
  return <EmptyState title="No matching endpoints" action={<Button onPress={onClear}>Clear filters</Button>} />;
}

function isWanted(
  endpoint: wire.WebhookEndpoint,
  { q = "", state, event, tenant }: Filters,
  types: EventTypes,
): boolean {
  const text = `${endpoint.url ?? shownAddress(endpoint)} ${endpoint.description} ${endpoint.id}`.toLowerCase();
  const takes = event === undefined || endpoint.events.some((pattern) => types.selects(pattern, event));
  const isOfTenant = tenant === undefined || endpoint.tenant === tenant;
  return text.includes(q.toLowerCase()) && takes && isOfTenant && (state === undefined || stateOf(endpoint) === state);
}

function stateOf(endpoint: wire.WebhookEndpoint): string {
  if (!endpoint.active) return "off";
  return endpoint.health === "green" ? "healthy" : "failing";
}
