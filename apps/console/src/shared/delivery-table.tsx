import type { wire } from "../api/api.ts";
import { paths } from "../paths.ts";
import { Link, RelativeTime, Table } from "../ui/ui.ts";
import type { TableColumn } from "../ui/ui.ts";
import { DeliveryLight, StatusCode } from "./delivery-light.tsx";
import { EndpointLink } from "./endpoint-names.tsx";
import type { Endpoints } from "./endpoint-names.tsx";
import { failureWord } from "./failures.ts";

export interface DeliveryTableProps {
  readonly deliveries: readonly wire.Delivery[];
  /** Without it, all go to the same one. */
  readonly endpoints?: Endpoints;
}

/** Some deliveries; many are the log's. */
export function DeliveryTable({ deliveries, endpoints }: DeliveryTableProps) {
  return (
    <Table
      label="Deliveries"
      rows={deliveries}
      columns={[
        { header: "Event type", cell: EventCell, className: "max-w-64" },
        { header: "State", cell: (row) => <DeliveryLight delivery={row} /> },
        { header: "Response", from: "sm", cell: AnswerCell },
        ...(endpoints === undefined ? [] : [endpointColumn(endpoints)]),
        { header: "Attempts", align: "end", from: "md", cell: (row) => row.attempt_count },
        { header: "Created", from: "sm", cell: (row) => <RelativeTime at={row.created_at} /> },
      ]}
    />
  );
}

function endpointColumn(endpoints: Endpoints): TableColumn<wire.Delivery> {
  return {
    header: "Endpoint",
    from: "md",
    className: "max-w-64",
    cell: (row) => <EndpointLink id={row.endpoint_id} endpoints={endpoints} />,
  };
}

function EventCell(row: wire.Delivery) {
  return (
    <Link to={paths.delivery(row.id)} look="plain" className="block truncate font-mono text-xs hover:underline">
      {row.event}
    </Link>
  );
}

function AnswerCell({ last_status_code: code, last_error_class: errorClass }: wire.Delivery) {
  if (code !== null) return <StatusCode code={code} />;
  if (errorClass === null) return <span className="text-faint">—</span>;
  return <span className="text-xs text-bad">{failureWord({ errorClass, statusCode: code })}</span>;
}
