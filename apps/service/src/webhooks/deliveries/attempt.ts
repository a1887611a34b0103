import { setImmediate } from "node:timers/promises";
import { environmentOf, fromDate, retryAfterMs, toDate, uuidTime } from "../../lib/lib.ts";
import type { Clock, IdMaker } from "../../lib/lib.ts";
import type { Exchange, Net } from "../../platform/outbound-http/outbound-http.ts";
import type { AttemptSignal, TraceHeaders, TraceOrigin } from "../../platform/telemetry/telemetry.ts";
import type { Announcement } from "../../events/events.ts";
import { deliveryFailedEvent } from "./system-events.ts";
import type { Failure } from "./system-events.ts";
import { printable, shownAnswer } from "./echoes.ts";
import { headersOf, signedRequest } from "./envelope.ts";
import type { SignedRequest } from "./envelope.ts";
import { createFilters, filterFacts, judge, TOO_EXPENSIVE } from "../endpoints/filters.ts";
import type { Judgement } from "../endpoints/filters.ts";
import { revealHeaders } from "../endpoints/header-values.ts";
import {
  COUNTED_ATTEMPTS,
  transitionAfter,
  transitionFiltered,
  transitionUnjudged,
  transitionWithoutAttempt,
} from "./retry-schedule.ts";
import type { RetrySchedule, Transition } from "./retry-schedule.ts";
import type { LeasedDelivery } from "./queue.ts";
import type { AttemptRecord } from "./result.store.ts";
import type { Target } from "../endpoints/targets.ts";
import type { Preparation, Prepared } from "../transforms/prepare.ts";

/** An exchange with the receiver, or none because the transformation failed or the filter is too expensive. */
export type AttemptExchange = Omit<Exchange, "errorClass"> & {
  readonly errorClass: Exchange["errorClass"] | "transform" | typeof TOO_EXPENSIVE;
};

export interface AttemptResult {
  readonly delivery: LeasedDelivery;
  /** Undefined when the endpoint was deleted. */
  readonly target: Target | undefined;
  readonly transition: Transition;
  /** Null if no attempt was made. */
  readonly made: { readonly record: AttemptRecord; readonly exchange: AttemptExchange } | null;
  /** The announcement that the delivery failed; null for none. */
  readonly announcement: Announcement | null;
}

export interface AttemptDeps {
  readonly net: Net;
  readonly clock: Clock;
  readonly ids: IdMaker;
  readonly retrySchedule: RetrySchedule;
  readonly traces: TraceHeaders;
  readonly preparation: Preparation;
}

const HEADERS_CHARS = 8192;

const PLAIN: Prepared = { kind: "plain" };
const UNJUDGED = {
  kind: TOO_EXPENSIVE,
  message:
    "The endpoint's filter is too expensive for the data of this event, so nothing was sent. Use fewer or simpler leaves, and replay the delivery.",
  ms: 0,
} as const;
const UNSENT = { filtered: { kind: "filtered" }, too_expensive: UNJUDGED, lost: { kind: "lost" } } as const;
const FILTERS = createFilters();

/**
 * Makes a delivery's next attempt, if one can be made and counted. Never throws for anything the receiver does. Undefined if the
 * delivery is no longer leased to this process, and `busy` if its script could not be run yet.
 */
export async function attempt(
  deps: AttemptDeps,
  delivery: LeasedDelivery,
  target: Target | undefined,
): Promise<AttemptResult | "busy" | undefined> {
  if (target === undefined || delivery.data === null || delivery.attemptCount >= COUNTED_ATTEMPTS)
    return withoutAttempt(deps, delivery, target);
  const judgement = delivery.isUnjudged ? await judgedNow(deps.clock, delivery, target) : "passed";
  const prepared = judgement === "passed" ? await preparedOf(deps, delivery, target) : UNSENT[judgement];
  if (prepared.kind === "lost") return undefined;
  if (prepared.kind === "busy") return prepared.kind;
  if (prepared.kind === "filtered")
    return { delivery, target, transition: transitionFiltered(delivery), made: null, announcement: null };
  return await makeAttempt(deps, { delivery, target }, prepared);
}

