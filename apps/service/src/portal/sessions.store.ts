import { matching, newestFirst, sql } from "../platform/db/db.ts";
import type { Query, Selectable, Tables, Tx } from "../platform/db/db.ts";
import type { Tag, Uuid } from "../lib/lib.ts";

export type SessionRow = Selectable<Tables["portal_session"]>;

export interface NewSession {
  readonly id: Uuid;
  readonly workspace_id: Uuid;
  readonly tag: Tag;
  readonly tenant: string;
  readonly token_hash: Buffer;
  readonly capabilities: string[];
  /** JSON text. */
  readonly theme: string;
  readonly role: string;
  readonly blocked_actions: string[];
  readonly rate_limit_per_hour: number;
  readonly made_by: Uuid[];
  readonly maker_lineage_id: Uuid | null;
  readonly maker_member_id: Uuid | null;
  readonly maker_rights: string;
  readonly token_expires_at: Date;
  readonly expires_at: Date;
  readonly exchanged_at?: Date;
  /** That of an MCP token. */
  readonly name?: string;
  /** The session of the portal in which an MCP token was created. */
  readonly parent_id?: Uuid | null;
}

export async function insertSession(tx: Tx, session: NewSession): Promise<SessionRow> {
  return await tx.query.insertInto("portal_session").values(session).returningAll().executeTakeFirstOrThrow();
}

export async function listSessions(
  query: Query,
  { tag, tenant }: { readonly tag: Tag; readonly tenant: string | undefined },
  before: Uuid | undefined,
  limit: number,
): Promise<SessionRow[]> {
  return await query
    .selectFrom("portal_session")
    .selectAll()
    .$call(matching({ tag, tenant }))
    .where("name", "is", null)
    .$call(newestFirst({ before }))
    .limit(limit)
    .execute();
}

/** Takes the session of a token. Of concurrent calls on any node, one gets it. */
export async function takeSession(tx: Tx, tokenHash: Buffer, now: Date): Promise<SessionRow | undefined> {
  return await tx.query
    .updateTable("portal_session")
    .set({ exchanged_at: now })
    .where("token_hash", "=", tokenHash)
    .where("exchanged_at", "is", null)
    .where("revoked_at", "is", null)
    .where("token_expires_at", ">", now)
    .where("expires_at", ">", now)
    .returningAll()
    .executeTakeFirst();
}

/**
 * Ends a session. An earlier revocation keeps its time. The row is locked first, so that an exchange under way has either created
 * its key before, or finds the session ended.
 */
export async function revokeSession(tx: Tx, tag: Tag, id: Uuid, now: Date): Promise<SessionRow | undefined> {
  return await tx.query
    .updateTable("portal_session")
    .set(({ fn, val }) => ({ revoked_at: fn.coalesce("revoked_at", val(now)) }))
    .where("tag", "=", tag)
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirst();
}

/** Returns a session that is not revoked. Its end waits until the transaction ends, so that it then finds what is created in it. */
export async function holdSession(tx: Tx, id: Uuid): Promise<SessionRow | undefined> {
  const session = tx.query
    .selectFrom("portal_session")
    .selectAll()
    .where("id", "=", id)
    .where("revoked_at", "is", null);
  return await session.forShare().executeTakeFirst();
}

/** Ends the MCP tokens that were created in a session. Returns their ids. */
export async function revokeTokensOf(tx: Tx, parentId: Uuid, now: Date): Promise<Uuid[]> {
  const rows = await tx.query
    .updateTable("portal_session")
    .set({ revoked_at: now })
    .where("parent_id", "=", parentId)
    .where("revoked_at", "is", null)
    .returning("id")
    .execute();
  return rows.map(({ id }) => id);
}

/** Ends the sessions of a tenant that are older than the id. Waits for exchanges under way, so that their keys exist afterwards. */
export async function revokeSessionsOfTenant(
  tx: Tx,
  { tag, tenant, before }: TenantSessions,
  now: Date,
): Promise<void> {
  await tx.query
    .updateTable("portal_session")
    .set({ revoked_at: now })
    .where("tag", "=", tag)
    .where("tenant", "=", tenant)
    .where("id", "<", before)
    .where("revoked_at", "is", null)
    .execute();
}

/** The sessions of a tenant that are older than an id. */
export interface TenantSessions {
  readonly tag: Tag;
  readonly tenant: string;
  readonly before: Uuid;
}

/** Returns the MCP tokens of a tenant that are older than the id, or whose session is. */
export async function tokensOfTenant(tx: Tx, { tag, tenant, before }: TenantSessions): Promise<Uuid[]> {
  const rows = await tx.query
    .selectFrom("portal_session")
    .select("id")
    .where("tag", "=", tag)
    .where("tenant", "=", tenant)
    .where("name", "is not", null)
    .where(({ eb, or }) => or([eb("id", "<", before), eb("parent_id", "<", before)]))
    .execute();
  return rows.map(({ id }) => id);
}

const LOCK = 4_921_083;
const MAX_ROWS = 5000;

/** Allows one deletion at a time in the installation. Returns false if another node does it. */
export async function lockForgetting(tx: Tx): Promise<boolean> {
  const { rows } = await sql<{ got: boolean }>`select pg_try_advisory_xact_lock(${LOCK}) as got`.execute(tx.query);
  return rows[0]?.got === true;
}

/** Returns the sessions that expired before `at`, at most 5 000 of them. */
export async function expiredSessions(tx: Tx, at: Date): Promise<Uuid[]> {
  const rows = await tx.query
    .selectFrom("portal_session")
    .select("id")
    .where("expires_at", "<", at)
    .orderBy("expires_at")
    .limit(MAX_ROWS)
    .execute();
  return rows.map(({ id }) => id);
}

export async function deleteSessions(tx: Tx, ids: readonly Uuid[]): Promise<void> {
  await tx.query.deleteFrom("portal_session").where("id", "in", ids).execute();
}
