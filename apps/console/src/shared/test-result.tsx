import { useState } from "react";
import type { wire } from "../api/api.ts";
import { Card, CodeBlock, JsonTree, KeyValue, StatusLight, Tabs } from "../ui/ui.ts";
import { usePortal } from "../session/session.ts";
import { explainFailure } from "./failures.ts";
import { curlOf, headerText } from "./request-text.ts";
import { SecretLine } from "./secret-line.tsx";

/** Shows the signed request and the response. A receiver's failure is a response too. */
export function TestResult({ test }: { readonly test: wire.WebhookTest }) {
  const [tab, setTab] = useState("body");
  const { request, response } = test;
  return (
    <Card title={test.dry_run ? "Signed, not sent" : "Response"} stacked>
      <Verdict test={test} />
      {response === null ? null : (
        <>
          <KeyValue
            rows={[
              { label: "Status", value: <span className="tabular font-mono">{response.status}</span> },
              { label: "Duration", value: `${Math.round(response.latency_ms)} ms` },
            ]}
          />
          <CodeBlock
            label="Response body"
            text={response.body_snippet === "" ? "(empty body)" : response.body_snippet}
            maxHeight="12rem"
          />
        </>
      )}
      <Tabs
        label="Request"
        selected={tab}
        onSelect={setTab}
        tabs={[
          { id: "body", label: "Body", content: <JsonTree label="Body" text={request.body} depth={2} /> },
          { id: "raw", label: "Exact bytes", content: <CodeBlock label="Exact bytes" text={request.body} /> },
          {
            id: "headers",
            label: "Headers",
            content: <CodeBlock label="Headers sent" text={headerText(request.headers)} />,
          },
          { id: "signature", label: "Signature", content: <Signature test={test} /> },
          ...(response === null
            ? []
            : [
                {
                  id: "answer",
                  label: "Response headers",
                  content: <CodeBlock label="Response headers" text={headerText(response.headers)} />,
                },
              ]),
          { id: "curl", label: "curl", content: <CodeBlock label="curl command" text={curlOf(request)} /> },
        ]}
      />
    </Card>
  );
}

function Verdict({ test: { dry_run: isDry, error, response } }: { readonly test: wire.WebhookTest }) {
  const isCustomer = usePortal() !== undefined;
  if (isDry) {
    return (
      <p role="status">
        <StatusLight tone="info">Dry run: nothing was sent</StatusLight>
      </p>
    );
  }
  const status = response?.status ?? null;
  if (error === null && status !== null && status >= 200 && status < 300) {
    return (
      <p role="status">
        <StatusLight tone="good">Delivered</StatusLight>
      </p>
    );
  }
  const failure = explainFailure({ errorClass: error?.class ?? "http_status", statusCode: status }, { isCustomer });
  return (
    <div role="status" className="flex flex-col gap-1">
      <StatusLight tone="bad">Failed</StatusLight>
      <p>
        {failure?.what} <span className="text-muted">({error?.detail ?? `status ${status}`})</span>
      </p>
      <p className="text-muted">{failure?.advice}</p>
    </div>
  );
}

function Signature({ test }: { readonly test: wire.WebhookTest }) {
  return (
    <div className="flex flex-col gap-3">
      <p className="text-sm text-muted">
        Hex HMAC-SHA256 of the text below. The key is the secret as shown. Sent as X-Service-Signature.
      </p>
      <CodeBlock label="Signed text" text={test.string_to_sign} maxHeight="8rem" />
      <CodeBlock label="Signature" text={test.signature} />
      {test.secret === undefined ? null : <SecretLine label="Secret (for this test only)" secret={test.secret} />}
    </div>
  );
}
