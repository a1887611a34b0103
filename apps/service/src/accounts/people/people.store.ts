import { sql } from "../../platform/db/db.ts";
import type { Db, Query, Selectable, Tables, Tx } from "../../platform/db/db.ts";
import type { Uuid } from "../../lib/lib.ts";

export type PersonRow = Selectable<Tables["person"]>;

export interface NewPerson {
  readonly id: Uuid;
  readonly email: string;
  readonly name: string;
  readonly password_hash: string;
}

export async function personByEmail(query: Query, email: string): Promise<PersonRow | undefined> {
  return await query
    .selectFrom("person")
    .selectAll()
    .where(({ fn }) => fn("lower", ["email"]), "=", sql<string>`lower(${email})`)
    .executeTakeFirst();
}

export async function personById(query: Query, id: Uuid): Promise<PersonRow | undefined> {
  return await query.selectFrom("person").selectAll().where("id", "=", id).executeTakeFirst();
}

/** Inserts a person. Returns false if the e-mail address is taken. */
export async function insertPerson(tx: Tx, person: NewPerson): Promise<boolean> {
  const row = await tx.query
    .insertInto("person")
    .values(person)
    .onConflict((conflict) => conflict.doNothing())
    .returning("id")
    .executeTakeFirst();
  return row !== undefined;
}

export async function setPassword(tx: Tx, personId: Uuid, hash: string): Promise<void> {
  await tx.query.updateTable("person").set({ password_hash: hash }).where("id", "=", personId).execute();
}

/** Stores a pending secret. Returns false if a second factor is already active. */
export async function setPendingTotp(query: Query, personId: Uuid, sealed: Buffer): Promise<boolean> {
  const row = await query
    .updateTable("person")
    .set({ totp_pending_sealed: sealed })
    .where("id", "=", personId)
    .where("totp_sealed", "is", null)
    .returning("id")
    .executeTakeFirst();
  return row !== undefined;
}

/** Activates the pending secret. Returns false if the secret is no longer pending. */
export async function activateTotp(tx: Tx, personId: Uuid, totp: { pending: Buffer; step: number }): Promise<boolean> {
  const row = await tx.query
    .updateTable("person")
    .set({ totp_sealed: totp.pending, totp_pending_sealed: null, totp_step: totp.step })
    .where("id", "=", personId)
    .where("totp_pending_sealed", "=", totp.pending)
    .returning("id")
    .executeTakeFirst();
  return row !== undefined;
}

/** Deletes the recovery codes of a person, and inserts these. */
export async function replaceRecoveryCodes(tx: Tx, personId: Uuid, hashes: readonly Buffer[]): Promise<void> {
  await tx.query.deleteFrom("recovery_code").where("person_id", "=", personId).execute();
  const codes = hashes.map((code_hash) => ({ person_id: personId, code_hash }));
  if (codes.length > 0) await tx.query.insertInto("recovery_code").values(codes).execute();
}

export async function clearTotp(tx: Tx, personId: Uuid): Promise<void> {
  await tx.query
    .updateTable("person")
    .set({ totp_sealed: null, totp_pending_sealed: null })
    .where("id", "=", personId)
    .execute();
}

/** Returns true once for each step and person, so that only one of two requests with the same code succeeds. */
export async function takeTotpStep(query: Query, personId: Uuid, step: number): Promise<boolean> {
  const row = await query
    .updateTable("person")
    .set({ totp_step: step })
    .where("id", "=", personId)
    .where("totp_step", "<", String(step))
    .returning("id")
    .executeTakeFirst();
  return row !== undefined;
}

