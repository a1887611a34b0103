import { HostError } from "../sandbox/hosts.ts";
import type { HostErrorCode } from "../sandbox/hosts.ts";
import { answerTextOf } from "../../lib/lib.ts";
import type { Clock, Json } from "../../lib/lib.ts";
import type { Exchange, Net } from "../../platform/outbound-http/outbound-http.ts";
import type { CallContext } from "./context.ts";
import { fixtureAnswer } from "./fixtures.ts";
import type { Fixtures } from "./fixtures.ts";
import { contentOf, declaredUrl, outbound, readHttpRequest } from "./http-request.ts";

export interface HttpServiceDeps {
  readonly net: Pick<Net, "send">;
  readonly clock: Clock;
  readonly fixtures: Fixtures;
}

const MOST = 100;
const MAX_TIMEOUT_MS = 10_000;
const MAX_CONNECT_MS = 5000;
/** The share of the call's time that is reserved for the code after the response. */
const MARGIN = 0.1;
const MAX_MARGIN_MS = 250;
const MAX_ANSWER_BYTES = 512 * 1024;

/**
 * Sends a request to a declared host, with the same URL checks as webhooks. Secrets are inserted just before sending
 * and removed from the response. In the sandbox the folder's fixtures give the response, and nothing is sent.
 */
export async function http(deps: HttpServiceDeps, context: CallContext, [given]: readonly Json[]): Promise<Json> {
  const request = readHttpRequest(given);
  const { pinned, handles } = context;
  const url = declaredUrl(pinned.version, handles, request.url);
  context.tell({ method: request.method, host: url.host });
  context.count("http", MOST);
  if (pinned.scope.environment === "sandbox") {
    const fixtures = await deps.fixtures(pinned.version);
    const answer = fixtureAnswer(fixtures, { method: request.method, url, content: contentOf(request) }, handles);
    context.tell({ status: answer.status, fixture: true });
    return { ...answer };
  }
  const totalTimeoutMs = timeOf(deps.clock, context, request.timeout_ms);
  const exchange = await deps.net.send({
    ...outbound(request, url, handles),
    // A request that can change something is never sent twice.
    once: request.method !== "GET" && request.method !== "HEAD",
    connectTimeoutMs: Math.min(MAX_CONNECT_MS, totalTimeoutMs),
    totalTimeoutMs,
    maxBodyBytes: MAX_ANSWER_BYTES,
  });
  context.tell({ status: exchange.status });
  return answered(context, exchange);
}

/**
 * Returns a timeout within the call's remaining time, so that a slow host is reported to the code before the call's
 * deadline.
 */
function timeOf(clock: Clock, { request, endsAtMs }: CallContext, wantedMs: number | undefined): number {
  const margin = Math.min(MAX_MARGIN_MS, request.deadlineMs * MARGIN);
  const left = Math.floor(endsAtMs - clock.monotonicMs() - margin);
  if (left < 1) throw new HostError("timeout", "The time limit of the call has been reached.");
  return Math.min(wantedMs ?? MAX_TIMEOUT_MS, MAX_TIMEOUT_MS, left);
}

function answered(context: CallContext, exchange: Exchange): Json {
  const { status, headers, body, cut, errorDetail } = exchange;
  if (status === null) {
    if (exchange.sent) context.unknown = true;
    throw new HostError(codeOf(exchange), errorDetail ?? "no answer");
  }
  if (cut !== null) {
    context.unknown = true;
    if (cut === "size") throw new HostError("too_large", `The response (HTTP ${status}) is larger than 512 KiB.`);
    throw new HostError(cut === "time" ? "timeout" : "failed", `The response (HTTP ${status}) was interrupted.`);
  }
  const { redact } = context.handles;
  return {
    status,
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, redact(value)])),
    body: redact(answerTextOf(body, headers["content-type"]) ?? body.toString("utf8")),
  };
}

function codeOf({ errorClass }: Exchange): HostErrorCode {
  if (errorClass === "target_refused") return "target_refused";
  return errorClass === "timeout" ? "timeout" : "failed";
}
