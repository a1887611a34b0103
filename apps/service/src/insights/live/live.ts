import type { Db } from "../../platform/db/db.ts";
import { ServiceError, tagOf } from "../../lib/lib.ts";
import type { Clock, Holder, IdMaker, PooledStream, StreamPool, Tag, Uuid } from "../../lib/lib.ts";
import type { Log } from "../../platform/telemetry/telemetry.ts";
import type { Scope } from "../../accounts/accounts.ts";
import { createHub } from "./hub.ts";
import type { Hub } from "./hub.ts";
import { close, moveTo, OPENING, tell } from "./listener.ts";
import type { Kind, Listener } from "./listener.ts";
import { openInterest } from "./interest.ts";
import type { Interest } from "./interest.ts";
import { standing } from "./live.store.ts";
import { createNewsWorker } from "./live.worker.ts";
import type { NewsWorker } from "./live.worker.ts";
import { readPosition } from "./live-position.ts";
import { assertRoomOnAllNodes, createLivePool } from "./stream-limits.ts";
import type { NewsReaders } from "./live-reader.ts";

export type { Kind } from "./listener.ts";
export type { NewsReader, NewsReaders } from "./live-reader.ts";

export interface Listening {
  readonly scope: Scope;
  /** The shares that the stream takes a place of. */
  readonly holder: Holder;
  readonly kinds: ReadonlySet<Kind>;
  /** The `id:` of the last message that the client received. Undefined for a new client. */
  readonly lastEventId: string | undefined;
  /** Seconds after which the stream ends. With 0, it ends after all existing changes are sent. */
  readonly maxSeconds: number;
  recheck(): Promise<ReadonlySet<Kind>>;
}

/** The event stream (contract, section 9, row `live`; docs/decisions/0130). */
export type News = ReturnType<typeof createNews>;

export interface NewsDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly ids: IdMaker;
  /** Readers of each kind, which are used while a stream is open. */
  readonly readers: () => NewsReaders;
  readonly log: Log;
}

export function createNews(deps: NewsDeps) {
  const node = deps.ids.uuid();
  let draining = false;
  const hub = createHub({ ...deps, node });
  const worker = createNewsWorker({ ...deps, node, hub });
  const pool = createLivePool();
  return {
    readers: deps.readers,
    /** Reads changes soon after a signal. */
    listener: worker.hearer,
    /** Opens a stream. Throws 429 `too_many_streams`, and 503 while the process is stopping. */
    async listen(listening: Listening): Promise<PooledStream> {
      if (draining) throw new ServiceError("service_unavailable", { detail: "The service is stopping. Try again." });
      return await listen({ ...deps, node, hub, worker, pool }, listening);
    },
    /** Returns the number of open streams of this process. */
    listeners: (): number => hub.size,
    /** Reads and sends changes at once. This also happens automatically. */
    readNow: worker.readNow,
    /** Checks callers and sends heartbeats at once. Each also happens automatically. */
    async beat(): Promise<void> {
      await hub.recheck();
      hub.beat();
    },
    start: worker.start,
    /** Ends all streams. Their clients reconnect, to another node if there is one. */
    async stop(): Promise<void> {
      draining = true;
      hub.closeAll("shutdown");
      await worker.stop();
    },
  };
}

interface Open extends NewsDeps {
  readonly node: Uuid;
  readonly hub: Hub;
  readonly worker: NewsWorker;
  readonly pool: StreamPool;
}

/** Takes a place before anything is read, so that concurrent requests cannot take more than their share. */
async function listen(open: Open, listening: Listening): Promise<PooledStream> {
  let listener: Listener | undefined;
  const stream = open.pool.open(listening.holder, () => {
    if (listener !== undefined) close(listener, "too_many_streams");
  });
  try {
    listener = await listenOn(open, listening, stream);
    return stream;
  } catch (error) {
    stream.destroy();
    throw error;
  }
}

async function listenOn(open: Open, listening: Listening, stream: PooledStream): Promise<Listener> {
  const { db, clock, node, hub, worker } = open;
  const { scope } = listening;
  const tags: Tag[] = [tagOf(scope.tag, "live"), tagOf(scope.tag, "sandbox")];
  const now = await standing(db, { ...scope, tags, node });
  assertRoomOnAllNodes(hub.count(tags) + now.elsewhere);
  const interest = await openInterest(db, scope, node);
  worker.interestChanged();
  const from = resumed(listening.lastEventId, interest);
  const startedMs = clock.monotonicMs();
  const isOneRead = listening.maxSeconds === 0;
  const listener: Listener = {
    scope,
    kinds: listening.kinds,
    position: from ?? interest.snapshot,
    stream,
    recheck: listening.recheck,
    checkedMs: startedMs,
    endsMs: isOneRead ? Number.POSITIVE_INFINITY : startedMs + listening.maxSeconds * 1000,
  };
  const kinds = [...listening.kinds];
  stream.push(OPENING);
  if (listening.lastEventId !== undefined && from === undefined)
    tell(listener, "reset", JSON.stringify({ object: "stream_reset", reason: "too_old" }));
  tell(listener, "open", JSON.stringify({ object: "stream_open", kinds, resumed: from !== undefined }));
  moveTo(listener, listener.position);
  hub.add(listener);
  stream.onClose(worker.interestChanged);
  if (isOneRead) await worker.readNow().finally(() => stream.end());
  else worker.wake();
  return listener;
}

/** Returns the position at which a client continues. Undefined for a new client, or if changes after its position were deleted. */
function resumed(lastEventId: string | undefined, { since, xmax }: Interest): string | undefined {
  const position = lastEventId === undefined ? undefined : readPosition(lastEventId);
  // A position in the future belongs to another database.
  if (position === undefined || position.xmax < since || position.xmax > xmax) return undefined;
  return position.text;
}
