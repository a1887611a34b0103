import type { AccessChecks } from "../../access/access.ts";
import type { Events, EventTypes } from "../../events/events.ts";
import type { Clock } from "../../lib/lib.ts";
import type { Db } from "../../platform/db/db.ts";
import type { PortalSessions } from "../../portal/portal.ts";
import type { Deliver, Tenants } from "../../webhooks/webhooks.ts";

/** The front doors of the domains that the API of Svix is translated to. */
export interface SvixDeps {
  readonly accessChecks: AccessChecks;
  readonly db: Db;
  readonly clock: Clock;
  readonly tenants: Tenants;
  readonly deliver: Deliver;
  readonly events: Events;
  readonly types: EventTypes;
  readonly portal: PortalSessions;
}
