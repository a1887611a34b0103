import { useQuery } from "@tanstack/react-query";
import { readExact } from "../../../api/api.ts";
import type { wire } from "../../../api/api.ts";
import { paths, pathOfId } from "../../../paths.ts";
import {
  Card,
  EmptyState,
  IdLink,
  KeyValue,
  Loaded,
  PageHeader,
  RelativeTime,
  ShowAs,
  usePathParameter,
} from "../../../ui/ui.ts";
import type { KeyValueRow } from "../../../ui/ui.ts";
import { CallLight } from "./call-light.tsx";
import { CallOwner } from "./call-owner.tsx";
import { RequestText, ResponseText } from "./call-texts.tsx";
import { ReplayCall } from "./replay-call.tsx";

const LOOKS_AGAIN_MS = 2000;

/** Shows one HTTP call: its request, and the response of its last attempt. */
export function Screen() {
  const id = usePathParameter("id");
  const query = useQuery({
    ...readExact("http_calls.get", { path: { id } }),
    refetchInterval: ({ state }) => (state.data?.state === "waiting" ? LOOKS_AGAIN_MS : false),
  });
  return (
    <Loaded query={query} label="Loading the HTTP call" page="HTTP call">
      {(call) => <Call call={call} />}
    </Loaded>
  );
}

function Call({ call }: { readonly call: wire.HttpCall }) {
  return (
    <>
      <PageHeader
        title={call.id}
        mono
        back={{ to: paths.httpCalls, label: "HTTP calls" }}
        status={<CallLight state={call.state} />}
        actions={
          <>
            <ShowAs operation="http_calls.get" input={{ path: { id: call.id } }} />
            <ReplayCall id={call.id} isOpen={call.state === "waiting"} />
          </>
        }
      />
      <div className="grid grid-cols-1 items-start gap-4 lg:grid-cols-[minmax(0,2fr)_minmax(18rem,1fr)]">
        <div className="flex min-w-0 flex-col gap-4">
          <Card title="Request" description="As it is sent. Secrets are redacted.">
            <RequestText request={call.request} />
          </Card>
          <Card title="Response" description="Of the last attempt.">
            {call.attempts === 0 ? (
              <EmptyState title="Not sent yet">The first attempt starts in a moment.</EmptyState>
            ) : (
              <ResponseText
                response={call.response}
                succeeded={call.state === "succeeded"}
                error={call.error}
                durationMs={call.duration_ms}
              />
            )}
          </Card>
        </div>
        <Card title="Details">
          <KeyValue rows={factsOf(call)} />
        </Card>
      </div>
    </>
  );
}

function factsOf(call: wire.HttpCall): (KeyValueRow | null)[] {
  const { run_id: run, event_id: event, replay_of: replayed, next_attempt_at: next, request } = call;
  const { auth } = request;
  const isOfWorkflow = call.workflow_id !== null;
  return [
    { label: isOfWorkflow ? "Workflow" : "Rule", value: <CallOwner call={call} /> },
    { label: "Run", value: pathOfId(run) === null ? <code>{run}</code> : <IdLink to={pathOfId(run) ?? ""} id={run} /> },
    { label: isOfWorkflow ? "Step" : "Action", value: isOfWorkflow ? <code>{call.step}</code> : Number(call.step) + 1 },
    event === null ? null : { label: "Event", value: <IdLink to={paths.event(event)} id={event} /> },
    replayed === null ? null : { label: "Replay of", value: <IdLink to={paths.httpCall(replayed)} id={replayed} /> },
    { label: "Attempts", value: `${call.attempts} of ${call.max_attempts}` },
    call.error_class === null ? null : { label: "Error class", value: <code>{call.error_class}</code> },
    auth === null ? null : { label: "Secret", value: <code className="break-all">{auth.secret_ref}</code> },
    next === null ? null : { label: "Next attempt", value: <RelativeTime at={next} /> },
    { label: "Created", value: <RelativeTime at={call.created_at} /> },
    call.ended_at === null ? null : { label: "Ended", value: <RelativeTime at={call.ended_at} /> },
  ];
}
