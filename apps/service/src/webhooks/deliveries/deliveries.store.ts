import { PAGE_BYTES } from "../../lib/lib.ts";
import type { TenantKey, Uuid } from "../../lib/lib.ts";
import { ofTenant, sql } from "../../platform/db/db.ts";
import type { Db, Query, RawBuilder, Selectable, Tables, Tx } from "../../platform/db/db.ts";
import { newsOf } from "../../insights/insights.ts";

export type AttemptRow = Selectable<Tables["attempt"]>;

/** A delivery, pending or ended. */
export interface DeliveryRow extends TenantKey {
  readonly id: Uuid;
  readonly event_id: Uuid;
  readonly event_name: string;
  readonly endpoint_id: Uuid;
  readonly state: "pending" | "delivered" | "failed" | "cancelled" | "filtered";
  readonly attempt_count: number;
  readonly next_attempt_at: Date | null;
  readonly last_status_code: number | null;
  readonly last_error_class: string | null;
  readonly completed_at: Date | null;
  /** True if the request that its transformation made is kept. */
  readonly transformed: boolean | null;
}

export interface DeliveryFilter {
  readonly state?: string | undefined;
  readonly endpointId?: Uuid | undefined;
  /** The tenant of the endpoint. */
  readonly tenant?: string | undefined;
  readonly event?: string | undefined;
  readonly statusCode?: number | undefined;
  /** The first digit of the last status code. */
  readonly statusClass?: number | undefined;
  readonly errorClass?: string | undefined;
  readonly attemptCount?: number | undefined;
  readonly id?: Uuid | undefined;
  readonly eventId?: Uuid | undefined;
  readonly from?: Uuid | undefined;
  readonly to?: Uuid | undefined;
  readonly before?: Uuid | undefined;
}

/** An environment, or what one tenant's key may see of it: the deliveries of the tenant's endpoints. */
export interface DeliveryPlace extends TenantKey {
  readonly tenant?: string | null;
}

const PENDING = sql`select bucket, tag, id, event_id, event_name, endpoint_id, 'pending' as state, attempt_count, next_attempt_at,
  last_status_code, last_error_class, null::timestamptz as completed_at, transformed from pending_delivery`;
const DONE = sql`select bucket, tag, id, event_id, event_name, endpoint_id, state, attempt_count, null::timestamptz as next_attempt_at,
  last_status_code, last_error_class, completed_at, transformed from delivery`;

/** Lists pending and ended deliveries, newest first. */
export async function listDeliveries(
  query: Query,
  place: DeliveryPlace,
  filter: DeliveryFilter,
  limit: number,
): Promise<DeliveryRow[]> {
  const conditions = sql.join(conditionsOf(place, filter), sql` and `);
  const part = (source: typeof DONE): typeof DONE =>
    sql`(${source} where ${conditions} order by id desc limit ${limit})`;
  const sources = sourcesOf(filter).map(part);
  if (sources.length === 1 && sources[0] !== undefined)
    return (await sql<DeliveryRow>`${sources[0]}`.execute(query)).rows;
  const { rows } =
    await sql<DeliveryRow>`select * from (${sql.join(sources, sql` union all `)}) d order by id desc limit ${limit}`.execute(
      query,
    );
  return rows;
}

function sourcesOf(filter: DeliveryFilter): (typeof DONE)[] {
  if (filter.state === undefined) return [PENDING, DONE];
  return filter.state === "pending" ? [PENDING] : [DONE];
}

