import { NIL_UUID } from "../../lib/lib.ts";
import type { TenantKey, Uuid } from "../../lib/lib.ts";
import { countOnShards, ofTenant, sql } from "../../platform/db/db.ts";
import type { Db, HotStatement, Query, RawBuilder, Selectable, Tables, Tx } from "../../platform/db/db.ts";

import { PHASES } from "./deletion-phases.ts";
import type { Phase } from "./deletion-phases.ts";
import type { EventSpan } from "../deliveries/deliveries.store.ts";

export type DeletionRow = Selectable<Tables["tenant_deletion"]>;

export interface Progress {
  /** The number of objects that the step removed. */
  readonly count: number;
  /** Where the next step starts; null for the first row that is left. */
  readonly position: Uuid | null;
  /** The last row of the endpoint or source at the position; null if nothing is left of it. */
  readonly sub_position?: Uuid | null;
  /** True if nothing of the phase is left. */
  readonly isOver: boolean;
  /** True if the next step can do nothing yet. */
  readonly hasToWait?: boolean;
}

/** Starts the deletion of a tenant. Returns the one that is under way, if there is one. */
export async function startDeletion(
  tx: Tx,
  deletion: Pick<DeletionRow, "bucket" | "tag" | "id" | "workspace_id" | "tenant">,
): Promise<DeletionRow> {
  const made = await tx.query
    .insertInto("tenant_deletion")
    .values({ ...deletion, due_at: sql<Date>`now()` })
    .onConflict((conflict) => conflict.columns(["bucket", "tag", "tenant"]).where("due_at", "is not", null).doNothing())
    .returningAll()
    .executeTakeFirst();
  const [row] = made === undefined ? await latestDeletions(tx.query, deletion, [deletion.tenant]) : [made];
  if (row === undefined) throw new Error("a deletion is neither new nor under way");
  return row;
}

/** Returns the last deletion of each of these tenants. */
export async function latestDeletions(
  query: Query,
  { bucket, tag }: TenantKey,
  tenants: readonly string[],
): Promise<DeletionRow[]> {
  const { rows } = await sql<DeletionRow>`select distinct on (tenant) * from tenant_deletion
    where bucket = ${bucket} and tag = ${tag} and tenant = any(${[...tenants]}::text[]) order by tenant, id desc`.execute(
    query,
  );
  return rows;
}

const OVERDUE: HotStatement = {
  name: "tenant_deletion_overdue",
  text: `select count(*)::int as n from generate_series(0, 63) b,
    lateral (select from tenant_deletion t where t.bucket = b and t.due_at is not null and t.id < $1) o`,
};

/** Returns the number of deletions under way that are older than the id. */
export async function countOverdue(db: Db, before: Uuid): Promise<number> {
  return await countOnShards(db, OVERDUE, [before]);
}

/** Returns the phase after a step; undefined after the last one. */
export function phaseAfter(held: DeletionRow, { isOver }: Progress): Phase | undefined {
  return isOver ? PHASES[PHASES.indexOf(held.phase as Phase) + 1] : (held.phase as Phase);
}

/**
 * Records a step. If the next one has to wait, it is due after that time, on any node. Undefined if another node has done
 * the step, which is then undone.
 */
export async function advanceDeletion(
  tx: Tx,
  held: DeletionRow,
  progress: Progress,
  waitMs: number,
): Promise<DeletionRow | undefined> {
  const { count, isOver, position, sub_position: within = null } = progress;
  const next = phaseAfter(held, progress);
  const { rows } = await sql<DeletionRow>`update tenant_deletion set
      removed = removed || jsonb_build_object(phase, coalesce((removed ->> phase)::int, 0) + ${count}::int),
      phase = ${next ?? held.phase}, position = ${isOver ? null : position}, sub_position = ${isOver ? null : within},
      due_at = case when ${next === undefined} then null when ${waitMs > 0} then now() + ${waitMs} * interval '1 millisecond' else due_at end,
      lease_id = case when ${next === undefined || waitMs > 0} then null else lease_id end,
      finished_at = case when ${next === undefined} then now() end
    where bucket = ${held.bucket} and tag = ${held.tag} and id = ${held.id} and phase = ${held.phase}
      and position is not distinct from ${held.position} and sub_position is not distinct from ${held.sub_position} and due_at is not null returning *`.execute(
    tx.query,
  );
  return rows[0];
}

