import { useQuery } from "@tanstack/react-query";
import { RefreshCw } from "lucide-react";
import { read, useWrite } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { fieldsOf, ReceiptLight, receiptWords } from "../../inbound/inbound.ts";
import { paths } from "../../paths.ts";
import { useAccess } from "../../session/session.ts";
import {
  Button,
  Card,
  CopyButton,
  JsonTree,
  KeyValue,
  Link,
  Loaded,
  PageHeader,
  RelativeTime,
  ShowAs,
  toast,
  toastError,
  usePathParameter,
} from "../../ui/ui.ts";
import type { KeyValueRow } from "../../ui/ui.ts";

/** One request as it came, what was read from it, and a button that reads it anew. */
export function Screen() {
  const id = usePathParameter("id");
  const query = useQuery(read("inbound_receipts.get", { path: { id } }));
  return (
    <Loaded query={query} label="Loading the receipt" page="Receipt">
      {(receipt) => <Receipt receipt={receipt} />}
    </Loaded>
  );
}

function Receipt({ receipt }: { readonly receipt: wire.InboundReceiptDetail }) {
  const access = useAccess();
  const reprocess = useWrite("inbound_receipts.reprocess", { refreshes: ["inbound_receipts.", "contacts."] });
  return (
    <>
      <PageHeader
        title={receipt.event_type ?? "A request that could not be read"}
        back={{ to: paths.receipts, label: "Receipts" }}
        status={<ReceiptLight status={receipt.status} />}
        description={
          <>
            {receiptWords(receipt.status).means} {receipt.reason === null ? null : <bdi>{receipt.reason}</bdi>}
          </>
        }
        actions={
          <>
            <ShowAs operation="inbound_receipts.get" input={{ path: { id: receipt.id } }} />
            <Button
              icon={<RefreshCw aria-hidden size={15} />}
              isPending={reprocess.isPending}
              isDisabled={!access.may("inbound_receipts.reprocess") || !receipt.signed}
              onPress={() =>
                reprocess.mutate(
                  { path: { id: receipt.id } },
                  {
                    onSuccess: (now) => toast(`It was read anew: ${receiptWords(now.status).word.toLowerCase()}.`),
                    onError: toastError,
                  },
                )
              }
            >
              Reprocess
            </Button>
          </>
        }
      />
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <div className="flex min-w-0 flex-col gap-4">
          <Card title="What was read">
            <KeyValue
              rows={fieldsOf(receipt.extracted).map(({ label, text }) => ({
                label,
                value: text === null ? <span className="text-muted">not found</span> : <bdi>{text}</bdi>,
              }))}
            />
            {(receipt.extracted.warnings ?? []).map((warning) => (
              <p key={`${warning.field} ${warning.message}`} className="mt-2 text-sm text-warn">
                {warning.field}: {warning.message}
              </p>
            ))}
          </Card>
          <Card title="About it">
            <KeyValue rows={facts(receipt)} />
          </Card>
        </div>
        <Card
          title="What came"
          description={`${receipt.payload_bytes.toLocaleString("en")} bytes${receipt.raw_payload_truncated ? ", of which the first 4 KiB were kept, since it was not signed" : ""}.`}
          actions={<CopyButton text={receipt.raw_payload} label="Copy the payload" />}
        >
          <JsonTree label="Payload" text={receipt.raw_payload} depth={4} />
        </Card>
      </div>
    </>
  );
}

function facts(receipt: wire.InboundReceiptDetail): KeyValueRow[] {
  const some: (KeyValueRow | null)[] = [
    { label: "Source", value: <Link to={paths.source(receipt.source_id)}>Open it</Link> },
    { label: "Signature", value: receipt.signed ? "good" : "not good" },
    { label: "Came", value: <RelativeTime at={receipt.created_at} /> },
    receipt.reason_code === null ? null : { label: "Reason", value: <code>{receipt.reason_code}</code> },
    receipt.contact_id === null
      ? null
      : { label: "Contact", value: <Link to={paths.contact(receipt.contact_id)}>Open the timeline</Link> },
    receipt.event_id === null
      ? null
      : { label: "Event", value: <Link to={paths.event(receipt.event_id)}>What it fired</Link> },
    receipt.duplicate_of === null
      ? null
      : { label: "Repeats", value: <Link to={paths.receipt(receipt.duplicate_of)}>The first one</Link> },
    receipt.reprocessed_at === null
      ? null
      : { label: "Read anew", value: <RelativeTime at={receipt.reprocessed_at} /> },
    { label: "Id", value: <code className="text-xs break-all">{receipt.id}</code> },
  ];
  return some.filter((one) => one !== null);
}
