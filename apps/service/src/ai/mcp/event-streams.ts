import { setTimeout as sleep } from "node:timers/promises";
import { Readable } from "node:stream";
import { ServiceError } from "../../lib/lib.ts";
import type { Clock, Uuid } from "../../lib/lib.ts";
import type { Log } from "../../platform/telemetry/telemetry.ts";
import type { Scope } from "../../accounts/accounts.ts";
import { eventText } from "./event-feed.ts";
import type { EventFeed, EventSelection } from "./event-feed.ts";
import { cursorOf } from "./event-position.ts";
import type { EventPosition } from "./event-position.ts";
import type { McpRequest } from "./protocol.ts";

/** A stream of events: the response to one request, as server-sent events. */
export interface Streaming {
  readonly scope: Scope;
  /** Identifies the key, across its rotations. */
  readonly lineageId: Uuid;
  readonly selection: EventSelection;
  readonly from: EventPosition;
  readonly seconds: number;
  readonly question: McpRequest;
  /** Throws the refusal that the caller's next request would get. */
  recheck(): Promise<unknown>;
  /** Runs work with access only to the caller's rows. */
  within<T>(work: () => Promise<T>): Promise<T>;
}

export interface EventStreams {
  /** Throws 429 `too_many_streams`, and 503 while the process is stopping. */
  open(streaming: Streaming): Readable;
  /** Returns the number of open streams of this process. */
  count(): number;
  /** Ends all streams. Their clients continue at their cursors, on another node if there is one. */
  stop(): Promise<void>;
}

export interface EventStreamsDeps {
  readonly clock: Clock;
  readonly log: Pick<Log, "warn">;
  readonly feed: EventFeed;
}

const MOST_OF_PROCESS = 200;
const MOST_OF_KEY = 5;
const PAUSE_MS = 2000;
/** The interval in which the rights of a caller are checked and a sign of life is sent. */
const CHECK_MS = 10_000;
const AT_ONCE = 50;
/** Beyond this, a client reads too slowly. It continues at its last cursor. */
const MOST_UNREAD_BYTES = 1024 * 1024;

export function createEventStreams(deps: EventStreamsDeps): EventStreams {
  const open = new Map<
    Readable,
    { readonly lineageId: Uuid; readonly stop: AbortController; readonly run: Promise<void> }
  >();
  let isStopping = false;
  return {
    open(streaming) {
      if (isStopping) throw new ServiceError("service_unavailable", { detail: "The service is stopping. Try again." });
      assertRoom(
        [...open.values()].map(({ lineageId }) => lineageId),
        streaming.lineageId,
      );
      const stream = new Readable({ read: () => undefined });
      const stop = new AbortController();
      const run = follow(deps, streaming, { stream, signal: stop.signal }).finally(() => stream.push(null));
      open.set(stream, { lineageId: streaming.lineageId, stop, run });
      stream.once("close", () => {
        open.delete(stream);
        stop.abort();
      });
      return stream;
    },
    count: () => open.size,
    async stop() {
      isStopping = true;
      const running = [...open.values()];
      for (const { stop } of running) stop.abort();
      await Promise.allSettled(running.map(({ run }) => run));
    },
  };
}

function assertRoom(lineages: readonly Uuid[], lineageId: Uuid): void {
  const ofKey = lineages.filter((one) => one === lineageId).length;
  if (ofKey >= MOST_OF_KEY)
    throw tooMany(`A key can have at most ${MOST_OF_KEY} event streams at a time in a process.`);
  if (lineages.length >= MOST_OF_PROCESS) throw tooMany("This process has no room for a further event stream.");
}

function tooMany(detail: string): ServiceError {
  return new ServiceError("too_many_streams", {
    detail: `${detail} Close a stream, or use events/poll.`,
    headers: { "Retry-After": "30" },
  });
}

interface Following {
  readonly stream: Readable;
  readonly signal: AbortSignal;
}

/** Sends events until the time is over, the caller's right ends, or the client leaves. Never throws. */
async function follow(deps: EventStreamsDeps, streaming: Streaming, { stream, signal }: Following): Promise<void> {
  const { question } = streaming;
  const send = (text: string): void => void stream.push(`data: ${text}\n\n`);
  try {
    const position = await sendEvents(deps, streaming, { stream, signal });
    send(question.frame(`"cursor":${JSON.stringify(cursorOf(position))}`));
  } catch (error) {
    if (!(error instanceof ServiceError)) deps.log.warn({ err: error }, "failed to read events for a stream");
    const code = error instanceof ServiceError ? error.code : "service_unavailable";
    if (!stream.destroyed)
      send(question.fail({ code: -32_000, message: `The stream has ended: ${code}.`, data: { code } }));
  }
}

async function sendEvents(
  { clock, feed }: EventStreamsDeps,
  { scope, selection, from, seconds, recheck, within }: Streaming,
  { stream, signal }: Following,
): Promise<EventPosition> {
  const startedMs = clock.monotonicMs();
  let checkedMs = startedMs;
  let position = from;
  stream.push(": open\n\n");
  while (!signal.aborted && clock.monotonicMs() - startedMs < seconds * 1000) {
    if (clock.monotonicMs() - checkedMs >= CHECK_MS) {
      await recheck();
      checkedMs = clock.monotonicMs();
      stream.push(": alive\n\n");
    }
    const page = await within(async () => await feed.read(scope, selection, position, AT_ONCE));
    position = page.position;
    const cursor = JSON.stringify(cursorOf(position));
    for (const [at, event] of page.events.entries()) {
      const isLast = at === page.events.length - 1;
      const params = isLast ? `${eventText(scope, event).slice(0, -1)},"cursor":${cursor}}` : eventText(scope, event);
      stream.push(`data: {"jsonrpc":"2.0","method":"notifications/events/event","params":${params}}\n\n`);
    }
    if (stream.readableLength > MOST_UNREAD_BYTES) return position;
    if (!page.hasMore) await sleep(PAUSE_MS, undefined, { signal }).catch(() => undefined);
  }
  return position;
}
