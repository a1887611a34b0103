import { newestFirst } from "../../platform/db/db.ts";
import type { Db, HotStatement, Query, Selectable, Tables, Tx } from "../../platform/db/db.ts";
import type { Tag, Uuid } from "../../lib/lib.ts";

export interface SessionAsk {
  readonly tokenHash: Buffer;
  /** Null for the workspace in which the session was opened. */
  readonly workspaceId: Uuid | null;
}

/** A session and its membership. Without a membership, the member's columns are null. */
export interface FoundSession {
  readonly at: number;
  readonly session_id: Uuid;
  readonly person_id: Uuid;
  readonly last_used_at: Date;
  readonly expires_at: Date;
  readonly ended_at: Date | null;
  readonly member_id: Uuid | null;
  readonly name: string;
  readonly role: string | null;
  readonly permissions: string[] | null;
  /** The last time that the person took the account back. */
  readonly recovered_at: Date | null;
  readonly workspace_id: Uuid | null;
  readonly tag: Tag | null;
  /** True if a password opened the session, and the workspace accepts none. */
  readonly by_refused_password: boolean | null;
}

/** Reads sessions, with the current roles, for every request of the console (hot). */
const FIND: HotStatement = {
  name: "sessions_find",
  text: `select a.at::int as at, s.id as session_id, s.person_id, s.last_used_at, s.expires_at, s.ended_at,
      p.name, m.id as member_id, m.role, m.permissions, m.recovered_at, w.id as workspace_id, w.tag,
      s.oidc_subject is null and w.settings ->> 'password_sign_in' = 'false' as by_refused_password
    from unnest($1::bytea[], $2::uuid[]) with ordinality as a (token_hash, workspace_id, at)
    join session s on s.token_hash = a.token_hash
    join person p on p.id = s.person_id
    left join (member m join workspace w on w.id = m.workspace_id and w.closed_at is null)
      on m.person_id = s.person_id and m.workspace_id = coalesce(a.workspace_id, s.workspace_id) and m.removed_at is null`,
};
const TOUCH: HotStatement = {
  name: "sessions_touch",
  text: "update public.session set last_used_at = greatest(last_used_at, $2) where id = any($1::uuid[])",
};

export async function findSessions(db: Db, asks: readonly SessionAsk[]): Promise<FoundSession[]> {
  return await db.hot<FoundSession>(FIND, [asks.map((ask) => ask.tokenHash), asks.map((ask) => ask.workspaceId)]);
}

export async function touchSessions(db: Db, ids: readonly Uuid[], now: Date): Promise<void> {
  await db.soft(TOUCH, [ids, now]);
}

/** More addresses of one person make a sign-in no safer. */
const MOST_ADDRESSES = 1000;

export type SessionRow = Selectable<Tables["session"]>;

export async function insertSession(tx: Tx, session: SessionRow): Promise<void> {
  await tx.query.insertInto("session").values(session).execute();
}

/** Returns the valid sessions of a person, newest first. */
export async function liveSessions(
  query: Query,
  personId: Uuid,
  at: { now: Date; idleSince: Date; before: Uuid | undefined; limit: number },
): Promise<SessionRow[]> {
  return await query
    .selectFrom("session")
    .selectAll()
    .where("person_id", "=", personId)
    .where("ended_at", "is", null)
    .where("expires_at", ">", at.now)
    .where("last_used_at", ">", at.idleSince)
    .$call(newestFirst(at))
    .limit(at.limit)
    .execute();
}

export async function endSession(query: Query, personId: Uuid, id: Uuid, now: Date): Promise<boolean> {
  const row = await query
    .updateTable("session")
    .set({ ended_at: now })
    .where("id", "=", id)
    .where("person_id", "=", personId)
    .where("ended_at", "is", null)
    .returning("id")
    .executeTakeFirst();
  return row !== undefined;
}

export async function endSessionByToken(tx: Tx, tokenHash: Buffer, now: Date): Promise<void> {
  await tx.query
    .updateTable("session")
    .set({ ended_at: now })
    .where("token_hash", "=", tokenHash)
    .where("ended_at", "is", null)
    .execute();
}

/** Ends all sessions of a person except `except`. */
export async function endSessionsOf(tx: Tx, personId: Uuid, now: Date, except?: Uuid): Promise<void> {
  const all = tx.query
    .updateTable("session")
    .set({ ended_at: now })
    .where("person_id", "=", personId)
    .where("ended_at", "is", null);
  await (except === undefined ? all : all.where("id", "<>", except)).execute();
}

/** Returns true if OpenID Connect opened the session after `since`. */
export async function isOpenedByIssuer(query: Query, id: Uuid, since: Date): Promise<boolean> {
  const row = await query
    .selectFrom("session")
    .select("id")
    .where("id", "=", id)
    .where("oidc_subject", "is not", null)
    .where("created_at", ">", since)
    .executeTakeFirst();
  return row !== undefined;
}

/** Returns the addresses from which the person has signed in since `since`. */
export async function addressesOf(query: Query, personId: Uuid, since: Date): Promise<string[]> {
  const rows = await query
    .selectFrom("session")
    .select("ip")
    .distinct()
    .where("person_id", "=", personId)
    .where("created_at", ">", since)
    .limit(MOST_ADDRESSES)
    .execute();
  return rows.map(({ ip }) => ip);
}
