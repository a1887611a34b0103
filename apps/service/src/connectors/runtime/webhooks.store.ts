import { ofTenant, sql } from "../../platform/db/db.ts";
import type { Db, HotStatement, Selectable, Tables, Tx } from "../../platform/db/db.ts";
import type { Uuid } from "../../lib/lib.ts";

export type WebhookRow = Selectable<Tables["connector_webhook"]>;
export type NewWebhook = Pick<
  WebhookRow,
  "bucket" | "tag" | "id" | "workspace_id" | "key" | "dedupe" | "body" | "request"
>;

/**
 * Stores a webhook, leased to this node. Returns its id, and whether it was accepted. A webhook that is done or in
 * progress stays unchanged. One that had failed for good is processed again.
 */
export async function keepWebhook(
  tx: Tx,
  webhook: NewWebhook,
  lease: { readonly id: Uuid; readonly seconds: number },
): Promise<{ readonly id: Uuid; readonly taken: boolean }> {
  const { bucket, tag, id, workspace_id, key, dedupe, body, request } = webhook;
  const { rows } = await sql<{ id: Uuid }>`insert into connector_webhook
      (bucket, tag, id, workspace_id, key, dedupe, body, request, state, due_at, lease_id)
    values (${bucket}, ${tag}, ${id}, ${workspace_id}, ${key}, ${dedupe}, ${body}, ${request}, 'waiting',
      now() + ${lease.seconds}::int * interval '1 second', ${lease.id})
    on conflict (bucket, tag, key, dedupe) do update set state = 'waiting', attempts = 0, error = null, body = excluded.body,
      request = excluded.request, due_at = excluded.due_at, lease_id = excluded.lease_id
    where connector_webhook.state = 'failed' returning id`.execute(tx.query);
  const [row] = rows;
  if (row !== undefined) return { id: row.id, taken: true };
  const first = await tx.query
    .selectFrom("connector_webhook")
    .select("id")
    .$call(ofTenant(webhook))
    .where("key", "=", key)
    .where("dedupe", "=", dedupe)
    .executeTakeFirstOrThrow();
  return { id: first.id, taken: false };
}

const DUE_BUCKETS: HotStatement = {
  name: "connector_webhook_due_buckets",
  text: `select b::smallint as bucket from generate_series(0, 63) b where exists
    (select 1 from connector_webhook w where w.bucket = b and w.state = 'waiting' and w.due_at <= now())`,
};

const CLAIM: HotStatement = {
  name: "connector_webhook_claim",
  text: `update connector_webhook w set lease_id = $2, due_at = now() + $3 * interval '1 second'
    from (select bucket, tag, id from connector_webhook where bucket = $1 and state = 'waiting' and due_at <= now()
      order by due_at limit $4 for update skip locked) d
    where w.bucket = $1 and w.tag = d.tag and w.id = d.id returning w.*`,
};

const GIVE_BACK: HotStatement = {
  name: "connector_webhook_give_back",
  text: `update connector_webhook set lease_id = null, due_at = now() where lease_id = $1 and state = 'waiting' and due_at > now()`,
};

export async function dueBuckets(db: Db): Promise<number[]> {
  return (await db.onEachShard(async () => await db.hot<{ bucket: number }>(DUE_BUCKETS, []))).map((row) => row.bucket);
}

export async function claimWebhooks(
  db: Db,
  bucket: number,
  lease: { readonly id: Uuid; readonly seconds: number; readonly limit: number },
): Promise<WebhookRow[]> {
  const values = [bucket, lease.id, lease.seconds, lease.limit];
  return await db.at(bucket, async () => await db.hot<WebhookRow>(CLAIM, values));
}

/** Releases the webhooks of a stopping node, so that other nodes process them at once. */
export async function giveBackWebhooks(db: Db, leaseId: Uuid): Promise<void> {
  await db.onEachShard(async () => await db.hot(GIVE_BACK, [leaseId]));
}

type WebhookKey = Pick<WebhookRow, "bucket" | "tag" | "id">;

/** Returns undefined if the lease was lost. */
export async function findLeased(db: Db, place: WebhookKey, leaseId: Uuid): Promise<WebhookRow | undefined> {
  return await db.query
    .selectFrom("connector_webhook")
    .selectAll()
    .$call(ofTenant(place))
    .where("id", "=", place.id)
    .where("lease_id", "=", leaseId)
    .where("state", "=", "waiting")
    .executeTakeFirst();
}

export interface WebhookEnd {
  readonly state: "waiting" | "done" | "failed";
  readonly attempts: number;
  readonly error: string | null;
  readonly dueInMs: number;
}

/** Ends a webhook that this lease still holds. A processed webhook keeps no body. */
export async function endWebhook(db: Db, place: WebhookKey, leaseId: Uuid, end: WebhookEnd): Promise<void> {
  const { state, attempts, error, dueInMs } = end;
  await db.query
    .updateTable("connector_webhook")
    .set({
      state,
      attempts,
      error,
      due_at: sql`now() + ${dueInMs}::int * interval '1 millisecond'`,
      lease_id: null,
      ...(state === "done" ? { body: null, request: null } : {}),
    })
    .$call(ofTenant(place))
    .where("id", "=", place.id)
    .where("lease_id", "=", leaseId)
    .execute();
}
