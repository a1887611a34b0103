import { ownUuid } from "../../accounts/accounts.ts";
import type { Scope } from "../../accounts/accounts.ts";
import { after, uuidFloor, uuidTime } from "../../lib/lib.ts";
import type { Uuid } from "../../lib/lib.ts";
import { ofTenant } from "../../platform/db/db.ts";
import type { Db, Query } from "../../platform/db/db.ts";
import { EVENT_SPREAD_MS } from "./delivery-plans.ts";
import { listDeliveries } from "./deliveries.store.ts";
import type { AttemptRow, DeliveryFilter, DeliveryPlace, DeliveryRow } from "./deliveries.store.ts";

/** Reads the log by the ids of its rows, for callers that page by ids. */
export interface DeliverySpans {
  /** Returns the deliveries to an endpoint, newest first. */
  toEndpoint(scope: Scope, endpointId: string, filter: DeliveryFilter, limit: number): Promise<DeliveryRow[]>;
  /** Returns the deliveries of an event. */
  rowsOfEvent(scope: Scope, eventId: Uuid): Promise<DeliveryRow[]>;
  /** Returns the attempts of some deliveries, up to `limit` of the newest. */
  attemptsOfAll(scope: Scope, deliveryIds: readonly Uuid[], limit: number): Promise<AttemptRow[]>;
}

const MOST_OF_EVENT = 1000;

/** Lists the deliveries of an event, newest first. */
export async function deliveriesOfEvent(query: Query, place: DeliveryPlace, eventId: Uuid): Promise<DeliveryRow[]> {
  const to = uuidFloor(after(uuidTime(eventId), EVENT_SPREAD_MS));
  return await listDeliveries(query, place, { eventId, from: eventId, to }, MOST_OF_EVENT);
}

export function createDeliverySpans({ db }: { readonly db: Db }): DeliverySpans {
  return {
    toEndpoint: async (scope, endpointId, filter, limit) =>
      await listDeliveries(db.query, scope, { ...filter, endpointId: ownUuid(scope, "ep", endpointId) }, limit),
    rowsOfEvent: async (scope, eventId) => await deliveriesOfEvent(db.query, scope, eventId),
    async attemptsOfAll(scope, deliveryIds, limit) {
      if (deliveryIds.length === 0) return [];
      return await db.query
        .selectFrom("attempt")
        .selectAll()
        .$call(ofTenant(scope))
        .where("delivery_id", "in", [...deliveryIds])
        .orderBy("id", "desc")
        .limit(limit)
        .execute();
    },
  };
}
