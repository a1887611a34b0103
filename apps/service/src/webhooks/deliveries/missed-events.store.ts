import { PAGE_BYTES } from "../../lib/lib.ts";
import type { Tag, TenantKey, Uuid } from "../../lib/lib.ts";
import { ofTenant, sql } from "../../platform/db/db.ts";
import type { Query, Selectable, Tables, Tx } from "../../platform/db/db.ts";
import { newsOf } from "../../insights/insights.ts";
import { FAR } from "./far.ts";
import { TOO_EXPENSIVE } from "../endpoints/filters.ts";

/** An event without its data. */
export type EventFacts = Pick<
  Selectable<Tables["event"]>,
  "id" | "name" | "tenant" | "internal" | "subject" | "canonical" | "type_version"
> & { readonly bytes: number };

export interface EventRange {
  readonly after: Uuid;
  readonly to: Uuid;
  /** The tenant whose events are read; null: those of all. */
  readonly tenant: string | null;
}

/** Returns up to `limit` fired events, oldest first. Scheduled events are in another table until they are due. */
export async function eventsInRange(
  query: Query,
  place: TenantKey,
  { after, to, tenant }: EventRange,
  limit: number,
): Promise<EventFacts[]> {
  const rows = query
    .selectFrom("event")
    .select(["id", "name", "tenant", "internal", "subject", "canonical", "type_version"])
    .select(sql<number>`octet_length(data)`.as("bytes"))
    .$call(ofTenant(place))
    .where("id", ">", after)
    .where("id", "<", to)
    .orderBy("id")
    .limit(limit);
  return await (tenant === null ? rows : rows.where("tenant", "=", tenant)).execute();
}

/** Returns the data of these events, whose caller keeps them below `PAGE_BYTES`. Erased ones are missing. */
export async function dataOfEvents(
  query: Query,
  place: TenantKey,
  ids: readonly Uuid[],
): Promise<ReadonlyMap<Uuid, string>> {
  const rows = await query
    .selectFrom("event")
    .select(["id", "data"])
    .$call(ofTenant(place))
    .where("id", "in", [...ids])
    .execute();
  return new Map(rows.map(({ id, data }) => [id, data]));
}

export const MOST_BYTES_READ = PAGE_BYTES;

/** The ids of all deliveries of some events are between these. */
export interface DeliverySpan extends TenantKey {
  readonly endpointId: Uuid;
  readonly from: Uuid;
  readonly to: Uuid;
}

function knownEvents({ bucket, tag, endpointId, from, to }: DeliverySpan) {
  const here = sql`bucket = ${bucket} and tag = ${tag} and endpoint_id = ${endpointId} and id >= ${from} and id < ${to}`;
  return sql`select event_id from delivery where ${here} union all select event_id from pending_delivery where ${here}`;
}

/** Returns the events of the span that the endpoint has a delivery of, in any state. */
export async function eventsOfEndpoint(query: Query, span: DeliverySpan): Promise<ReadonlySet<Uuid>> {
  const { rows } = await sql<{ event_id: Uuid }>`${knownEvents(span)}`.execute(query);
  return new Set(rows.map((row) => row.event_id));
}

export interface MissedDelivery {
  readonly id: Uuid;
  readonly eventId: Uuid;
  readonly eventName: string;
  /** True if the endpoint's filter was too expensive for the event. */
  readonly isUnjudged: boolean;
  readonly lane: string | null;
}

/**
 * Writes deliveries that are due in their order. With `missingOnly`, without those of events that the endpoint has a
 * delivery of. Another transaction may write such deliveries only while it has the endpoint's lock. Returns their number.
 */
export async function insertMissed(
  tx: Tx,
  span: DeliverySpan,
  deliveries: readonly MissedDelivery[],
  { missingOnly, isPulled }: { readonly missingOnly: boolean; readonly isPulled: boolean },
): Promise<number> {
  const { rows } = await sql<{ n: number }>`with wanted as (select * from unnest(
        ${deliveries.map(({ id }) => id)}::uuid[], ${deliveries.map(({ eventId }) => eventId)}::uuid[],
        ${deliveries.map(({ eventName }) => eventName)}::text[],
        ${deliveries.map(({ isUnjudged }) => (isUnjudged ? TOO_EXPENSIVE : null))}::text[], ${deliveries.map(({ lane }) => lane)}::text[])
      with ordinality as w (id, event_id, event_name, error_class, lane, place)),
    known as materialized (${knownEvents(span)}),
    made as (insert into pending_delivery (bucket, tag, id, event_id, event_name, endpoint_id, last_error_class, due_at, next_attempt_at,
        lane, lane_xact, lane_since, lane_at, xact)
      select ${span.bucket}::smallint, ${span.tag}, id, event_id, event_name, ${span.endpointId}::uuid, error_class,
        case when lane is null then now() + place * interval '1 microsecond' else ${sql.raw(FAR)} end, now(), lane,
        case when lane is not null then pg_current_xact_id() end, case when lane is not null then statement_timestamp() end,
        case when lane is not null then place end, case when ${isPulled}::boolean then pg_current_xact_id() end
      from wanted where not ${missingOnly}::boolean or event_id not in (select event_id from known) order by place
      returning bucket, tag, id),
    ${sql.raw(newsOf("delivery", "made"))} select count(*)::int as n from made`.execute(tx.query);
  return rows[0]?.n ?? 0;
}

/** The name of the lock under which deliveries of past events are made for an endpoint. */
export function endpointLock(tag: Tag, endpointId: Uuid): string {
  return `past events ${tag} ${endpointId}`;
}

/** Counts the deliveries of an endpoint that are due and that no node has leased, up to `most`. */
export async function countDue(
  query: Query,
  { endpointId, ...place }: TenantKey & { readonly endpointId: Uuid },
  most: number,
): Promise<number> {
  const { rows } = await sql<{ n: number }>`select count(*)::int as n from (select from pending_delivery
    where bucket = ${place.bucket} and tag = ${place.tag} and endpoint_id = ${endpointId} and due_at <= now() limit ${most}) d`.execute(
    query,
  );
  return rows[0]?.n ?? 0;
}
