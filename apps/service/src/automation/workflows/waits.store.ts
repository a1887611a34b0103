import type { TenantKey, Uuid } from "../../lib/lib.ts";
import { bulk, byKey, columnOf, definePart, ofTenant, sql } from "../../platform/db/db.ts";
import type { Db, HotReader, HotStatement, Query, Selectable, Tables, Tx } from "../../platform/db/db.ts";
import type { SubscriberQuery } from "../../events/events.ts";
import type { RunRow } from "./runs.store.ts";

export type WaitRow = Selectable<Tables["workflow_wait"]>;
type WaitKey = TenantKey & { readonly id: Uuid };

/** Checks whether any run of the environment waits for an event of this name. It needs one index lookup per pattern of the name. */
export const WAITS_QUERY: SubscriberQuery = {
  name: "workflow_waits",
  text: `select a.tag, a.event, '' from asked a
    where exists (select from workflow_wait w where w.bucket = a.bucket and w.tag = a.tag and w.event = any(a.patterns))`,
};

export type WaitInsert = Omit<WaitRow, "armed" | "checks" | "expires_at"> & { readonly seconds: number };

/** Returns the time at which the wait ends. */
export async function insertWait(query: Query, { seconds, ...wait }: WaitInsert): Promise<Date> {
  const { expires_at: expiresAt } = await query
    .insertInto("workflow_wait")
    .values({ ...wait, expires_at: sql<Date>`now() + ${seconds} * interval '1 second'` })
    .returning("expires_at")
    .executeTakeFirstOrThrow();
  return expiresAt;
}

/** A wait with the seconds until its time limit; 0 or less if it has passed. */
export type CheckedWait = WaitRow & { readonly left: number };

/** Counts a check of a wait, whose first one sets `armed`. Undefined if the run no longer waits. */
export async function checkWait(query: Query, key: WaitKey, armed: Uuid): Promise<CheckedWait | undefined> {
  return await query
    .updateTable("workflow_wait")
    .set({ checks: sql<number>`least(checks + 1, 100)`, armed: sql<Uuid>`coalesce(armed, ${armed}::uuid)` })
    .$call(ofTenant(key))
    .where("run_id", "=", key.id)
    .returningAll()
    .returning(sql<number>`extract(epoch from expires_at - now())::float8`.as("left"))
    .executeTakeFirst();
}

export async function deleteWait(query: Query, key: WaitKey): Promise<void> {
  await query.deleteFrom("workflow_wait").$call(ofTenant(key)).where("run_id", "=", key.id).execute();
}

/** Ends waits in the statement that moves their runs. */
export const waitsEnded = definePart<WaitKey>({
  name: "waits_ended",
  columns: [
    bulk("bucket", "smallint", (key) => key.bucket),
    bulk("tag", "text", (key) => key.tag),
    bulk("run_id", "uuid", (key) => key.id),
  ],
  text: ({ rows }) => `unwaited as (delete from workflow_wait w using ${rows("k")}
      where w.bucket = k.bucket and w.tag = k.tag and w.run_id = k.run_id and ${byKey("k.bucket")})`,
});

/** An event name, or a pattern that selects it, in one environment. `at` is the place of the event among those that are looked up together. */
export interface Named extends TenantKey {
  readonly at: number;
  readonly event: string;
}

/** Steps from one path to the next one, so that its cost depends on the number of paths, not on that of waiting runs. */
const KEY_PATHS: HotStatement = {
  name: "workflow_wait_paths",
  text: `with recursive n as (select * from unnest($1::int[], $2::smallint[], $3::text[], $4::text[]) as n (at, bucket, tag, event)),
      p as (
        select n.*, f.key_path from n cross join lateral (select w.key_path from workflow_wait w
          where w.bucket = n.bucket and w.tag = n.tag and w.event = n.event order by w.key_path limit 1) f
        union all
        select p.at, p.bucket, p.tag, p.event, f.key_path from p cross join lateral (select w.key_path from workflow_wait w
          where w.bucket = p.bucket and w.tag = p.tag and w.event = p.event and w.key_path > p.key_path order by w.key_path limit 1) f)
    select at, event, key_path from p`,
};

/** Returns the paths by which runs that wait for these events are found. An empty path: runs that are not found by one. */
export async function keyPathsOf(
  reader: HotReader,
  names: readonly Named[],
): Promise<(Pick<Named, "at" | "event"> & { readonly key_path: string })[]> {
  return await reader.hot(KEY_PATHS, [
    columnOf.int(names, (one) => one.at),
    columnOf.smallint(names, (one) => one.bucket),
    columnOf.text(names, (one) => one.tag),
    columnOf.text(names, (one) => one.event),
  ]);
}

