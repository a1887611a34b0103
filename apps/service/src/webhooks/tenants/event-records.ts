import type { Scope } from "../../accounts/accounts.ts";
import type { Uuid } from "../../lib/lib.ts";
import type { Tx } from "../../platform/db/db.ts";

/** Another module whose logs show the data of events, such as the log of HTTP calls. */
export interface EventRecords {
  /**
   * Removes what the logs show of these events, in the transaction that deletes them. A request that is being sent may leave
   * nothing behind when it ends.
   */
  eraseOfEvents(tx: Tx, scope: Scope, eventIds: readonly Uuid[]): Promise<void>;
}
