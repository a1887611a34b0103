import { environmentOf, fromDate, retryAfterMs, toDate, unixSeconds, uuidTime, wireId } from "../../lib/lib.ts";
import type { Clock, Hidden, IdMaker, Instant } from "../../lib/lib.ts";
import { unsent } from "../../platform/outbound-http/outbound-http.ts";
import type { Exchange, Net, OutboundRequest } from "../../platform/outbound-http/outbound-http.ts";
import type { AttemptSignal, TraceHeaders, TraceOrigin } from "../../platform/telemetry/telemetry.ts";
import type { Announcement } from "../../events/events.ts";
import { deliveryFailedEvent } from "./system-events.ts";
import type { Failure } from "./system-events.ts";
import { printable, shownAnswer } from "./echoes.ts";
import { headersOf, signedRequest } from "./envelope.ts";
import { addressOrFault, sendToBroker } from "./send-to-broker.ts";
import type { BrokerRequest, BrokerSendingDeps } from "./send-to-broker.ts";
import { sendSignedIn } from "../requests/sign-in.ts";
import type { SignInDeps } from "../requests/sign-in.ts";
import { readFilter } from "../endpoints/channels.ts";
import { createFilters, filterFacts, judge, TOO_EXPENSIVE } from "../endpoints/filters.ts";
import type { Judgement } from "../endpoints/filters.ts";
import { LARGE_BYTES } from "./event-data.ts";
import type { EventTexts } from "./event-data.ts";
import { revealHeaders } from "../requests/header-values.ts";
import {
  COUNTED_ATTEMPTS,
  transitionAfter,
  transitionFiltered,
  transitionRefused,
  transitionWithoutAttempt,
} from "./retry-schedule.ts";
import type { Transition } from "./retry-schedule.ts";
import type { RetrySchedule } from "../endpoints/own-schedule.ts";
import type { LeasedDelivery, ReadDelivery } from "./queue.ts";
import type { AttemptRecord } from "./result.store.ts";
import type { Target } from "../endpoints/targets.ts";
import type { Preparation, Prepared } from "./prepare.ts";
import type { Addressee } from "../requests/destination-templates.ts";
import type { TransformedRequest } from "../transforms/transform-template.ts";

