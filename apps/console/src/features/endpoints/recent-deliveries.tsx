import { usePages } from "../../api/api.ts";
import { DeliveryTable } from "../../shared/shared.ts";
import { paths } from "../../paths.ts";
import { Button, Card, EmptyState, Link, LoadedPages, useUrlState } from "../../ui/ui.ts";

/** The newest deliveries to one endpoint; searching is the log's. */
export function RecentDeliveries({ endpointId }: { readonly endpointId: string }) {
  const [, setTab] = useUrlState("tab", "overview");
  const pages = usePages("deliveries.list", { query: { endpoint_id: endpointId, limit: 25 } });
  return (
    <Card
      title="Newest deliveries"
      flush
      actions={<Link to={`${paths.deliveries}?endpoint=${endpointId}`}>Search and replay in the log</Link>}
    >
      <LoadedPages
        pages={pages}
        label="Loading the deliveries"
        empty={
          <EmptyState
            title="Nothing was delivered to it yet."
            action={<Button onPress={() => setTab("test")}>Send a test</Button>}
          >
            Each event that it takes shows here.
          </EmptyState>
        }
      >
        {(rows) => <DeliveryTable deliveries={rows} />}
      </LoadedPages>
    </Card>
  );
}
