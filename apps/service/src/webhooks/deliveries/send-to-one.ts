import { lockName } from "../../platform/db/db.ts";
import type { DeliverySubscriber, Event } from "../../events/events.ts";
import { orNotFound, ServiceError, WorkBudget } from "../../lib/lib.ts";
import { ownUuid } from "../../accounts/accounts.ts";
import { findEndpoint } from "../endpoints/endpoints.store.ts";
import type { EndpointRow } from "../endpoints/endpoints.store.ts";
import { laneOf } from "../endpoints/ordering.ts";
import { filterFacts } from "../endpoints/filters.ts";
import type { Selection } from "../endpoints/select-endpoints.ts";
import { plannedOf, planOf } from "./delivery-plans.ts";
import type { PlanDeps } from "./delivery-plans.ts";
import { endpointLock } from "./missed-events.store.ts";
import { barrierOf } from "../endpoints/tenant-reach.ts";
import type { Barrier } from "../endpoints/tenant-reach.ts";

const BARRIERS: Readonly<Record<Barrier, string>> = {
  tenant: "belongs to another tenant than the event",
  events: "does not subscribe to this event",
  version: "gets another version of this event type only",
};

/** Plans the delivery of a past event to one endpoint that its caller names. Its filter is not asked. */
export function createSendToOne(deps: PlanDeps): Pick<DeliverySubscriber, "planTo"> {
  return {
    async planTo(tx, scope, event, endpointId) {
      const id = ownUuid(scope, "ep", endpointId);
      await lockName(tx, endpointLock(scope.tag, id));
      const row = orNotFound(await findEndpoint(tx.query, scope, id));
      const barrier = barrierOf(row, { ...event, internal: event.isInternal, version: event });
      if (barrier !== undefined) {
        const errors = [{ pointer: "/endpoint_id", code: "not_subscribed", message: BARRIERS[barrier] }];
        throw new ServiceError("validation_failed", { errors });
      }
      if (!row.active)
        throw new ServiceError("conflict", { detail: "The endpoint is inactive. Activate it, then send the event." });
      const delivery = plannedOf(deps, event, row, { isHeld: false, promised: new Map(), ...laneIn(row, event) });
      return planOf(deps, () => [delivery]);
    },
  };
}

function laneIn({ ordering_key: key }: EndpointRow, event: Event): { lanes: Selection["lanes"]; isUnjudged: boolean } {
  if (key === null) return { lanes: new Map(), isUnjudged: false };
  const lane = laneOf(key, event, { facts: filterFacts(event).facts, budget: new WorkBudget() });
  return { lanes: new Map([[key, lane]]), isUnjudged: lane === undefined };
}
