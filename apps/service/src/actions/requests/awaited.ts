import type { Scope } from "../../accounts/accounts.ts";
import type { Tx } from "../../platform/db/db.ts";

/** The outcome of an action or approval that another module waits for. */
export interface Awaited {
  readonly scope: Scope;
  /** The text that the waiting module supplied with its request. */
  readonly waiter: string;
  readonly outcome: "executed" | "failed" | "approved" | "rejected" | "expired" | "cancelled";
  /** The JSON text of the run or the proposal. */
  readonly output: string;
}

/** Tells the waiting modules, in the transaction that ends what they wait for. */
export type TellAwaited = (tx: Tx, ended: readonly Awaited[]) => Promise<void>;
