import { isSystem } from "../events/events.ts";
import type { Announcement } from "../events/events.ts";
import { environmentOf, toRfc3339, wireId } from "../lib/lib.ts";
import type { IdMaker, Instant } from "../lib/lib.ts";
import type { Verdict } from "./ladder.ts";
import { withoutInboxToken } from "../webhooks/endpoints/own-inboxes.ts";
import type { Work } from "../webhooks/deliveries/queue.ts";
import type { Target } from "../webhooks/endpoints/targets.ts";

const FAILING_LIMIT_MS = 5 * 86_400_000;

/** How a delivery ended that did not arrive. */
export interface Failure {
  readonly attempts: number;
  /** Of the last attempt; left out where it is in the delivery's log alone. */
  readonly statusCode?: number | null;
  /** `event_expired`: retention dropped the event before it could be sent. */
  readonly errorClass: string | null;
  readonly at: Instant;
}

/** News of a delivery that failed for good, to be written with its result. The endpoint itself does not get it. */
export function failedNews(ids: IdMaker, work: Work, target: Target, failure: Failure): Announcement | null {
  // News that cannot be delivered makes no news: two failing endpoints would go on telling of each other for ever.
  if (isSystem(work.eventName)) return null;
  return {
    ...aboutEndpoint(ids, work, target),
    name: "webhook.delivery.failed",
    // What reacts to it and fails again is told from what led here: a chain ends.
    after: work.eventId,
    data: {
      delivery_id: wireId("dlv", work.tag, work.deliveryId),
      endpoint_id: wireId("ep", work.tag, work.endpointId),
      event: work.eventName,
      event_id: wireId("evt", work.tag, work.eventId),
      attempt_count: failure.attempts,
      last_status_code: failure.statusCode,
      error_class: failure.errorClass,
      failed_at: toRfc3339(failure.at),
      environment: environmentOf(work.tag),
    },
  };
}

export type DisabledReason = "gone" | "failing_for_days";

export function disabledNews(ids: IdMaker, work: Work, target: Target, reason: DisabledReason): Announcement {
  return {
    ...aboutEndpoint(ids, work, target),
    name: "webhook.endpoint.disabled",
    data: { endpoint_id: wireId("ep", work.tag, work.endpointId), url: withoutInboxToken(target.url), reason },
  };
}

/** Why an endpoint is to be switched off after a failed attempt; undefined when it is not. */
export function hopeless(verdict: Verdict, failingSince: Instant | null, now: Instant): DisabledReason | undefined {
  if (verdict.kind === "parked" && verdict.gone) return "gone";
  return failingSince !== null && now - failingSince > FAILING_LIMIT_MS ? "failing_for_days" : undefined;
}

function aboutEndpoint(ids: IdMaker, work: Work, target: Target): Pick<Announcement, "scope" | "id" | "subject"> {
  return {
    scope: { workspaceId: target.workspaceId, bucket: work.bucket, tag: work.tag },
    id: ids.uuid(),
    subject: wireId("ep", work.tag, work.endpointId),
  };
}
