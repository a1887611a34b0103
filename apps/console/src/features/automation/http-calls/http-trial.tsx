import { useWrite } from "../../../api/api.ts";
import type { wire } from "../../../api/api.ts";
import { useAccess } from "../../../session/session.ts";
import { problemsOf, pretty, readObject } from "../../../shared/shared.ts";
import { Button, Disclosure, ErrorNote, messageOf, ShowAs, TextField } from "../../../ui/ui.ts";
import { PastEvent } from "../past-event.tsx";
import { useSample } from "../sample.tsx";
import { RequestText, ResponseText } from "./call-texts.tsx";
import { trialOf, useDryRun } from "./use-trial.ts";

export interface HttpTrialProps {
  /** The call as the definition has it. */
  readonly request: Readonly<Record<string, unknown>>;
  /** The name under which later steps read the response. */
  readonly outputId: string;
  /** The ids of the steps whose outputs the call can read. */
  readonly earlier: readonly string[];
}

/** Shows the exact request of a call with the sample's values, and sends it once on request. */
export function HttpTrial({ request, outputId, earlier }: HttpTrialProps) {
  const sample = useSample();
  const access = useAccess();
  const trial = trialOf(request, sample);
  const dryRun = useDryRun(trial);
  const send = useWrite("http_calls.test", { exact: true });
  const onSend = (): void =>
    send.mutate(
      { body: trial },
      {
        onSuccess: ({ response }) => {
          if (response === null) return;
          const { status, headers, body, text } = response;
          sample.change({ outputs: { ...sample.outputs, [outputId]: pretty({ status, headers, body, text }) } });
        },
      },
    );
  const may = access.may("http_calls.test");
  return (
    <section aria-label="Request preview" className="flex min-w-0 flex-col gap-3 rounded-lg border border-line p-3">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h3 className="text-sm font-semibold">Request</h3>
        <ShowAs operation="http_calls.test" input={{ body: trial }} />
      </div>
      {may ? null : <p className="text-sm text-muted">Your role ({access.role}) can't test HTTP calls.</p>}
      {dryRun.error === null ? (
        dryRun.data === undefined ? null : (
          <RequestText request={dryRun.data.request} />
        )
      ) : (
        <Incomplete error={dryRun.error} />
      )}
      <SampleFields earlier={earlier} />
      <div className="flex flex-wrap items-center gap-3">
        <Button isDisabled={!may || dryRun.error !== null} isPending={send.isPending} onPress={onSend}>
          Send request
        </Button>
        <p className="text-xs text-muted">Sends it once, with the secret. Nothing is stored.</p>
      </div>
      {send.error === null ? null : <ErrorNote error={send.error} />}
      {send.data === undefined ? null : <TrialResult result={send.data} />}
    </section>
  );
}

/** The reasons why there is no request yet. They are not errors of the form until it is saved. */
function Incomplete({ error }: { readonly error: Error }) {
  const fields = problemsOf([], error);
  if (fields.length === 0) return <ErrorNote error={error} />;
  return (
    <div role="status" className="text-sm text-muted">
      <p>{messageOf(error)}</p>
      <ul className="list-disc pl-5">
        {fields.map(({ pointer, message }) => (
          <li key={`${pointer} ${message}`} className="break-words">
            <code>{pointer.replace(/^\/request\/?/, "") || "request"}</code> {message}
          </li>
        ))}
      </ul>
    </div>
  );
}

function TrialResult({ result }: { readonly result: wire.HttpCallTestResult }) {
  return (
    <div role="status" aria-label="Response to the test" className="flex flex-col gap-2">
      <h3 className="text-sm font-semibold">Response</h3>
      <ResponseText
        response={result.response}
        succeeded={result.succeeded === true}
        error={result.error}
        durationMs={result.duration_ms}
      />
    </div>
  );
}

function SampleFields({ earlier }: Pick<HttpTrialProps, "earlier">) {
  const sample = useSample();
  return (
    <Disclosure title="Sample values">
      <div className="flex flex-col gap-3">
        <PastEvent value="" onChange={({ event, data }) => sample.change({ event, data: pretty(data) })} />
        <TextField
          label="Sample data"
          description="The data of the event in this preview. It is not saved."
          mono
          lines={5}
          value={sample.data}
          onChange={(data) => sample.change({ data })}
          error={readObject(sample.data) === undefined ? "Enter a valid JSON object." : undefined}
        />
        {earlier.map((id) => (
          <TextField
            key={id}
            label={`Sample output of ${id}`}
            mono
            lines={3}
            placeholder="{}"
            value={sample.outputs[id] ?? ""}
            onChange={(text) => sample.change({ outputs: { ...sample.outputs, [id]: text } })}
          />
        ))}
      </div>
    </Disclosure>
  );
}
