import { sql } from "../../platform/db/db.ts";
import type { Query, Selectable, Tables, Tx } from "../../platform/db/db.ts";
import type { Tag, Uuid } from "../../lib/lib.ts";

export type WorkspaceRow = Selectable<Tables["workspace"]>;

export async function findWorkspace(query: Query, id: Uuid): Promise<WorkspaceRow | undefined> {
  return await query.selectFrom("workspace").selectAll().where("id", "=", id).executeTakeFirst();
}

/** Merges the given settings over the stored ones. */
export async function updateWorkspace(
  query: Query,
  id: Uuid,
  change: { name: string | undefined; settings: Readonly<Record<string, unknown>> },
): Promise<WorkspaceRow | undefined> {
  return await query
    .updateTable("workspace")
    .set({
      settings: sql<string>`settings || ${JSON.stringify(change.settings)}::jsonb`,
      ...(change.name === undefined ? {} : { name: change.name }),
    })
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirst();
}

/** Returns true if an owner of the workspace has signed in by the issuer. */
export async function hasOwnerAt(query: Query, workspaceId: Uuid, issuer: string): Promise<boolean> {
  const row = await query
    .selectFrom("member as m")
    .innerJoin("person_identity as i", "i.person_id", "m.person_id")
    .select("m.id")
    .where("m.workspace_id", "=", workspaceId)
    .where("m.role", "=", "owner")
    .where("m.removed_at", "is", null)
    .where("i.issuer", "=", issuer)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Ends the sessions that were opened in the workspace with a password. */
export async function endPasswordSessions(tx: Tx, workspaceId: Uuid, now: Date): Promise<void> {
  await tx.query
    .updateTable("session")
    .set({ ended_at: now })
    .where("workspace_id", "=", workspaceId)
    .where("oidc_subject", "is", null)
    .where("ended_at", "is", null)
    .execute();
}

/** Marks a workspace for deletion. An earlier deletion keeps its date. */
export async function markDeletion(query: Query, id: Uuid, at: Date): Promise<WorkspaceRow | undefined> {
  return await query
    .updateTable("workspace")
    .set(({ fn, val }) => ({ deletion_at: fn.coalesce("deletion_at", val(at)) }))
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirst();
}

export async function unmarkDeletion(query: Query, id: Uuid): Promise<WorkspaceRow | undefined> {
  return await query
    .updateTable("workspace")
    .set({ deletion_at: null })
    .where("id", "=", id)
    .where("deletion_at", "is not", null)
    .where("closed_at", "is", null)
    .returningAll()
    .executeTakeFirst();
}

/** The locks of a sweep. With one for both parts, two sweeps could each keep the other from erasing. */
const LOCKS = { workspaces: 4_921_078, ended: 4_921_079 } as const;

/** Allows one sweep of a part at a time in the installation. Returns false if another node is sweeping it. */
export async function lockSweep(tx: Tx, part: keyof typeof LOCKS): Promise<boolean> {
  const { rows } = await sql<{ got: boolean }>`select pg_try_advisory_xact_lock(${LOCKS[part]}) as got`.execute(
    tx.query,
  );
  return rows[0]?.got === true;
}

/** Closes the workspaces whose grace period has ended, and revokes their keys. */
export async function closeDeleted(tx: Tx, now: Date): Promise<void> {
  const closed = await tx.query
    .updateTable("workspace")
    .set({ closed_at: now })
    .where("deletion_at", "<=", now)
    .where("closed_at", "is", null)
    .returning("id")
    .execute();
  const ids = closed.map((workspace) => workspace.id);
  if (ids.length === 0) return;
  await tx.query
    .updateTable("api_key")
    .set({ revoked_at: now })
    .where("workspace_id", "in", ids)
    .where("revoked_at", "is", null)
    .execute();
}

export interface ClosedWorkspace {
  readonly id: Uuid;
  readonly bucket: number;
  readonly tag: Tag;
}

export async function closedBefore(query: Query, at: Date): Promise<readonly ClosedWorkspace[]> {
  return await query.selectFrom("workspace").select(["id", "bucket", "tag"]).where("closed_at", "<=", at).execute();
}

/** Deletes all rows of the workspace, in every table, and people who belong to no other workspace. */
export async function eraseWorkspace(tx: Tx, workspace: { id: Uuid; bucket: number; tags: Tag[] }): Promise<void> {
  await sql`select erase_workspace(${workspace.id}, ${workspace.bucket}::smallint, ${workspace.tags}::text[])`.execute(
    tx.query,
  );
}

/** Deletes sessions, invitations and links that ended before `at`. */
export async function forgetEnded(query: Query, at: Date): Promise<void> {
  await query
    .deleteFrom("session")
    .where(({ eb, or }) => or([eb("ended_at", "<", at), eb("expires_at", "<", at)]))
    .execute();
  await query.deleteFrom("invitation").where("expires_at", "<", at).execute();
  await query.deleteFrom("reset_link").where("expires_at", "<", at).execute();
  await query.deleteFrom("oidc_use").where("expires_at", "<", at).execute();
  await query.deleteFrom("setup_link").where("expires_at", "<", at).execute();
  await query.deleteFrom("passkey_challenge").where("expires_at", "<", at).execute();
}

/** Deletes step-ups that ended before `at`, proved or not. */
export async function forgetStepUps(query: Query, at: Date): Promise<void> {
  await query.deleteFrom("step_up").where("expires_at", "<", at).execute();
}

/** Returns the people who own the workspace. */
export async function ownersOf(query: Query, workspaceId: Uuid): Promise<Uuid[]> {
  const rows = await query
    .selectFrom("member")
    .select("person_id")
    .where("workspace_id", "=", workspaceId)
    .where("role", "=", "owner")
    .where("removed_at", "is", null)
    .execute();
  return rows.map(({ person_id: id }) => id);
}
