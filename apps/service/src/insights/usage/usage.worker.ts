import type { Db } from "../../platform/db/db.ts";
import { createLoop } from "../../lib/lib.ts";
import type { Count, Counters } from "./counters.ts";
import { isTotal, writeDays, writeHours } from "./usage.store.ts";

export interface CountsWriter {
  start(): void;
  /** Writes what is still in memory. */
  stop(): Promise<void>;
}

const FLUSH_MS = 5000;
/** Maximum number of rows in one statement. */
const MOST_ROWS = 2000;

/** Adds counts to the database every few seconds, if there are any. A crash loses the counts of those seconds. */
export function createCountsWriter(deps: {
  readonly db: Db;
  readonly counters: Counters;
  readonly log: { warn(fields: object, message: string): void };
}): CountsWriter {
  const { db, counters, log } = deps;

  async function write(table: typeof writeHours, counts: readonly Count[]): Promise<readonly Count[]> {
    for (let at = 0; at < counts.length; at += MOST_ROWS) {
      try {
        await table(db, counts.slice(at, at + MOST_ROWS));
      } catch (error) {
        log.warn({ err: error }, "failed to write usage counts; retrying");
        return counts.slice(at);
      }
    }
    return [];
  }

  let daysLeft: readonly Count[] = [];
  async function flush(): Promise<void> {
    const counts = counters.take();
    if (counts.length === 0 && daysLeft.length === 0) return;
    const hoursLeft = await write(writeHours, counts);
    // Counts whose hours could not be written are added again. Their days are written after their hours.
    const written = counts.slice(0, counts.length - hoursLeft.length);
    counters.putBack(hoursLeft);
    daysLeft = await write(writeDays, byDay([...daysLeft, ...written]));
  }

  const loop = createLoop({
    round: async () => {
      await flush();
      return FLUSH_MS;
    },
    failed: () => FLUSH_MS,
  });

  return {
    start: loop.start,
    async stop() {
      await loop.stop();
      await flush();
    },
  };
}

/** Adds up the counts that are written by day, so that their number does not grow while they cannot be written. */
function byDay(counts: readonly Count[]): Count[] {
  const days = new Map<string, Count>();
  for (const one of counts.filter(isTotal)) {
    const day = `${one.tag} ${Math.floor(one.hour / 24)} ${one.kind}`;
    days.set(day, { ...one, count: one.count + (days.get(day)?.count ?? 0) });
  }
  return [...days.values()];
}
