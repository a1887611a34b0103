import { ofTenant, sql } from "../../platform/db/db.ts";
import type { Db, Selectable, Tables, Tx } from "../../platform/db/db.ts";
import type { Uuid } from "../../lib/lib.ts";

export type WebhookRow = Selectable<Tables["connector_webhook"]>;
export type NewWebhook = Pick<
  WebhookRow,
  "bucket" | "tag" | "id" | "workspace_id" | "key" | "dedupe" | "body" | "request"
>;

/**
 * Stores a webhook. Returns its id, and whether it was accepted. A webhook that is done or in progress stays unchanged.
 * One that had failed for good is processed again.
 */
export async function keepWebhook(
  tx: Tx,
  webhook: NewWebhook,
): Promise<{ readonly id: Uuid; readonly taken: boolean }> {
  const { bucket, tag, id, workspace_id, key, dedupe, body, request } = webhook;
  const { rows } = await sql<{ id: Uuid }>`insert into connector_webhook
      (bucket, tag, id, workspace_id, key, dedupe, body, request, state, due_at)
    values (${bucket}, ${tag}, ${id}, ${workspace_id}, ${key}, ${dedupe}, ${body}, ${request}, 'waiting', now())
    on conflict (bucket, tag, key, dedupe) do update set state = 'waiting', attempts = 0, error = null, body = excluded.body,
      request = excluded.request, due_at = excluded.due_at, lease_id = null
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

export interface WebhookEnd {
  readonly state: "waiting" | "done" | "failed";
  readonly error: string | null;
  readonly dueInMs: number;
}

/** Ends a webhook that this lease still holds. A processed webhook keeps no body. */
export async function endWebhook(db: Db, webhook: WebhookRow, end: WebhookEnd): Promise<void> {
  const { state, error, dueInMs } = end;
  await db.query
    .updateTable("connector_webhook")
    .set({
      state,
      error,
      due_at: sql`now() + ${dueInMs}::int * interval '1 millisecond'`,
      lease_id: null,
      ...(state === "done" ? { body: null, request: null } : {}),
    })
    .$call(ofTenant(webhook))
    .where("id", "=", webhook.id)
    .where("lease_id", "=", webhook.lease_id)
    .execute();
}
