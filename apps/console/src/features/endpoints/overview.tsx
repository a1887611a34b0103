import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { read } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { paths } from "../../paths.ts";
import { ConditionText, numberText, rateText, useAllTypes } from "../../shared/shared.ts";
import { AbsoluteTime, Badge, Card, Chart, Code, CopiedId, KeyValue, Link, Loaded, RelativeTime } from "../../ui/ui.ts";
import { isBrokerKind, KINDS } from "./destination-draft.ts";
import { LastFailure } from "./last-failure.tsx";

/** Shows an endpoint's health: figures, the last 24 hours, and its event types. */
export function Overview({ endpoint }: { readonly endpoint: wire.WebhookEndpoint }) {
  const stats = useQuery(read("webhook_endpoints.stats", { path: { id: endpoint.id } }));
  return (
    <div className="flex flex-col gap-4">
      <LastFailure endpoint={endpoint} />
      <Loaded query={stats} label="Loading the statistics">
        {(found) => (
          <>
            <Figures endpoint={endpoint} stats={found} />
            <Card>
              <Chart
                title="Attempts per hour"
                kind="bar"
                at={found.hours.map((hour) => hour.hour)}
                series={[
                  { name: "Delivered", tone: "good", values: found.hours.map((hour) => hour.delivered) },
                  { name: "Failed", tone: "bad", values: found.hours.map((hour) => hour.failed) },
                ]}
              />
            </Card>
          </>
        )}
      </Loaded>
      <Facts endpoint={endpoint} />
    </div>
  );
}

function Figures({
  endpoint,
  stats,
}: {
  readonly endpoint: wire.WebhookEndpoint;
  readonly stats: wire.WebhookEndpointStats;
}) {
  const log = `${paths.deliveries}?endpoint=${endpoint.id}`;
  return (
    <dl className="grid grid-cols-2 gap-3 sm:grid-cols-3 lg:grid-cols-6">
      <Figure label="Success rate (24 hours)">
        {stats.success_rate === null ? "—" : rateText(stats.success_rate)}
      </Figure>
      <Figure label="Latency (p50)">{ms(stats.p50_ms)}</Figure>
      <Figure label="Latency (p95)">{ms(stats.p95_ms)}</Figure>
      <Figure label="Failed deliveries">
        <Link to={`${log}&state=failed`}>{numberText(stats.failed)}</Link>
      </Figure>
      <Figure label="Pending deliveries">
        <Link to={`${log}&state=pending`}>{numberText(stats.pending)}</Link>
      </Figure>
      <Figure label="Next retry">{nextRetry(endpoint, stats.next_attempt_at)}</Figure>
      {endpoint.filter === null ? null : <Figure label="Filtered (24 hours)">{numberText(stats.filtered)}</Figure>}
    </dl>
  );
}

/** The pending deliveries of an endpoint that is off wait, however long their retry is due. */
function nextRetry({ active }: wire.WebhookEndpoint, at: string | null): ReactNode {
  if (at === null) return "—";
  return active ? <RelativeTime at={at} /> : "When it is on";
}

function Figure({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <div className="rounded-xl border border-line bg-surface px-4 py-3 shadow-card">
      <dt className="text-xs text-muted">{label}</dt>
      <dd className="tabular text-lg font-semibold">{children}</dd>
    </div>
  );
}

function kindText(kind: wire.WebhookEndpoint["kind"]): string {
  return isBrokerKind(kind)
    ? `${KINDS[kind].label}: messages are sent to a broker`
    : "Pull: consumers pull the messages";
}

function Facts({ endpoint }: { readonly endpoint: wire.WebhookEndpoint }) {
  const { failing_since: failing, rate_limit_per_second: rate } = endpoint;
  return (
    <Card title="Details">
      <KeyValue
        rows={[
          endpoint.url === null
            ? { label: "Kind", value: kindText(endpoint.kind) }
            : { label: "URL", value: <Code>{endpoint.url}</Code> },
          { label: "Event types", value: <EventNames names={endpoint.events} /> },
          {
            label: "Filter",
            value: endpoint.filter === null ? "None" : <ConditionText condition={endpoint.filter} empty="None" />,
          },
          failing === null ? null : { label: "First failed", value: <RelativeTime at={failing} /> },
          ...(endpoint.max_in_flight === null
            ? []
            : [
                { label: "Rate limit", value: rate === null ? "None" : `${rate} attempts per second` },
                { label: "Maximum concurrent attempts", value: endpoint.max_in_flight },
              ]),
          { label: "Created", value: <AbsoluteTime at={endpoint.created_at} /> },
          { label: "ID", value: <CopiedId id={endpoint.id} what="endpoint" /> },
        ]}
      />
    </Card>
  );
}

function EventNames({ names }: { readonly names: readonly string[] }) {
  const all = useAllTypes();
  if (names.includes("*")) return <>{all}</>;
  return (
    <span className="flex flex-wrap gap-1">
      {names.map((name) =>
        name.endsWith("*") ? (
          <Badge key={name}>{name}</Badge>
        ) : (
          <Link key={name} to={paths.eventType(name)} look="plain" className="max-w-full truncate hover:underline">
            <Badge>{name}</Badge>
          </Link>
        ),
      )}
    </span>
  );
}

function ms(value: number | null): string {
  if (value === null) return "—";
  return value < 1000 ? `${Math.round(value)} ms` : `${(value / 1000).toFixed(1)} s`;
}
