import type { Call, Signal } from "./calls.ts";
import { disconnected, outOfTime, refusedBy, unreadable } from "./failure.ts";
import type { Failed, Received, TryFacts } from "./failure.ts";
import { parseJson } from "./json.ts";
import type { FetchResponse, Settings } from "./settings.ts";
import { signRequest } from "./signing.ts";

/** A prepared call. Every attempt sends the same bytes with the same key. */
export interface Plan {
  readonly call: Call;
  readonly url: string;
  readonly origin: string;
  /** The path and query as on the wire. */
  readonly target: string;
  readonly body: string | undefined;
  readonly idempotencyKey: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: Signal | undefined;
  readonly timeoutMs: number;
  /** The deadline as a value of `performance.now()`. Undefined without a deadline. */
  readonly endsAt: number | undefined;
  readonly maxRetries: number;
}

/** The offset of the service's clock from the local clock, learnt from refusals. */
export interface Clock {
  offsetMs: number;
}

export interface Succeeded {
  readonly answer: Received;
  readonly body: object;
}

/** Sends one request. Throws only the reason of the caller's signal. */
export async function exchange(
  settings: Settings,
  plan: Plan,
  { clock, attempt }: { clock: Clock; attempt: number },
): Promise<Succeeded | Failed> {
  const timer = startTimer(plan);
  const { call, idempotencyKey, timeoutMs, origin } = plan;
  const facts: TryFacts = {
    operation: call.operation ?? null,
    idempotencyKey,
    attempts: attempt,
    timeoutMs,
    origin,
    secrets: settings.secrets,
  };
  try {
    const answer = await request(settings, plan, { clock, signal: timer.signal });
    if (answer.status < 200 || answer.status > 299) return refusedBy(answer, facts);
    const body = bodyOf(call.answer, answer);
    return body === undefined ? unreadable(answer, facts) : { answer, body };
  } catch (error) {
    if (plan.signal?.aborted === true) throw plan.signal.reason;
    const endedBy = timer.endedBy();
    return endedBy === undefined ? disconnected(error, facts) : outOfTime(endedBy, facts);
  } finally {
    timer.stop();
  }
}

async function request(
  settings: Settings,
  plan: Plan,
  { clock, signal }: { clock: Clock; signal: Signal },
): Promise<Received> {
  const response = await settings.fetch(plan.url, {
    method: plan.call.method,
    headers: { ...plan.headers, ...signature(settings, plan, clock) },
    ...(plan.body === undefined ? {} : { body: plan.body }),
    redirect: "manual",
    signal,
  });
  return { status: response.status, headers: headersOf(response), text: await response.text() };
}

/** Signs an attempt. Each attempt has its own timestamp. */
function signature(settings: Settings, plan: Plan, clock: Clock): Record<string, string> {
  const { signer } = settings;
  if (signer === undefined) return {};
  const timestamp = Math.floor((Date.now() + clock.offsetMs) / 1000);
  const signed = signRequest(signer, {
    timestamp,
    method: plan.call.method,
    target: plan.target,
    idempotencyKey: plan.idempotencyKey ?? "",
    body: plan.body ?? "",
  });
  return { "x-service-timestamp": String(timestamp), "x-service-signature": signed };
}

function headersOf(response: FetchResponse): Record<string, string> {
  const headers: Record<string, string> = {};
  response.headers.forEach((value, name) => {
    headers[name] = value;
  });
  return headers;
}

/** Undefined if the response does not have the expected form. */
function bodyOf(promised: Call["answer"], { status, text }: Received): object | undefined {
  if (promised === "none" || status === 204) return {};
  if (promised === "text") return { text };
  const value = parsed(promised === "any" && text === "" ? "{}" : text);
  if (typeof value !== "object" || value === null) return undefined;
  return promised === "json" && Array.isArray(value) ? undefined : value;
}

function parsed(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

interface Timer {
  readonly signal: Signal;
  /** The signal that ended the attempt, or undefined. */
  endedBy(): "timeout" | "deadline_exceeded" | undefined;
  stop(): void;
}

/** Creates a new signal for each attempt, because an aborted signal would end all later attempts. */
function startTimer({ timeoutMs, endsAt, signal }: Plan): Timer {
  const controller = new AbortController();
  const leftMs = endsAt === undefined ? Infinity : Math.max(0, endsAt - performance.now());
  const ender = leftMs <= timeoutMs ? "deadline_exceeded" : "timeout";
  let isOver = false;
  const end = (): void => {
    isOver = true;
    controller.abort();
  };
  const timer = setTimeout(end, Math.min(timeoutMs, leftMs));
  const stop = (): void => {
    controller.abort();
  };
  signal?.addEventListener("abort", stop, { once: true });
  return {
    signal: controller.signal,
    endedBy: () => (isOver ? ender : undefined),
    stop() {
      clearTimeout(timer);
      signal?.removeEventListener("abort", stop);
    },
  };
}
