import { useWrite } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { useAccess } from "../../session/session.ts";
import { Button, Card, ErrorNote, labelOf, ShowAs } from "../../ui/ui.ts";

/** Connects to the broker of an endpoint, and shows the step that failed. */
export function ConnectionCard({ endpoint }: { readonly endpoint: wire.WebhookEndpoint }) {
  const test = useWrite("webhook_endpoints.test_connection", { refreshes: [] });
  const may = useAccess().may("webhook_endpoints.test_connection");
  const path = { id: endpoint.id };
  return (
    <Card title="Connection" description="Connects and signs in as a delivery does. No message is sent.">
      <div className="flex flex-col gap-3">
        {test.data === undefined ? null : <Result result={test.data} />}
        {test.isError ? <ErrorNote error={test.error} /> : null}
        <div className="flex gap-2">
          <Button isDisabled={!may} isPending={test.isPending} onPress={() => test.mutate({ path })}>
            Test connection
          </Button>
          <ShowAs operation="webhook_endpoints.test_connection" input={{ path }} />
        </div>
      </div>
    </Card>
  );
}

const MARKS: Readonly<Record<string, string>> = { passed: "✓", failed: "✕" };

function Result({ result }: { readonly result: wire.ConnectionTest }) {
  return (
    <div role="status" className="flex flex-col gap-2 text-sm">
      <ul className="flex flex-wrap gap-x-4 gap-y-1">
        {result.steps.map(({ step, state }) => (
          <li key={step} className={state === "failed" ? "font-medium text-bad" : "text-muted"}>
            <span aria-hidden>{MARKS[state] ?? "–"}</span> {labelOf(step)}
            <span className="sr-only">: {labelOf(state)}</span>
          </li>
        ))}
      </ul>
      <p className="wrap-anywhere">
        {result.error === null ? `Connected in ${result.duration_ms} ms.` : result.error.detail}
      </p>
    </div>
  );
}