export function conditionsOf(place: DeliveryPlace, filter: DeliveryFilter): (typeof DONE)[] {
  const { state, endpointId, tenant, event, statusCode, statusClass, errorClass, attemptCount } = filter;
  const { id, eventId, from, to, before } = filter;
  const ofTenantHere = (value: string): typeof DONE => sql`endpoint_id in (select o.id from endpoint o
    where o.bucket = ${place.bucket} and o.tag = ${place.tag} and o.tenant = ${value})`;
  const given = <Value>(value: Value | undefined, condition: (value: Value) => typeof DONE): (typeof DONE)[] =>
    value === undefined ? [] : [condition(value)];
  return [
    sql`bucket = ${place.bucket}`,
    sql`tag = ${place.tag}`,
    ...given(state === "pending" ? undefined : state, stateIs),
    ...given(endpointId, (value) => sql`endpoint_id = ${value}`),
    ...given(tenant, ofTenantHere),
    ...given(place.tenant ?? undefined, ofTenantHere),
    ...given(event, (value) => sql`event_name = ${value}`),
    ...given(statusCode, (value) => sql`last_status_code = ${value}`),
    ...given(statusClass, (value) => sql`last_status_code between ${value * 100} and ${value * 100 + 99}`),
    ...given(errorClass, (value) => sql`last_error_class = ${value}`),
    ...given(attemptCount, (value) => sql`attempt_count = ${value}`),
    ...given(id, (value) => sql`id = ${value}`),
    ...given(eventId, (value) => sql`event_id = ${value}`),
    ...given(from, (value) => sql`id >= ${value}`),
    ...given(to, (value) => sql`id < ${value}`),
    ...given(before, (value) => sql`id < ${value}`),
  ];
}

/** Repeats the condition of the partial index, so that the planner can use it. */
function stateIs(state: string): typeof DONE {
  return state === "delivered" ? sql`state = ${state}` : sql`state = ${state} and state <> 'delivered'`;
}

export async function findDelivery(query: Query, place: DeliveryPlace, id: Uuid): Promise<DeliveryRow | undefined> {
  const [row] = await listDeliveries(query, place, { id }, 1);
  return row;
}

/** Returns true if the event, which the body of a delivery is built from, is still kept. */
export async function hasEvent(query: Query, place: TenantKey, eventId: Uuid): Promise<boolean> {
  const { rows } = await sql`select 1 from event
    where bucket = ${place.bucket} and tag = ${place.tag} and id = ${eventId}`.execute(query);
  return rows.length > 0;
}

/** Returns the deliveries with these ids that exist and that the place shows. */
export async function deliveriesById(query: Query, place: DeliveryPlace, ids: readonly Uuid[]): Promise<DeliveryRow[]> {
  const here = sql.join([...conditionsOf(place, {}), sql`id = any(${[...ids]}::uuid[])`], sql` and `);
  return (await sql<DeliveryRow>`${PENDING} where ${here} union all ${DONE} where ${here}`.execute(query)).rows;
}

/** Returns the attempts after a number, oldest first. */
export async function attemptsOf(
  query: Query,
  place: TenantKey,
  page: { readonly deliveryId: Uuid; readonly after: number; readonly limit: number },
): Promise<AttemptRow[]> {
  return await attempts(query, place, page.deliveryId)
    .where("number", ">", page.after)
    .orderBy("number")
    .limit(page.limit)
    .execute();
}

export async function lastAttemptOf(query: Query, place: TenantKey, deliveryId: Uuid): Promise<AttemptRow | undefined> {
  return await attempts(query, place, deliveryId).orderBy("number", "desc").limit(1).executeTakeFirst();
}

function attempts(query: Query, place: TenantKey, deliveryId: Uuid) {
  return query.selectFrom("attempt").selectAll().$call(ofTenant(place)).where("delivery_id", "=", deliveryId);
}

/**
 * Moves an ended delivery to the pending ones, due at once. Undefined if it is pending or cancelled. With `isAnew`, its
 * transformation is run again.
 */
