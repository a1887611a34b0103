import { toDate, toRfc3339, wireId } from "../lib/lib.ts";
import type { DeliveryRef, FiredEvent, NewEvent, Reactions } from "./events.ts";
import type { EventInsert } from "./events.store.ts";

/** Deliveries that one answer lists; the delivery log has them all. */
export const MOST_LISTED = 1000;

/** An event as its caller sees it, with `most` deliveries at most. */
export function firedView(event: NewEvent, reactions: Reactions, most = MOST_LISTED): FiredEvent {
  const { deliveries } = reactions;
  const listed = deliveries.slice(0, most);
  return {
    id: wireId("evt", event.scope.tag, event.id),
    object: "event",
    event: event.name,
    canonical: event.canonical,
    occurred_at: toRfc3339(event.occurredAt),
    status: "accepted",
    subscribers: subscribersOf(reactions, listed),
    deliveries: listed,
    ...(listed.length < deliveries.length && { deliveries_omitted: deliveries.length - listed.length }),
  };
}

/** Endpoints are subscribers too: those of the deliveries that are listed. */
function subscribersOf(
  { subscribers, deliveries }: Reactions,
  listed: readonly DeliveryRef[],
): FiredEvent["subscribers"] {
  if (listed.length === deliveries.length) return subscribers;
  const endpoints = new Set<string>(listed.map((delivery) => delivery.endpoint_id));
  return subscribers.filter(({ kind, key }) => kind !== "webhook" || endpoints.has(key));
}

/** An event's row; it is written if the request at this position is fresh. */
export function insertOf(event: NewEvent, request: number): EventInsert {
  const { scope, id, name, canonical, data, subject, chain, traceparent } = event;
  return {
    bucket: scope.bucket,
    tag: scope.tag,
    id,
    name,
    canonical,
    data,
    occurredAt: toDate(event.occurredAt),
    subject,
    chain,
    traceparent,
    request,
  };
}
