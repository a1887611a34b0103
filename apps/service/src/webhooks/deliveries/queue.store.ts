import { bulk, byKey, columnOf, defineDependentPart, definePart } from "../../platform/db/db.ts";
import type { BulkColumn, Db, HotStatement, PartText, RequestRow } from "../../platform/db/db.ts";
import type { Event, PlannedDelivery } from "../../events/events.ts";
import type { Tag, Uuid } from "../../lib/lib.ts";
import { TOO_EXPENSIVE } from "../endpoints/filters.ts";
import { isPulled } from "../endpoints/kind.ts";
import type { RestingState } from "./queue.ts";
import { newsOf } from "../../insights/insights.ts";

/** All statements in this file are hot: they run on every commit, poll or result. */

export interface PendingInsert extends RequestRow {
  readonly event: Pick<Event, "scope" | "id" | "name">;
  readonly delivery: Pick<PlannedDelivery, "id" | "endpointId" | "isUnjudged" | "lane" | "initialState">;
}

/** The same with what tells whether the endpoint is pulled. */
export interface PulledInsert extends PendingInsert {
  readonly delivery: PendingInsert["delivery"] & Pick<PlannedDelivery, "maxInFlight">;
}

export interface Lease {
  readonly leaseId: Uuid;
  readonly leaseSeconds: number;
}

const LEASE = { leaseId: "uuid", leaseSeconds: "float8" } as const;

interface PendingParts {
  readonly columns: readonly BulkColumn<PendingInsert>[];
  readonly extras: readonly BulkColumn<PendingInsert>[];
}

type PendingText = PartText<Lease>;

/**
 * The time after which a held delivery is sent if its release was lost in a crash. It is longer than all waits for
 * stages and a takeover together.
 */
const HOLD_SECONDS = 300;

/** The columns of every pending delivery. */
export const PENDING: PendingParts = {
  columns: [
    bulk("bucket", "smallint", ({ event }) => event.scope.bucket),
    bulk("tag", "text", ({ event }) => event.scope.tag),
    bulk("id", "uuid", ({ delivery }) => delivery.id),
    bulk("event_id", "uuid", ({ event }) => event.id),
    bulk("event_name", "text", ({ event }) => event.name),
    bulk("endpoint_id", "uuid", ({ delivery }) => delivery.endpointId),
    bulk("last_error_class", "text", ({ delivery }) => (delivery.isUnjudged ? TOO_EXPENSIVE : null)),
  ],
  extras: [bulk("initial_state", "text", ({ delivery }) => delivery.initialState)],
};

function pendingText({ rows, names, selected, $ }: PendingText, name: string, value: string): string {
  return `deliveries as (insert into pending_delivery (${names}, due_at, next_attempt_at, lease_id${name})
      select ${selected("d")},
        case d.initial_state when 'leased' then clock_timestamp() + ${$.leaseSeconds} * interval '1 second' when 'due' then now() else now() + ${HOLD_SECONDS} * interval '1 second' end,
        case when d.initial_state <> 'held' then now() end,
        case when d.initial_state = 'leased' then ${$.leaseId} end${value}
      from ${rows("d")} returning bucket, tag, id),
    ${newsOf("delivery", "deliveries")}`;
}

/** Writes pending deliveries. The lease starts with the statement, because the transaction may have begun earlier. */
export const pendingPart = defineDependentPart<PendingInsert, Lease>({
  ...PENDING,
  name: "pending",
  parameters: LEASE,
  text: (part) => pendingText(part, "", ""),
});

/** Does the same if some of the endpoints are pulled: their deliveries get offsets in the order of their transactions. */
export const pendingPulledPart = defineDependentPart<PulledInsert, Lease>({
  ...PENDING,
  name: "pending_pulled",
  extras: [...PENDING.extras, bulk("is_pulled", "boolean", ({ delivery }) => isPulled(delivery))],
  parameters: LEASE,
  text: (part) => pendingText(part, ", xact", ", case when d.is_pulled then pg_current_xact_id() end"),
});

export interface NextDue {
  readonly bucket: number;
  readonly tag: Tag;
  readonly endpoint_id: Uuid;
  /** The milliseconds until the first delivery is due; zero or less if it is due. */
  readonly due_in_ms: number;
  /** The time at which that one is due, without its microseconds. */
  readonly due_from: Date;
  readonly max_in_flight: number;
  readonly rate_limit_per_second: number | null;
  /** False if the endpoint was deleted before its deliveries. */
  readonly exists: boolean;
}

/**
 * Finds the first due delivery of each endpoint that has deliveries. Needs one index probe for each endpoint, for any
 * number of pending deliveries.
 */
