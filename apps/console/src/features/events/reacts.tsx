import type { wire } from "../../api/api.ts";
import { paths } from "../../paths.ts";
import { endpointName } from "../../shared/shared.ts";
import type { Endpoints } from "../../shared/shared.ts";
import { Badge, Link } from "../../ui/ui.ts";

const WORDS: Readonly<Record<string, string>> = {
  projection: "Built-in",
  mirror: "Mirror",
  connector: "Connector",
  rule: "Rule",
  workflow: "Workflow",
  assistant: "Assistant",
  webhook: "Webhook",
};

export function subscriberWord(kind: string): string {
  return WORDS[kind] ?? kind;
}

/** Shows a subscriber by kind and name, with a link to its page if it has one. */
export function Subscriber({ kind, name, endpoints }: { kind: string; name: string; endpoints: Endpoints }) {
  const to = pageOf(kind, name);
  const endpoint = endpoints.byId.get(name);
  const text = endpoint === undefined ? name : endpointName(endpoint);
  return (
    <span className="flex min-w-0 items-center gap-2">
      <Badge>{subscriberWord(kind)}</Badge>
      {to === null ? (
        <span className="truncate">{text}</span>
      ) : (
        <Link to={to} look="plain" className="truncate hover:underline">
          {text}
        </Link>
      )}
    </span>
  );
}

/** Lists subscribers in the order in which they react. */
export function Reacts({
  subscribers,
  endpoints,
}: {
  subscribers: readonly wire.SubscriberRef[];
  endpoints: Endpoints;
}) {
  return (
    <ol className="flex flex-col divide-y divide-line">
      {subscribers.map((one) => (
        <li key={`${one.kind} ${one.key}`} className="flex min-h-10 items-center gap-3 py-1.5">
          <span className="tabular w-7 shrink-0 text-right text-sm text-muted">{one.priority}</span>
          <Subscriber kind={one.kind} name={one.key} endpoints={endpoints} />
        </li>
      ))}
    </ol>
  );
}

function pageOf(kind: string, key: string): string | null {
  if (kind === "webhook" && key.startsWith("ep_")) return paths.endpoint(key);
  if (kind === "rule") return paths.rule(key);
  if (kind === "workflow") return paths.workflow(key);
  if (kind === "connector" || kind === "mirror") return paths.connector(key);
  return null;
}
