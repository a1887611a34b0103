import { once, parseNameless } from "../../lib/lib.ts";
import type { Uuid } from "../../lib/lib.ts";
import type { SubscriberQuery } from "../../events/events.ts";
import type { EndpointRow } from "./endpoints.store.ts";

/**
 * The maximum number of deliveries in one commit, and so in one call. They are planned in memory and written in under a
 * second, so that the calls of others wait no longer (docs/decisions/0257).
 */
export const MOST_DELIVERIES = 20_000;

/**
 * Finds the active endpoints that subscribe to an event, by its name or a pattern: one row for each different filter of a
 * workspace and of one of its tenants, with the endpoints that have it by event. A batch therefore gets each filter once, and endpoints whose filter no event
 * passes stay one text. Reads no further than the limit, because a call with more is refused anyway. `offset 0` makes the planner look up
 * each event in the index of subscriptions. A join by workspace would compare every event with every endpoint of its
 * workspace, which may have ten thousand. The column `hashed` has a type that PostgreSQL cannot sort, so that it groups the rows by hash:
 * it expects few rows and would sort thousands by five texts. Arrays become text in half the time of a text for each endpoint.
 */
export const ENDPOINTS_QUERY: SubscriberQuery = {
  name: "endpoints",
  text: `select g.tag, null::text, json_build_array(g.filter, g.tenant, json_agg(json_build_array(g.event, g.count, g.endpoints, g.pinned, g.ordering)))::text
    from (select m.tag, m.event, m.tenant, m.filter, m.pinned, m.ordering, count(*) as count,
        array_agg(m.id)::text || array_agg(m.max_in_flight)::text || array_agg(coalesce(m.rate_limit_per_second, 0))::text as endpoints
      from (select e.tag, a.event, e.tenant, e.id, e.max_in_flight, e.rate_limit_per_second, e.filter collate "C" as filter, e.ordering_key as ordering,
          (e.event_versions ->> a.event)::int as pinned, a.bucket::text::xid as hashed
        from asked a cross join unnest(a.tenants || null::text) as t (tenant)
          cross join lateral (select bucket, tag, tenant, id, max_in_flight, rate_limit_per_second, filter, event_versions, ordering_key from endpoint
          where active and deleted_at is null and channel_id is null and tenant is not distinct from t.tenant
            and endpoint_listens(tag, events) && array(select a.tag || ' ' || p || coalesce(' ' || t.tenant, '') from unnest(a.patterns) p) offset 0) e
        where e.bucket = a.bucket and e.tag = a.tag
        limit ${MOST_DELIVERIES + 1}) m
      group by m.tag, m.event, m.tenant, m.filter, m.pinned, m.ordering, m.hashed) g
    group by g.tag, g.tenant, g.filter`,
};

export type ActiveEndpoint = Pick<
  EndpointRow,
  "id" | "tenant" | "max_in_flight" | "rate_limit_per_second" | "ordering_key"
>;

/** The endpoints of one tenant with one filter that subscribe to one event. */
export interface ListenerGroup {
  readonly event: string;
  /** Null for the workspace's own endpoints. */
  readonly tenant: string | null;
  /** JSON text of a condition; null for endpoints without one. */
  readonly filter: string | null;
  /** The version of the event's type that the endpoints get; null: any. */
  readonly pinned: number | null;
  /** The key of the order of their deliveries; null: no order. */
  readonly ordering: string | null;
  readonly count: number;
  /** The endpoints as one text, which is the same for the same endpoints. */
  readonly text: string;
  /** Returns the endpoints, oldest first. */
  endpoints(): readonly ActiveEndpoint[];
}

/** Reads one answer to `ENDPOINTS_QUERY`. */
export function listenerGroups(found: string): ListenerGroup[] {
  const [filter, tenant, groups] = parseNameless(found) as [
    string | null,
    string | null,
    [string, number, string, number | null, string | null][],
  ];
  return groups.map(([event, count, text, pinned, ordering]) => ({
    event,
    tenant,
    filter,
    pinned,
    ordering,
    count,
    text,
    endpoints: once(() => endpointsIn(text, tenant, ordering)),
  }));
}

/** Reads three lists of the same length: `{ids}{in flight}{rates}`. */
function endpointsIn(text: string, tenant: string | null, ordering: string | null): readonly ActiveEndpoint[] {
  const [ids = [], inFlight = [], rates = []] = text
    .slice(1, -1)
    .split("}{")
    .map((list) => list.split(","));
  const endpoints = ids.map((id, at): ActiveEndpoint => ({
    id: id as Uuid,
    tenant,
    max_in_flight: Number(inFlight[at]),
    rate_limit_per_second: Number(rates[at]) || null,
    ordering_key: ordering,
  }));
  return endpoints.toSorted(byId);
}

/** Sorts by id, which is by age. */
export function byId(a: Pick<EndpointRow, "id">, b: Pick<EndpointRow, "id">): number {
  return a.id < b.id ? -1 : 1;
}
