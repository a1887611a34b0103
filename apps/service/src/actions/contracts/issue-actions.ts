import type { IssueObjects } from "../../issues/issues.ts";

/** The actions whose runs have issues. */
export const ISSUE_ACTIONS: IssueObjects = {
  kinds: ["action"],
  async names(query, { bucket, workspaceId }, keys) {
    const rows = await query
      .selectFrom("action_contract")
      .select("key")
      .where("bucket", "=", bucket)
      .where("workspace_id", "=", workspaceId)
      .where("key", "in", keys)
      .where("deleted_at", "is", null)
      .execute();
    return new Map(rows.map(({ key }) => [key, key]));
  },
};
