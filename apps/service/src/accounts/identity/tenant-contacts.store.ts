import type { Query, Tx } from "../../platform/db/db.ts";
import type { Tag } from "../../lib/lib.ts";
import type { Scope } from "../callers/scope.ts";

/** The address of a tenant. Null: none. */
export interface TenantContact {
  readonly tenant: string;
  readonly email: string | null;
  /** The time of the change. A database of several machines accepts no `now()` here. */
  readonly at: Date;
}

/** Sets the e-mail address of a tenant; null removes it. */
export async function saveTenantContact(tx: Tx, scope: Scope, { tenant, email, at }: TenantContact): Promise<void> {
  if (email === null) {
    await tx.query.deleteFrom("tenant_contact").where("tag", "=", scope.tag).where("tenant", "=", tenant).execute();
    return;
  }
  await tx.query
    .insertInto("tenant_contact")
    .values({ workspace_id: scope.workspaceId, tag: scope.tag, tenant, email, updated_at: at })
    .onConflict((conflict) => conflict.columns(["tag", "tenant"]).doUpdateSet({ email, updated_at: at }))
    .execute();
}

/** Deletes the address of a tenant, unless it was set after this time. */
export async function deleteTenantContact(
  tx: Tx,
  { tag, tenant }: { readonly tag: Tag; readonly tenant: string },
  at: Date,
): Promise<void> {
  await tx.query
    .deleteFrom("tenant_contact")
    .where("tag", "=", tag)
    .where("tenant", "=", tenant)
    .where("updated_at", "<=", at)
    .execute();
}

/** Returns the address of a tenant; undefined if the workspace has set none. */
export async function tenantContact(query: Query, tag: Tag, tenant: string): Promise<string | undefined> {
  const row = await query
    .selectFrom("tenant_contact")
    .select("email")
    .where("tag", "=", tag)
    .where("tenant", "=", tenant)
    .executeTakeFirst();
  return row?.email;
}
