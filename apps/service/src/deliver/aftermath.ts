import type { Db } from "../db/db.ts";
import { isSystem } from "../events/events.ts";
import { environmentOf, wireId } from "../kernel/kernel.ts";
import type { Clock, Instant, Tag, Uuid } from "../kernel/kernel.ts";
import type { Made } from "./attempt.ts";
import { disableEndpoint } from "./endpoints.store.ts";
import type { Work } from "./queue.ts";
import type { Target } from "./targets.ts";

const FAILING_LIMIT_MS = 5 * 86_400_000;

/** Fires a system event about an endpoint; the endpoint itself does not get it. */
export type SystemEvent = (
  tag: Tag,
  workspaceId: Uuid,
  name: string,
  about: { endpointId: Uuid; data: object },
) => Promise<unknown>;

export interface AftermathDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly emit: SystemEvent;
}

/** What a failure means beyond its delivery: news of a parked one, and the end of an endpoint that only fails. */
export async function afterFailure(deps: AftermathDeps, work: Work, made: Made, target: Target): Promise<void> {
  // News that cannot be delivered makes no news: two failing endpoints would go on telling of each other for ever.
  if (made.row.state === "failed" && !isSystem(work.eventName)) await announceParked(deps, work, target);
  await disableIfHopeless(deps, work, made, target);
}

async function announceParked(deps: AftermathDeps, work: Work, target: Target): Promise<void> {
  await deps.emit(work.tag, target.workspaceId, "webhook.delivery.failed", {
    endpointId: work.endpointId,
    data: {
      delivery_id: wireId("dlv", work.tag, work.deliveryId),
      endpoint_id: wireId("ep", work.tag, work.endpointId),
      event: work.eventName,
      event_id: wireId("evt", work.tag, work.eventId),
      attempt_count: work.attemptCount + 1,
      environment: environmentOf(work.tag),
    },
  });
}

async function disableIfHopeless(deps: AftermathDeps, work: Work, made: Made, target: Target): Promise<void> {
  const reason = hopeless(made, target.failingSince, deps.clock.now());
  if (reason === undefined) return;
  const place = { bucket: work.bucket, tag: work.tag, id: work.endpointId };
  if (!(await disableEndpoint(deps.db.query, place, reason))) return;
  await deps.emit(work.tag, target.workspaceId, "webhook.endpoint.disabled", {
    endpointId: work.endpointId,
    data: { endpoint_id: wireId("ep", work.tag, work.endpointId), url: target.url, reason },
  });
}

function hopeless(made: Made, failingSince: Instant | null, now: Instant): string | undefined {
  if (made.verdict.kind === "parked" && made.verdict.gone) return "gone";
  return failingSince !== null && now - failingSince > FAILING_LIMIT_MS ? "failing_for_days" : undefined;
}
