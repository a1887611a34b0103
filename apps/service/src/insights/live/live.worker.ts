import type { Db } from "../../platform/db/db.ts";
import type { Clock, Tag, Uuid } from "../../lib/lib.ts";
import type { Log, Signals } from "../../platform/telemetry/telemetry.ts";
import type { Hub } from "./hub.ts";
import { openInterest } from "./interest.ts";
import { createKeeper } from "./keeper.ts";
import { interestElsewhere } from "./live.store.ts";
import { createPaced } from "./pace.ts";
import type { Paced } from "./pace.ts";

export type NewsWorker = ReturnType<typeof createNewsWorker>;

export interface NewsWorkerDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  readonly node: Uuid;
  readonly hub: Hub;
}

const CHANNEL = "junction_news";
/** The streams of one shard wait this long for those of another one. */
const PATIENCE_MS = 1000;
/** Minimum time between two reads, and between two notifications to other nodes. */
const PACE_MS = 250;
/** Maximum time between two reads while streams are open, in case a notification is lost. */
const FALLBACK_MS = 10_000;
const BEAT_MS = 15_000;
/** How long a stream can outlive the right to it. Look-ups of all streams share statements. */
const RECHECK_MS = 1000;
const KEEP_MS = 60_000;
const INTEREST_MS = 1000;

/** Reads changes while streams are open, at most four times a second. Without streams, it reads nothing. */
export function createNewsWorker(deps: NewsWorkerDeps) {
  const { db, node, hub, log } = deps;
  /** The tenants in which other nodes have an interest. */
  let elsewhere: ReadonlySet<Tag> = new Set();
  const keep = createKeeper(deps);
  const reading = createPaced(PACE_MS, async () => await read(PATIENCE_MS), log);
  const calling = createPaced(PACE_MS, async () => await db.notify(CHANNEL), log);
  const learning = createPaced(INTEREST_MS, learn, log);
  const keeping = createPaced(INTEREST_MS, keep, log);
  const checking = createPaced(PACE_MS, hub.recheck, log);
  let timers: NodeJS.Timeout[] = [];
  let unlisten: (() => Promise<void>) | undefined;

  async function read(patienceMs?: number): Promise<void> {
    const lost = await hub.read(patienceMs);
    // A tenant whose shard does not answer is found to be lost by a later read.
    const renewed = await Promise.allSettled([...lost].map(async (tag) => await renew(deps, tag)));
    for (const one of renewed)
      if (one.status === "rejected") log.warn({ err: one.reason }, "failed to renew live updates");
    if (lost.size > 0) calling.soon();
  }

  async function learn(): Promise<void> {
    elsewhere = await interestElsewhere(db, node);
  }

  /** Handles a notification from the database, about interests or about changes. */
  function heard(): void {
    learning.soon();
    if (hub.size > 0) reading.soon();
  }

  function note(tag: Tag): void {
    if (hub.has(tag)) reading.soon();
    if (elsewhere.has(tag)) calling.soon();
  }

  return {
    /** Hot: signals that there may be changes. Uses only memory. */
    hearer: hearerOf(note),
    /** Schedules a read. */
    wake: reading.soon,
    readNow: async (): Promise<void> => await read(),
    /** Notifies other nodes that this node's interests have changed. */
    interestChanged(): void {
      keeping.soon();
      calling.soon();
    },
    async start(): Promise<void> {
      unlisten = await db.listen(CHANNEL, heard);
      const whileListened = (paced: Paced) => (): void => {
        if (hub.size > 0) paced.soon();
      };
      timers = [
        setInterval(whileListened(reading), FALLBACK_MS),
        setInterval(whileListened(checking), RECHECK_MS),
        setInterval(hub.beat, BEAT_MS),
        setInterval(keeping.soon, KEEP_MS),
      ];
    },
    async stop(): Promise<void> {
      for (const timer of timers) clearInterval(timer);
      await unlisten?.();
      await Promise.all([reading, calling, learning, keeping, checking].map(async (paced) => await paced.stop()));
      // This node has no more streams. Clients that reconnect find the changes on another node.
      await keep().catch((error: unknown) =>
        log.warn({ err: error }, "failed to end a subscription to live updates; it will expire"),
      );
    },
  };
}

/** Returns handlers for all signals that may mean a change in a tenant. */
function hearerOf(note: (tag: Tag) => void): Partial<Signals> {
  return {
    eventsAccepted(events) {
      for (const { scope } of events) note(scope.tag);
    },
    attemptMade: ({ tag }) => note(tag),
    deliveryEnded: note,
    receiptWritten: note,
    callerWrote: note,
  };
}

/** Renews a lost interest. Changes were not recorded in between, so clients must read their lists again. */
async function renew({ db, hub, node }: NewsWorkerDeps, tag: Tag): Promise<void> {
  const place = hub.listened().find((one) => one.tag === tag);
  if (place === undefined) return;
  const { snapshot } = await openInterest(db, place, node);
  hub.reset(tag, snapshot);
}
