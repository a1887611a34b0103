import type { TenantKey, Uuid } from "../../lib/lib.ts";
import { ofTenant, sql } from "../../platform/db/db.ts";
import type { Query, RawBuilder, Selectable, Tables, Tx } from "../../platform/db/db.ts";
import { newsOf } from "../../insights/insights.ts";
import { FAR } from "./far.ts";
import { isUnread } from "../endpoints/pull-log.store.ts";

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
  /** Its lane and its number there; null without one. */
  readonly lane: string | null;
  readonly lane_sequence: string | null;
  /** The delivery that it waits for in its lane. */
  readonly blocked_by: Uuid | null;
}

export interface DeliveryFilter {
  readonly state?: string | undefined;
  readonly endpointId?: Uuid | undefined;
  readonly endpointIds?: readonly Uuid[];
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

const UNREAD_MESSAGES = sql`(select m.*, null::smallint as last_status_code from pull_log l
  cross join lateral (select greatest(max(c.position), l.first_offset) as position from pull_consumer c
    where c.bucket = l.bucket and c.tag = l.tag and c.endpoint_id = l.endpoint_id) p
  join pull_message m on m.bucket = l.bucket and m.tag = l.tag and m.endpoint_id = l.endpoint_id and m.pull_offset >= p.position)`;

type Source = RawBuilder<unknown>;

const WAITS_IN_LANE = sql`pending_delivery.lane is not null and pending_delivery.lane_head is not true`;
const PENDING_COLUMNS = sql`bucket, tag, id, event_id, event_name, endpoint_id, 'pending' as state, attempt_count,
  case when ${WAITS_IN_LANE} then null else next_attempt_at end as next_attempt_at, last_status_code, last_error_class,
  null::timestamptz as completed_at, transformed, lane, lane_sequence,
  case when ${WAITS_IN_LANE} then (select l.head_id from lane l where l.bucket = pending_delivery.bucket and l.tag = pending_delivery.tag
    and l.endpoint_id = pending_delivery.endpoint_id and l.key = pending_delivery.lane) end as blocked_by`;
const PENDING = sql`select ${PENDING_COLUMNS} from pending_delivery`;
const done = (
  place: TenantKey,
) => sql`select bucket, tag, id, event_id, event_name, endpoint_id, case when ${isUnread(place)} then 'pending' else state end as state, attempt_count,
  null::timestamptz as next_attempt_at, last_status_code, last_error_class, case when pull_offset is null then completed_at end as completed_at,
  transformed, lane, lane_sequence, null::uuid as blocked_by from delivery`;
/** The messages of pull endpoints that no consumer is behind. */
const UNREAD = sql`select bucket, tag, id, event_id, event_name, endpoint_id, 'pending' as state, attempt_count, null::timestamptz as next_attempt_at,
  last_status_code, last_error_class, null::timestamptz as completed_at, transformed, null::text as lane, null::bigint as lane_sequence,
  null::uuid as blocked_by from ${UNREAD_MESSAGES} u`;

/** Lists pending and ended deliveries, newest first. */
export async function listDeliveries(
  query: Query,
  place: DeliveryPlace,
  filter: DeliveryFilter,
  limit: number,
): Promise<DeliveryRow[]> {
  const tenants = [filter.tenant, place.tenant].flatMap((tenant) => tenant ?? []);
  const conditions = conditionsOf({ ...place, tenant: null }, { ...filter, tenant: undefined });
  const part = (source: Source, more: readonly Source[]): Source =>
    sql`(${source} where ${sql.join([...conditions, ...more], sql` and `)} order by id desc limit ${limit})`;
  const sources = sourcesOf(place, filter).map((source) =>
    tenants.length === 0
      ? part(source, [])
      : ofEndpoints(place, tenants, limit, part(source, [sql`endpoint_id = o.id`])),
  );
  if (sources.length === 1 && sources[0] !== undefined)
    return (await sql<DeliveryRow>`${sources[0]}`.execute(query)).rows;
  const { rows } =
    await sql<DeliveryRow>`select * from (${sql.join(sources, sql` union all `)}) d order by id desc limit ${limit}`.execute(
      query,
    );
  return rows;
}

/** Reads the newest deliveries of each endpoint of a tenant: those of the workspace can be a million times as many. */
function ofEndpoints(place: TenantKey, tenants: readonly string[], limit: number, part: Source): Source {
  const isTenant = sql.join(
    tenants.map((tenant) => sql`o.tenant = ${tenant}`),
    sql` and `,
  );
  return sql`(select d.* from endpoint o cross join lateral ${part} d
    where o.bucket = ${place.bucket} and o.tag = ${place.tag} and ${isTenant} order by d.id desc limit ${limit})`;
}

function sourcesOf(place: TenantKey, filter: DeliveryFilter): Source[] {
  if (filter.state === undefined) return [PENDING, done(place)];
  return filter.state === "pending" ? [PENDING, UNREAD] : [done(place)];
}

export function conditionsOf(place: DeliveryPlace, filter: DeliveryFilter): Source[] {
  const { state, endpointId, tenant, event, statusCode, statusClass, errorClass, attemptCount } = filter;
  const { id, eventId, endpointIds, from, to, before } = filter;
  const ofTenantHere = (value: string): Source => sql`endpoint_id in (select o.id from endpoint o
    where o.bucket = ${place.bucket} and o.tag = ${place.tag} and o.tenant = ${value})`;
  const given = <Value>(value: Value | undefined, condition: (value: Value) => Source): Source[] =>
    value === undefined ? [] : [condition(value)];
  return [
    sql`bucket = ${place.bucket}`,
    sql`tag = ${place.tag}`,
    ...given(state === "pending" ? undefined : state, (value) => stateIs(place, value)),
    ...given(endpointId, (value) => sql`endpoint_id = ${value}`),
    ...given(endpointIds, (value) => sql`endpoint_id = any(${value}::uuid[])`),
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
function stateIs(place: TenantKey, state: string): Source {
  return state === "delivered"
    ? sql`state = ${state} and not ${isUnread(place)}`
    : sql`state = ${state} and state <> 'delivered'`;
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
  const here = sql.join([...conditionsOf(place, {}), sql`id = k.id`], sql` and `);
  const { rows } = await sql<DeliveryRow>`select d.* from unnest(${[...ids]}::uuid[]) as k (id)
    cross join lateral (${PENDING} where ${here} union all ${done(place)} where ${here}) d`.execute(query);
  return rows;
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

/** The condition of a pending delivery whose retry waits. `clock_timestamp` is later than the time that a concurrent replay has just set. */
export const RETRY_WAITS = sql`lease_id is null and trigger = 'ladder' and attempt_count > 0 and next_attempt_at is not null
  and due_at > clock_timestamp()`;

/** The condition of an ended delivery that no node is still sending: one can be cancelled while its attempt runs. */
export const IS_OVER = sql`(pull_offset is null and (leased_until is null or leased_until <= now()))`;

/** Makes the waiting retry of a pending delivery due at once. Undefined if none waits. With `isAnew`, its transformation is run again. */
export async function hurry(tx: Tx, place: TenantKey, id: Uuid, isAnew: boolean): Promise<DeliveryRow | undefined> {
  const { rows } =
    await sql<DeliveryRow>`with hurried as (update pending_delivery set due_at = now(), next_attempt_at = now(),
        transformed = case when ${isAnew} then null else transformed end
      where bucket = ${place.bucket} and tag = ${place.tag} and id = ${id} and ${RETRY_WAITS}
      returning ${PENDING_COLUMNS}),
    ${sql.raw(newsOf("delivery", "hurried"))} select * from hurried`.execute(tx.query);
  return rows[0];
}

/** The reason why a delivery is not sent on request. */
export interface Waiting {
  readonly attempt_count: number;
  readonly is_leased: boolean;
  readonly is_replay: boolean;
  /** True if it has an offset, so that consumers pull it. */
  readonly is_numbered: boolean;
  readonly in_lane: boolean;
}

export async function whatWaits(query: Query, place: TenantKey, id: Uuid): Promise<Waiting | undefined> {
  const { rows } =
    await sql<Waiting>`select attempt_count, lease_id is not null as is_leased, trigger = 'replay' as is_replay, false as is_numbered,
        ${WAITS_IN_LANE} as in_lane from pending_delivery where bucket = ${place.bucket} and tag = ${place.tag} and id = ${id}
    union all select attempt_count, not ${IS_OVER}, false, pull_offset is not null, false
      from delivery where bucket = ${place.bucket} and tag = ${place.tag} and id = ${id}`.execute(query);
  return rows[0];
}

/** Records that the attempt that was running when the delivery was cancelled has ended. */
export async function endAttemptOfCancelled(query: Query, place: TenantKey, id: Uuid): Promise<void> {
  await query
    .updateTable("delivery")
    .set({ leased_until: null })
    .$call(ofTenant(place))
    .where("id", "=", id)
    .where("leased_until", "is not", null)
    .execute();
}

/**
 * Moves the deliveries of the CTE `closed`, which have ended, to the pending ones. One that blocks its lane is sent at once, and blocks it
 * again if it fails. Others go to the end of their lanes, in the order of their numbers. Their callers have locked the lanes.
 */
export function reopenedFromClosed(isAnew: boolean): RawBuilder<unknown> {
  return sql`freed as (select c.*, exists (select from lane l where l.bucket = c.bucket and l.tag = c.tag and l.endpoint_id = c.endpoint_id
        and l.key = c.lane and l.head_id = c.id) as is_head from closed c),
    reopened as (insert into pending_delivery (bucket, tag, id, event_id, event_name, endpoint_id, attempt_count, due_at, next_attempt_at, trigger, resting_state,
        last_status_code, last_error_class, transformed, lane, lane_sequence, lane_head, lane_place, lane_xact, lane_since, lane_at)
      select bucket, tag, id, event_id, event_name, endpoint_id, attempt_count, case when queues then ${sql.raw(FAR)} else now() end, now(), 'replay', state,
        last_status_code, last_error_class, case when ${isAnew} then null else transformed end, lane, lane_sequence,
        case when is_head then true end, case when is_head then 0 end,
        case when queues then pg_current_xact_id() end, case when queues then statement_timestamp() end,
        case when queues then row_number() over (order by lane_sequence, id) end
      from (select f.*, f.lane is not null and not f.is_head as queues from freed f) q
      returning *)`;
}

/** Moves an ended delivery to the pending ones, due at once. Undefined if it is pending. With `isAnew`, its transformation is run again. */
export async function reopen(tx: Tx, place: TenantKey, id: Uuid, isAnew: boolean): Promise<DeliveryRow | undefined> {
  const { rows } =
    await sql<DeliveryRow>`with closed as (delete from delivery where bucket = ${place.bucket} and tag = ${place.tag} and id = ${id}
      and ${IS_OVER} returning *),
    ${reopenedFromClosed(isAnew)},
    shown as (select ${PENDING_COLUMNS} from reopened as pending_delivery),
    ${sql.raw(newsOf("delivery", "reopened"))} select * from shown`.execute(tx.query);
  return rows[0];
}

/**
 * Ends a pending delivery as cancelled. Returns false if it is not pending. A node that is sending it finds its lease
 * gone. One of a lane is not cancelled while it is being sent: the next one would be sent at the same time.
 */
export async function cancelPending(query: Query, place: TenantKey, id: Uuid): Promise<boolean> {
  const { rows } = await sql<{
    id: Uuid;
  }>`with ended as (delete from pending_delivery where bucket = ${place.bucket} and tag = ${place.tag} and id = ${id}
      and (lane is null or lease_id is null or due_at <= now()) returning *),
    outcomes as (${intoOutcomes}), logged as (${intoLog} returning id), ${sql.raw(newsOf("delivery", "ended"))} select id from logged`.execute(
    query,
  );
  return rows.length > 0;
}

/** Selects deliveries: those of an endpoint, of endpoints that a query selects, or of events. */
export type PendingOf =
  | { readonly endpoint: Uuid }
  | { readonly endpoints: RawBuilder<unknown> }
  | {
      readonly events: readonly EventSpan[];
      /** Ordered endpoints whose lanes are locked. Deliveries of other lanes stay, and so do those of lanes that are being sent. */
      readonly laned: readonly Uuid[];
    };

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
  }>`with free as (select id from pending_delivery where ${chosen} and ${isFree(of)} for update skip locked),
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
  return isOfEvents(of.events);
}

/** The condition of deliveries of these events, in the order of their ids. */
export function isOfEvents(events: readonly EventSpan[]): RawBuilder<unknown> {
  const [first, last] = [events[0], events.at(-1)];
  if (first === undefined || last === undefined) return sql`false`;
  return sql`id >= ${first.id} and id < ${last.end} and event_id = any(${events.map(({ id }) => id)}::uuid[])`;
}

/** Nothing is sent after the deliveries of a deleted endpoint. */
function isFree(of: PendingOf): RawBuilder<unknown> {
  if (!("events" in of)) return sql`true`;
  return sql`(lane is null or (endpoint_id = any(${[...of.laned]}::uuid[]) and (lease_id is null or due_at <= clock_timestamp())))`;
}

/** Tells the senders that wait for the end of their deliveries. */
export const intoOutcomes = sql`insert into delivery_outcome (bucket, tag, delivery_id, state, status_code)
      select d.bucket, d.tag, d.id, 'cancelled', d.last_status_code from ended d
        join endpoint e on e.bucket = d.bucket and e.tag = d.tag and e.id = d.endpoint_id
        join channel c on c.workspace_id = e.workspace_id and c.id = e.channel_id and c.awaits
      on conflict (bucket, tag, delivery_id) do update set state = excluded.state`;

export const intoLog = sql`insert into delivery (bucket, tag, id, event_id, event_name, endpoint_id, state, attempt_count, last_status_code, last_error_class, transformed,
        lane, lane_sequence, leased_until)
      select bucket, tag, id, event_id, event_name, endpoint_id, 'cancelled', attempt_count, last_status_code, last_error_class, transformed,
        lane, lane_sequence,
        case when lease_id is not null and due_at > now() then due_at end from ended`;