export async function reopen(tx: Tx, place: TenantKey, id: Uuid, isAnew: boolean): Promise<DeliveryRow | undefined> {
  const { rows } =
    await sql<DeliveryRow>`with closed as (delete from delivery where bucket = ${place.bucket} and tag = ${place.tag} and id = ${id}
      and state in ('failed', 'delivered', 'filtered') returning *),
    reopened as (insert into pending_delivery (bucket, tag, id, event_id, event_name, endpoint_id, attempt_count, due_at, next_attempt_at, trigger, resting_state,
        last_status_code, last_error_class, transformed)
      select bucket, tag, id, event_id, event_name, endpoint_id, attempt_count, now(), now(), 'replay', state, last_status_code, last_error_class,
        case when ${isAnew} then null else transformed end from closed
      returning bucket, tag, id, event_id, event_name, endpoint_id, 'pending' as state, attempt_count, next_attempt_at, last_status_code,
        last_error_class, null::timestamptz as completed_at, transformed),
    ${sql.raw(newsOf("delivery", "reopened"))} select * from reopened`.execute(tx.query);
  return rows[0];
}

/**
 * Ends a pending delivery as cancelled. Returns false if it is not pending. A node that is sending it finds its lease
 * gone.
 */
export async function cancelPending(query: Query, place: TenantKey, id: Uuid): Promise<boolean> {
  const { rows } = await sql<{
    id: Uuid;
  }>`with ended as (delete from pending_delivery where bucket = ${place.bucket} and tag = ${place.tag} and id = ${id} returning *),
    outcomes as (${intoOutcomes}), logged as (${intoLog} returning id), ${sql.raw(newsOf("delivery", "ended"))} select id from logged`.execute(
    query,
  );
  return rows.length > 0;
}

/** Selects deliveries: those of an endpoint, of endpoints that a query selects, or of events. */
export type PendingOf =
  | { readonly endpoint: Uuid }
  | { readonly endpoints: RawBuilder<unknown> }
  | { readonly events: readonly EventSpan[] };

/** An event, and an id that all of its deliveries are below. */
export interface EventSpan {
  readonly id: Uuid;
  readonly end: Uuid;
}

/**
 * Cancels pending deliveries, except those whose results are being written at this moment. Their writer may need the lock
 * of the endpoint's row next, which the deletion of the endpoint holds. Returns true if any is left.
 */
export async function cancelPendingOf(query: Query, place: TenantKey, of: PendingOf): Promise<boolean> {
  const chosen = sql`bucket = ${place.bucket} and tag = ${place.tag} and ${isPendingOf(of)}`;
  const { rows } = await sql<{
    is_left: boolean;
  }>`with free as (select id from pending_delivery where ${chosen} for update skip locked),
    ended as (delete from pending_delivery p using free where p.bucket = ${place.bucket} and p.tag = ${place.tag} and p.id = free.id returning p.*),
    outcomes as (${intoOutcomes}), logged as (${intoLog}), ${sql.raw(newsOf("delivery", "ended"))}
    select (select count(*) from pending_delivery where ${chosen}) > (select count(*) from free) as is_left`.execute(
    query,
  );
  return rows[0]?.is_left ?? false;
}

function isPendingOf(of: PendingOf): RawBuilder<unknown> {
  if ("endpoint" in of) return sql`endpoint_id = ${of.endpoint}`;
  if ("endpoints" in of) return sql`endpoint_id in (${of.endpoints})`;
  const [first, last] = [of.events[0], of.events.at(-1)];
  if (first === undefined || last === undefined) return sql`false`;
  return sql`id >= ${first.id} and id < ${last.end} and event_id = any(${of.events.map(({ id }) => id)}::uuid[])`;
}

/** Tells the senders that wait for the end of their deliveries. */
const intoOutcomes = sql`insert into delivery_outcome (bucket, tag, delivery_id, state, status_code)
      select d.bucket, d.tag, d.id, 'cancelled', d.last_status_code from ended d
        join endpoint e on e.bucket = d.bucket and e.tag = d.tag and e.id = d.endpoint_id
        join channel c on c.workspace_id = e.workspace_id and c.id = e.channel_id and c.awaits
      on conflict (bucket, tag, delivery_id) do update set state = excluded.state`;

const intoLog = sql`insert into delivery (bucket, tag, id, event_id, event_name, endpoint_id, state, attempt_count, last_status_code, last_error_class, transformed)
      select bucket, tag, id, event_id, event_name, endpoint_id, 'cancelled', attempt_count, last_status_code, last_error_class, transformed from ended`;

