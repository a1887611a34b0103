import type { wire } from "../../../api/api.ts";
import { headerText } from "../../../shared/shared.ts";
import { CodeBlock, prettyJson, StatusLight } from "../../../ui/ui.ts";

/** A request as it is sent, without secrets. */
export function RequestText({ request }: { readonly request: wire.HttpCallRequest }) {
  const { method, url, headers, body } = request;
  const text = [`${method} ${url}`, headerText(headers), ...(body === null ? [] : ["", prettyJson(body)])].join("\n");
  return <CodeBlock label="Request text" text={text} />;
}

export interface ResponseTextProps {
  readonly response: wire.HttpCallResponse | null;
  readonly succeeded: boolean;
  readonly error: string | null;
  readonly durationMs: number | null;
}

/** The outcome of a call, with its response. */
export function ResponseText({ response, succeeded, error, durationMs }: ResponseTextProps) {
  return (
    <div className="flex flex-col gap-2">
      <p className="flex flex-wrap items-center gap-x-3 text-sm">
        <StatusLight tone={succeeded ? "good" : "bad"}>{succeeded ? "Succeeded" : "Failed"}</StatusLight>
        <span className="tabular">
          {response === null ? "No response" : `Status ${response.status ?? "unknown"}`}
          {durationMs === null ? "" : `, ${durationMs} ms`}
        </span>
      </p>
      {error === null ? null : <p className="text-sm break-words text-bad">{error}</p>}
      {response === null ? null : <Answer response={response} />}
    </div>
  );
}

function Answer({ response }: { readonly response: wire.HttpCallResponse }) {
  const { headers, body, text, truncated } = response;
  const content = text ?? (body === null || body === undefined ? "(empty body)" : JSON.stringify(body, null, 2));
  return (
    <>
      <CodeBlock label="Response headers" text={headerText(headers)} maxHeight="8rem" />
      <CodeBlock label="Response content" text={content} maxHeight="16rem" />
      {truncated ? <p className="text-xs text-muted">The body was longer than 64 KiB or incomplete.</p> : null}
    </>
  );
}
