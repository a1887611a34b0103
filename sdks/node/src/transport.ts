import { randomUUID } from "node:crypto";
import type { Answered, Call, CallOptions, ResponseFacts, Transport } from "./calls.ts";
import type { ServiceError } from "./errors.ts";
import { exchange } from "./exchange.ts";
import type { Clock, Plan, Succeeded } from "./exchange.ts";
import type { Failed, Received } from "./failure.ts";
import { toJson } from "./json.ts";
import { waitMs } from "./retry.ts";
import { readMs, readRetries } from "./settings.ts";
import type { Settings } from "./settings.ts";
import { VERSION } from "./version.ts";

const USER_AGENT = `junction-sdk-node/${VERSION}${typeof process === "object" ? ` node/${process.version}` : ""}`;

export function createTransport(settings: Settings): Transport {
  const clock: Clock = { offsetMs: 0 };
  return {
    async send<Body>(call: Call, options: CallOptions): Promise<Answered<Body>> {
      const plan = planOf(settings, call, options);
      const tries: Tries = { clock, attempt: 0, isCorrected: false };
      for (;;) {
        if (plan.signal?.aborted === true) throw plan.signal.reason;
        tries.attempt += 1;
        const outcome = await tryOnce(settings, plan, tries);
        if ("body" in outcome) return answered<Body>(outcome.body, factsOf(plan, outcome.answer, tries.attempt));
        const next = nextStep(settings, plan, { tries, failed: outcome });
        if (next === "give up") throw outcome.error;
        if (next !== "at once") await settings.timing.sleep(next, plan.signal);
      }
    },
  };
}

/** The state of one call. */
interface Tries {
  readonly clock: Clock;
  /** The number of the attempt, counted from 1. */
  attempt: number;
  isCorrected: boolean;
}

function planOf(settings: Settings, call: Call, options: CallOptions): Plan {
  const url = new URL(settings.baseUrl + call.path);
  const body = call.body === undefined ? undefined : toJson(call.body);
  const idempotencyKey = call.write ? (readKey(options.idempotencyKey) ?? randomUUID()) : null;
  const deadlineMs = readMs("deadlineMs", options.deadlineMs) ?? settings.deadlineMs;
  return {
    call,
    url: url.href,
    origin: url.origin,
    target: url.pathname + url.search,
    body,
    idempotencyKey,
    headers: headersFor(settings, options, { body, idempotencyKey }),
    signal: options.signal,
    timeoutMs: readMs("timeoutMs", options.timeoutMs) ?? settings.timeoutMs,
    endsAt: deadlineMs === undefined ? undefined : performance.now() + deadlineMs,
    maxRetries: readRetries(options.maxRetries) ?? settings.maxRetries,
  };
}

function headersFor(
  settings: Settings,
  { headers = {} }: CallOptions,
  { body, idempotencyKey }: Pick<Plan, "body" | "idempotencyKey">,
): Record<string, string> {
  const ours: Record<string, string> = {
    ...settings.credentials,
    "user-agent": USER_AGENT,
    "x-service-version": settings.apiVersion,
    ...(body === undefined ? {} : { "content-type": "application/json" }),
    ...(idempotencyKey === null ? {} : { "idempotency-key": idempotencyKey }),
  };
  for (const [name, value] of Object.entries(headers)) {
    const lower = name.toLowerCase();
    // A second Authorization would be joined to the first, and a second signature would never match.
    if (!(lower in ours) && !OURS.has(lower)) ours[lower] = value;
  }
  return ours;
}

const OURS = new Set([
  "authorization",
  "x-service-key",
  "x-service-signature",
  "x-service-timestamp",
  "idempotency-key",
]);

function readKey(key: string | undefined): string | undefined {
  if (key !== undefined && (typeof key !== "string" || !/^[!-~]{1,255}$/.test(key)))
    throw new TypeError("idempotencyKey must be 1 to 255 visible ASCII characters without spaces.");
  return key;
}

async function tryOnce(
  settings: Settings,
  plan: Plan,
  { clock, attempt }: { clock: Clock; attempt: number },
): Promise<Succeeded | Failed> {
  const { onTry } = settings;
  const startedAt = onTry === undefined ? 0 : performance.now();
  const outcome = await exchange(settings, plan, { clock, attempt });
  onTry?.({
    operation: plan.call.operation ?? null,
    method: plan.call.method,
    path: plan.target,
    attempt,
    durationMs: performance.now() - startedAt,
    ...("error" in outcome ? endOf(outcome.error) : { ...endOf(outcome.answer), code: null }),
  });
  return outcome;
}

function endOf(end: { status: number | null; code?: string; headers: Received["headers"] }) {
  return { status: end.status, code: end.code ?? null, requestId: end.headers["x-service-request-id"] ?? null };
}

/** Adjusts the clock to the server's if the server refused the timestamp. */
function correct(settings: Settings, clock: Clock, error: ServiceError): boolean {
  const serverTime = error.problem?.["server_time"];
  const isClock = error.code === "timestamp_out_of_range" && Number.isSafeInteger(serverTime);
  if (!isClock || settings.signer === undefined) return false;
  clock.offsetMs = (serverTime as number) * 1000 - Date.now();
  return true;
}

/** Returns the wait in milliseconds, or that the call is not retried. The clock is corrected once, even if the call then fails. */
function nextStep(
  settings: Settings,
  { endsAt, maxRetries }: Plan,
  { tries, failed }: { readonly tries: Tries; readonly failed: Failed },
): number | "at once" | "give up" {
  const isClock = !tries.isCorrected && correct(settings, tries.clock, failed.error);
  tries.isCorrected ||= isClock;
  if (tries.attempt > maxRetries) return "give up";
  if (isClock) return "at once";
  if (!failed.again) return "give up";
  const retryAfter = failed.error.headers["retry-after"];
  const random = settings.timing.random();
  const wait = waitMs({ retry: tries.attempt - 1, random, retryAfter, nowMs: Date.now() });
  if (wait === undefined) return "give up";
  return endsAt === undefined || performance.now() + wait < endsAt ? wait : "give up";
}

function factsOf(plan: Plan, { status, headers }: Received, attempts: number): ResponseFacts {
  return {
    status,
    headers,
    requestId: headers["x-service-request-id"] ?? null,
    idempotencyKey: plan.idempotencyKey,
    replayed: headers["idempotent-replayed"] === "true",
    attempts,
  };
}

function answered<Body>(body: object, facts: ResponseFacts): Answered<Body> {
  return Object.defineProperty(body, "$response", { value: facts, configurable: true }) as Answered<Body>;
}
