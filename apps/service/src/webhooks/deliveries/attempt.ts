import { environmentOf, fromDate, retryAfterMs, toDate, uuidTime } from "../../lib/lib.ts";
import type { Clock, IdMaker } from "../../lib/lib.ts";
import type { Exchange, Net } from "../../platform/outbound-http/outbound-http.ts";
import type { AttemptSignal, TraceHeaders, TraceOrigin } from "../../platform/telemetry/telemetry.ts";
import type { Announcement } from "../../events/events.ts";
import { deliveryFailedEvent } from "./system-events.ts";
import type { Failure } from "./system-events.ts";
import { printable, shownAnswer } from "./echoes.ts";
import { signedRequest } from "./envelope.ts";
import type { SignedRequest } from "./envelope.ts";
import { revealHeaders } from "../endpoints/header-values.ts";
import { COUNTED_ATTEMPTS, transitionAfter, transitionWithoutAttempt } from "./retry-schedule.ts";
import type { RetrySchedule, Transition } from "./retry-schedule.ts";
import type { LeasedDelivery } from "./queue.ts";
import type { AttemptRecord } from "./result.store.ts";
import type { Target } from "../endpoints/targets.ts";

export interface AttemptResult {
  readonly delivery: LeasedDelivery;
  /** Undefined when the endpoint was deleted. */
  readonly target: Target | undefined;
  readonly transition: Transition;
  /** Null if no attempt was made. */
  readonly made: { readonly record: AttemptRecord; readonly exchange: Exchange } | null;
  /** The announcement that the delivery failed; null for none. */
  readonly announcement: Announcement | null;
}

export interface AttemptDeps {
  readonly net: Net;
  readonly clock: Clock;
  readonly ids: IdMaker;
  readonly retrySchedule: RetrySchedule;
  readonly traces: TraceHeaders;
}

const HEADERS_CHARS = 8192;

/** Makes a delivery's next attempt, if one can be made and counted. Never throws for anything the receiver does. */
export async function attempt(
  deps: AttemptDeps,
  delivery: LeasedDelivery,
  target: Target | undefined,
): Promise<AttemptResult> {
  if (target === undefined || delivery.data === null || delivery.attemptCount >= COUNTED_ATTEMPTS)
    return withoutAttempt(deps, delivery, target);
  const startedAt = deps.clock.now();
  const number = delivery.attemptCount + 1;
  const traceparent = deps.traces.of(originOf(delivery), delivery.deliveryId, number);
  const request = signedRequest({ ...messageOf(delivery, target), traceparent }, target, startedAt);
  const exchange = await deps.net.post({
    url: target.url,
    headers: { ...revealHeaders(target.headers), ...request.headers },
    body: request.body,
  });
  const outcome = {
    succeeded: exchange.errorClass === null,
    status: exchange.status,
    retryAfterMs: retryAfterMs(exchange.headers["retry-after"], startedAt),
  };
  const transition = transitionAfter(delivery, outcome, deps.retrySchedule);
  const record = recordOf(exchange, request, { target, id: deps.ids.uuid(), startedAt: toDate(startedAt) });
  return {
    delivery,
    target,
    transition,
    made: { record, exchange },
    announcement:
      transition.state === "failed"
        ? deliveryFailedEvent(deps.ids, delivery, target, failureOf(number, exchange, deps.clock))
        : null,
  };
}

function failureOf(attempts: number, { status, errorClass }: Exchange, clock: Clock): Failure {
  return { attempts, statusCode: status, errorClass, at: clock.now() };
}

function withoutAttempt(
  { clock, ids }: Pick<AttemptDeps, "clock" | "ids">,
  delivery: LeasedDelivery,
  target: Target | undefined,
): AttemptResult {
  // The person who enabled the endpoint again expects its pending deliveries, so their loss is announced.
  const failure = { attempts: delivery.attemptCount, errorClass: "event_expired", at: clock.now() };
  const isExpired = delivery.data === null && delivery.restingState === null;
  return {
    delivery,
    target,
    transition: transitionWithoutAttempt(delivery),
    made: null,
    announcement: isExpired && target !== undefined ? deliveryFailedEvent(ids, delivery, target, failure) : null,
  };
}

/** Returns the attempt for the metrics and the console; undefined if none was made. */
export function attemptSignal({ delivery, transition, made }: AttemptResult): AttemptSignal | undefined {
  if (made === null) return undefined;
  const { tag, endpointId, deliveryId, attemptCount } = delivery;
  const { exchange, record } = made;
  const { total } = exchange.latency;
  const isFirst = attemptCount === 0 && transition.state === "delivered";
  return {
    tag,
    endpointId,
    deliveryId,
    event: { ...originOf(delivery), name: delivery.eventName },
    number: attemptCount + 1,
    outcome: exchange.errorClass ?? "delivered",
    startedMs: record.startedAt.getTime(),
    ms: total,
    statusCode: exchange.status,
    ackMs: isFirst ? fromDate(record.startedAt) + total - uuidTime(deliveryId) : null,
  };
}

function originOf({ eventId, traceparent }: LeasedDelivery): TraceOrigin {
  return { id: eventId, traceparent };
}

export function messageOf(
  delivery: LeasedDelivery,
  target: Pick<Target, "workspaceId">,
): Parameters<typeof signedRequest>[0] {
  const { tag, deliveryId, eventId, eventName, occurredAt, data } = delivery;
  return {
    tag,
    environment: environmentOf(tag),
    workspaceId: target.workspaceId,
    deliveryId,
    eventId,
    eventName,
    occurredAt,
    data: data ?? "{}",
  };
}

function recordOf(
  exchange: Exchange,
  request: SignedRequest,
  { target, ...of }: { target: Target; id: AttemptRecord["id"]; startedAt: Date },
): AttemptRecord {
  const { latency } = exchange;
  const answer = shownAnswer(exchange, target.headers);
  return {
    ...of,
    statusCode: exchange.status,
    errorClass: exchange.errorClass,
    errorDetail: exchange.errorDetail === null ? null : printable(exchange.errorDetail),
    latency: [latency.dns, latency.connect, latency.tls, latency.first_byte, latency.total],
    resolvedIp: exchange.resolvedIp,
    responseHeaders:
      exchange.status === null ? null : printable(JSON.stringify(answer.headers)).slice(0, HEADERS_CHARS),
    responseSnippet: exchange.status === null ? null : answer.snippet,
    responseTruncated: exchange.truncated,
    requestTimestamp: request.timestamp,
  };
}
