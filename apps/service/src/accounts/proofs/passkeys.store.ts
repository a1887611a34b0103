import { newestFirst } from "../../platform/db/db.ts";
import type { Query, Selectable, Tables, Tx } from "../../platform/db/db.ts";
import type { Uuid } from "../../lib/lib.ts";

export type PasskeyRow = Selectable<Tables["passkey"]>;
export type ChallengeRow = Selectable<Tables["passkey_challenge"]>;
export type StepUpRow = Selectable<Tables["step_up"]>;

/** Returns the passkeys of a person, oldest first. */
export async function passkeysOf(query: Query, personId: Uuid): Promise<PasskeyRow[]> {
  return await query.selectFrom("passkey").selectAll().where("person_id", "=", personId).orderBy("id").execute();
}

/** Returns a page of a person's passkeys, newest first. */
export async function listPasskeys(
  query: Query,
  personId: Uuid,
  { before, limit }: { readonly before: Uuid | undefined; readonly limit: number },
): Promise<PasskeyRow[]> {
  return await query
    .selectFrom("passkey")
    .selectAll()
    .where("person_id", "=", personId)
    .$call(newestFirst({ before }))
    .limit(limit)
    .execute();
}

/** Returns false if the authenticator's key is registered already. */
export async function insertPasskey(
  tx: Tx,
  passkey: Omit<PasskeyRow, "sign_count"> & { readonly sign_count: number },
): Promise<boolean> {
  const row = await tx.query
    .insertInto("passkey")
    .values(passkey)
    .onConflict((conflict) => conflict.doNothing())
    .returning("id")
    .executeTakeFirst();
  return row !== undefined;
}

export async function renamePasskey(
  query: Query,
  personId: Uuid,
  id: Uuid,
  name: string,
): Promise<PasskeyRow | undefined> {
  return await query
    .updateTable("passkey")
    .set({ name })
    .where("id", "=", id)
    .where("person_id", "=", personId)
    .returningAll()
    .executeTakeFirst();
}

/** Returns the name of the key; undefined if there is none. */
export async function deletePasskey(tx: Tx, personId: Uuid, id: Uuid): Promise<string | undefined> {
  const row = await tx.query
    .deleteFrom("passkey")
    .where("id", "=", id)
    .where("person_id", "=", personId)
    .returning("name")
    .executeTakeFirst();
  return row?.name;
}

/** Deletes what a person can no longer answer or use after a change of the second factors. */
export async function endProofs(tx: Tx, personId: Uuid): Promise<void> {
  await tx.query.deleteFrom("passkey_challenge").where("person_id", "=", personId).execute();
  await tx.query.deleteFrom("step_up").where("person_id", "=", personId).execute();
}

export async function deletePasskeysOf(tx: Tx, personId: Uuid): Promise<void> {
  await tx.query.deleteFrom("passkey").where("person_id", "=", personId).execute();
  await endProofs(tx, personId);
}

/**
 * Stores the use of a key. Returns false if its count has not grown: another key counts too, which is a copy. Keys that
 * do not count always report 0.
 */
export async function takeUse(query: Query, id: Uuid, count: number, now: Date): Promise<boolean> {
  const row = await query
    .updateTable("passkey")
    .set({ sign_count: count, last_used_at: now })
    .where("id", "=", id)
    .where(({ eb, or }) =>
      or([eb("sign_count", "<", String(count)), ...(count === 0 ? [eb("sign_count", "=", "0")] : [])]),
    )
    .returning("id")
    .executeTakeFirst();
  return row !== undefined;
}

/** Inserts a challenge, and deletes the person's expired ones. */
export async function insertChallenge(query: Query, challenge: ChallengeRow, now: Date): Promise<void> {
  await query
    .deleteFrom("passkey_challenge")
    .where("person_id", "=", challenge.person_id)
    .where("expires_at", "<=", now)
    .execute();
  await query.insertInto("passkey_challenge").values(challenge).execute();
}

/** Deletes the challenge. Returns true once, and only to the person, session and purpose that it was made for. */
export async function takeChallenge(
  query: Query,
  { challenge_hash: hash, person_id: personId, purpose, session_id: sessionId }: Omit<ChallengeRow, "expires_at">,
  now: Date,
): Promise<boolean> {
  const row = await query
    .deleteFrom("passkey_challenge")
    .where("challenge_hash", "=", hash)
    .where("person_id", "=", personId)
    .where("purpose", "=", purpose)
    .where("session_id", sessionId === null ? "is" : "=", sessionId)
    .where("expires_at", ">", now)
    .returning("person_id")
    .executeTakeFirst();
  return row !== undefined;
}

/** Deletes a person's ended step-ups, and the oldest of the others, so that at most `kept` decisions stay. */
export async function forgetStepUps(
  query: Query,
  personId: Uuid,
  { now, kept }: { readonly now: Date; readonly kept: number },
): Promise<void> {
  await query.deleteFrom("step_up").where("person_id", "=", personId).where("expires_at", "<=", now).execute();
  const rest = query.selectFrom("step_up").select("id").where("person_id", "=", personId);
  const older = (await rest.orderBy("expires_at", "desc").orderBy("id", "desc").offset(kept).execute()).map(
    ({ id }) => id,
  );
  if (older.length > 0)
    await query.deleteFrom("step_up").where("person_id", "=", personId).where("id", "in", older).execute();
}

export async function insertStepUps(query: Query, rows: readonly StepUpRow[]): Promise<void> {
  await query.insertInto("step_up").values(rows).execute();
}

/** The person, the session and the workspace of a step-up. */
export type StepUpOwner = Pick<StepUpRow, "workspace_id" | "person_id" | "session_id">;

/** Returns the rows of a step-up that is not proved yet. */
export async function openStepUp(query: Query, owner: StepUpOwner, id: Uuid, now: Date): Promise<StepUpRow[]> {
  return await query
    .selectFrom("step_up")
    .selectAll()
    .where("id", "=", id)
    .where("workspace_id", "=", owner.workspace_id)
    .where("person_id", "=", owner.person_id)
    .where("session_id", "=", owner.session_id)
    .where("proved_at", "is", null)
    .where("expires_at", ">", now)
    .execute();
}

/** Returns false if the step-up was proved in the meantime, or ended. */
export async function proveStepUp(tx: Tx, owner: StepUpOwner, id: Uuid, now: Date): Promise<boolean> {
  const rows = await tx.query
    .updateTable("step_up")
    .set({ proved_at: now })
    .where("id", "=", id)
    .where("person_id", "=", owner.person_id)
    .where("session_id", "=", owner.session_id)
    .where("proved_at", "is", null)
    .returning("subject")
    .execute();
  return rows.length > 0;
}

/** Deletes the proofs for a decision. Returns the method of one of them; undefined if there is none. */
export async function takeStepUp(
  query: Query,
  owner: StepUpOwner,
  subject: Buffer,
  now: Date,
): Promise<string | undefined> {
  const rows = await query
    .deleteFrom("step_up")
    .where("workspace_id", "=", owner.workspace_id)
    .where("session_id", "=", owner.session_id)
    .where("person_id", "=", owner.person_id)
    .where("subject", "=", subject)
    .where("proved_at", "is not", null)
    .where("expires_at", ">", now)
    .returning("method")
    .execute();
  return rows[0]?.method;
}
