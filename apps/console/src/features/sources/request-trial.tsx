import { Upload } from "lucide-react";
import { useState } from "react";
import { FileTrigger } from "react-aria-components";
import { useWrite } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { dataUrlOf, fieldMessage } from "../../shared/shared.ts";
import { Button, Card, Form, JsonTree, KeyValue, Table, TextField, toast } from "../../ui/ui.ts";
import { comparedWords, readingRows } from "./body-reading.ts";
import { fieldsOf } from "./extracted.ts";
import { ReceiptLight } from "./receipt-states.tsx";

const EXAMPLE = 'POST /hook HTTP/1.1\nContent-Type: application/json\n\n{"id":"evt_1"}';
/** A request can have a body of 1 MiB, and 64 KiB of headers. */
const MAX_FILE_BYTES = 1_114_112;
const SHOWN_ITEMS = 100;

export interface RequestTrialProps {
  readonly source: wire.InboundEndpoint;
  readonly mapping: wire.InboundTrialMapping;
}

/** Reads a request that someone copied or captured with the mapping above, saved or not. Nothing is stored or fired. */
export function RequestTrial({ source, mapping }: RequestTrialProps) {
  const [request, setRequest] = useState("");
  const trial = useWrite("inbound_endpoints.preview", { exact: true });
  const { error } = trial;
  const send = (input: wire.InboundTrial): void =>
    trial.mutate({ path: { id: source.id }, body: { ...input, mapping } });
  const problem = ["/request", "/request_base64", "/body_base64"]
    .map((pointer) => fieldMessage(error, pointer))
    .find((message) => message !== undefined);
  return (
    <Card
      title="Try a request"
      description="Paste a request as it came, with its headers, or choose a file that contains a request or a body. Nothing is stored, and no event is fired. The signature is not checked."
    >
      <div className="grid grid-cols-1 items-start gap-4 xl:grid-cols-2">
        <Form label="Try a request" judge="service" error={error} onSubmit={() => send({ request })}>
          <TextField
            label="Request"
            lines={8}
            mono
            spellCheck="false"
            placeholder={EXAMPLE}
            value={request}
            onChange={setRequest}
            error={problem}
          />
          <div className="flex flex-wrap gap-2">
            <Button type="submit" isPending={trial.isPending}>
              Preview request
            </Button>
            <FileTrigger
              onSelect={(files) => {
                const file = files?.item(0) ?? null;
                if (file !== null) void trialOfFile(file).then(send, (refusal: Error) => toast(refusal.message));
              }}
            >
              <Button icon={<Upload aria-hidden size={15} />} isDisabled={trial.isPending}>
                Choose file
              </Button>
            </FileTrigger>
          </div>
        </Form>
        {trial.data === undefined || trial.isPending ? null : <TrialResult preview={trial.data} />}
      </div>
    </Card>
  );
}

/** Returns the trial of a file: a whole request, or else a body of the type that the browser knows of it. */
async function trialOfFile(file: File): Promise<wire.InboundTrial> {
  if (file.size > MAX_FILE_BYTES)
    throw new Error("The file is larger than 1 MiB, which is the most that a source takes.");
  const url = await dataUrlOf(file);
  const bytes = url.slice(url.indexOf(",") + 1);
  const start = await file.slice(0, 20).text();
  if (/^\s*[A-Z]+ /.test(start)) return { request_base64: bytes };
  return { body_base64: bytes, ...(file.type === "" ? {} : { headers: { "Content-Type": file.type } }) };
}

function TrialResult({ preview }: { readonly preview: wire.InboundPreview }) {
  const { event, reason, items, extracted, warnings, payload } = preview;
  const more = warnings.filter((one) => !extracted.warnings.some(({ message }) => message === one.message));
  return (
    <div className="flex min-w-0 flex-col gap-4" role="region" aria-label="Result of the request" aria-live="polite">
      <div>
        <ReceiptLight result={preview} />
        {reason === null ? null : (
          <p className="text-sm">
            <bdi>{reason}.</bdi>
          </p>
        )}
      </div>
      <KeyValue
        rows={[
          event === null ? null : { label: "Event", value: <bdi>{event}</bdi> },
          ...readingRows(preview.read),
          items === null && preview.status === "ok"
            ? { label: "Compared by", value: comparedWords(preview.compared_by) }
            : null,
          ...(items === null ? fieldsOf(extracted) : []).map(({ label, text }) =>
            text === null ? null : { label, value: <bdi>{text}</bdi> },
          ),
        ]}
      />
      {[...more, ...extracted.warnings].map((warning) => (
        <p key={`${warning.field} ${warning.message}`} className="text-sm text-warn">
          {warning.field}: {warning.message}
        </p>
      ))}
      {items === null ? null : <TrialItems items={items} />}
      {payload === null ? null : <JsonTree label="Body as JSON" text={JSON.stringify(payload)} depth={3} />}
    </div>
  );
}

function TrialItems({ items }: { readonly items: readonly wire.InboundPreviewItem[] }) {
  const rows = items.slice(0, SHOWN_ITEMS).map((item, index) => ({ ...item, position: index + 1 }));
  return (
    <div>
      <Table
        label="Elements of the list"
        rows={rows}
        keyOf={({ position }) => String(position)}
        columns={[
          { header: "Element", cell: ({ position }) => position },
          { header: "State", cell: (item) => <ReceiptLight result={item} /> },
          { header: "Event", cell: ({ event, reason }) => <bdi className="break-all">{event ?? reason}</bdi> },
          {
            header: "Compared by",
            from: "md",
            cell: (item) => (item.status === "ok" ? comparedWords(item.compared_by) : ""),
          },
        ]}
      />
      {items.length > SHOWN_ITEMS ? (
        <p className="text-sm text-muted">
          The first {SHOWN_ITEMS} of {items.length} elements.
        </p>
      ) : null}
    </div>
  );
}
