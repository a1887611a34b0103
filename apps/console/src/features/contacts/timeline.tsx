import { ArrowDownToLine, ArrowUpFromLine, CircleDot, Zap } from "lucide-react";
import { usePages } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { paths } from "../../paths.ts";
import {
  Badge,
  Card,
  EmptyState,
  FilterBar,
  labelOf,
  Link,
  LoadedPages,
  optionsOf,
  RelativeTime,
  useFilters,
} from "../../ui/ui.ts";

const KINDS = ["inbound", "event", "action", "note"];
const ICONS: Readonly<Record<string, typeof CircleDot>> = {
  inbound: ArrowDownToLine,
  event: ArrowUpFromLine,
  action: Zap,
};

/** Lists a contact's activities, the newest first. Each entry links to its origin. */
export function Timeline({ contactId }: { readonly contactId: string }) {
  const [filters] = useFilters();
  const query = filters["kind"] === undefined ? {} : { kind: filters["kind"] };
  const pages = usePages("contacts.activities.list", { path: { id: contactId }, query }, { exact: true });
  return (
    <Card title="Timeline">
      <FilterBar fields={[{ name: "kind", label: "Activity type", options: optionsOf(KINDS), isPinned: true }]} />
      <LoadedPages
        pages={pages}
        label="Loading the timeline"
        empty={
          <EmptyState
            title="No activities yet"
            action={
              <Link to={paths.sources} look="button">
                View sources
              </Link>
            }
          >
            Inbound webhooks, events and actions for this contact appear here.
          </EmptyState>
        }
      >
        {(rows) => (
          <ol className="flex flex-col" aria-label="Timeline">
            {rows.map((activity) => (
              <Entry key={activity.id} activity={activity} />
            ))}
          </ol>
        )}
      </LoadedPages>
    </Card>
  );
}

function Entry({ activity }: { readonly activity: wire.Activity }) {
  const Icon = ICONS[activity.kind] ?? CircleDot;
  const points = activity.score_delta;
  return (
    <li className="flex gap-3 border-l border-line pb-4 pl-4 last:pb-0">
      <Icon aria-hidden size={15} className="mt-1 shrink-0 text-muted" />
      <div className="min-w-0 flex-1">
        <div className="flex flex-wrap items-baseline justify-between gap-x-3">
          <bdi className="min-w-0 font-medium break-words">{activity.summary}</bdi>
          <span className="text-sm text-muted">
            <RelativeTime at={activity.occurred_at} />
          </span>
        </div>
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm text-muted">
          <span>{labelOf(activity.kind)}</span>
          <code className="text-xs break-all">{activity.event_type}</code>
          {activity.value === null ? null : (
            <span className="tabular-nums">Value: {JSON.stringify(activity.value)}</span>
          )}
          {points === 0 ? null : (
            <Badge tone={points > 0 ? "good" : "warn"}>
              {points > 0 ? "+" : ""}
              {points} {Math.abs(points) === 1 ? "point" : "points"}
            </Badge>
          )}
          {activity.receipt_id === null ? null : <Link to={paths.receipt(activity.receipt_id)}>Receipt</Link>}
          {activity.event_id === null ? null : <Link to={paths.event(activity.event_id)}>Event</Link>}
        </div>
      </div>
    </li>
  );
}