const DUE_HEADS: HotStatement = {
  name: "delivery_due_heads",
  text: `with recursive head as (
      (select endpoint_id, bucket, tag, due_at from pending_delivery order by endpoint_id, bucket, tag, due_at limit 1)
      union all
      select n.endpoint_id, n.bucket, n.tag, n.due_at from head h, lateral (select p.endpoint_id, p.bucket, p.tag, p.due_at from pending_delivery p
        where (p.endpoint_id, p.bucket, p.tag) > (h.endpoint_id, h.bucket, h.tag) order by p.endpoint_id, p.bucket, p.tag, p.due_at limit 1) n)
    select h.bucket, h.tag, h.endpoint_id, coalesce(e.max_in_flight, 16) as max_in_flight, e.rate_limit_per_second,
      e.id is not null and e.deleted_at is null as exists,
      (extract(epoch from greatest(h.due_at, coalesce(e.paced_until, h.due_at)) - now()) * 1000)::float8 as due_in_ms,
      date_trunc('milliseconds', h.due_at) as due_from
    from head h left join endpoint e on e.bucket = h.bucket and e.tag = h.tag and e.id = h.endpoint_id
    where (e.id is null or e.deleted_at is not null or e.active)`,
};

export interface ClaimRequest {
  readonly tag: Tag;
  readonly endpointId: Uuid;
  readonly limit: number;
  /** The time from which the endpoint's deliveries are due; absent if unknown. */
  readonly from?: Date;
}

export interface ClaimedRow {
  readonly bucket: number;
  readonly tag: Tag;
  readonly id: Uuid;
  readonly event_id: Uuid;
  readonly event_name: string;
  readonly endpoint_id: Uuid;
  readonly attempt_count: number;
  readonly trigger: "ladder" | "replay";
  readonly resting_state: RestingState | null;
  readonly transformed: boolean | null;
  readonly last_error_class: string | null;
  readonly lane: string | null;
  readonly lane_sequence: string | null;
  /** Null if it is large, or if retention has deleted the event. */
  readonly data: string | null;
  /** The size of the data; null if retention has deleted the event. */
  readonly bytes: number | null;
  readonly occurred_at: Date | null;
  readonly traceparent: string | null;
  readonly tenant: string | null;
  /** Not read with what a lane leases. */
  readonly subject?: string | null;
}

/**
 * Claims due deliveries of one bucket, up to a limit for each endpoint, and hides them from other workers while the
 * lease runs. It reads from the first due one on, because index entries of deliveries that have ended may be before it:
 * while any snapshot is held, they stay.
 */
const CLAIM: HotStatement = {
  name: "delivery_claim",
  text: `with due as (
      select p.tag, p.id from unnest($2::text[], $3::uuid[], $4::int[], $8::timestamptz[]) as w (tag, endpoint_id, wanted, due_from),
        lateral (select d.tag, d.id from pending_delivery d where d.bucket = $1 and d.tag = w.tag and d.endpoint_id = w.endpoint_id
          and d.due_at between coalesce(w.due_from, '-infinity') and now() order by d.due_at limit w.wanted for update skip locked) p),
    taken as (update pending_delivery p set lease_id = $5, due_at = now() + $6 * interval '1 second'
      from due where p.bucket = $1 and p.tag = due.tag and p.id = due.id
      returning p.bucket, p.tag, p.id, p.event_id, p.event_name, p.endpoint_id, p.attempt_count, p.trigger, p.resting_state, p.transformed,
        p.last_error_class, p.lane, p.lane_sequence)
    select t.*, octet_length(e.data) as bytes, case when octet_length(e.data) <= $7 then e.data end as data, e.occurred_at, e.traceparent, e.tenant, e.subject from taken t left join event e on e.bucket = $1 and e.tag = t.tag and e.id = t.event_id`,
};

/**
 * Reserves paced sends of one endpoint and returns how many may start now, at most one second's worth. Uses the
 * database's clock, so that the pace holds across all nodes.
 */
const PACE: HotStatement = {
  name: "delivery_pace",
  text: `with pace as (select greatest(coalesce(paced_until, now()), now()) as from_at, rate_limit_per_second as rate
      from endpoint where bucket = $1 and tag = $2 and id = $3 for update),
    room as (select from_at, rate, greatest(0, least($4::int, floor(extract(epoch from now() + interval '1 second' - from_at) * rate)))::int as n from pace)
    update endpoint e set paced_until = room.from_at + room.n * interval '1 second' / room.rate from room
    where e.bucket = $1 and e.tag = $2 and e.id = $3 returning room.n`,
};

export async function dueHeads(db: Db): Promise<NextDue[]> {
  return await db.onEachShard(async () => await db.hot<NextDue & Record<string, unknown>>(DUE_HEADS, []));
}

export async function claimDue(
  db: Db,
  bucket: number,
  wishes: readonly ClaimRequest[],
  lease: { id: Uuid; seconds: number; largeBytes: number },
): Promise<ClaimedRow[]> {
  return await db.hot<ClaimedRow & Record<string, unknown>>(CLAIM, [
    bucket,
    columnOf.text(wishes, (wish) => wish.tag),
    columnOf.uuid(wishes, (wish) => wish.endpointId),
    columnOf.int(wishes, (wish) => wish.limit),
    lease.id,
    lease.seconds,
    lease.largeBytes,
    columnOf.timestamptz(wishes, (wish) => wish.from ?? null),
  ]);
}

