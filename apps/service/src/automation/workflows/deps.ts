import type { RateLimiter } from "../../access/access.ts";
import type { Contacts } from "../../contacts/contacts.ts";
import type { Events } from "../../events/events.ts";
import type { Clock, IdMaker, Sealer, WorkShares } from "../../lib/lib.ts";
import type { Db } from "../../platform/db/db.ts";
import type { Log, Signals } from "../../platform/telemetry/telemetry.ts";
import type { OwnedDeliveries } from "../../webhooks/webhooks.ts";
import type { StepPort } from "../definitions/step-port.ts";

/** The services that workflows use. */
export interface WorkflowsDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly ids: IdMaker;
  readonly log: Log;
  readonly sealer: Sealer;
  readonly signals: Pick<Signals, "runsLimited">;
  readonly contacts: Pick<Contacts, "reacting">;
  readonly events: Pick<Events, "fireWithin" | "acceptedBetween">;
  readonly ownedDeliveries: OwnedDeliveries;
  /** The types of steps that other modules provide. A step without its provider is refused when it is saved. */
  readonly ports: () => readonly StepPort[];
  readonly rates: RateLimiter;
  /** The work of all checks of waits in this process. */
  readonly shares: WorkShares;
  /** Signals that a run may be due, on this node or another one. */
  readonly wake: () => void;
}
