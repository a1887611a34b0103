import { sql } from "../../platform/db/db.ts";
import type { Db, Query, RawBuilder } from "../../platform/db/db.ts";
import { bucketOf, SELF_TEST_TAG, toDate, uuidFloor } from "../../lib/lib.ts";
import type { Instant, Uuid } from "../../lib/lib.ts";

/** The bucket of the self-test's rows, which belong to no workspace. */
export const SELF_TEST_BUCKET = bucketOf(SELF_TEST_TAG);

/** Identifies the rows that one run wrote. */
export interface OwnRows {
  /** The ids of its event, endpoint and deliveries. */
  readonly ids: readonly Uuid[];
  /** The value of its inbox's column `token`; null if it has no inbox. */
  readonly inboxKey: string | null;
  readonly idempotencyKey: string;
}

/**
 * Deletes the rows of one run (if given), and all rows of the self-test from before `before`, which a process could not
 * delete before it ended. Returns the number of deleted rows. This is a template, because it is one statement for eight
 * tables; the inboxes, which are on every machine, have their own.
 */
export async function deleteRows(db: Db, own: OwnRows | null, before: Instant): Promise<number> {
  return await db.at(SELF_TEST_BUCKET, async () => await deleteOnShard(db.query, own, before));
}

async function deleteOnShard(query: Query, own: OwnRows | null, before: Instant): Promise<number> {
  const ids = `{${(own?.ids ?? []).join(",")}}`;
  const byId = (id: string) => sql`(${sql.ref(id)} = any(${ids}::uuid[]) or ${sql.ref(id)} < ${uuidFloor(before)})`;
  const byText = (name: string, value: string | undefined | null) =>
    sql`(${sql.ref(name)} = ${value ?? null} or created_at < ${toDate(before)})`;
  const conditions: readonly (readonly [string, RawBuilder<unknown>])[] = [
    ["endpoint", byId("id")],
    ["idempotency", byText("key", own?.idempotencyKey)],
    ["outbox", byId("id")],
    ["dispatch_stage", byId("event_id")],
    ["pending_delivery", byId("id")],
    ["attempt", byId("delivery_id")],
    ["delivery", byId("id")],
    ["event", byId("id")],
  ];
  const parts = conditions.map(
    ([table, condition]) => sql`${sql.ref(`of_${table}`)} as (delete from ${sql.table(table)}
      where bucket = ${SELF_TEST_BUCKET} and tag = ${SELF_TEST_TAG} and ${condition} returning 1)`,
  );
  const counts = conditions.map(([table]) => sql`(select count(*) from ${sql.table(`of_${table}`)})`);
  const { rows } = await sql<{
    n: number;
  }>`with ${sql.join(parts)} select (${sql.join(counts, sql` + `)})::int as n`.execute(query);
  const inboxes = await sql`delete from public.inbox where bucket = ${SELF_TEST_BUCKET} and tag = ${SELF_TEST_TAG}
    and ${byText("token", own?.inboxKey)}`.execute(query);
  return (rows[0]?.n ?? 0) + Number(inboxes.numAffectedRows ?? 0n);
}
