import type { wire } from "../../api/api.ts";
import { usePortal } from "../../session/session.ts";
import { explainFailure, headerText, StatusCode } from "../../shared/shared.ts";
import { AbsoluteTime, Code, CodeBlock, KeyValue } from "../../ui/ui.ts";
import { LatencyBar } from "./latency-bar.tsx";

interface AttemptDetailProps {
  readonly attempt: wire.Attempt;
  /** Another attempt is next to it, so the labels name the attempt. */
  readonly isCompared: boolean;
}

/** Shows the response to one attempt, and the duration of each part. */
export function AttemptDetail({ attempt, isCompared }: AttemptDetailProps) {
  const whose = isCompared ? ` of attempt ${attempt.number}` : "";
  const isCustomer = usePortal() !== undefined;
  const failure = explainFailure({ errorClass: attempt.error_class, statusCode: attempt.status_code }, { isCustomer });
  const headers = attempt.response_headers;
  return (
    <section
      aria-label={`Attempt ${attempt.number}`}
      className="mt-4 flex min-w-0 flex-col gap-4 border-t border-line pt-4"
    >
      {isCompared ? <h3 className="text-sm font-semibold">Attempt {attempt.number}</h3> : null}
      <KeyValue
        rows={[
          { label: "Sent", value: <AbsoluteTime at={attempt.started_at} /> },
          {
            label: "Response",
            value:
              attempt.status_code === null ? (
                <span className="text-bad">None</span>
              ) : (
                <StatusCode code={attempt.status_code} />
              ),
          },
          failure === null
            ? null
            : {
                label: "Error",
                value:
                  attempt.error_class === "http_status"
                    ? failure.what
                    : `${failure.what} (${attempt.error_detail ?? attempt.error_class})`,
              },
          { label: "IP address", value: attempt.resolved_ip === null ? "None" : <Code>{attempt.resolved_ip}</Code> },
        ]}
      />
      <LatencyBar latency={attempt.latency_ms} />
      {headers === null ? null : (
        <div className="flex flex-col gap-1.5">
          <h3 className="text-sm font-semibold">Response headers</h3>
          <CodeBlock label={`Response headers${whose}`} text={headerText(headers)} maxHeight="12rem" />
        </div>
      )}
      {attempt.response_snippet === null ? null : (
        <div className="flex flex-col gap-1.5">
          <h3 className="text-sm font-semibold">Response body</h3>
          <CodeBlock
            label={`Response body${whose}`}
            text={attempt.response_snippet === "" ? "(empty body)" : attempt.response_snippet}
            maxHeight="16rem"
          />
          {attempt.response_truncated ? (
            <p className="text-xs text-muted">The response was longer. Only its beginning is stored.</p>
          ) : null}
        </div>
      )}
    </section>
  );
}
