import { usePages } from "../../api/api.ts";
import { paths } from "../../paths.ts";
import { DeliveryTable } from "../../shared/shared.ts";
import { Button, Card, EmptyState, Link, LoadedPages, useUrlState } from "../../ui/ui.ts";

/** The newest deliveries to one endpoint; searching is the log's. */
export function RecentDeliveries({ endpointId }: { readonly endpointId: string }) {
  const [, setTab] = useUrlState("tab", "overview");
  const pages = usePages("deliveries.list", { query: { endpoint_id: endpointId, limit: 25 } });
  return (
    <Card
      title="Recent deliveries"
      flush
      actions={<Link to={`${paths.deliveries}?endpoint=${endpointId}`}>View deliveries</Link>}
    >
      <LoadedPages
        pages={pages}
        label="Loading the deliveries"
        empty={
          <EmptyState
            title="No deliveries yet"
            action={<Button onPress={() => setTab("test")}>Send test event</Button>}
          >
            Deliveries to this endpoint appear here.
          </EmptyState>
        }
      >
        {(rows) => <DeliveryTable deliveries={rows} />}
      </LoadedPages>
    </Card>
  );
}
