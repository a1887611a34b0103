import type { TenantKey, Uuid } from "../../lib/lib.ts";
import { lockName, ofTenant, sql } from "../../platform/db/db.ts";
import type { Db, HotReader, HotStatement, Query, Selectable, Tables, Tx } from "../../platform/db/db.ts";

export type StandingRow = Selectable<Tables["standing_approval"]>;
export type StandingKey = TenantKey & Pick<StandingRow, "id">;
export type EndReason = "ended" | "expired" | "contract_changed" | "writer_not_owner";

export type StandingInsert = Omit<
  StandingRow,
  "window_start" | "used_count" | "used_sum" | "uses" | "last_used_at" | "ended_at" | "ended_by" | "end_reason"
>;

export async function insertStanding(tx: Tx, row: StandingInsert): Promise<StandingRow> {
  return await tx.query.insertInto("standing_approval").values(row).returningAll().executeTakeFirstOrThrow();
}

export async function findStanding(query: Query, key: StandingKey): Promise<StandingRow | undefined> {
  return await query
    .selectFrom("standing_approval")
    .selectAll()
    .$call(ofTenant(key))
    .where("id", "=", key.id)
    .executeTakeFirst();
}

export interface StandingFilter {
  readonly state?: "active" | "ended" | undefined;
  readonly action?: string | undefined;
  readonly now: Date;
  readonly before?: Uuid | undefined;
}

/** Returns the newest first. */
export async function listStanding(
  query: Query,
  place: TenantKey,
  { state, action, now, before }: StandingFilter,
  limit: number,
): Promise<StandingRow[]> {
  let rows = query.selectFrom("standing_approval").selectAll().$call(ofTenant(place));
  if (state === "active") rows = rows.where("ended_at", "is", null).where("expires_at", ">", now);
  if (state === "ended")
    rows = rows.where(({ or, eb }) => or([eb("ended_at", "is not", null), eb("expires_at", "<=", now)]));
  if (action !== undefined) rows = rows.where("action", "=", action);
  if (before !== undefined) rows = rows.where("id", "<", before);
  return await rows.orderBy("id", "desc").limit(limit).execute();
}

/** Serializes the creations of an environment until the transaction ends, so that each counts those before it. */
export async function lockCreation(tx: Tx, { tag }: TenantKey): Promise<void> {
  await lockName(tx, `standing approvals ${tag}`);
}

export async function countActive(query: Query, place: TenantKey, now: Date): Promise<number> {
  const { n } = await query
    .selectFrom("standing_approval")
    .select(sql<number>`count(*)::int`.as("n"))
    .$call(ofTenant(place))
    .where("ended_at", "is", null)
    .where("expires_at", ">", now)
    .executeTakeFirstOrThrow();
  return n;
}

/** Hot: for each call that would wait for people. */
const OF_CALL: HotStatement = {
  name: "standing_approvals_of_call",
  text: `select * from standing_approval where bucket = $1 and tag = $2 and action = $3 and contract_version = $4
    and ended_at is null and expires_at > $5 order by id`,
};

/** Returns those that may cover a call of this version, oldest first. */
export async function activeOf(
  reader: HotReader,
  { bucket, tag }: TenantKey,
  call: { readonly action: string; readonly version: number; readonly now: Date },
): Promise<StandingRow[]> {
  return await reader.hot<StandingRow & Record<string, unknown>>(OF_CALL, [
    bucket,
    tag,
    call.action,
    call.version,
    call.now,
  ]);
}

/** One use of a budget. */
export interface Use {
  readonly now: Date;
  /** The start of the current window. */
  readonly windowStart: Date;
  /** The part of the sum that the call adds: an exact decimal. Null if no sum is limited. */
  readonly amount: string | null;
}

/** The counts of the current window. A node whose clock is behind counts in the window that has begun. */
function usedIn({ windowStart }: Pick<Use, "windowStart">) {
  const isNew = sql<boolean>`coalesce(window_start < ${windowStart}::timestamptz, true)`;
  return {
    start: sql<Date>`case when ${isNew} then ${windowStart}::timestamptz else window_start end`,
    count: sql<number>`case when ${isNew} then 0 else used_count end`,
    sum: sql<string>`case when ${isNew} then 0 else used_sum end`,
  };
}

/**
 * Counts one use, if the budget has room for it; undefined otherwise. The statement locks the row and reads it again after
 * other uses, so that no two nodes can use the same rest.
 */