/** An exchange with the receiver, or none because the transformation failed or the filter is too expensive. */
export type AttemptExchange = Omit<Exchange, "errorClass"> & {
  readonly errorClass: Exchange["errorClass"] | "transform" | typeof TOO_EXPENSIVE | "auth" | "broker";
  /** The texts that signed in, if any did. */
  readonly credentials?: readonly Hidden[];
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

export interface AttemptDeps extends SignInDeps, BrokerSendingDeps {
  readonly net: Net;
  readonly clock: Clock;
  readonly ids: IdMaker;
  readonly retrySchedule: RetrySchedule;
  readonly traces: TraceHeaders;
  readonly preparation: Preparation;
  readonly texts: EventTexts;
  /** Resolves for one caller in each turn of the event loop, so that other work continues between two pieces of heavy work. */
  turn(): Promise<void>;
}

/** The dependencies of making a request, also if it is not sent. */
export type MakingDeps = Omit<AttemptDeps, "net" | "traces" | "brokers">;

const HEADERS_CHARS = 8192;
/** An AI client's receiver refuses a message for good with these, for example one that it has processed, and its subscription continues. */
const FINAL_FOR_CLIENTS: ReadonlySet<number> = new Set([410, 413]);
/** The first attempt comes later than this after a backfill, or if the endpoint was inactive. That says nothing about the service. */
const MOST_ACK_MS = 3_600_000;

const PLAIN: Prepared = { kind: "plain" };
const UNJUDGED = {
  kind: TOO_EXPENSIVE,
  message:
    "The endpoint's filter is too expensive for the data of this event, so nothing was sent. Use fewer or simpler leaves, and replay the delivery.",
  ms: 0,
} as const;
const UNSENT = { filtered: { kind: "filtered" }, too_expensive: UNJUDGED, lost: { kind: "lost" } } as const;
const FILTERS = createFilters();

/** The request of an attempt, or why there is none. The data is not kept while the request is being sent. */
type MadeRequest =
  | {
      readonly kind: "request";
      readonly startedAt: Instant;
      readonly request: OutboundRequest;
      readonly message: BrokerRequest | null;
    }
  | Unmade;
type Unmade =
  | { readonly kind: "failed"; readonly startedAt: Instant; readonly exchange: AttemptExchange }
  | { readonly kind: "expired" }
  | { readonly kind: "filtered" }
  | { readonly kind: "busy" }
  | { readonly kind: "lost" };

/**
 * Makes a delivery's next attempt, if one can be made and counted. Never throws for anything the receiver does. Undefined if the
 * delivery is no longer leased to this process, `busy` if its script could not be run yet, and `proxy` if the egress proxy
 * failed.
 */
export async function attempt(
  deps: AttemptDeps,
  delivery: LeasedDelivery,
  target: Target | undefined,
): Promise<AttemptResult | "busy" | "proxy" | undefined> {
  if (target === undefined || delivery.data === null || delivery.attemptCount >= COUNTED_ATTEMPTS)
    return withoutAttempt(deps, delivery, target);
  const made = await make(deps, { delivery, target });
  if (made.kind !== "request") return withoutRequest(deps, { delivery, target }, made);
  const exchange = await send(deps, { delivery, target }, made);
  // The attempt says nothing about the receiver, so it does not count.
  if (exchange.errorClass === "proxy") return exchange.errorClass;
  return resultOf(deps, { delivery, target }, { exchange, startedAt: made.startedAt });
}

/**
 * Makes the request of a delivery that is pulled, and keeps what its transformation made. `ready`: its consumers can get it. Otherwise it
 * ends or is tried again, as one that is sent.
 */
export async function makeReady(
  deps: MakingDeps,
  delivery: LeasedDelivery,
  target: Target | undefined,
): Promise<AttemptResult | "ready" | "busy" | undefined> {
  if (target === undefined || delivery.data === null || delivery.attemptCount >= COUNTED_ATTEMPTS)
    return withoutAttempt(deps, delivery, target);
  const made = await readied(deps, { delivery, target });
  return made.kind === "ready" ? made.kind : withoutRequest(deps, { delivery, target }, made);
}

function withoutRequest(
  deps: MakingDeps,
  { delivery, target }: Addressed,
  made: Unmade,
): AttemptResult | "busy" | undefined {
  if (made.kind === "lost") return undefined;
  if (made.kind === "busy") return made.kind;
  if (made.kind === "expired") return withoutAttempt(deps, { ...delivery, data: null }, target);
  if (made.kind === "filtered")
    return { delivery, target, transition: transitionFiltered(delivery), made: null, announcement: null };
  return resultOf(deps, { delivery, target }, made);
}

async function send(
  deps: AttemptDeps,
  { delivery: { tag, endpointId }, target: { auth, destination, workspaceId } }: Addressed,
  { request, message }: Extract<MadeRequest, { kind: "request" }>,
): Promise<AttemptExchange> {
  if (destination !== null && message !== null)
    return await sendToBroker(deps, { tag, workspaceId, endpointId, stored: destination }, message);
  return auth === null
    ? await deps.net.send(request)
    : await sendSignedIn(deps, { tag, workspaceId, stored: auth }, request);
}

/** Judges a replay by the filter as it is now. The first attempt comes right after the judgement that was too expensive. */
async function judgedNow(
  { clock, turn }: Pick<AttemptDeps, "clock" | "turn">,
  { trigger, eventName: name, data, tenant, leasedUntilMs }: ReadDelivery,
  { filter }: Target,
): Promise<Judgement | "lost"> {
  if (trigger !== "replay") return TOO_EXPENSIVE;
  // Hundreds can be replayed together.
  await turn();
  if (leasedUntilMs - clock.monotonicMs() < LEAST_LEASE_MS) return "lost";
  // Its channels were judged before its filter became too expensive.
  return judge(FILTERS, readFilter(filter).own, filterFacts({ name, data, tenant, subject: null, labels: null }));
}

/** The least remaining time of a lease for which a request is sent after that. The exchange takes 15 s at most. */
const LEAST_LEASE_MS = 16_000;

interface Addressed {
  readonly delivery: LeasedDelivery;
  readonly target: Target;
}

async function make(deps: AttemptDeps, addressed: Addressed): Promise<MadeRequest> {
  const made = await readied(deps, addressed);
  if (made.kind !== "ready") return made;
  if (isLarge(made.transformed?.body)) await deps.turn();
  const { target } = addressed;
  const subject = target.destination === null ? null : await deps.texts.subjectOf(made.read);
  return attemptRequest(deps, { ...made, target, subject });
}

/** A delivery with its data and what its transformation made of it. */
interface Ready extends Omit<RequestInputs, "target" | "subject"> {
  readonly kind: "ready";
}

async function readied(deps: MakingDeps, { delivery, target }: Addressed): Promise<Ready | Unmade> {
  const data = await deps.texts.of(delivery);
  if (data === null) return { kind: "expired" };
  const read: ReadDelivery = { ...delivery, data };
  if (delivery.bytes > 0) await deps.turn();
  const prepared = await prepare(deps, read, target);
  if (prepared.kind === "failed" || prepared.kind === TOO_EXPENSIVE)
    return { kind: "failed", startedAt: deps.clock.now(), exchange: notSent(prepared) };
  if (prepared.kind !== "request" && prepared.kind !== "plain") return prepared;
  return { kind: "ready", read, transformed: prepared.kind === "request" ? prepared.request : undefined };
}

async function prepare(
  deps: MakingDeps,
  read: ReadDelivery,
  target: Target,
): Promise<Prepared | (typeof UNSENT)[keyof typeof UNSENT]> {
  const judgement = read.isUnjudged ? await judgedNow(deps, read, target) : "passed";
  if (judgement !== "passed") return UNSENT[judgement];
  const isPlain = target.transform === null && !read.transformed;
  return isPlain ? PLAIN : await deps.preparation.prepare(read, target.transform);
}

function isLarge(body: string | undefined): boolean {
  return (body?.length ?? 0) > LARGE_BYTES;
}

interface RequestInputs {
  readonly read: ReadDelivery;
  readonly target: Target;
  readonly transformed: TransformedRequest | undefined;
  /** The subject of the event, for a broker. */
  readonly subject: string | null;
}

function attemptRequest(
  { clock, traces }: AttemptDeps,
  { read, target, transformed, subject }: RequestInputs,
): MadeRequest {
  const startedAt = clock.now();
  const address = target.destination === null ? null : addressOrFault(target.destination, addresseeOf(read, subject));
  if (address !== null && "errorClass" in address) return { kind: "failed", startedAt, exchange: address };
  const traceparent = traces.of(originOf(read), read.deliveryId, read.attemptCount + 1);
  const signed = signedRequest({ ...messageOf(read, target), traceparent }, target, startedAt, transformed?.body);
  const headers = headersOf(revealHeaders(target.headers), transformed?.headers, signed.headers);
  const body = signed.bytes;
  return {
    kind: "request",
    startedAt,
    request: { method: transformed?.method ?? "POST", url: target.url, headers, body },
    message: address === null ? null : { ...address, deliveryId: read.deliveryId, headers, body },
  };
}

function addresseeOf({ tag, eventId, eventName, data, tenant, lane }: ReadDelivery, subject: string | null): Addressee {
  return { id: wireId("evt", tag, eventId), event: eventName, data, subject, tenant, lane: lane?.key ?? null };
}

interface Exchanged {
  readonly exchange: AttemptExchange;
  readonly startedAt: Instant;
}

function resultOf(deps: MakingDeps, { delivery, target }: Addressed, exchanged: Exchanged): AttemptResult {
  const { exchange, startedAt } = exchanged;
  const outcome = {
    succeeded: exchange.errorClass === null,
    status: exchange.status,
    retryAfterMs: retryAfterMs(exchange.headers["retry-after"], startedAt),
  };
  const isFinal = target.wire === "mcp" && FINAL_FOR_CLIENTS.has(exchange.status ?? 0);
  const transition =
    exchange.errorClass === TOO_EXPENSIVE || isFinal
      ? transitionRefused(delivery)
      : transitionAfter(delivery, outcome, target.retrySchedule ?? deps.retrySchedule);
  const record = recordOf(exchange, { target, id: deps.ids.uuid(), startedAt });
  return {
    delivery,
    target,
    transition,
    made: { record, exchange },
    announcement:
      transition.state === "failed"
        ? deliveryFailedEvent(deps.ids, delivery, target, failureOf(delivery.attemptCount + 1, exchange, deps.clock))
        : null,
  };
}

/** Returns the result of an attempt in which nothing was sent, because of the endpoint's transformation or filter. */
function notSent({ kind, message, ms }: Extract<Prepared, { kind: "failed" }> | typeof UNJUDGED): AttemptExchange {
  return unsent(kind === "failed" ? "transform" : kind, message, { total: ms });
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
  const ackMs = fromDate(record.startedAt) + total - uuidTime(deliveryId);
  const isFirst = attemptCount === 0 && transition.state === "delivered" && ackMs < MOST_ACK_MS;
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
    ackMs: isFirst ? ackMs : null,
  };
}

