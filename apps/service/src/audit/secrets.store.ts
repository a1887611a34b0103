import type { HotReader, HotStatement } from "../platform/db/db.ts";
import type { Uuid } from "../lib/lib.ts";

/** Hot: read before rows are redacted. */
const VERSIONS: HotStatement = {
  name: "secret_versions",
  text: "select workspace_id, version from secret_version where workspace_id = any($1::uuid[])",
};

/** Returns the number of changes of the workspaces' secrets; no entry for a workspace that never had a secret. */
export async function secretVersions(
  reader: HotReader,
  workspaceIds: readonly Uuid[],
): Promise<ReadonlyMap<Uuid, string>> {
  const rows = await reader.hot<{ workspace_id: Uuid; version: string }>(VERSIONS, [workspaceIds]);
  return new Map(rows.map((row) => [row.workspace_id, row.version]));
}
