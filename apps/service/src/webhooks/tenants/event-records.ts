import type { Scope } from "../../accounts/accounts.ts";
import type { Uuid } from "../../lib/lib.ts";
import type { GoneTenant, Tx } from "../../platform/db/db.ts";

/** Another module whose rows show the data of events, such as the log of HTTP calls. */
export interface EventRecords {
  /**
   * Removes what the rows show of these events, in the transaction that deletes them. A request that is being sent may leave
   * nothing behind when it ends.
   */
  eraseOfEvents?(tx: Tx, scope: Scope, eventIds: readonly Uuid[]): Promise<void>;
  /** Removes or empties rows that carry the tenant. Returns the number of rows, which is the limit if more may be left. */
  eraseOfTenant?(tx: Tx, scope: Scope, gone: GoneTenant): Promise<number>;
}
