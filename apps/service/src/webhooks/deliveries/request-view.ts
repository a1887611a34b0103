import type { Db } from "../../platform/db/db.ts";
import { environmentOf, fromDate, instant, parseJson } from "../../lib/lib.ts";
import type { Clock, Instant, Sealer } from "../../lib/lib.ts";
import type { TraceHeaders } from "../../platform/telemetry/telemetry.ts";
import type { Scope } from "../../accounts/accounts.ts";
import { eventOf } from "./delivered-events.store.ts";
import { lastAttemptOf } from "./deliveries.store.ts";
import type { DeliveryRow } from "./deliveries.store.ts";
import { headersOf, signedRequest } from "./envelope.ts";
import type { Message } from "./envelope.ts";
import { endpointTargets } from "../endpoints/endpoints.store.ts";
import type { TargetRow } from "../endpoints/endpoints.store.ts";
import { shownAuthHeaders } from "../requests/endpoint-auth.ts";
import { withHeaders } from "../requests/sign-in.ts";
import { TOO_EXPENSIVE } from "../endpoints/filters.ts";
import { shownHeaders } from "../requests/header-values.ts";
import type { OwnInboxes } from "../endpoints/own-inboxes.ts";
import { targetOf } from "../endpoints/targets.ts";
import { keptRequest } from "./delivery-requests.store.ts";
import { inputOf, keptAsSent } from "./prepare.ts";
import { inputText } from "../transforms/transform-template.ts";
import type { TransformedRequest } from "../transforms/transform-template.ts";
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

/** The errors after which nothing was sent. */
const UNSENT: ReadonlySet<string> = new Set(["transform", "auth", TOO_EXPENSIVE]);

export interface ViewDeps {
  readonly db: Db;
  readonly sealer: Sealer;
  readonly clock: Clock;
  readonly traces: TraceHeaders;
  readonly inboxes: OwnInboxes;
}

/**
 * Returns no request before the first attempt, if no request could be made, and if retention has deleted the event. The values of
 * the endpoint's own headers stay secret.
 */
export async function requestAsSent(deps: ViewDeps, scope: Scope, row: DeliveryRow): Promise<SentView> {
  const [event, last, endpoints, kept] = await Promise.all([
    eventOf(deps.db.query, scope, row.event_id),
    lastAttemptOf(deps.db.query, scope, row.id),
    endpointTargets(deps.db, [{ ...scope, id: row.endpoint_id }]),
    row.transformed === true ? keptRequest(deps.db.query, scope, row.id) : undefined,
  ]);
  const [endpoint] = await deps.inboxes.current(endpoints);
  if (event === undefined || last === undefined || endpoint === undefined) return NOTHING;
  const message = messageOf(deps, { scope, row, event, number: last.number });
  const at = instant(Number(last.request_timestamp) * 1000);
  if (kept !== undefined)
    return {
      request: signedRequestView(deps, { endpoint, message, at }, keptAsSent(kept)),
      transform: {
        version: kept.version,
        before: inputText(inputOf({ ...message, tenant: event.tenant })),
        log: parseJson(kept.log) as string[],
      },
    };
  return UNSENT.has(last.error_class ?? "")
    ? NOTHING
    : { request: signedRequestView(deps, { endpoint, message, at }), transform: null };
}

interface ViewedMessage {
  readonly endpoint: TargetRow;
  readonly message: Message;
  readonly at: Instant;
}

function signedRequestView(
  { sealer, clock }: ViewDeps,
  { endpoint, message, at }: ViewedMessage,
  transformed?: TransformedRequest,
): RequestView {
  const target = targetOf(sealer, endpoint, clock.now());
  const { headers, body } = signedRequest(message, target, at, transformed?.body);
  const own = headersOf(shownHeaders(endpoint.headers), transformed?.headers, headers);
  const shown = withHeaders(own, shownAuthHeaders(target.auth?.auth));
  return { method: transformed?.method ?? "POST", url: target.url, headers: shown, body };
}

interface Facts {
  readonly scope: Scope;
  readonly row: DeliveryRow;
  readonly event: NonNullable<Awaited<ReturnType<typeof eventOf>>>;
  /** The number of the attempt. */
  readonly number: number;
}

function messageOf({ traces }: ViewDeps, { scope, row, event, number }: Facts): Message {
  return {
    tag: row.tag,
    environment: environmentOf(row.tag),
    workspaceId: scope.workspaceId,
    deliveryId: row.id,
    eventId: row.event_id,
    eventName: row.event_name,
    occurredAt: fromDate(event.occurred_at),
    data: event.data,
    traceparent: traces.of({ id: row.event_id, traceparent: event.traceparent }, row.id, number),
    lane: row.lane === null || row.lane_sequence === null ? null : { key: row.lane, sequence: row.lane_sequence },
  };
}