export async function takeBudget(tx: Tx, key: StandingKey, use: Use): Promise<StandingRow | undefined> {
  const { start, count, sum } = usedIn(use);
  const amount = sql<string>`${use.amount ?? "0"}::numeric`;
  return await tx.query
    .updateTable("standing_approval")
    .set({
      window_start: start,
      used_count: sql<number>`${count} + 1`,
      used_sum: sql<string>`${sum} + ${amount}`,
      uses: sql<number>`uses + 1`,
      last_used_at: use.now,
    })
    .$call(ofTenant(key))
    .where("id", "=", key.id)
    .where("ended_at", "is", null)
    .where("expires_at", ">", use.now)
    .where(sql<boolean>`${count} < max_count`)
    .where(sql<boolean>`(max_sum is null or ${sum} + ${amount} <= max_sum)`)
    .returningAll()
    .executeTakeFirst();
}

/** Returns true if a use would be counted now. */
export async function hasRoom(query: Query, key: StandingKey, use: Use): Promise<boolean> {
  const { count, sum } = usedIn(use);
  const row = await query
    .selectFrom("standing_approval")
    .select("id")
    .$call(ofTenant(key))
    .where("id", "=", key.id)
    .where("ended_at", "is", null)
    .where("expires_at", ">", use.now)
    .where(sql<boolean>`${count} < max_count`)
    .where(sql<boolean>`(max_sum is null or ${sum} + ${use.amount ?? "0"}::numeric <= max_sum)`)
    .executeTakeFirst();
  return row !== undefined;
}

/** Ends a standing approval, once; undefined if it has ended. */
export async function moveStandingEnded(
  tx: Tx,
  key: StandingKey,
  end: { readonly now: Date; readonly reason: EndReason; readonly by: string | null },
): Promise<StandingRow | undefined> {
  return await tx.query
    .updateTable("standing_approval")
    .set({ ended_at: end.now, end_reason: end.reason, ended_by: end.by })
    .$call(ofTenant(key))
    .where("id", "=", key.id)
    .where("ended_at", "is", null)
    .returningAll()
    .executeTakeFirst();
}

export interface KeyAgentRow {
  readonly id: Uuid;
  readonly lineage_id: Uuid;
  readonly actor_type: string;
}

/** Returns the keys of this environment among the ids that can still be used. */
export async function keysOf(
  query: Query,
  { workspaceId, tag }: { readonly workspaceId: Uuid; readonly tag: TenantKey["tag"] },
  { ids, now }: { readonly ids: readonly Uuid[]; readonly now: Date },
): Promise<KeyAgentRow[]> {
  if (ids.length === 0) return [];
  return await query
    .selectFrom("api_key")
    .select(["id", "lineage_id", "actor_type"])
    .where("workspace_id", "=", workspaceId)
    .where("tag", "=", tag)
    .where("id", "in", [...ids])
    .where(({ or, eb }) => or([eb("revoked_at", "is", null), eb("revoked_at", ">", now)]))
    .execute();
}

export async function membersOf(
  query: Query,
  workspaceId: Uuid,
  ids: readonly Uuid[],
): Promise<{ readonly id: Uuid; readonly person_id: Uuid }[]> {
  if (ids.length === 0) return [];
  return await query
    .selectFrom("member")
    .select(["id", "person_id"])
    .where("workspace_id", "=", workspaceId)
    .where("id", "in", [...ids])
    .where("removed_at", "is", null)
    .execute();
}

/** A plain read with one index probe per shard. */
const ACTIVE_BUCKETS: HotStatement = {
  name: "standing_approval_buckets",
  text: `select b::smallint as bucket from generate_series(0, 63) b where exists (select from standing_approval s
    where s.bucket = b and s.ended_at is null)`,
};

export async function activeBuckets(db: Db): Promise<number[]> {
  const rows = await db.onEachShard(async () => await db.hot<{ bucket: number }>(ACTIVE_BUCKETS, []));
  return rows.map((row) => row.bucket);
}

/** An active one, with the current role of its writer; null if the writer is not a member. */
export type ActiveRow = StandingRow & { readonly writer_role: string | null; readonly grants_ended_at: Date | null };

const ACTIVE: HotStatement = {
  name: "standing_approval_active",
  text: `select s.*, m.role as writer_role, m.grants_ended_at from standing_approval s
    left join member m on m.id = s.writer_member_id and m.workspace_id = s.workspace_id and m.removed_at is null
    where s.bucket = $1 and s.ended_at is null and s.id > $2 order by s.id limit $3`,
};

export async function activeIn(db: Db, bucket: number, after: Uuid, limit: number): Promise<ActiveRow[]> {
  return await db.hot<ActiveRow & Record<string, unknown>>(ACTIVE, [bucket, after, limit]);
}
