import type { Query } from "../db/db.ts";
import type { Uuid } from "../kernel/kernel.ts";

/** Returns those of the tokens that belong to a built-in inbox, each with the inbox's workspace. */
export async function inboxOwners(query: Query, tokens: readonly string[]): Promise<ReadonlyMap<string, Uuid>> {
  const rows = await query
    .selectFrom("inbox")
    .select(["token", "workspace_id"])
    .where("token", "in", [...tokens])
    .execute();
  return new Map(rows.map((row) => [row.token, row.workspace_id]));
}
