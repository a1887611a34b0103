import type { Id } from "../../lib/lib.ts";
import type { SubscriberRef } from "./event.ts";

/** Where webhook deliveries stand among the stages. Lower numbers run first. */
export const WEBHOOK_PRIORITY = 60;

/** An endpoint is a subscriber too. */
export function endpointRef(endpointId: Id): SubscriberRef {
  return { kind: "webhook", key: endpointId, priority: WEBHOOK_PRIORITY };
}

/** By priority, then kind, then key: the same on every firing. */
export function inOrder(refs: readonly SubscriberRef[]): SubscriberRef[] {
  return refs.toSorted((a, b) => a.priority - b.priority || a.kind.localeCompare(b.kind) || a.key.localeCompare(b.key));
}
