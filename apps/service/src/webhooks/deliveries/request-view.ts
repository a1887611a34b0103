import type { Db } from "../../platform/db/db.ts";
import { environmentOf, fromDate, instant } from "../../lib/lib.ts";
import type { Clock, Sealer } from "../../lib/lib.ts";
import type { TraceHeaders } from "../../platform/telemetry/telemetry.ts";
import type { Scope } from "../../accounts/accounts.ts";
import { eventOf, lastAttemptOf } from "./deliveries.store.ts";
import type { DeliveryRow } from "./deliveries.store.ts";
import { signedRequest } from "./envelope.ts";
import { endpointTargets } from "../endpoints/endpoints.store.ts";
import { shownHeaders } from "../endpoints/header-values.ts";
import type { OwnInboxes } from "../endpoints/own-inboxes.ts";
import { targetOf } from "../endpoints/targets.ts";

/**
 * The request of the last attempt, bytes and headers. It is built again on request, because only time and secret differ
 * between attempts.
 */
export interface RequestView {
  readonly method: "POST";
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body: string;
}

/**
 * Returns null before the first attempt and if retention has deleted the event. The values of the endpoint's own
 * headers stay secret.
 */
export async function requestAsSent(
  deps: { db: Db; sealer: Sealer; clock: Clock; traces: TraceHeaders; inboxes: OwnInboxes },
  scope: Scope,
  row: DeliveryRow,
): Promise<RequestView | null> {
  const [event, last, endpoints] = await Promise.all([
    eventOf(deps.db.query, scope, row.event_id),
    lastAttemptOf(deps.db.query, scope, row.id),
    endpointTargets(deps.db, [{ ...scope, id: row.endpoint_id }]),
  ]);
  const [endpoint] = await deps.inboxes.current(endpoints);
  if (event === undefined || last === undefined || endpoint === undefined) return null;
  const target = targetOf(deps.sealer, endpoint, deps.clock.now());
  const { headers, body } = signedRequest(
    {
      tag: row.tag,
      environment: environmentOf(row.tag),
      workspaceId: scope.workspaceId,
      deliveryId: row.id,
      eventId: row.event_id,
      eventName: row.event_name,
      occurredAt: fromDate(event.occurred_at),
      data: event.data,
      traceparent: deps.traces.of({ id: row.event_id, traceparent: event.traceparent }, row.id, last.number),
    },
    target,
    instant(Number(last.request_timestamp) * 1000),
  );
  return { method: "POST", url: target.url, headers: { ...shownHeaders(endpoint.headers), ...headers }, body };
}
