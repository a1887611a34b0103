import { setTimeout as sleep } from "node:timers/promises";
import type { Db } from "../db/db.ts";
import type { Log } from "../telemetry/telemetry.ts";
import { forget, unfired } from "./outbox.store.ts";
import type { OutboxRow } from "./outbox.store.ts";

const STEP = 100;
/** For what a node left that died between the commit and the firing. */
const POLL_MS = 10_000;

export interface Outbox {
  /** Fires what has been written. Returns at once. */
  wake(): void;
  start(): void;
  stop(): Promise<void>;
}

/** Fires what was announced. Two nodes may fire one announcement: `fire` makes one event of it, since the announcement's id is the event's. */
export function createOutbox(deps: { db: Db; log: Log; fire: (row: OutboxRow) => Promise<unknown> }): Outbox {
  const { db, log } = deps;
  let stopping = new AbortController();
  let waiting = new AbortController();
  let loop: Promise<void> | undefined;

  async function fireAll(): Promise<void> {
    for (;;) {
      const rows = await unfired(db.query, STEP);
      if (rows.length === 0) return;
      await Promise.all(rows.map(deps.fire));
      await forget(db, rows);
    }
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      // Before the look: a wake during it must not be slept through.
      waiting = new AbortController();
      try {
        await fireAll();
      } catch (error) {
        log.warn({ err: error }, "system events could not be fired; they are tried again");
      }
      await sleep(POLL_MS, undefined, { signal: AbortSignal.any([stopping.signal, waiting.signal]) }).catch(
        () => undefined,
      );
    }
  }

  return {
    wake: () => waiting.abort(),
    start: () => {
      stopping = new AbortController();
      loop = run();
    },
    stop: async () => {
      stopping.abort();
      await loop;
    },
  };
}
