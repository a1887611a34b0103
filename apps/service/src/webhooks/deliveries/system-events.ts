import { isSystem } from "../../events/events.ts";
import type { Announcement } from "../../events/events.ts";
import { environmentOf, toRfc3339, wireId } from "../../lib/lib.ts";
import type { IdMaker, Instant } from "../../lib/lib.ts";
import { withoutInboxToken } from "../endpoints/own-inboxes.ts";
import type { LeasedDelivery } from "./queue.ts";
import type { Target } from "../endpoints/targets.ts";

/** The data about a delivery that failed. */
export interface Failure {
  readonly attempts: number;
  /** The status of the last attempt; absent if only the delivery's log has it. */
  readonly statusCode?: number | null;
  /** The error class. `event_expired`: retention deleted the event before it could be sent. */
  readonly errorClass: string | null;
  readonly at: Instant;
}

/** Announces a delivery that failed for good; written with its result. The endpoint itself does not receive it. */
export function deliveryFailedEvent(
  ids: IdMaker,
  delivery: LeasedDelivery,
  target: Target,
  failure: Failure,
): Announcement | null {
  // A failed delivery of a system event is not reported, because two failing endpoints would report each other without
  // end.
  if (isSystem(delivery.eventName)) return null;
  return {
    ...aboutEndpoint(ids, delivery, target),
    name: "webhook.delivery.failed",
    tenant: delivery.tenant ?? target.tenant,
    // A reaction to this event that also fails belongs to the same chain, whose length is limited.
    after: delivery.eventId,
    data: {
      delivery_id: wireId("dlv", delivery.tag, delivery.deliveryId),
      endpoint_id: wireId("ep", delivery.tag, delivery.endpointId),
      event: delivery.eventName,
      event_id: wireId("evt", delivery.tag, delivery.eventId),
      attempt_count: failure.attempts,
      last_status_code: failure.statusCode,
      error_class: failure.errorClass,
      failed_at: toRfc3339(failure.at),
      environment: environmentOf(delivery.tag),
    },
  };
}

export type DisabledReason = "gone" | "failing_for_days";

export function endpointDisabledEvent(
  ids: IdMaker,
  delivery: LeasedDelivery,
  target: Target,
  reason: DisabledReason,
): Announcement {
  return {
    ...aboutEndpoint(ids, delivery, target),
    name: "webhook.endpoint.disabled",
    tenant: target.tenant,
    data: { endpoint_id: wireId("ep", delivery.tag, delivery.endpointId), url: withoutInboxToken(target.url), reason },
  };
}

function aboutEndpoint(
  ids: IdMaker,
  delivery: LeasedDelivery,
  target: Target,
): Pick<Announcement, "scope" | "id" | "subject"> {
  return {
    scope: { workspaceId: target.workspaceId, bucket: delivery.bucket, tag: delivery.tag },
    id: ids.uuid(),
    subject: wireId("ep", delivery.tag, delivery.endpointId),
  };
}