function originOf({ eventId, traceparent }: LeasedDelivery): TraceOrigin {
  return { id: eventId, traceparent };
}

function messageOf(delivery: ReadDelivery, target: Pick<Target, "workspaceId">): Parameters<typeof signedRequest>[0] {
  const { tag, deliveryId, eventId, eventName, occurredAt, data, lane } = delivery;
  return {
    tag,
    environment: environmentOf(tag),
    workspaceId: target.workspaceId,
    deliveryId,
    eventId,
    eventName,
    occurredAt,
    data,
    lane,
  };
}

function recordOf(
  exchange: AttemptExchange,
  { target, id, startedAt }: { target: Target; id: AttemptRecord["id"]; startedAt: Instant },
): AttemptRecord {
  const { latency } = exchange;
  const answer = shownAnswer(exchange, target.headers, exchange.credentials);
  // A broker confirms without a status.
  const isAnswered = exchange.status !== null || exchange.errorClass === null;
  return {
    id,
    startedAt: toDate(startedAt),
    statusCode: exchange.status,
    errorClass: exchange.errorClass,
    errorDetail: exchange.errorDetail === null ? null : printable(exchange.errorDetail),
    latency: [latency.dns, latency.connect, latency.tls, latency.first_byte, latency.total],
    resolvedIp: exchange.resolvedIp,
    responseHeaders:
      exchange.status === null ? null : printable(JSON.stringify(answer.headers)).slice(0, HEADERS_CHARS),
    responseSnippet: isAnswered ? answer.snippet : null,
    responseTruncated: exchange.truncated,
    requestTimestamp: unixSeconds(startedAt),
  };
}
