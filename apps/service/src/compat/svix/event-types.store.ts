import type { Scope } from "../../accounts/accounts.ts";
import type { Query, Selectable, Tables, Tx } from "../../platform/db/db.ts";

export type SvixTypeRow = Selectable<Tables["svix_event_type"]>;
type Home = Pick<Scope, "bucket" | "workspaceId">;

export async function svixTypes(
  query: Query,
  { bucket, workspaceId }: Home,
): Promise<ReadonlyMap<string, SvixTypeRow>> {
  const rows = await query
    .selectFrom("svix_event_type")
    .selectAll()
    .where("bucket", "=", bucket)
    .where("workspace_id", "=", workspaceId)
    .execute();
  return new Map(rows.map((row) => [row.name, row]));
}

export async function saveSvixType(tx: Tx, row: SvixTypeRow): Promise<void> {
  const { group_name, feature_flags } = row;
  await tx.query
    .insertInto("svix_event_type")
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(["bucket", "workspace_id", "name"]).doUpdateSet({ group_name, feature_flags }),
    )
    .execute();
}
