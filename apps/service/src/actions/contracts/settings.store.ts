import type { Uuid } from "../../lib/lib.ts";
import type { Tx } from "../../platform/db/db.ts";

/** Returns the stored settings of the workspace in the deciding transaction. */
export async function settingsAtDecision(tx: Tx, workspaceId: Uuid): Promise<Record<string, unknown>> {
  const query = tx.query.selectFrom("workspace").select("settings").where("id", "=", workspaceId);
  return (await query.executeTakeFirstOrThrow()).settings;
}
