import { toDate, toRfc3339, wireId } from "../kernel/kernel.ts";
import type { FiredEvent, NewEvent, Reactions } from "./events.ts";
import type { EventInsert } from "./events.store.ts";

/** An event as its caller sees it. */
export function firedView(event: NewEvent, reactions: Reactions): FiredEvent {
  return {
    id: wireId("evt", event.scope.tag, event.id),
    object: "event",
    event: event.name,
    canonical: event.canonical,
    occurred_at: toRfc3339(event.occurredAt),
    status: "accepted",
    subscribers: reactions.subscribers,
    deliveries: reactions.deliveries,
  };
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
