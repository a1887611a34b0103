import { useState } from "react";
import { useWrite } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { useAccess } from "../../session/session.ts";
import { fieldMessage, headerText, outsideFields, readObject, useEventTypes } from "../../shared/shared.ts";
import { Button, Card, CodeBlock, ErrorNote, Form, prettyJson, TextField } from "../../ui/ui.ts";

interface TransformTestProps {
  readonly endpoint: wire.WebhookEndpoint;
  /** The transformation as it is being written. */
  readonly transform: wire.Transform;
  readonly isFaulty: boolean;
}

/** Shows what a transformation makes of an event, before it is saved. */
export function TransformTest({ endpoint, transform, isFaulty }: TransformTestProps) {
  const { all } = useEventTypes();
  const first = endpoint.events.find((name) => !name.endsWith("*")) ?? all[0]?.name ?? "order.created";
  const [event, setEvent] = useState(first);
  const [data, setData] = useState('{\n  "total": 120.50\n}');
  const { may } = useAccess();
  const test = useWrite("webhook_endpoints.transform.test", { exact: true });
  const written = readObject(data);
  const given = event.startsWith("evt_") ? { event_id: event } : { event, data: written ?? {} };
  const run = (): void => test.mutate({ path: { id: endpoint.id }, body: { ...given, transform } });
  return (
    <Card title="Test" description="Shows what the transformation above makes of an event. Nothing is sent or saved.">
      <Form judge="service" onSubmit={run}>
        <TextField
          label="Event type or event ID"
          mono
          value={event}
          onChange={setEvent}
          error={fieldMessage(test.error, "/event") ?? fieldMessage(test.error, "/event_id")}
        />
        {event.startsWith("evt_") ? null : (
          <TextField
            label="Data as JSON"
            mono
            lines={5}
            spellCheck="false"
            value={data}
            onChange={setData}
            error={written === undefined ? "Enter a valid JSON object." : fieldMessage(test.error, "/data")}
          />
        )}
        {outsideFields(test.error, ["/event", "/event_id", "/data"]) === null ? null : <ErrorNote error={test.error} />}
        <div className="flex">
          <Button
            type="submit"
            isDisabled={isFaulty || written === undefined || !may("webhook_endpoints.transform.test")}
            isPending={test.isPending}
          >
            Test
          </Button>
        </div>
      </Form>
      {test.data === undefined ? null : <TestResult result={test.data} />}
    </Card>
  );
}

function TestResult({ result }: { readonly result: wire.TransformTestResult }) {
  const { before, after, filtered, error, log } = result;
  return (
    <div role="status" aria-label="Result of the test" className="mt-4 flex min-w-0 flex-col gap-3">
      {error === null ? null : <p className="rounded-xl bg-bad-soft px-4 py-3 text-bad">{error}</p>}
      {filtered ? <p className="text-muted">Filtered: nothing would be sent.</p> : null}
      <p className="text-sm font-medium">Before</p>
      <CodeBlock label="Event before the transformation" text={prettyJson(before)} />
      {after === null ? null : (
        <>
          <p className="text-sm font-medium">After: {after.method}</p>
          {Object.keys(after.headers).length === 0 ? null : (
            <CodeBlock label="Headers of the transformation" text={headerText(after.headers)} />
          )}
          <CodeBlock label="Body after the transformation" text={prettyJson(after.body)} />
        </>
      )}
      {log.length === 0 ? null : <CodeBlock label="Log of the transformation" text={log.join("\n")} />}
    </div>
  );
}
