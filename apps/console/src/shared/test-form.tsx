import { Form } from "react-aria-components";
import { useWrite } from "../api/api.ts";
import type { wire } from "../api/api.ts";
import { useAccess } from "../session/session.ts";
import { Button, ComboBox, ErrorNote, ShowAs, TextField, toastError } from "../ui/ui.ts";
import { objectOf, usePayload } from "./payload.ts";
import { isOutsideFields, problemAt } from "./field-message.ts";
import { TestResult } from "./test-result.tsx";

/** Where a test goes: an endpoint, or an address. */
export type TestTarget = Pick<wire.WebhookTestRequest, "endpoint_id" | "url">;

export interface TestFormProps {
  readonly target: TestTarget;
  /** The event to begin with. */
  readonly event: string;
  readonly onEvent: (event: string) => void;
  /** After something was posted. */
  readonly onSent?: () => void;
}

/** Signs an event and shows it, or posts it and shows the answer. Not retried, and not in the log. */
export function TestForm({ target, event, onEvent, onSent }: TestFormProps) {
  const payload = usePayload(event);
  const test = useWrite("webhooks.test");
  const may = useAccess().may("webhooks.test");
  const data = objectOf(payload.text);
  const send = (isDry: boolean) => {
    if (data === undefined) return;
    test.mutate({ body: { ...target, event, data, dry_run: isDry } }, { onSuccess: () => onSent?.() });
  };
  return (
    <div className="flex flex-col gap-4">
      <Form
        validationBehavior="aria"
        className="flex flex-col gap-4"
        onSubmit={(submitted) => {
          submitted.preventDefault();
          send(false);
        }}
      >
        <ComboBox
          label="Event"
          options={payload.options}
          value={event}
          onChange={onEvent}
          mono
          {...optional(problemAt(test.error, "/event"))}
        />
        <TextField
          label="Data"
          lines={9}
          mono
          value={payload.text}
          onChange={payload.setText}
          spellCheck="false"
          description={payload.from}
          error={data === undefined ? "This is no JSON object." : problemAt(test.error, "/data")}
        />
        <div className="flex flex-wrap items-center gap-2">
          <Button type="submit" variant="primary" isDisabled={!may || data === undefined} isPending={test.isPending}>
            Send
          </Button>
          <Button isDisabled={!may || data === undefined} onPress={() => send(true)}>
            Dry run
          </Button>
          <Button variant="quiet" onPress={payload.takeExample}>
            Use the example
          </Button>
          <Button variant="quiet" onPress={() => void payload.takeLast().catch(toastError)}>
            Use the last real one
          </Button>
          <ShowAs operation="webhooks.test" input={{ body: { ...target, event, data: data ?? {} } }} />
        </div>
      </Form>
      {isOutsideFields(test.error, ["/event", "/data"]) ? <ErrorNote error={test.error} /> : null}
      {test.data === undefined ? null : <TestResult test={test.data} />}
    </div>
  );
}

function optional(error: string | undefined): { readonly error?: string } {
  return error === undefined ? {} : { error };
}