async function preparedOf(
  { preparation }: Pick<AttemptDeps, "preparation">,
  delivery: LeasedDelivery,
  { transform }: Target,
): Promise<Prepared> {
  const isPlain = transform === null && !delivery.transformed;
  return isPlain ? PLAIN : await preparation.prepare(delivery, transform);
}

/** Judges a replay by the filter as it is now. The first attempt comes right after the judgement that was too expensive. */
async function judgedNow(
  clock: Clock,
  { trigger, eventName: name, data, tenant, leasedUntilMs }: LeasedDelivery,
  { filter }: Target,
): Promise<Judgement | "lost"> {
  if (trigger !== "replay") return TOO_EXPENSIVE;
  // One after the other, each in a turn of the event loop of its own, because hundreds can be replayed together.
  turn = turn.then(async () => await setImmediate());
  await turn;
  if (leasedUntilMs - clock.monotonicMs() < LEAST_LEASE_MS) return "lost";
  return judge(FILTERS, filter, filterFacts({ name, data: data ?? "{}", tenant }));
}

let turn: Promise<unknown> = Promise.resolve();
/** The least remaining time of a lease for which a request is sent after that. The exchange takes 15 s at most. */
const LEAST_LEASE_MS = 16_000;

async function makeAttempt(
  deps: AttemptDeps,
  { delivery, target }: { readonly delivery: LeasedDelivery; readonly target: Target },
  prepared: Extract<Prepared, { kind: "plain" | "request" | "failed" }> | typeof UNJUDGED,
): Promise<AttemptResult> {
  const startedAt = deps.clock.now();
  const number = delivery.attemptCount + 1;
  const traceparent = deps.traces.of(originOf(delivery), delivery.deliveryId, number);
  const transformed = prepared.kind === "request" ? prepared.request : undefined;
  const request = signedRequest({ ...messageOf(delivery, target), traceparent }, target, startedAt, transformed?.body);
  const exchange: AttemptExchange =
    prepared.kind === "failed" || prepared.kind === TOO_EXPENSIVE
      ? notSent(prepared)
      : await deps.net.send({
          method: transformed?.method ?? "POST",
          url: target.url,
          headers: headersOf(revealHeaders(target.headers), transformed?.headers, request.headers),
          body: request.body,
        });
  const outcome = {
    succeeded: exchange.errorClass === null,
    status: exchange.status,
    retryAfterMs: retryAfterMs(exchange.headers["retry-after"], startedAt),
  };
  const transition =
    prepared.kind === TOO_EXPENSIVE
      ? transitionUnjudged(delivery)
      : transitionAfter(delivery, outcome, deps.retrySchedule);
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

/** Returns the result of an attempt in which nothing was sent, because of the endpoint's transformation or filter. */
function notSent({ kind, message, ms }: Extract<Prepared, { kind: "failed" }> | typeof UNJUDGED): AttemptExchange {
  return {
    status: null,
    errorClass: kind === "failed" ? "transform" : kind,
    errorDetail: message,
    headers: {},
    body: Buffer.alloc(0),
    truncated: false,
    cut: null,
    sent: false,
    latency: { dns: 0, connect: 0, tls: 0, first_byte: 0, total: ms },
    resolvedIp: null,
  };
}

function failureOf(attempts: number, { status, errorClass }: AttemptExchange, clock: Clock): Failure {
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
export function attemptSignal({ delivery, target, transition, made }: AttemptResult): AttemptSignal | undefined {
  if (made === null) return undefined;
  const { tag, endpointId, deliveryId, attemptCount } = delivery;
  const { exchange, record } = made;
  const { total } = exchange.latency;
  const isFirst = attemptCount === 0 && transition.state === "delivered";
  return {
    tag,
    endpointId,
    tenant: target?.tenant ?? null,
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
  exchange: AttemptExchange,
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
