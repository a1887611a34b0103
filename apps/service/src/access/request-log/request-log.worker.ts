import type { Db } from "../../platform/db/db.ts";
import { createLoop } from "../../lib/lib.ts";
import type { Clock } from "../../lib/lib.ts";
import type { Log, Signals } from "../../platform/telemetry/telemetry.ts";
import { writeRequests } from "./request-log.store.ts";
import type { RequestRow } from "./request-log.store.ts";

export interface RequestWriter {
  /** Adds a row to the next write (hot). Touches memory alone. */
  note(row: RequestRow): void;
  start(): void;
  /** Writes what is still in memory. */
  stop(): Promise<void>;
}

export interface RequestWriterDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  readonly signals: Pick<Signals, "requestUnlogged">;
}

const FLUSH_MS = 1000;
/**
 * Rows that a process keeps per second. Refusals have a limit of their own, so that many successes do not crowd them
 * out.
 */
const MOST_A_SECOND = 500;
/** Rows that wait in memory while the database is unavailable. */
const MOST_WAITING = 5000;

export function createRequestWriter({ db, clock, log, signals }: RequestWriterDeps): RequestWriter {
  let waiting: RequestRow[] = [];
  let second = { at: 0, succeeded: 0, refused: 0 };

  function hasRoom({ status }: RequestRow): boolean {
    const at = Math.floor(clock.monotonicMs() / 1000);
    if (second.at !== at) second = { at, succeeded: 0, refused: 0 };
    const kind = status < 400 ? "succeeded" : "refused";
    second[kind] += 1;
    return second[kind] <= MOST_A_SECOND && waiting.length < MOST_WAITING;
  }

  async function flush(): Promise<void> {
    if (waiting.length === 0) return;
    const rows = waiting;
    waiting = [];
    try {
      await writeRequests(db, rows);
    } catch (error) {
      const kept = rows.slice(0, MOST_WAITING - waiting.length);
      for (const row of rows.slice(kept.length)) signals.requestUnlogged(row.tag);
      waiting = [...kept, ...waiting];
      log.warn({ err: error }, "failed to write the request log; retrying");
    }
  }

  const loop = createLoop({
    round: async () => {
      await flush();
      return FLUSH_MS;
    },
    failed: () => FLUSH_MS,
  });

  return {
    note(row) {
      if (hasRoom(row)) waiting.push(row);
      else signals.requestUnlogged(row.tag);
    },
    start: loop.start,
    async stop() {
      await loop.stop();
      await flush();
    },
  };
}