export async function takeRateTokens(db: Db, head: NextDue, wanted: number): Promise<number> {
  const [row] = await db.hot<{ n: number }>(PACE, [head.bucket, head.tag, head.endpoint_id, wanted]);
  return row?.n ?? 0;
}

export interface Released {
  readonly event: Pick<Event, "scope">;
  readonly delivery: Pick<PlannedDelivery, "id">;
  /** True if it becomes leased to this node; otherwise it becomes due. */
  readonly leased: boolean;
}

/** One that waits in its lane stays there. It is leased to no node when it is released: `leased` is false for all of lanes. */
const WAITS_IN_LANE = "p.lane is not null and p.lane_head is not true";

/** Releases these deliveries if they are still held. */
export const releasePart = definePart<Released, Lease>({
  name: "release",
  columns: [
    bulk("bucket", "smallint", ({ event }) => event.scope.bucket),
    bulk("tag", "text", ({ event }) => event.scope.tag),
    bulk("id", "uuid", ({ delivery }) => delivery.id),
    bulk("leased", "boolean", ({ leased }) => leased),
  ],
  parameters: { leaseId: "uuid", leaseSeconds: "float8" },
  text: ({
    rows,
    $,
  }) => `released as (update pending_delivery p set next_attempt_at = now(), lease_id = case when r.leased then ${$.leaseId} end,
        due_at = case when ${WAITS_IN_LANE} then p.due_at when r.leased then clock_timestamp() + ${$.leaseSeconds} * interval '1 second' else now() end
      from ${rows("r")}
      where p.bucket = r.bucket and p.tag = r.tag and p.id = r.id and p.next_attempt_at is null and ${byKey("r.bucket")}
      returning p.id, r.leased)`,
});

/**
 * Releases all held deliveries of events. `+ 0` and `|| ''` keep the planner from the primary key, with which it would
 * read all deliveries of the workspace (decision 0256).
 */
export const releaseEventsPart = definePart<Pick<Event, "scope" | "id">>({
  name: "release_events",
  columns: [
    bulk("bucket", "smallint", ({ scope }) => scope.bucket),
    bulk("tag", "text", ({ scope }) => scope.tag),
    bulk("event_id", "uuid", ({ id }) => id),
  ],
  text: ({
    rows,
  }) => `released_events as (update pending_delivery p set due_at = case when ${WAITS_IN_LANE} then p.due_at else now() end, next_attempt_at = now()
      from ${rows("r")}
      where p.event_id = r.event_id and p.next_attempt_at is null and p.bucket + 0 = r.bucket and p.tag || '' = r.tag and ${byKey("r.bucket")}
      returning p.id)`,
});

/** Gives unsent deliveries back without counting an attempt. */
const GIVE_BACK: HotStatement = {
  name: "delivery_give_back",
  text: `update pending_delivery p set due_at = now() + $5::int * interval '1 millisecond', lease_id = null from unnest($1::smallint[], $2::text[], $3::uuid[]) as w (bucket, tag, id)
    where p.bucket = w.bucket and p.tag = w.tag and p.id = w.id and p.lease_id = $4`,
};

export async function releaseLeases(
  db: Db,
  works: readonly { bucket: number; tag: Tag; deliveryId: Uuid }[],
  leaseId: Uuid,
  waitMs = 0,
): Promise<void> {
  await db.byShard(
    works,
    ({ bucket }) => bucket,
    async (own) => {
      await db.hot(GIVE_BACK, [
        columnOf.smallint(own, (work) => work.bucket),
        columnOf.text(own, (work) => work.tag),
        columnOf.uuid(own, (work) => work.deliveryId),
        leaseId,
        waitMs,
      ]);
    },
  );
}

/** Gives a delivery back without counting an attempt, and says why it waits. */
const POSTPONE: HotStatement = {
  name: "delivery_postpone",
  text: `update pending_delivery set due_at = now() + $4::float8 * interval '1 millisecond', next_attempt_at = now() + $4::float8 * interval '1 millisecond',
      lease_id = null, last_error_class = 'proxy'
    where bucket = $1 and tag = $2 and id = $3 and lease_id = $5`,
};

/** Postpones a delivery that the egress proxy kept from its receiver. */
export async function postpone(
  db: Db,
  { bucket, tag, deliveryId }: { readonly bucket: number; readonly tag: Tag; readonly deliveryId: Uuid },
  { leaseId, waitMs }: { readonly leaseId: Uuid; readonly waitMs: number },
): Promise<void> {
  await db.hot(POSTPONE, [bucket, tag, deliveryId, waitMs, leaseId]);
}
