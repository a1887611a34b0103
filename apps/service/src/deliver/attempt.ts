import { environmentOf, fromDate, uuidTime } from "../lib/lib.ts";
import type { Clock, IdMaker } from "../lib/lib.ts";
import { toDate } from "../lib/lib.ts";
import type { Exchange, Net } from "../platform/outbound-http/outbound-http.ts";
import type { AttemptSignal, TraceHeaders, TraceOrigin } from "../platform/telemetry/telemetry.ts";
import { failedNews } from "./aftermath.ts";
import type { Failure } from "./aftermath.ts";
import { printable, shownAnswer } from "../webhooks/deliveries/echoes.ts";
import { signedRequest } from "../webhooks/deliveries/envelope.ts";
import type { SignedRequest } from "../webhooks/deliveries/envelope.ts";
import { revealHeaders } from "../webhooks/endpoints/header-values.ts";
import { COUNTED_ATTEMPTS, judge, retryAfterMs } from "./ladder.ts";
import type { Ladder, Verdict } from "./ladder.ts";
import type { Work } from "../webhooks/deliveries/queue.ts";
import type { AttemptRecord, ResultRow } from "../webhooks/deliveries/result.store.ts";
import type { Target } from "../webhooks/endpoints/targets.ts";

export interface Made {
  readonly row: ResultRow;
  readonly verdict: Verdict;
  readonly exchange: Exchange;
}

const HEADERS_CHARS = 8192;

/** Makes one attempt: signs, sends, judges. Never throws for anything the receiver does. */
export async function makeAttempt(
  deps: { net: Net; clock: Clock; ids: IdMaker; ladder: Ladder; traces: TraceHeaders },
  work: Work,
  target: Target,
): Promise<Made> {
  const startedAt = deps.clock.now();
  const number = work.attemptCount + 1;
  const traceparent = deps.traces.of(originOf(work), work.deliveryId, number);
  const request = signedRequest({ ...messageOf(work, target), traceparent }, target, startedAt);
  const exchange = await deps.net.post({
    url: target.url,
    headers: { ...revealHeaders(target.headers), ...request.headers },
    body: request.body,
  });
  const succeeded = exchange.errorClass === null;
  const outcome = {
    succeeded,
    status: exchange.status,
    retryAfterMs: retryAfterMs(exchange.headers["retry-after"], startedAt),
  };
  const verdict = work.trigger === "replay" ? afterReplay(succeeded) : judge(number, outcome, deps.ladder);
  const end = ending(work, verdict);
  const attempt = recordOf(exchange, request, {
    target,
    id: deps.ids.uuid(),
    startedAt: toDate(startedAt),
  });
  return {
    verdict,
    exchange,
    row: {
      ...placeOf(work),
      number,
      ...end,
      attempt,
      healthy: succeeded,
      news: end.state === "failed" ? failedNews(deps.ids, work, target, failureOf(number, exchange, deps.clock)) : null,
      awaited: target.awaited,
    },
  };
}

/** Whether an attempt can be made and counted. */
export function isSendable(work: Work): boolean {
  return work.data !== null && work.attemptCount < COUNTED_ATTEMPTS;
}

function failureOf(attempts: number, { status, errorClass }: Exchange, clock: Clock): Failure {
  return { attempts, statusCode: status, errorClass, at: clock.now() };
}

/** Ends a delivery without an attempt: its endpoint or its event is gone, or no further attempt can be counted. */
export function cancelled(
  deps: { readonly clock: Clock; readonly ids: IdMaker },
  work: Work,
  target: Target | undefined,
): ResultRow {
  // Who switched the endpoint on again expects what waited for it.
  const expired = { attempts: work.attemptCount, errorClass: "event_expired", at: deps.clock.now() };
  const isExpired = work.data === null && target !== undefined && work.restingState === null;
  return {
    ...placeOf(work),
    number: work.attemptCount + 1,
    state: work.attemptCount < COUNTED_ATTEMPTS ? "cancelled" : (work.restingState ?? "failed"),
    waitMs: 0,
    attempt: null,
    healthy: null,
    news: isExpired ? failedNews(deps.ids, work, target, expired) : null,
    awaited: target?.awaited ?? false,
  };
}

/** What the attempt says to those who count. */
export function attemptSignal(work: Work, { exchange, row }: Made): AttemptSignal {
  const { tag, endpointId, deliveryId, attemptCount } = work;
  const { total } = exchange.latency;
  const startedAt = row.attempt?.startedAt;
  const isFirst = attemptCount === 0 && row.state === "delivered" && startedAt !== undefined;
  const ackMs = isFirst ? fromDate(startedAt) + total - uuidTime(deliveryId) : null;
  return {
    tag,
    endpointId,
    deliveryId,
    event: { ...originOf(work), name: work.eventName },
    number: row.number,
    outcome: exchange.errorClass ?? "delivered",
    startedMs: startedAt?.getTime() ?? 0,
    ms: total,
    statusCode: exchange.status,
    ackMs,
  };
}

function originOf({ eventId, traceparent }: Work): TraceOrigin {
  return { id: eventId, traceparent };
}

/** A replay is one attempt: whatever the ladder would say, its failure schedules nothing. */
function afterReplay(succeeded: boolean): Verdict {
  return succeeded ? { kind: "delivered" } : { kind: "parked", gone: false };
}

function ending(work: Work, verdict: Verdict): Pick<ResultRow, "state" | "waitMs"> {
  if (verdict.kind === "retry") return { state: null, waitMs: verdict.waitMs };
  if (verdict.kind === "delivered") return { state: "delivered", waitMs: 0 };
  return { state: work.restingState ?? "failed", waitMs: 0 };
}

function placeOf(work: Work): Pick<ResultRow, "bucket" | "tag" | "deliveryId" | "endpointId" | "trigger"> {
  const { bucket, tag, deliveryId, endpointId, trigger } = work;
  return { bucket, tag, deliveryId, endpointId, trigger };
}

export function messageOf(work: Work, target: Pick<Target, "workspaceId">): Parameters<typeof signedRequest>[0] {
  const { tag, deliveryId, eventId, eventName, occurredAt, data } = work;
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