/** Returns endpoints of the tenant that are older than the deletion and still exist. */
export async function endpointsLeft(query: Query, held: DeletionRow, limit: number): Promise<Uuid[]> {
  const rows = await query
    .selectFrom("endpoint")
    .select("id")
    .$call(ofTenant(held))
    .where("tenant", "=", held.tenant)
    .where("deleted_at", "is", null)
    .where("id", "<", held.id)
    .orderBy("id")
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

export async function deleteSources(tx: Tx, held: DeletionRow, now: Date): Promise<number> {
  const result = await tx.query
    .updateTable("inbound_source")
    .set({ deleted_at: now, active: false })
    .$call(ofTenant(held))
    .where("tenant", "=", held.tenant)
    .where("deleted_at", "is", null)
    .where("id", "<", held.id)
    .executeTakeFirst();
  return Number(result.numUpdatedRows);
}

/** Deletes the scheduled events that were accepted before the deletion. Their ids have the time at which they are fired. */
export async function deleteScheduled(tx: Tx, held: DeletionRow, before: Date): Promise<number> {
  const gone = await tx.query
    .deleteFrom("scheduled_event")
    .$call(ofTenant(held))
    .where("tenant", "=", held.tenant)
    .where("accepted_at", "<=", before)
    .returning("id")
    .execute();
  const ids = gone.map(({ id }) => id);
  if (ids.length > 0)
    await tx.query.deleteFrom("event_label").$call(ofTenant(held)).where("event_id", "in", ids).execute();
  return ids.length;
}

/** Returns the deleted endpoint or source of the tenant whose log is emptied next. */
export async function nextOwner(
  query: Query,
  held: DeletionRow,
  table: "endpoint" | "inbound_source",
): Promise<Uuid | undefined> {
  const row = await query
    .selectFrom(table)
    .select("id")
    .$call(ofTenant(held))
    .where("tenant", "=", held.tenant)
    .where("deleted_at", "is not", null)
    .where("id", "<", held.id)
    .where("id", held.sub_position === null ? ">" : ">=", held.position ?? NIL_UUID)
    .orderBy("id")
    .limit(1)
    .executeTakeFirst();
  return row?.id;
}

/** Selects the deleted endpoints of the tenant that are older than the deletion. */
export function deletedEndpoints({ bucket, tag, tenant, id }: DeletionRow): RawBuilder<unknown> {
  return sql`select e.id from endpoint e where e.bucket = ${bucket} and e.tag = ${tag} and e.tenant = ${tenant}
    and e.deleted_at is not null and e.id < ${id}`;
}

interface Removed {
  readonly count: number;
  readonly last: Uuid | null;
}

const COUNTED = sql`select count(*)::int as count, (select id from chosen order by id desc limit 1) as last from chosen`;

/** Empties the logged requests and responses of an endpoint. */
export async function emptyDeliveries(tx: Tx, held: DeletionRow, endpointId: Uuid, limit: number): Promise<Removed> {
  const { bucket, tag, sub_position: after } = held;
  const { rows } = await sql<Removed>`with chosen as materialized (select id from delivery
      where bucket = ${bucket} and tag = ${tag} and endpoint_id = ${endpointId} and id > ${after ?? NIL_UUID} order by id limit ${limit}),
    emptied as (update attempt a set response_snippet = null, response_headers = null from chosen c
      where a.bucket = ${bucket} and a.tag = ${tag} and a.delivery_id = c.id),
    gone as (delete from delivery_request r using chosen c where r.bucket = ${bucket} and r.tag = ${tag} and r.delivery_id = c.id)
    ${COUNTED}`.execute(tx.query);
  return rows[0] ?? { count: 0, last: null };
}

/** Empties the receipts of a source. `extracted` is the JSON text of no values. */
export async function emptyReceipts(
  tx: Tx,
  held: DeletionRow,
  { sourceId, extracted }: { readonly sourceId: Uuid; readonly extracted: string },
  limit: number,
): Promise<Removed> {
  const { bucket, tag, sub_position: after } = held;
  const { rows } = await sql<Removed>`with chosen as materialized (select id from inbound_receipt
      where bucket = ${bucket} and tag = ${tag} and source_id = ${sourceId} and id > ${after ?? NIL_UUID} order by id limit ${limit}),
    emptied as (update inbound_receipt r set body = '', headers = '{}', extracted = ${extracted}, event_type = null,
        items = null, refs = null, reason_code = 'erased', reason = 'The tenant was deleted' from chosen c
      where r.bucket = ${bucket} and r.tag = ${tag} and r.id = c.id)
    ${COUNTED}`.execute(tx.query);
  return rows[0] ?? { count: 0, last: null };
}

/** Empties the deleted endpoints and sources of the tenant: their addresses, names and texts are the tenant's. */
export async function emptyOwners(tx: Tx, held: DeletionRow): Promise<void> {
  const { bucket, tag, tenant, id } = held;
  await sql`with emptied as (update endpoint e set url = 'https://deleted.invalid/', description = '', filter = null, transform = null,
      transform_version = null, headers = '{}', headers_sealed = null, channels = null, metadata = null, uid = null, external_ref = null
      where e.bucket = ${bucket} and e.tag = ${tag} and e.id in (${deletedEndpoints(held)})),
    lanes as (delete from lane l where l.bucket = ${bucket} and l.tag = ${tag} and l.endpoint_id in (${deletedEndpoints(held)})),
    transforms as (delete from endpoint_transform t where t.bucket = ${bucket} and t.tag = ${tag} and t.endpoint_id in (${deletedEndpoints(held)})),
    consumers as (delete from pull_consumer c where c.bucket = ${bucket} and c.tag = ${tag} and c.endpoint_id in (${deletedEndpoints(held)}))
    update inbound_source s set name = '', description = '', summary_template = null
      where s.bucket = ${bucket} and s.tag = ${tag} and s.tenant = ${tenant} and s.deleted_at is not null and s.id < ${id}`.execute(
    tx.query,
  );
}

/** Deletes the announcements about the tenant that were not fired. */
export async function deleteAnnounced(tx: Tx, held: DeletionRow): Promise<void> {
  const rows = tx.query.deleteFrom("outbox").$call(ofTenant(held));
  await rows.where("tenant", "=", held.tenant).where("id", "<", held.id).execute();
}

/** Returns events of the tenant that are older than the deletion, or to which older ones led. */
export async function eventsLeft(tx: Tx, held: DeletionRow, limit: number): Promise<Uuid[]> {
  const { rows } = await sql<{ id: Uuid }>`select id from event where bucket = ${held.bucket} and tag = ${held.tag}
    and tenant = ${held.tenant} and id > ${held.position ?? NIL_UUID} and (id < ${held.id} or chain[1] < ${held.id}) order by id limit ${limit}`.execute(
    tx.query,
  );
  return rows.map(({ id }) => id);
}

/** The last deliveries of an endpoint that are looked at for others that share a lane. */
const MOST_READ = 10_000;

/** Deletes events with their stages, and with the requests that were made of them and the responses. */
export async function deleteEvents(tx: Tx, { bucket, tag }: TenantKey, events: readonly EventSpan[]): Promise<void> {
  const [ids, ends] = [events.map((event) => event.id), events.map((event) => event.end)];
  await sql`with w as materialized (select * from unnest(${ids}::uuid[], ${ends}::uuid[]) as w (id, ends_before)),
    requests as (delete from delivery_request r using w, delivery d where r.bucket = ${bucket} and r.tag = ${tag}
      and r.delivery_id >= w.id and r.delivery_id < w.ends_before
      and d.bucket = ${bucket} and d.tag = ${tag} and d.id = r.delivery_id and d.event_id = w.id),
    responses as (update attempt a set response_snippet = null, response_headers = null, error_detail = null
      from w, delivery d where a.bucket = ${bucket} and a.tag = ${tag} and a.delivery_id >= w.id and a.delivery_id < w.ends_before
      and d.bucket = ${bucket} and d.tag = ${tag} and d.id = a.delivery_id and d.event_id = w.id),
    -- The keys of lanes are of the event. Those of whole endpoints are not, and their numbers go on. So do those of lanes that events of
    -- others share: their receivers would take a number that comes again for a repetition.
    laned as (select d.endpoint_id, d.lane, d.id from w, delivery d where d.bucket = ${bucket} and d.tag = ${tag} and d.id >= w.id
      and d.id < w.ends_before and d.event_id = w.id and d.lane is not null and d.lane not like 'ep\\_%'),
    shared as materialized (select o.endpoint_id, o.lane from (select distinct endpoint_id from laned) e
      cross join lateral (select d.endpoint_id, d.lane, d.event_id from delivery d where d.bucket = ${bucket} and d.tag = ${tag}
        and d.endpoint_id = e.endpoint_id order by d.id desc limit ${MOST_READ}) o
      where o.lane in (select lane from laned) and o.event_id not in (select id from w)),
    keys as (delete from lane l using laned d where l.bucket = ${bucket} and l.tag = ${tag} and l.endpoint_id = d.endpoint_id
      and l.key = d.lane and l.head_id is null and not exists (select from shared s where s.endpoint_id = l.endpoint_id and s.lane = l.key)),
    nameless as (update delivery d set lane = null from laned n where d.bucket = ${bucket} and d.tag = ${tag} and d.id = n.id),
    labels as (delete from event_label l using w where l.bucket = ${bucket} and l.tag = ${tag} and l.event_id = w.id),
    stages as (delete from dispatch_stage s using w where s.bucket = ${bucket} and s.tag = ${tag} and s.event_id = w.id)
    delete from event e using w where e.bucket = ${bucket} and e.tag = ${tag} and e.id = w.id`.execute(tx.query);
}