/** An event with one of its texts. */
export interface Lookup extends Named {
  readonly eventId: Uuid;
  readonly tenant: string | null;
  readonly path: string;
  readonly value: string;
}

/**
 * Compares the tenants of a wait and an event: `takesTenant` as SQL. A version before tenants of branches stored them
 * without their parent's.
 */
const TAKES = `(coalesce(r.tenant, p.tenant) is not distinct from k.tenant
      or w.shared and (k.tenant is null or coalesce(r.tenant, p.tenant, r.parent_id::text) is null))`;

/** The order of the joins is fixed: while statistics are old, all runs of a workspace look as cheap to read as those that wait for the event. */
const CANDIDATES: HotStatement = {
  name: "workflow_wait_candidates",
  text: `select k.at, w.* from unnest($1::int[], $2::smallint[], $3::text[], $4::text[], $5::uuid[], $6::text[], $7::text[], $10::text[])
      as k (at, bucket, tag, event, event_id, path, value, tenant)
    cross join lateral (select w.* from workflow_wait w where w.bucket = k.bucket and w.tag = k.tag and w.event = k.event
        and w.key_path = k.path and w.key_value = k.value and k.event_id > w.began and (w.run_id, k.at) > ($8::uuid, $9::int) offset 0) w
    cross join lateral (select r.tenant, r.parent_id from workflow_run r where r.bucket = w.bucket and r.tag = w.tag and r.id = w.run_id limit 1) r
    left join lateral (select p.tenant from workflow_run p where p.bucket = w.bucket and p.tag = w.tag and p.id = r.parent_id limit 1) p on true
    where ${TAKES}
    order by w.run_id, k.at limit $11`,
};

export type Candidate = WaitRow & { readonly at: number };

/** Returns waiting runs that these events may continue, in the order of the runs and then of the events, after a run and an event. */
export async function candidatesOf(
  reader: HotReader,
  lookups: readonly Lookup[],
  after: Pick<Candidate, "run_id" | "at">,
  limit: number,
): Promise<Candidate[]> {
  return await reader.hot<Candidate>(CANDIDATES, [
    columnOf.int(lookups, (one) => one.at),
    columnOf.smallint(lookups, (one) => one.bucket),
    columnOf.text(lookups, (one) => one.tag),
    columnOf.text(lookups, (one) => one.event),
    columnOf.uuid(lookups, (one) => one.eventId),
    columnOf.text(lookups, (one) => one.path),
    columnOf.text(lookups, (one) => one.value),
    after.run_id,
    after.at,
    columnOf.text(lookups, (one) => one.tenant),
    limit,
  ]);
}

/** The error that a step shows after `noteUnjudged`. */
export const UNJUDGED = "The match was too expensive for an event that arrived (too_expensive). The step still waits.";

const NOTE_UNJUDGED: HotStatement = {
  name: "workflow_note_unjudged",
  text: `update workflow_step s set error = $5
    from unnest($1::smallint[], $2::text[], $3::uuid[], $4::smallint[]) as k (bucket, tag, run_id, position)
    where s.bucket = k.bucket and s.tag = k.tag and s.run_id = k.run_id and s.position = k.position and ${byKey("k.bucket")}
      and s.state = 'waiting' and s.error is null`,
};

/** Shows in the steps of waiting runs that an event could not be judged. */
export async function noteUnjudged(db: Db, waits: readonly WaitRow[]): Promise<void> {
  await db.byShard(
    waits,
    ({ bucket }) => bucket,
    async (own) => {
      await db.hot(NOTE_UNJUDGED, [
        columnOf.smallint(own, (wait) => wait.bucket),
        columnOf.text(own, (wait) => wait.tag),
        columnOf.uuid(own, (wait) => wait.run_id),
        columnOf.smallint(own, (wait) => wait.position),
        UNJUDGED,
      ]);
    },
  );
}

const HOLD_WAITING: HotStatement = {
  name: "workflow_hold_waiting",
  text: `select r.* from unnest($1::smallint[], $2::text[], $3::uuid[], $4::smallint[]) as k (bucket, tag, id, position)
    join workflow_run r on r.bucket = k.bucket and r.tag = k.tag and r.id = k.id and ${byKey("k.bucket")}
    where r.state = 'waiting' and r.position = k.position order by r.bucket, r.tag, r.id for update of r`,
};

/** Returns the runs that still wait at these places, and locks them, in the order of their keys, until the transaction ends. */
export async function holdWaiting(tx: Tx, waits: readonly WaitRow[]): Promise<RunRow[]> {
  return await tx.hot<RunRow>(HOLD_WAITING, [
    columnOf.smallint(waits, (wait) => wait.bucket),
    columnOf.text(waits, (wait) => wait.tag),
    columnOf.uuid(waits, (wait) => wait.run_id),
    columnOf.smallint(waits, (wait) => wait.position),
  ]);
}
