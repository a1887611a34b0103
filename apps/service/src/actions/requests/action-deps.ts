import type { Idempotency } from "../../access/access.ts";
import type { Scope, StepUps } from "../../accounts/accounts.ts";
import type { Audit } from "../../audit/audit.ts";
import type { Events } from "../../events/events.ts";
import type { Clock, IdMaker, Sealer } from "../../lib/lib.ts";
import type { Db, Tx } from "../../platform/db/db.ts";
import type { Log, Signals } from "../../platform/telemetry/telemetry.ts";

/** The services that the parts of actions use. */
export interface ActionDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly ids: IdMaker;
  readonly sealer: Sealer;
  readonly log: Log;
  readonly signals: Signals;
  readonly audit: Audit;
  readonly events: Pick<Events, "fireWithin">;
  readonly idempotency: Idempotency;
  readonly baseUrl: string;
  readonly stepUps: Pick<StepUps, "take">;
  /** Tells the waiting modules, in the transaction that ends what they wait for. */
  readonly awaited: (tx: Tx, ended: readonly Awaited[]) => Promise<void>;
  /** Called after failures were written that may open an issue. */
  readonly reported: () => void;
}

/** The outcome of an action or approval that another module waits for. */
export interface Awaited {
  readonly scope: Scope;
  /** The text that the waiting module supplied with its request. */
  readonly waiter: string;
  readonly outcome: "executed" | "failed" | "approved" | "rejected" | "expired" | "cancelled";
  /** The JSON text of the run or the proposal. */
  readonly output: string;
}