export interface EndpointStats {
  readonly delivered: number;
  readonly failed: number;
  readonly cancelled: number;
  readonly pending: number;
  readonly p50_ms: number | null;
  readonly p95_ms: number | null;
}

/**
 * Returns the statistics of an endpoint for the deliveries with ids from `from` on, which the caller sets to 24 hours
 * ago.
 */
export async function endpointStats(
  query: Query,
  place: TenantKey,
  endpointId: Uuid,
  from: Uuid,
): Promise<EndpointStats> {
  const { rows } = await sql<EndpointStats>`with d as (select id, state from delivery where bucket = ${place.bucket}
      and endpoint_id = ${endpointId} and tag = ${place.tag} and id >= ${from}),
    timed as (select a.latency[5] as ms from d join attempt a on a.bucket = ${place.bucket} and a.tag = ${place.tag} and a.delivery_id = d.id
      and a.delivery_id >= ${from} order by d.id desc limit 1000)
    select count(*) filter (where state = 'delivered')::int as delivered, count(*) filter (where state = 'failed')::int as failed,
      count(*) filter (where state = 'cancelled')::int as cancelled,
      (select count(*)::int from pending_delivery where bucket = ${place.bucket} and tag = ${place.tag} and endpoint_id = ${endpointId}) as pending,
      (select percentile_cont(0.5) within group (order by ms) from timed) as p50_ms,
      (select percentile_cont(0.95) within group (order by ms) from timed) as p95_ms
    from d`.execute(query);
  return rows[0] ?? { delivered: 0, failed: 0, cancelled: 0, pending: 0, p50_ms: null, p95_ms: null };
}

/** Returns for how many seconds the oldest due delivery has waited for a worker; 0 if none is due. */
export async function oldestDueAge(db: Db): Promise<number> {
  const rows = await db.onEachShard(async () => await oldestOnShard(db.query));
  return Math.max(0, ...rows.map(({ age }) => age ?? 0));
}

async function oldestOnShard(query: Query): Promise<{ readonly age: number | null }[]> {
  const { rows } = await sql<{
    age: number | null;
  }>`select extract(epoch from now() - min(p.due_at))::float8 as age from pending_delivery p
    join endpoint e on e.bucket = p.bucket and e.tag = p.tag and e.id = p.endpoint_id and e.active where p.due_at <= now()`.execute(
    query,
  );
  return rows;
}

export async function pendingEstimate(db: Db): Promise<number> {
  const rows = await db.onEachShard(async () => await estimatesOnShard(db.query));
  return rows.reduce((total, { n }) => total + n, 0);
}

async function estimatesOnShard(query: Query): Promise<{ readonly n: number }[]> {
  const { rows } = await sql<{
    n: number;
  }>`select greatest(0, reltuples)::float8 as n from pg_class where oid = own_table('pending_delivery')::regclass`.execute(
    query,
  );
  return rows;
}

/** Returns the data of those of these events whose data contains the text. */
export async function dataHolding(
  query: Query,
  { bucket, tag }: TenantKey,
  { eventIds, text }: { readonly eventIds: readonly Uuid[]; readonly text: string },
): Promise<{ readonly id: Uuid; readonly data: string | null }[]> {
  const { rows } = await sql<{ id: Uuid; data: string | null }>`select id,
      case when sum(octet_length(data)) over (order by id) <= ${PAGE_BYTES} then data end as data from event
    where bucket = ${bucket} and tag = ${tag} and id = any(${[...eventIds]}::uuid[]) and strpos(data, ${text}) > 0`.execute(
    query,
  );
  return rows;
}

export async function eventOf(
  query: Query,
  place: TenantKey,
  id: Uuid,
): Promise<Pick<Selectable<Tables["event"]>, "data" | "occurred_at" | "traceparent" | "tenant"> | undefined> {
  return await query
    .selectFrom("event")
    .select(["data", "occurred_at", "traceparent", "tenant"])
    .$call(ofTenant(place))
    .where("id", "=", id)
    .executeTakeFirst();
}
