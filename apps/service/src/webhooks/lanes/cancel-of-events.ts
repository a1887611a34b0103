import { sql } from "../../platform/db/db.ts";
import type { Query, RawBuilder, Tx } from "../../platform/db/db.ts";
import type { TenantKey, Uuid } from "../../lib/lib.ts";
import { cancelPendingOf, isOfEvents } from "../deliveries/deliveries.store.ts";
import type { EventSpan } from "../deliveries/deliveries.store.ts";
import { skipHeads } from "./lane-heads.store.ts";
import type { Head } from "./lane-heads.store.ts";
import { lockLanes } from "../endpoints/ordered-endpoints.store.ts";
import type { OrderedKey } from "../endpoints/ordered-endpoints.store.ts";
import type { Lanes } from "../endpoints/ordering.ts";

/**
 * Cancels the deliveries of events, also those that have failed and block their lanes. Returns true if any is left: one of a lane that
 * is being sent stays until its attempt has ended, because the next one would be sent at the same time.
 */
export async function cancelOfEvents(
  lanes: Pick<Lanes, "ended">,
  tx: Tx,
  { bucket, tag }: TenantKey,
  events: readonly EventSpan[],
): Promise<boolean> {
  const place = { bucket, tag };
  const endpoints = await lanedEndpoints(tx.query, place, events);
  if (endpoints.length > 0) await lockLanes(tx, place, endpoints);
  const isLeft = await cancelPendingOf(tx.query, place, { events, laned: endpoints });
  const heads = endpoints.length === 0 ? [] : await endedHeads(tx.query, place, events);
  for (const [endpointId, own] of Map.groupBy(heads, (head) => head.endpoint_id))
    await skip(lanes, tx, { ...place, endpointId }, own);
  return isLeft || heads.length > 0;
}

async function skip(
  lanes: Pick<Lanes, "ended">,
  tx: Tx,
  endpoint: OrderedKey,
  heads: readonly EndedHead[],
): Promise<void> {
  await skipHeads(tx, endpoint, heads, "all");
  tx.onCommit(() => {
    for (const { key } of heads) lanes.ended(endpoint, key);
  });
}

/** Returns the endpoints with deliveries of these events that wait in lanes, or may block them. */
async function lanedEndpoints(query: Query, place: TenantKey, events: readonly EventSpan[]): Promise<Uuid[]> {
  const { bucket, tag } = place;
  const { rows } = await sql<{ endpoint_id: Uuid }>`with ${laned(place, events)}
    select endpoint_id from laned union
    select endpoint_id from pending_delivery where bucket = ${bucket} and tag = ${tag} and lane is not null and ${isOfEvents(events)}`.execute(
    query,
  );
  return rows.map((row) => row.endpoint_id);
}

type EndedHead = Head & { readonly endpoint_id: Uuid };

/** Returns the lanes that still wait for deliveries of these events that have ended. */
async function endedHeads(query: Query, place: TenantKey, events: readonly EventSpan[]): Promise<EndedHead[]> {
  const { bucket, tag } = place;
  const { rows } = await sql<EndedHead>`with ${laned(place, events)}
    select d.endpoint_id, d.lane as key, d.id as head_id from laned d cross join lateral (select from lane l
      where l.bucket = ${bucket} and l.tag = ${tag} and l.endpoint_id = d.endpoint_id and l.key = d.lane and l.head_id = d.id offset 0) l`.execute(
    query,
  );
  return rows;
}

/** Selects the ended deliveries of events that are in lanes, event by event: a range of all would be most of the log. */
function laned({ bucket, tag }: TenantKey, events: readonly EventSpan[]): RawBuilder<unknown> {
  const [ids, ends] = [events.map((event) => event.id), events.map((event) => event.end)];
  return sql`laned as materialized (select d.endpoint_id, d.lane, d.id from unnest(${ids}::uuid[], ${ends}::uuid[]) as w (id, ends_before)
    cross join lateral (select d.endpoint_id, d.lane, d.id from delivery d where d.bucket = ${bucket} and d.tag = ${tag}
      and d.id >= w.id and d.id < w.ends_before and d.event_id = w.id and d.lane is not null offset 0) d)`;
}
