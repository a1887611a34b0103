import type { SubscriberRef } from "./event.ts";

/** The priority of webhook deliveries among the stages. Lower numbers run first. */
export const WEBHOOK_PRIORITY = 60;

/** Returns the reference of an endpoint, which is a subscriber too. */
export function endpointRef(endpointId: string): SubscriberRef {
  return { kind: "webhook", key: endpointId, priority: WEBHOOK_PRIORITY };
}

/** Sorts by priority, then kind, then key, so that the order is the same on every firing. */
export function inOrder(refs: readonly SubscriberRef[]): SubscriberRef[] {
  return refs.toSorted((a, b) => a.priority - b.priority || a.kind.localeCompare(b.kind) || a.key.localeCompare(b.key));
}
