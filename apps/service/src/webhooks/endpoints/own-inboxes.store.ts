import type { Query, Selectable, Tables } from "../../platform/db/db.ts";

type InboxRow = Pick<Selectable<Tables["inbox"]>, "bucket" | "tag" | "token" | "token_sealed" | "workspace_id">;

/** Returns the built-in inboxes whose rows have one of these keys. */
export async function inboxesByKey(query: Query, keys: readonly string[]): Promise<InboxRow[]> {
  return await query
    .selectFrom("inbox")
    .select(["bucket", "tag", "token", "token_sealed", "workspace_id"])
    .where("token", "in", [...keys])
    .execute();
}
