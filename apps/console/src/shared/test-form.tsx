import { useWrite } from "../api/api.ts";
import type { wire } from "../api/api.ts";
import { useAccess } from "../session/session.ts";
import { Button, ErrorNote, Form, ShowAs, toastError } from "../ui/ui.ts";
import { outsideFields } from "./field-message.ts";
import { usePayload } from "./payload.ts";
import type { PastPayload } from "./payload.ts";
import { PayloadFields } from "./payload-fields.tsx";
import { TestResult } from "./test-result.tsx";

/** The target of a test: an endpoint, or a URL. */
export type TestTarget = Pick<wire.WebhookTestRequest, "endpoint_id" | "url">;

export interface TestFormProps {
  readonly target: TestTarget;
  /** The event to begin with. */
  readonly event: string;
  readonly onEvent: (event: string) => void;
  /** The data to begin with, in place of the example. */
  readonly begin?: PastPayload;
  /** Called after a test was posted. */
  readonly onSent?: () => void;
}

/** Signs an event and shows it, or posts it and shows the answer. Not retried, and not in the log. */
export function TestForm({ target, event, onEvent, onSent, begin }: TestFormProps) {
  const payload = usePayload(event, begin);
  const test = useWrite("webhooks.test");
  const access = useAccess();
  const may = access.may("webhooks.test");
  const mayTakeLast = access.portal === undefined || access.may("events.list");
  const { data } = payload;
  const send = (isDry: boolean) => {
    if (data === undefined) return;
    test.mutate({ body: { ...target, event, data, dry_run: isDry } }, { onSuccess: () => onSent?.() });
  };
  const failure = outsideFields(test.error, ["/event", "/data"]);
  return (
    <div className="flex flex-col gap-4">
      <Form judge="service" onSubmit={() => send(false)}>
        <PayloadFields event={event} onEvent={onEvent} payload={payload} lines={9} error={test.error} />
        <div className="flex flex-wrap items-center gap-2">
          <Button type="submit" variant="primary" isDisabled={!may || data === undefined} isPending={test.isPending}>
            Send test
          </Button>
          <Button isDisabled={!may || data === undefined} onPress={() => send(true)}>
            Dry run
          </Button>
          <Button variant="quiet" onPress={payload.takeExample}>
            Use example
          </Button>
          {mayTakeLast ? (
            <Button variant="quiet" onPress={() => void payload.takeLast().catch(toastError)}>
              Use last event
            </Button>
          ) : null}
          <ShowAs operation="webhooks.test" input={{ body: { ...target, event, data: data ?? {} } }} />
        </div>
      </Form>
      {failure === null ? null : <ErrorNote error={failure} />}
      {test.data === undefined ? null : <TestResult test={test.data} />}
    </div>
  );
}
