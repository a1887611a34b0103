import type { RateLimiter } from "../../access/access.ts";
import type { Contacts } from "../../contacts/contacts.ts";
import type { Events } from "../../events/events.ts";
import type { Clock, IdMaker, Sealer } from "../../lib/lib.ts";
import type { Db } from "../../platform/db/db.ts";
import type { OwnedDeliveries } from "../../webhooks/webhooks.ts";
import type { StepPort } from "../definitions/step-port.ts";
import type { Notifications } from "../notifications/notifications.ts";
import type { Programs } from "./rule.ts";

/** The services that rules use. */
export interface RulesDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly ids: IdMaker;
  readonly sealer: Sealer;
  readonly contacts: Contacts;
  readonly events: Events;
  readonly ownedDeliveries: OwnedDeliveries;
  readonly notifications: Pick<Notifications, "notify">;
  /** The action types that other modules provide. A rule with a missing one is refused when it is saved. */
  readonly ports: () => readonly StepPort[];
}

/** The parts that the reaction to events uses besides: it counts runs, and keeps compiled rules. */
export interface ReactionDeps extends RulesDeps {
  readonly rates: RateLimiter;
  readonly programs: Programs;
}
