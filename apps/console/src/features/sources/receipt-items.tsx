import { useState } from "react";
import type { wire } from "../../api/api.ts";
import { paths } from "../../paths.ts";
import { Button, Card, IdLink, Table } from "../../ui/ui.ts";
import { ReceiptLight, reasonWords } from "./receipt-states.tsx";

const SHOWN = 100;

/** Shows the result of each element of a list. */
export function ReceiptItems({ items }: { readonly items: readonly wire.InboundReceiptItem[] }) {
  const [isWhole, setWhole] = useState(false);
  const rows = items.map((item, index) => ({ ...item, position: index + 1 }));
  const shown = isWhole ? rows : rows.slice(0, SHOWN);
  return (
    <Card title="Events of the list" description={countsOf(items)} flush>
      {items.length === 0 ? null : (
        <Table
          label="Events of the list"
          rows={shown}
          keyOf={({ position }) => String(position)}
          columns={[
            { header: "Element", cell: ({ position }) => position },
            { header: "Event type", cell: ({ event_type: type = "" }) => <bdi className="break-all">{type}</bdi> },
            { header: "State", cell: (item) => <ReceiptLight result={{ reason_code: null, ...item }} /> },
            { header: "Result", cell: (item) => <ItemResult item={item} /> },
          ]}
        />
      )}
      {shown.length === rows.length ? null : (
        <div className="p-3">
          <Button onPress={() => setWhole(true)}>Show all {rows.length}</Button>
        </div>
      )}
    </Card>
  );
}

function ItemResult({ item }: { readonly item: wire.InboundReceiptItem }) {
  const { event_id: event, duplicate_of: first, reason = null, reason_code: code = null } = item;
  if (event !== undefined) return <IdLink to={paths.event(event)} id={event} />;
  if (first !== undefined) return <IdLink to={paths.receipt(first)} id={first} />;
  return (
    <span className="text-sm">
      <bdi>{reason}.</bdi> {reasonWords(code)}
    </span>
  );
}

const STATES = [
  ["ok", "accepted"],
  ["duplicate", "sent before"],
  ["unmapped", "unmapped"],
] as const;

function countsOf(items: readonly wire.InboundReceiptItem[]): string {
  if (items.length === 0) return "The list was empty, so that no event was fired.";
  const counts = STATES.flatMap(([status, word]) => {
    const count = items.filter((item) => item.status === status).length;
    return count === 0 ? [] : [`${count} ${word}`];
  });
  return `${counts.join(", ")}.`;
}
