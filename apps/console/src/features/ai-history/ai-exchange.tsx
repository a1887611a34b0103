import { readExact } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { paths } from "../../paths.ts";
import { ActorName, JsonBlock, Outcome } from "../../shared/shared.ts";
import { kindWords, sourceWords } from "./sources.ts";
import { Target } from "./target.tsx";
import { Card, KeyValue, Link, PageHeader, RelativeTime, ResourcePage, ShowAs } from "../../ui/ui.ts";

/** Shows one exchange with the model, from its input to its results. */
export function Screen() {
  return (
    <ResourcePage read={(id) => readExact("ai_history.get", { path: { id } })} heading="AI request">
      {(exchange) => <Exchange exchange={exchange} />}
    </ResourcePage>
  );
}

function Exchange({ exchange }: { readonly exchange: wire.AiExchange }) {
  return (
    <>
      <PageHeader
        title={exchange.trigger}
        mono
        back={{ to: paths.aiHistory, label: "AI history" }}
        status={<Outcome status={exchange.status} code={exchange.error_code} />}
        actions={<ShowAs operation="ai_history.get" input={{ path: { id: exchange.id } }} />}
      />
      <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,2fr)_minmax(16rem,1fr)]">
        <div className="flex min-w-0 flex-col gap-4">
          {exchange.kind === "question" || exchange.prompt !== "" ? (
            <TextCard title="Prompt" text={exchange.prompt || "The caller sent no prompt."} />
          ) : null}
          {exchange.source === "assistant" ? (
            <TextCard title="Response" text={exchange.response ?? "No response."} />
          ) : null}
          <Results results={exchange.results} />
          <Card title="Tool calls" description="Sent by the model, redacted.">
            <JsonBlock label="Tool calls" value={exchange.tool_calls.length === 0 ? null : exchange.tool_calls} />
          </Card>
        </div>
        <Card title="Details">
          <KeyValue
            rows={[
              { label: "Time", value: <RelativeTime at={exchange.created_at} /> },
              exchange.count === 1 ? null : { label: "Requests", value: <Repeats exchange={exchange} /> },
              { label: "Source", value: sourceWords(exchange.source) },
              { label: "Kind", value: kindWords(exchange.kind) },
              exchange.target === null ? null : { label: "Object", value: <Target target={exchange.target} /> },
              { label: "Requested by", value: <ActorName actor={exchange.actor} /> },
              exchange.client === null ? null : { label: "Client calls itself", value: <bdi>{exchange.client}</bdi> },
              exchange.event_id === null
                ? null
                : { label: "Event", value: <Link to={paths.event(exchange.event_id)}>{exchange.event_id}</Link> },
              ...(exchange.source === "assistant" ? ofModel(exchange) : []),
              exchange.error_code === null ? null : { label: "Error", value: <code>{exchange.error_code}</code> },
              exchange.request_id === null ? null : { label: "Request", value: <code>{exchange.request_id}</code> },
            ]}
          />
        </Card>
      </div>
    </>
  );
}

/** Returns the assistant's model and what it reported. */
function ofModel({ provider, model, duration_ms: duration, usage }: wire.AiExchange) {
  return [
    { label: "Model", value: model === null ? provider : `${provider}, ${model}` },
    { label: "Duration", value: duration === null ? "Unknown" : `${duration} ms` },
    { label: "Input tokens", value: usage.input_tokens ?? "Not reported" },
    { label: "Output tokens", value: usage.output_tokens ?? "Not reported" },
  ];
}

function Repeats({ exchange }: { readonly exchange: wire.AiExchange }) {
  return (
    <>
      {exchange.count}, the last <RelativeTime at={exchange.last_at} />
    </>
  );
}

function TextCard({ title, text }: { readonly title: string; readonly text: string }) {
  return (
    <Card title={title}>
      <bdi className="block max-h-96 overflow-y-auto break-words whitespace-pre-wrap" tabIndex={0}>
        {text}
      </bdi>
    </Card>
  );
}

function Results({ results }: { readonly results: readonly wire.AiActionResult[] }) {
  return (
    <Card title="Requested actions">
      {results.length === 0 ? <p className="text-muted">No requested actions.</p> : null}
      <ul className="flex flex-col divide-y divide-line">
        {results.map((result) => (
          <li
            key={`${result.tool_call_id ?? ""} ${result.proposal_id ?? ""} ${result.status} ${result.occurred_at}`}
            className="flex flex-wrap items-center gap-3 py-2"
          >
            <code className="break-all">{result.action}</code>
            <Outcome status={result.status} code={result.error_code} />
            {result.error_code === null ? null : <code className="text-xs text-bad">{result.error_code}</code>}
            {result.proposal_id === null ? null : <Link to={paths.approval(result.proposal_id)}>Proposal</Link>}
            {result.run_id === null ? null : <Link to={paths.run(result.run_id)}>Run</Link>}
            <span className="text-sm text-muted">
              <RelativeTime at={result.occurred_at} />
            </span>
            {result.result === null ? null : (
              <div className="min-w-0 basis-full">
                <JsonBlock label={`Result of ${result.action}, ${result.status}`} value={result.result} />
              </div>
            )}
          </li>
        ))}
      </ul>
    </Card>
  );
}
