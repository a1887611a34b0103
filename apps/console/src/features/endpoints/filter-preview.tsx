import type { wire } from "../../api/api.ts";
import { paths } from "../../paths.ts";
import { Card, EmptyState, Link, RelativeTime, Table } from "../../ui/ui.ts";

/** Shows which of the last events a filter takes. */
export function FilterPreview({ result }: { readonly result: wire.FilterPreviewResult }) {
  const { examined, subscribed, matched, events } = result;
  return (
    <Card
      title="Preview"
      description={`Of the last ${examined} events, the endpoint subscribes to ${subscribed}, and ${matched} of them pass the filter.`}
      flush
    >
      <div role="status" aria-label="Preview of the filter">
        {events.length === 0 ? (
          <EmptyState title="No event passes">
            {examined === 0 ? "No events yet." : "None of the last events passes the filter."}
          </EmptyState>
        ) : (
          <Table
            label="Events that pass"
            rows={events}
            columns={[
              {
                header: "Event type",
                cell: (event) => (
                  <Link to={paths.event(event.id)} className="break-all">
                    {event.event}
                  </Link>
                ),
              },
              { header: "Occurred", cell: (event) => <RelativeTime at={event.occurred_at} /> },
            ]}
          />
        )}
      </div>
    </Card>
  );
}
