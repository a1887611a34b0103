import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Inbox as InboxIcon } from "lucide-react";
import type { wire } from "../../api/api.ts";
import { paths } from "../../paths.ts";
import { headerText } from "../../shared/shared.ts";
import {
  Badge,
  Card,
  CodeBlock,
  CopyButton,
  EmptyState,
  JsonTree,
  Link,
  Loaded,
  RelativeTime,
  Select,
  StatusLight,
  Switch,
  toastError,
  useUrlState,
} from "../../ui/ui.ts";
import type { Tone } from "../../ui/ui.ts";
import { behave, inboxQuery } from "./inbox.ts";
import type { Behaviour, Inbox } from "./inbox.ts";

/** The receiver that is always there: how it is to answer, and what it got. */
export function InboxPanel({ url }: { readonly url: string }) {
  const inbox = useQuery(inboxQuery(url));
  return (
    <div className="flex min-w-0 flex-col gap-4">
      <Card title="Built-in inbox" description={<Address url={url} />}>
        <Loaded query={inbox} label="Loading the inbox">
          {({ behaviour }) => <BreakIt url={url} behaviour={behaviour} />}
        </Loaded>
      </Card>
      <Card title="Received" description="Newest first." flush>
        <Loaded query={inbox} label="Loading received requests">
          {({ messages }) => <Messages messages={messages} />}
        </Loaded>
      </Card>
    </div>
  );
}

function Address({ url }: { readonly url: string }) {
  return (
    <span className="flex items-center gap-1">
      <code className="min-w-0 text-xs break-all">{url}</code>
      <CopyButton text={url} label="Copy inbox URL" />
    </span>
  );
}

const STATUSES = [
  { value: "200", label: "200 OK" },
  { value: "301", label: "301 Moved Permanently" },
  { value: "400", label: "400 Bad Request" },
  { value: "401", label: "401 Unauthorized" },
  { value: "404", label: "404 Not Found" },
  { value: "410", label: "410 Gone" },
  { value: "429", label: "429 Too Many Requests" },
  { value: "500", label: "500 Internal Server Error" },
  { value: "503", label: "503 Service Unavailable" },
];
const DELAYS = [
  { value: "0", label: "None" },
  { value: "1000", label: "1 second" },
  { value: "5000", label: "5 seconds" },
  { value: "20000", label: "20 seconds (times out)" },
];
const FAIL_TIMES = 3;

function BreakIt({ url, behaviour }: { readonly url: string; readonly behaviour: Behaviour }) {
  const client = useQueryClient();
  const change = useMutation({
    mutationFn: async (wanted: Partial<Behaviour>) => await behave(url, { ...behaviour, ...wanted }),
    onSuccess: (answer) =>
      client.setQueryData<Inbox>(inboxQuery(url).queryKey, (before) => before && { ...before, behaviour: answer }),
    onError: toastError,
  });
  const isBroken = behaviour.status !== 200 || behaviour.delay_ms > 0 || behaviour.fail_times > 0;
  return (
    <fieldset className="flex flex-col gap-3">
      <legend className="pb-2 text-sm font-medium">
        Simulate failures{" "}
        {isBroken ? <Badge tone="warn">Simulating failures</Badge> : <Badge tone="good">Accepting all requests</Badge>}
      </legend>
      <div className="grid gap-3 sm:grid-cols-2">
        <Select
          label="Response status"
          options={withCurrent(STATUSES, String(behaviour.status))}
          value={String(behaviour.status)}
          onChange={(status) => change.mutate({ status: Number(status) })}
        />
        <Select
          label="Response delay"
          options={withCurrent(DELAYS, String(behaviour.delay_ms))}
          value={String(behaviour.delay_ms)}
          onChange={(delay) => change.mutate({ delay_ms: Number(delay) })}
        />
      </div>
      <Switch
        isSelected={behaviour.fail_times > 0}
        onChange={(on) => change.mutate({ fail_times: on ? FAIL_TIMES : 0 })}
      >
        {behaviour.fail_times > 0
          ? `Fails the next ${behaviour.fail_times} requests, then recovers`
          : `Fail the next ${FAIL_TIMES} requests, then recover`}
      </Switch>
    </fieldset>
  );
}

function withCurrent(options: typeof STATUSES, current: string): typeof STATUSES {
  return options.some((one) => one.value === current) ? options : [...options, { value: current, label: current }];
}

const VERDICTS: Readonly<Record<string, { readonly tone: Tone; readonly word: string }>> = {
  valid: { tone: "good", word: "Signature valid" },
  invalid: { tone: "bad", word: "Signature matches no endpoint's secret" },
  unsigned: { tone: "neutral", word: "Not signed" },
};

function Messages({ messages }: { readonly messages: readonly wire.InboxMessage[] }) {
  const [chosen, choose] = useUrlState("message", "");
  if (messages.length === 0) {
    return (
      <EmptyState title="No requests yet" icon={<InboxIcon aria-hidden size={20} />}>
        Send a test event, or create an endpoint with the inbox's URL.
      </EmptyState>
    );
  }
  return (
    <ul className="divide-y divide-line">
      {messages.map((message) => (
        <Message
          key={message.id}
          message={message}
          isOpen={chosen === message.id}
          onToggle={() => choose(chosen === message.id ? "" : message.id)}
        />
      ))}
    </ul>
  );
}

interface MessageProps {
  readonly message: wire.InboxMessage;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}

function Message({ message, isOpen, onToggle }: MessageProps) {
  const { tone, word } = VERDICTS[message.signature] ?? { tone: "neutral", word: message.signature };
  return (
    <li>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2 hover:bg-hover">
        <button
          type="button"
          aria-expanded={isOpen}
          onClick={onToggle}
          className="min-w-0 flex-1 truncate py-1 max-sm:basis-full text-left font-mono text-xs font-medium"
        >
          {message.event ?? "No event type"}
        </button>
        <StatusLight tone={tone}>{word}</StatusLight>
        <span className="tabular text-xs text-muted">responded {message.answered}</span>
        <span className="text-xs text-muted">
          <RelativeTime at={message.received_at} />
        </span>
      </div>
      {isOpen ? (
        <div className="flex flex-col gap-3 px-4 pb-4">
          <JsonTree label="Received body" text={message.body} />
          <CodeBlock label="Received headers" text={headerText(message.headers)} maxHeight="12rem" />
          {message.delivery_id === null ? null : (
            <Link to={paths.delivery(message.delivery_id)} className="text-sm">
              View delivery (not available for tests)
            </Link>
          )}
        </div>
      ) : null}
    </li>
  );
}
