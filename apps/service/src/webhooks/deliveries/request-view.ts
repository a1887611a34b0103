import type { Db } from "../../platform/db/db.ts";
import { environmentOf, fromDate, instant } from "../../lib/lib.ts";
import type { Clock, Sealer } from "../../lib/lib.ts";
import type { TraceHeaders } from "../../platform/telemetry/telemetry.ts";
import type { Scope } from "../../accounts/accounts.ts";
import { eventOf, lastAttemptOf } from "./deliveries.store.ts";
import type { DeliveryRow } from "./deliveries.store.ts";
import { headersOf, signedRequest } from "./envelope.ts";
import { endpointTargets } from "../endpoints/endpoints.store.ts";
import { shownHeaders } from "../endpoints/header-values.ts";
import type { OwnInboxes } from "../endpoints/own-inboxes.ts";
import { targetOf } from "../endpoints/targets.ts";
import { keptRequest } from "../transforms/delivery-requests.store.ts";
import { inputOf, requestOf } from "../transforms/prepare.ts";
import { inputText } from "../transforms/template.ts";
import type { TransformMethod } from "../transforms/transform.ts";

/**
 * The request of the last attempt, bytes and headers. It is built again on request, because only time and secret differ
 * between attempts.
 */
export interface RequestView {
  readonly method: TransformMethod;
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body: string;
}

/** How a delivery's request was made by a transformation. */
export interface TransformView {
  readonly version: number;
  /** JSON text: what the transformation read. */
  readonly before: string;
  readonly log: string[];
}

export interface SentView {
  readonly request: RequestView | null;
  /** Null if the request was not transformed. */
  readonly transform: TransformView | null;
}

const NOTHING: SentView = { request: null, transform: null };

/**
 * Returns no request before the first attempt, if no request could be made, and if retention has deleted the event. The values of
 * the endpoint's own headers stay secret.
 */
export async function requestAsSent(
  deps: { db: Db; sealer: Sealer; clock: Clock; traces: TraceHeaders; inboxes: OwnInboxes },
  scope: Scope,
  row: DeliveryRow,
): Promise<SentView> {
  const [event, last, endpoints, kept] = await Promise.all([
    eventOf(deps.db.query, scope, row.event_id),
    lastAttemptOf(deps.db.query, scope, row.id),
    endpointTargets(deps.db, [{ ...scope, id: row.endpoint_id }]),
    row.transformed === true ? keptRequest(deps.db.query, scope, row.id) : undefined,
  ]);
  const [endpoint] = await deps.inboxes.current(endpoints);
  if (event === undefined || last === undefined || endpoint === undefined) return NOTHING;
  if (kept === undefined && last.error_class === "transform") return NOTHING;
  const target = targetOf(deps.sealer, endpoint, deps.clock.now());
  const place = {
    tag: row.tag,
    eventId: row.event_id,
    eventName: row.event_name,
    occurredAt: fromDate(event.occurred_at),
  };
  const { tenant } = event;
  const { headers, body } = signedRequest(
    {
      ...place,
      environment: environmentOf(row.tag),
      workspaceId: scope.workspaceId,
      deliveryId: row.id,
      data: event.data,
      traceparent: deps.traces.of({ id: row.event_id, traceparent: event.traceparent }, row.id, last.number),
    },
    target,
    instant(Number(last.request_timestamp) * 1000),
    kept?.body,
  );
  const transformed = kept === undefined ? undefined : requestOf(kept);
  const shown = headersOf(shownHeaders(endpoint.headers), transformed?.headers, headers);
  const request = { method: transformed?.method ?? "POST", url: target.url, headers: shown, body };
  if (kept === undefined) return { request, transform: null };
  const input = inputOf({ ...place, tenant, data: event.data });
  return {
    request,
    transform: { version: kept.version, before: inputText(input), log: JSON.parse(kept.log) as string[] },
  };
}
