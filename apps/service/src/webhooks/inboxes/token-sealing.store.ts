import { sql } from "../../platform/db/db.ts";
import type { Query, Tx } from "../../platform/db/db.ts";
import type { InboxRow } from "./inbox.store.ts";

/** Locks an inbox whose token is in plain text, unless another node has locked it. */
export async function takeUnsealed(tx: Tx): Promise<InboxRow | undefined> {
  return await tx.query
    .selectFrom("inbox")
    .selectAll()
    .where("token_sealed", "is", null)
    .limit(1)
    .forUpdate()
    .skipLocked()
    .executeTakeFirst();
}

export interface SealedToken {
  /** The key of the inbox's row. The token itself is encrypted. */
  readonly token: string;
  readonly token_sealed: Buffer;
  readonly secret_sealed: Buffer | null;
}

/**
 * Gives the inbox and its messages their new key in one statement, because the reference between the two is checked at
 * its end.
 */
export async function putSealed(tx: Tx, { bucket, token }: InboxRow, fresh: SealedToken): Promise<void> {
  await sql`with moved as (
      update inbox_message set token = ${fresh.token} where bucket = ${bucket} and token = ${token}
    )
    update public.inbox set token = ${fresh.token}, token_sealed = ${fresh.token_sealed}, secret_sealed = ${fresh.secret_sealed}
    where token = ${token}`.execute(tx.query);
}

/**
 * Replaces the address of an own inbox with its reference, in up to `limit` endpoints, including deleted ones. Returns
 * their number.
 */
export async function referToInboxes(query: Query, reference: string, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`with found as (
      select e.bucket, e.tag, e.id, i.token from endpoint e
        join inbox i on i.token = encode(sha256(convert_to(right(e.url, 43), 'UTF8')), 'hex')
          and i.bucket = e.bucket and i.tag = e.tag and i.workspace_id = e.workspace_id
      where e.url ~ '/inbox/[0-9A-Za-z]{43}$' and e.url ~ '^https?://[^/?#@]+/inbox/[0-9A-Za-z]{43}$'
      limit ${limit} for update of e skip locked
    )
    update endpoint e set url = ${reference} || found.token from found
    where e.bucket = found.bucket and e.tag = found.tag and e.id = found.id`.execute(query);
  return Number(numAffectedRows ?? 0n);
}
