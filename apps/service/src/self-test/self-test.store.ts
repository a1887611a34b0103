import { sql } from "../db/db.ts";
import type { Query } from "../db/db.ts";
import { bucketOf, SELF_TEST_TAG, toDate, uuidFloor } from "../kernel/kernel.ts";
import type { Instant, Uuid } from "../kernel/kernel.ts";

/** Identifies the rows that one run wrote. */
export interface OwnRows {
  /** Of its event, endpoint and deliveries. */
  readonly ids: readonly Uuid[];
  /** Of its inbox; null: it has none. */
  readonly token: string | null;
  readonly idempotencyKey: string;
}

/**
 * Deletes the rows of one run (null: of none), and every row of the self-test from before `before`: those that a process could not
 * delete before it ended. A template: one statement for nine tables.
 */
export async function deleteRows(query: Query, own: OwnRows | null, before: Instant): Promise<void> {
  const here = sql`bucket = ${bucketOf(SELF_TEST_TAG)} and tag = ${SELF_TEST_TAG}`;
  const ids = `{${(own?.ids ?? []).join(",")}}`;
  const floor = uuidFloor(before);
  const gone = (id: string) => sql`(${sql.ref(id)} = any(${ids}::uuid[]) or ${sql.ref(id)} < ${floor})`;
  await sql`with endpoints as (delete from endpoint where ${here} and ${gone("id")}),
    inboxes as (delete from inbox where ${here} and (token = ${own?.token ?? null} or created_at < ${toDate(before)})),
    records as (delete from idempotency where ${here} and (key = ${own?.idempotencyKey ?? null} or created_at < ${toDate(before)})),
    announcements as (delete from outbox where ${here} and ${gone("id")}),
    stages as (delete from dispatch_stage where ${here} and ${gone("event_id")}),
    pending as (delete from pending_delivery where ${here} and ${gone("id")}),
    attempts as (delete from attempt where ${here} and ${gone("delivery_id")}),
    deliveries as (delete from delivery where ${here} and ${gone("id")})
    delete from event where ${here} and ${gone("id")}`.execute(query);
}
