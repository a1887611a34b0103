import { escape } from "./calls.ts";
import type { Answered, Signal, Transport } from "./calls.ts";
import { ConnectionError, ServerError, ServiceError, TimeoutError } from "./errors.ts";

/** A message of a pull endpoint. `verify` accepts its body and headers, which are those of a request. */
export interface ConsumedMessage {
  /** The offsets of an endpoint's messages are dense, and in the order of commits. */
  readonly offset: number;
  /** The same each time the message is pulled. Skip messages that you have already processed. */
  readonly delivery_id: string;
  readonly event: string;
  readonly created_at: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Null if the event was erased. */
  readonly body: string | null;
}

export interface ConsumeOptions {
  /** The name of the consumer, which has its own position. Two processes with one name take turns. */
  readonly consumer: string;
  /** The maximum number of messages of one pull. Default: 100. */
  readonly limit?: number | undefined;
  /** The time for which a pull waits for messages. Default: 20. */
  readonly waitSeconds?: number | undefined;
  /** The time after which another process may pull the messages again. Each commit extends it. Default: 60. */
  readonly leaseSeconds?: number | undefined;
  /** Where a new consumer begins. Default: `start`. */
  readonly start?: "start" | "end" | undefined;
  /** Ends the iteration after the message in progress. */
  readonly signal?: Signal | undefined;
  /** End when there are no messages, instead of waiting for the next ones. */
  readonly once?: boolean | undefined;
  /** Called before the iteration waits, because the service did not respond or another process has the messages. */
  readonly onWait?: ((error: ServiceError, waitMs: number) => void) | undefined;
}

interface Pulled {
  readonly messages: readonly ConsumedMessage[];
  readonly lease: { readonly id: string } | null;
}

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 30_000;

/**
 * Iterates over the messages of a pull endpoint, without end. A message is committed after the body of the loop, so that it comes again
 * if the body throws, the loop is left, or the process ends. Waits while the service does not respond, and pulls again after a lease was
 * lost.
 */
export async function* consume(
  transport: Transport,
  endpoint: string,
  options: ConsumeOptions,
): AsyncGenerator<ConsumedMessage, void, undefined> {
  const calls = callsOf(transport, endpoint, options);
  let failures = 0;
  const isEnded = (): boolean => options.signal?.aborted === true;
  while (!isEnded()) {
    try {
      const { messages, lease } = await calls.pull();
      failures = 0;
      if (lease !== null) yield* messagesOf(calls, messages, lease.id, options.signal);
      else if (options.once === true) return;
    } catch (error) {
      if (isEnded()) return;
      const waitMs = waitAfter(error, failures);
      if (waitMs === undefined) throw error;
      failures += 1;
      options.onWait?.(error as ServiceError, waitMs);
      await wait(waitMs, options.signal);
    }
  }
}

interface Calls {
  pull(): Promise<Pulled>;
  commit(lease: string, offset: number): Promise<void>;
  release(lease: string): Promise<void>;
}

function callsOf(transport: Transport, endpoint: string, options: ConsumeOptions): Calls {
  const { consumer, limit, start, signal, once } = options;
  const waitSeconds = once === true ? 0 : (options.waitSeconds ?? 20);
  const path = `/v1/webhook-endpoints/${escape(endpoint, "endpoint")}`;
  const post = async <Body>(what: string, body: object, more: object = {}): Promise<Answered<Body>> =>
    await transport.send<Body>(
      { operation: `webhooks.${what}`, method: "POST", path: `${path}/${what}`, body, write: true, answer: "any" },
      more,
    );
  const pull = { consumer, limit, wait_seconds: waitSeconds, lease_seconds: options.leaseSeconds, start };
  return {
    pull: async () => await post<Pulled>("pull", pull, { signal, timeoutMs: (waitSeconds + 30) * 1000 }),
    commit: async (lease, offset) => void (await post("commit", { consumer, lease_id: lease, offset })),
    release: async (lease) => void (await post("release", { consumer, lease_id: lease })),
  };
}

/** Yields the messages of a lease, and commits each when the next one is asked for. */
async function* messagesOf(
  calls: Calls,
  messages: readonly ConsumedMessage[],
  lease: string,
  signal: Signal | undefined,
): AsyncGenerator<ConsumedMessage, void, undefined> {
  let isOpen = true;
  try {
    for (const [at, message] of messages.entries()) {
      if (signal?.aborted === true) return;
      yield message;
      const isKept = await commit(calls, lease, message.offset);
      // The last commit ends the lease.
      if (!isKept || at === messages.length - 1) isOpen = false;
      if (!isKept) return;
    }
  } finally {
    // The rest need not wait for the end of the lease. Without a response, it ends by itself.
    if (isOpen) await calls.release(lease).catch(() => undefined);
  }
}

/** Returns false if the lease was lost: others may have the rest. */
async function commit(calls: Calls, lease: string, offset: number): Promise<boolean> {
  for (let failures = 0; ; failures += 1) {
    try {
      await calls.commit(lease, offset);
      return true;
    } catch (error) {
      if (error instanceof ServiceError && error.code === "lease_lost") return false;
      const waitMs = waitAfter(error, failures);
      if (waitMs === undefined || failures >= 10) throw error;
      await wait(waitMs, undefined);
    }
  }
}

/** Returns undefined for an error that waiting does not change. */
function waitAfter(error: unknown, failures: number): number | undefined {
  if (!(error instanceof ServiceError)) return undefined;
  const isPassing =
    error instanceof ConnectionError ||
    error instanceof TimeoutError ||
    error instanceof ServerError ||
    error.retryable;
  if (!isPassing) return undefined;
  const asked = Number(error.headers["retry-after"] ?? 0) * 1000;
  const backOff = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(failures, 10));
  // A busy consumer is free again once its lease ends, or earlier.
  return error.code === "consumer_busy" ? Math.min(asked || backOff, backOff * 4) : Math.max(asked || 0, backOff);
}

async function wait(ms: number, signal: Signal | undefined): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(end, ms);
    function end(): void {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      resolve();
    }
    signal?.addEventListener("abort", end, { once: true });
  });
}