export async function takeRecoveryCode(query: Query, personId: Uuid, hash: Buffer, now: Date): Promise<boolean> {
  const row = await query
    .updateTable("recovery_code")
    .set({ used_at: now })
    .where("person_id", "=", personId)
    .where("code_hash", "=", hash)
    .where("used_at", "is", null)
    .returning("person_id")
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * Returns the person and locks it until the transaction ends, so that a password change and a joining of a workspace
 * are serialized.
 */
export async function holdPerson(tx: Tx, id: Uuid): Promise<PersonRow | undefined> {
  return await tx.query.selectFrom("person").selectAll().where("id", "=", id).forUpdate().executeTakeFirst();
}

/** Inserts a reset link and deletes the person's earlier ones. */
export async function insertResetLink(
  tx: Tx,
  link: Pick<
    Selectable<Tables["reset_link"]>,
    "token_hash" | "person_id" | "clear_totp" | "expires_at" | "made_by" | "made_with"
  >,
): Promise<void> {
  await tx.query.deleteFrom("reset_link").where("person_id", "=", link.person_id).execute();
  await tx.query.insertInto("reset_link").values(link).execute();
}

/** Inserts a link that a person asked for. Earlier links stay valid: a person who asks again may use any of the mails. */
export async function addResetLink(
  tx: Tx,
  link: Pick<Selectable<Tables["reset_link"]>, "token_hash" | "person_id" | "expires_at">,
): Promise<void> {
  await tx.query
    .insertInto("reset_link")
    .values({ ...link, clear_totp: false, made_by: null, made_with: null })
    .execute();
}

/** Ends all links of a person, after a new password was set. */
export async function endResetLinks(tx: Tx, personId: Uuid, now: Date): Promise<void> {
  await tx.query
    .updateTable("reset_link")
    .set({ used_at: now })
    .where("person_id", "=", personId)
    .where("used_at", "is", null)
    .execute();
}

export interface ResetLink extends Pick<
  Selectable<Tables["reset_link"]>,
  "person_id" | "clear_totp" | "made_by" | "made_with"
> {
  /** The workspace of the member who created the link; null if it was created on the command line. */
  readonly workspace_id: Uuid | null;
}

export async function findResetLink(query: Query, hash: Buffer, now: Date): Promise<ResetLink | undefined> {
  return await query
    .selectFrom("reset_link as r")
    .leftJoin("member as m", "m.id", "r.made_by")
    .select(["r.person_id", "r.clear_totp", "r.made_by", "r.made_with", "m.workspace_id"])
    .where("r.token_hash", "=", hash)
    .where("r.used_at", "is", null)
    .where("r.expires_at", ">", now)
    .executeTakeFirst();
}

export async function useResetLink(tx: Tx, hash: Buffer, now: Date): Promise<boolean> {
  const row = await tx.query
    .updateTable("reset_link")
    .set({ used_at: now })
    .where("token_hash", "=", hash)
    .where("used_at", "is", null)
    .returning("person_id")
    .executeTakeFirst();
  return row !== undefined;
}

export interface GuardedSubject {
  readonly subject: string;
  readonly perMinute: number;
  readonly perHour: number;
}

const OPERATION = "auth.sign_in";
/** Attempts belong to no workspace, so that all are counted in one bucket. */
const TRIES_BUCKET = 0;
const TAKE = {
  name: "sign_in_take",
  text: `select granted, retry_seconds from rate_take(${TRIES_BUCKET}::smallint, $1, $2, $3, $4, 1)`,
};
const RETURN = { name: "sign_in_return", text: `select rate_return(${TRIES_BUCKET}::smallint, $1, $2)` };

/** Counts one attempt. Returns the seconds to wait if there were too many. */
export async function takeTry(db: Db, guarded: GuardedSubject): Promise<number | undefined> {
  const values = [guarded.subject, OPERATION, guarded.perMinute, guarded.perHour];
  const [row] = await db.at(
    TRIES_BUCKET,
    async () => await db.soft<{ granted: number; retry_seconds: number }>(TAKE, values),
  );
  return row === undefined || row.granted === 1 ? undefined : row.retry_seconds;
}

/** Takes a successful attempt off the count. */
export async function returnTry(db: Db, guarded: GuardedSubject): Promise<void> {
  await db.at(TRIES_BUCKET, async () => await db.soft(RETURN, [guarded.subject, OPERATION]));
}
