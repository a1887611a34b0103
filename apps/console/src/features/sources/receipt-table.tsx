import type { wire } from "../../api/api.ts";
import { paths } from "../../paths.ts";
import { Badge, Link, RelativeTime, Table } from "../../ui/ui.ts";
import { isHandshake, ReceiptLight, receiptReason, receiptTitle, signatureWord } from "./receipt-states.tsx";

export function ReceiptTable({ rows }: { readonly rows: readonly wire.InboundReceipt[] }) {
  return (
    <Table
      label="Receipts"
      rows={rows}
      columns={[
        {
          header: "Event type",
          cell: (receipt) => (
            <span className="flex min-w-0 flex-col">
              <Link to={paths.receipt(receipt.id)} look="plain" className="w-fit font-medium break-all hover:underline">
                <bdi>{receiptTitle(receipt)}</bdi>
              </Link>
              <bdi className="line-clamp-1 text-xs break-all text-muted">
                {receipt.extracted.summary ?? receiptReason(receipt) ?? receipt.extracted.contact_email}
              </bdi>
            </span>
          ),
        },
        { header: "State", cell: (receipt) => <ReceiptLight result={receipt} /> },
        {
          header: "Signature",
          from: "md",
          cell: (receipt) =>
            receipt.signed || isHandshake(receipt) ? signatureWord(receipt) : <Badge tone="bad">Invalid</Badge>,
        },
        {
          header: "Contact",
          from: "md",
          cell: (receipt) =>
            receipt.contact_id === null ? (
              ""
            ) : (
              <Link to={paths.contact(receipt.contact_id)} look="plain" className="break-all hover:underline">
                <bdi>{receipt.extracted.contact_email ?? receipt.contact_id}</bdi>
              </Link>
            ),
        },
        { header: "Received", cell: (receipt) => <RelativeTime at={receipt.created_at} /> },
      ]}
    />
  );
}
