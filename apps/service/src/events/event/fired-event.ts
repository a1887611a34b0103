import { toRfc3339, wireId } from "../../lib/lib.ts";
import { t } from "../../lib/lib.ts";
import type { Tag } from "../../lib/lib.ts";
import type { PlannedDelivery, PlannedEvent } from "./event.ts";
import type { FiredEventView } from "./event.schemas.ts";
import { endpointRef, inOrder } from "./subscriber-order.ts";

/** An event in the form that its caller receives. */
export type FiredEvent = t.Static<typeof FiredEventView>;

/** The maximum number of deliveries in one response. The delivery log contains all of them. */
export const MOST_LISTED = 1000;

/**
 * Returns the event with at most `most` deliveries, and only their endpoints. A tenant sees neither the workspace's own
 * deliveries nor its stages.
 */
export function firedView(planned: PlannedEvent, most = MOST_LISTED, tenant: string | null = null): FiredEvent {
  const { event } = planned;
  const { tag } = event.scope;
  const stages = tenant === null ? planned.stages : [];
  const deliveries = tenant === null ? planned.deliveries : planned.deliveries.filter((one) => one.tenant === tenant);
  const listed = deliveries.slice(0, most).map((delivery) => deliveryRef(tag, delivery));
  return {
    id: wireId("evt", tag, event.id),
    object: "event",
    event: event.name,
    canonical: event.canonical,
    occurred_at: toRfc3339(event.occurredAt),
    ...(event.tenant !== null && { tenant: event.tenant }),
    status: "accepted",
    subscribers: inOrder([
      ...stages.filter(({ kind }) => kind !== "webhook"),
      ...listed.map((delivery) => endpointRef(delivery.endpoint_id)),
    ]),
    deliveries: listed,
    ...(listed.length < deliveries.length && { deliveries_omitted: deliveries.length - listed.length }),
    ...(event.schemaErrors !== null && { schema_errors: [...event.schemaErrors] }),
  };
}

function deliveryRef(tag: Tag, { id, endpointId }: PlannedDelivery): FiredEvent["deliveries"][number] {
  return { id: wireId("dlv", tag, id), endpoint_id: wireId("ep", tag, endpointId), state: "pending" };
}
