import type { IssueObjects } from "../../issues/issues.ts";

/** The connectors whose calls have issues. */
export const ISSUE_CONNECTORS: IssueObjects = {
  kinds: ["connection"],
  async names(query, { bucket, workspaceId }, keys) {
    const rows = await query
      .selectFrom("connector_install")
      .select("key")
      .where("bucket", "=", bucket)
      .where("workspace_id", "=", workspaceId)
      .where("key", "in", keys)
      .execute();
    return new Map(rows.map(({ key }) => [key, key]));
  },
};
