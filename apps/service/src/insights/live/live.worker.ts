import type { Db } from "../../platform/db/db.ts";
import type { Clock, Tag, Uuid } from "../../lib/lib.ts";
import type { Log, Signals } from "../../platform/telemetry/telemetry.ts";
import type { Hub } from "./hub.ts";
import { openInterest } from "./interest.ts";
import { createKeeper } from "./keeper.ts";
import { interestElsewhere } from "./live.store.ts";
import { createPaced } from "./pace.ts";
import type { Paced } from "./pace.ts";

export interface NewsWorker {
  /** Hot: tells that there may be news. Touches memory alone. */
  readonly hearer: Partial<Signals>;
  /** Reads soon. */
  wake(): void;
  readNow(): Promise<void>;
  /** Tells the other nodes in whose news there is an interest now. */
  interestChanged(): void;
  start(): Promise<void>;
  stop(): Promise<void>;
}

export interface NewsWorkerDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  readonly node: Uuid;
  readonly hub: Hub;
}

const CHANNEL = "junction_news";
/** Between two reads, and between two calls to the other nodes. */
const PACE_MS = 250;
/** With listeners and without any word of news: should a word be lost, it is found by then. */
const FALLBACK_MS = 10_000;
const BEAT_MS = 15_000;
const KEEP_MS = 60_000;
const INTEREST_MS = 1000;

/** Reads news while somebody listens, some four times a second at most; does nothing at all while nobody does. */
export function createNewsWorker(deps: NewsWorkerDeps): NewsWorker {
  const { db, node, hub, log } = deps;
  /** In whose news other nodes have an interest. */
  let elsewhere: ReadonlySet<Tag> = new Set();
  const keep = createKeeper(deps);
  const reading = createPaced(PACE_MS, read, log);
  const calling = createPaced(PACE_MS, async () => await db.notify(CHANNEL), log);
  const learning = createPaced(INTEREST_MS, learn, log);
  const keeping = createPaced(INTEREST_MS, keep, log);
  const beating = createPaced(INTEREST_MS, hub.beat, log);
  let timers: NodeJS.Timeout[] = [];
  let unlisten: (() => Promise<void>) | undefined;

  async function read(): Promise<void> {
    const lost = await hub.read();
    for (const tag of lost) await renew(deps, tag);
    if (lost.size > 0) calling.soon();
  }

  async function learn(): Promise<void> {
    elsewhere = await interestElsewhere(db, node);
  }

  /** Called for each word from the database: of interest, or of news. */
  function heard(): void {
    learning.soon();
    if (hub.size > 0) reading.soon();
  }

  function note(tag: Tag): void {
    if (hub.has(tag)) reading.soon();
    if (elsewhere.has(tag)) calling.soon();
  }

  return {
    hearer: hearerOf(note),
    wake: reading.soon,
    readNow: read,
    interestChanged() {
      keeping.soon();
      calling.soon();
    },
    async start() {
      unlisten = await db.listen(CHANNEL, heard);
      const whileListened = (paced: Paced) => (): void => {
        if (hub.size > 0) paced.soon();
      };
      timers = [
        setInterval(whileListened(reading), FALLBACK_MS),
        setInterval(whileListened(beating), BEAT_MS),
        setInterval(keeping.soon, KEEP_MS),
      ];
    },
    async stop() {
      for (const timer of timers) clearInterval(timer);
      await unlisten?.();
      await Promise.all([reading, calling, learning, keeping, beating].map(async (paced) => await paced.stop()));
      // Nobody listens here any more, but whoever did finds the news at another node.
      await keep().catch((error: unknown) =>
        log.warn({ err: error }, "failed to end a subscription to live updates; it will expire"),
      );
    },
  };
}

/** Whatever of a workspace's environment may be news. */
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

/** An interest is gone, and with it whatever was told since: whoever listens is to read everything anew. */
async function renew({ db, hub, node }: NewsWorkerDeps, tag: Tag): Promise<void> {
  const place = hub.listened().find((one) => one.tag === tag);
  if (place === undefined) return;
  const { snapshot } = await openInterest(db, place, node);
  hub.reset(tag, snapshot);
}
