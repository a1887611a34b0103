import { setTimeout as sleep } from "node:timers/promises";
import { createStreamPool, ServiceError, SHORT_GRACE_MS } from "../../lib/lib.ts";
import type { Clock, Holder, PooledStream } from "../../lib/lib.ts";
import type { Log } from "../../platform/telemetry/telemetry.ts";
import type { Scope } from "../../accounts/accounts.ts";
import { eventText } from "./event-feed.ts";
import type { EventFeed, EventSelection, FeedPage } from "./event-feed.ts";
import { cursorOf } from "./event-position.ts";
import type { EventPosition } from "./event-position.ts";
import type { McpRequest } from "./protocol.ts";

/** A stream of events: the response to one request, as server-sent events. */
export interface Streaming {
  readonly scope: Scope;
  /** The shares that the stream takes a place of. */
  readonly holder: Holder;
  readonly selection: EventSelection;
  /** Undefined: it begins now. */
  readonly from: EventPosition | undefined;
  readonly seconds: number;
  readonly question: McpRequest;
  /** Throws the refusal that the caller's next request would get. */
  recheck(): Promise<unknown>;
  /** Runs work with access only to the caller's rows. */
  within<T>(work: () => Promise<T>): Promise<T>;
}

export type EventStreams = ReturnType<typeof createEventStreams>;

export interface EventStreamsDeps {
  readonly clock: Clock;
  readonly log: Pick<Log, "warn">;
  readonly feed: EventFeed;
}

const PAUSE_MS = 2000;
/** How long a stream can outlive the right to it. Look-ups of all streams share statements. */
const CHECK_MS = 1000;
/** A sign of life for a reader that has read everything. */
const ALIVE_MS = 10_000;
const STEP_MS = 250;
/** The first wait for a reader, which is doubled up to a step. */
const DRAIN_MS = 5;
const AT_ONCE = 50;

export function createEventStreams(deps: EventStreamsDeps) {
  const pool = createStreamPool({
    most: 200,
    shares: { key: 5, tenant: 10, member: 20, workspace: 50, network: 100 },
    advice: "Close a stream, or use events/poll.",
    mostUnreadOfStream: 1024 * 1024,
    mostUnread: 32 * 1024 * 1024,
  });
  const running = new Map<PooledStream, { readonly stop: AbortController; readonly run: Promise<void> }>();
  let isStopping = false;
  return {
    /** Throws 429 `too_many_streams`, and 503 while the process is stopping. */
    open(streaming: Streaming): PooledStream {
      if (isStopping) throw new ServiceError("service_unavailable", { detail: "The service is stopping. Try again." });
      const stop = new AbortController();
      const stream = pool.open(streaming.holder, () => stop.abort());
      stream.onClose(() => {
        running.delete(stream);
        stop.abort();
      });
      const run = follow(deps, streaming, { stream, signal: stop.signal }).finally(() => stream.end());
      running.set(stream, { stop, run });
      return stream;
    },
    /** Returns the number of open streams of this process. */
    count: (): number => pool.size,
    /** Ends all streams. Their clients continue at their cursors, on another node if there is one. */
    async stop(): Promise<void> {
      isStopping = true;
      const open = [...running.values()];
      for (const { stop } of open) stop.abort();
      await Promise.allSettled(open.map(({ run }) => run));
    },
  };
}

interface Following {
  readonly stream: PooledStream;
  readonly signal: AbortSignal;
}

/** Sends events until the time is over, the caller's right ends, or the client leaves. Never throws. */
async function follow(deps: EventStreamsDeps, streaming: Streaming, following: Following): Promise<void> {
  const { question } = streaming;
  const send = (text: string): void => void following.stream.push(`data: ${text}\n\n`);
  try {
    const position = await sendEvents(deps, streaming, following);
    send(question.frame(`"cursor":${JSON.stringify(cursorOf(position))}`));
  } catch (error) {
    if (!(error instanceof ServiceError)) deps.log.warn({ err: error }, "failed to read events for a stream");
    const code = error instanceof ServiceError ? error.code : "service_unavailable";
    send(question.fail({ code: -32_000, message: `The stream has ended: ${code}.`, data: { code } }));
    following.stream.end(SHORT_GRACE_MS);
  }
}

/**
 * Reads a page only when the reader has taken the one before, so that a reader who stopped costs one page and not one read. The time
 * and the right of such a reader end as those of others.
 */
async function sendEvents(
  { clock, feed }: EventStreamsDeps,
  streaming: Streaming,
  { stream, signal }: Following,
): Promise<EventPosition> {
  const { scope, selection, recheck, within } = streaming;
  const endsMs = clock.monotonicMs() + streaming.seconds * 1000;
  const isCheckDue = every(clock, CHECK_MS);
  const isAliveDue = every(clock, ALIVE_MS);
  let position = streaming.from ?? (await within(async () => await feed.begin(scope)));
  let readsMs = 0;
  let waitMs = DRAIN_MS;
  stream.push(": open\n\n");
  while (!signal.aborted && clock.monotonicMs() < endsMs) {
    if (isCheckDue()) await recheck();
    if (stream.unread() === 0 && clock.monotonicMs() >= readsMs) {
      const page = await within(async () => await feed.read(scope, selection, position, AT_ONCE));
      sendPage(scope, stream, page);
      position = page.position;
      readsMs = page.hasMore ? 0 : clock.monotonicMs() + PAUSE_MS;
      waitMs = DRAIN_MS;
      if (page.events.length === 0 && isAliveDue()) stream.push(": alive\n\n");
    }
    await sleep(waitMs, undefined, { signal }).catch(() => undefined);
    waitMs = Math.min(STEP_MS, waitMs * 2);
  }
  return position;
}

function sendPage(scope: Scope, stream: PooledStream, { events, position }: FeedPage): void {
  const cursor = JSON.stringify(cursorOf(position));
  for (const [at, event] of events.entries()) {
    const isLast = at === events.length - 1;
    const params = isLast ? `${eventText(scope, event).slice(0, -1)},"cursor":${cursor}}` : eventText(scope, event);
    stream.push(`data: {"jsonrpc":"2.0","method":"notifications/events/event","params":${params}}\n\n`);
  }
}

/** Returns a function that is true at most once in this time. */
function every(clock: Clock, ms: number): () => boolean {
  let lastMs = clock.monotonicMs();
  return () => {
    const isDue = clock.monotonicMs() - lastMs >= ms;
    if (isDue) lastMs = clock.monotonicMs();
    return isDue;
  };
}
