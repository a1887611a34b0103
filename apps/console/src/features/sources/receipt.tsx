import { useQuery } from "@tanstack/react-query";
import { RefreshCw } from "lucide-react";
import { read, useWrite } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { paths } from "../../paths.ts";
import { useAccess } from "../../session/session.ts";
import {
  Button,
  Card,
  CopiedId,
  CopyButton,
  Disclosure,
  IdLink,
  JsonTree,
  KeyValue,
  Link,
  PageHeader,
  RelativeTime,
  ResourcePage,
  ShowAs,
  toast,
  toastError,
} from "../../ui/ui.ts";
import type { KeyValueRow } from "../../ui/ui.ts";
import { readingRows } from "./body-reading.ts";
import { fieldsOf } from "./extracted.ts";
import { ReceiptItems } from "./receipt-items.tsx";
import {
  isHandshake,
  reasonWords,
  ReceiptLight,
  receiptReason,
  receiptTitle,
  receiptWords,
  signatureWord,
} from "./receipt-states.tsx";

/** Shows one request as it came, the values read from it, and a button that reads it again. */
export function Screen() {
  return (
    <ResourcePage read={(id) => read("inbound_receipts.get", { path: { id } })} heading="Receipt">
      {(receipt) => <Receipt receipt={receipt} />}
    </ResourcePage>
  );
}

function Receipt({ receipt }: { readonly receipt: wire.InboundReceiptDetail }) {
  const reason = receiptReason(receipt);
  const access = useAccess();
  const reprocess = useWrite("inbound_receipts.reprocess", { refreshes: ["inbound_receipts.", "contacts."] });
  return (
    <>
      <PageHeader
        title={receiptTitle(receipt)}
        back={{ to: paths.receipts, label: "Receipts" }}
        status={<ReceiptLight result={receipt} />}
        description={
          <>
            {receipt.items === null ? receiptWords(receipt).means : "The request was a list of events."}{" "}
            {reason === null ? null : <bdi>{reason}.</bdi>} {reasonWords(receipt.reason_code)}
          </>
        }
        actions={
          <>
            <ShowAs operation="inbound_receipts.get" input={{ path: { id: receipt.id } }} />
            <Button
              icon={<RefreshCw aria-hidden size={15} />}
              isPending={reprocess.isPending}
              isDisabled={!access.may("inbound_receipts.reprocess") || !receipt.signed || isHandshake(receipt)}
              onPress={() =>
                reprocess.mutate(
                  { path: { id: receipt.id } },
                  {
                    onSuccess: (now) => toast(`Receipt reprocessed: ${receiptWords(now).word.toLowerCase()}.`),
                    onError: toastError,
                  },
                )
              }
            >
              Reprocess receipt
            </Button>
          </>
        }
      />
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <div className="flex min-w-0 flex-col gap-4">
          <Card title="Extracted values">
            <Extracted receipt={receipt} />
            {(receipt.extracted.warnings ?? []).map((warning) => (
              <p key={`${warning.field} ${warning.message}`} className="mt-2 text-sm text-warn">
                {warning.field}: {warning.message}
              </p>
            ))}
          </Card>
          <Card title="Details">
            <KeyValue rows={facts(receipt)} />
          </Card>
          {receipt.items === null ? null : <ReceiptItems items={receipt.items} />}
          <Headers headers={receipt.headers} />
        </div>
        <Card
          title="Request body"
          description={bodyWords(receipt)}
          actions={<CopyButton text={receipt.raw_payload} label="Copy body" />}
        >
          <JsonTree label="Body" text={receipt.raw_payload} depth={4} />
        </Card>
      </div>
    </>
  );
}

function bodyWords({ payload_bytes: bytes, ...receipt }: wire.InboundReceiptDetail): string {
  const cut = receipt.raw_payload_truncated
    ? ", of which only the first 4 KiB are stored, because the request was not signed"
    : "";
  return `${bytes.toLocaleString("en")} bytes${cut}.${receipt.raw_payload_encoding === "base64" ? " They are not text, and shown in base64." : ""}`;
}

function Extracted({ receipt }: { readonly receipt: wire.InboundReceiptDetail }) {
  if (isHandshake(receipt)) return <p className="text-muted">Not extracted: the request only checked the URL.</p>;
  if (!receipt.signed) return <p className="text-muted">Not extracted: the signature is invalid.</p>;
  return (
    <KeyValue
      rows={fieldsOf(receipt.extracted).map(({ label, text }) => ({
        label,
        value: text === null ? <span className="text-muted">Not found</span> : <bdi>{text}</bdi>,
      }))}
    />
  );
}

function Headers({ headers }: Pick<wire.InboundReceiptDetail, "headers">) {
  const lines = Object.entries(headers);
  return (
    <Card title="Request headers" description="As received, without credentials.">
      {lines.length === 0 ? (
        <p className="text-muted">No headers were stored.</p>
      ) : (
        <Disclosure title={lines.length === 1 ? "1 header" : `${lines.length} headers`}>
          <dl className="flex flex-col gap-2 text-xs">
            {lines.map(([name, value]) => (
              <div key={name}>
                <dt className="break-all text-muted">
                  <bdi>{name}</bdi>
                </dt>
                <dd className="font-mono break-all">
                  <bdi>{value}</bdi>
                </dd>
              </div>
            ))}
          </dl>
        </Disclosure>
      )}
    </Card>
  );
}

function facts(receipt: wire.InboundReceiptDetail): (KeyValueRow | null)[] {
  return [
    { label: "Source", value: <SourceLink id={receipt.source_id} /> },
    { label: "Signature", value: signatureWord(receipt) },
    ...readingRows(receipt.read),
    { label: "Received", value: <RelativeTime at={receipt.created_at} /> },
    receipt.contact_id === null
      ? null
      : {
          label: "Contact",
          value: (
            <Link to={paths.contact(receipt.contact_id)} className="break-all">
              <bdi>{receipt.extracted.contact_email ?? receipt.contact_id}</bdi>
            </Link>
          ),
        },
    receipt.event_id === null
      ? null
      : { label: "Event", value: <IdLink to={paths.event(receipt.event_id)} id={receipt.event_id} /> },
    receipt.duplicate_of === null
      ? null
      : { label: "Duplicate of", value: <IdLink to={paths.receipt(receipt.duplicate_of)} id={receipt.duplicate_of} /> },
    receipt.reprocessed_at === null
      ? null
      : { label: "Reprocessed", value: <RelativeTime at={receipt.reprocessed_at} /> },
    { label: "ID", value: <CopiedId id={receipt.id} what="receipt" /> },
  ];
}

function SourceLink({ id }: { readonly id: string }) {
  const { data } = useQuery(read("inbound_endpoints.get", { path: { id } }));
  return (
    <Link to={paths.source(id)} className="break-words">
      <bdi>{data === undefined || data.name === "" ? id : data.name}</bdi>
    </Link>
  );
}
