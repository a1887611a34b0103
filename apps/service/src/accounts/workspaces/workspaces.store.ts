import { sql } from "../../platform/db/db.ts";
import type { Query, Selectable, Tables, Tx } from "../../platform/db/db.ts";
import { tagOf } from "../../lib/lib.ts";
import type { Id, Tag, Uuid } from "../../lib/lib.ts";
import { scopeOf, workspaceWireId } from "../callers/scope.ts";
import type { Scope } from "../callers/scope.ts";

export interface NewWorkspace {
  readonly id: Uuid;
  readonly tag: Tag;
  readonly bucket: number;
  readonly name: string;
}

export async function insertWorkspace(tx: Tx, workspace: NewWorkspace): Promise<void> {
  await tx.query.insertInto("workspace").values(workspace).execute();
}

export async function markOperators(tx: Tx, id: Uuid): Promise<void> {
  await tx.query.updateTable("workspace").set({ is_operators: true }).where("id", "=", id).execute();
}

/** Allows one setup at a time, so that two nodes on a new database create one workspace. */
export async function lockSetup(tx: Tx): Promise<void> {
  await sql`select pg_advisory_xact_lock(4921077)`.execute(tx.query);
}

export async function anyWorkspace(query: Query): Promise<boolean> {
  const row = await query.selectFrom("workspace").select("id").limit(1).executeTakeFirst();
  return row !== undefined;
}

export async function anyOwner(query: Query): Promise<boolean> {
  const row = await query
    .selectFrom("member")
    .select("id")
    .where("role", "=", "owner")
    .where("removed_at", "is", null)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Returns the scopes of all workspaces and environments, for work on the whole installation. */
export async function scopesOfAll(
  query: Query,
): Promise<readonly { readonly scope: Scope; readonly workspaceId: Id }[]> {
  const rows = await query.selectFrom("workspace").select(["id", "tag"]).orderBy("id").execute();
  return rows.flatMap(({ id, tag }) =>
    (["live", "sandbox"] as const).map((environment) => ({
      scope: scopeOf(id, tagOf(tag, environment)),
      workspaceId: workspaceWireId(tag, id),
    })),
  );
}

export async function workspaceById(query: Query, id: Uuid): Promise<Selectable<Tables["workspace"]> | undefined> {
  return await query.selectFrom("workspace").selectAll().where("id", "=", id).executeTakeFirst();
}

export async function insertSetupLink(
  tx: Tx,
  link: { token_hash: Buffer; workspace_id: Uuid; expires_at: Date },
): Promise<void> {
  await tx.query.insertInto("setup_link").values(link).execute();
}

/** Marks the link as used and returns its workspace, or undefined if the link is unknown, used or expired. */
export async function useSetupLink(tx: Tx, tokenHash: Buffer, now: Date): Promise<Uuid | undefined> {
  const row = await tx.query
    .updateTable("setup_link")
    .set({ used_at: now })
    .where("token_hash", "=", tokenHash)
    .where("used_at", "is", null)
    .where("expires_at", ">", now)
    .returning("workspace_id")
    .executeTakeFirst();
  return row?.workspace_id;
}

/**
 * Returns the operator's workspace while it has no owner, so that a new setup link can be created. Other workspaces get
 * their owner with an invitation.
 */
export async function unclaimedWorkspace(query: Query): Promise<Selectable<Tables["workspace"]> | undefined> {
  return await query
    .selectFrom("workspace")
    .selectAll("workspace")
    .where("is_operators", "=", true)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("member")
            .select("member.id")
            .whereRef("member.workspace_id", "=", "workspace.id")
            .where("member.role", "=", "owner")
            .where("member.removed_at", "is", null),
        ),
      ),
    )
    .executeTakeFirst();
}

export async function firstWorkspace(query: Query): Promise<Selectable<Tables["workspace"]> | undefined> {
  return await query.selectFrom("workspace").selectAll().orderBy("created_at").limit(1).executeTakeFirst();
}

export async function workspaceOfTag(query: Query, liveTag: Tag): Promise<Uuid> {
  const row = await query.selectFrom("workspace").select("id").where("tag", "=", liveTag).executeTakeFirstOrThrow();
  return row.id;
}
