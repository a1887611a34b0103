import { createRowWriter } from "../../platform/db/db.ts";
import type { Db, Unwritten } from "../../platform/db/db.ts";
import { createFlushLoop } from "../../lib/lib.ts";
import type { Clock } from "../../lib/lib.ts";
import type { Count, Counters } from "./counters.ts";
import { isTotal, ofTag, writeDays, writeHours } from "./usage.store.ts";

export type CountsWriter = ReturnType<typeof createCountsWriter>;

const FLUSH_MS = 5000;
/** Maximum number of rows in one statement. */
const MOST_ROWS = 2000;
/** A count that the database refuses on its own is tried for five minutes. */
const TRIES = 60;

/** Adds counts to the database every few seconds, if there are any. A crash loses the counts of those seconds. */
export function createCountsWriter({
  db,
  clock,
  counters,
  log,
}: {
  readonly db: Db;
  readonly clock: Clock;
  readonly counters: Counters;
  readonly log: { warn(fields: object, message: string): void };
}) {
  const shared = { db, clock, log, bucketOf: ofTag, tries: TRIES };
  const writeHourRows = createRowWriter<Count>({
    ...shared,
    name: "usage by hour",
    keyOf: ({ tag, hour, kind, subject }) => `${tag} ${hour} ${kind} ${subject}`,
    write: async (rows) => await writeHours(db, rows),
  });
  const writeDayRows = createRowWriter<Count>({
    ...shared,
    name: "usage by day",
    keyOf: dayOf,
    write: async (rows) => await writeDays(db, rows),
  });
  let hoursLeft = 0;
  let daysLeft: readonly Count[] = [];

  async function flush(): Promise<void> {
    const counts = counters.take();
    if (counts.length === 0 && daysLeft.length === 0) return;
    const hours = await inPieces(writeHourRows, counts);
    counters.putBack(hours.again);
    hoursLeft = hours.again.length;
    // Counts whose hours could not be written are added again. Their days are written after their hours.
    const unwritten = new Set([...hours.again, ...hours.lost]);
    const written = counts.filter((one) => !unwritten.has(one));
    daysLeft = (await inPieces(writeDayRows, byDay([...daysLeft, ...written]))).again;
  }

  return {
    ...createFlushLoop(flush, FLUSH_MS),
    /** Returns the number of counts whose write failed and that are written with the next ones. */
    waiting: (): number => hoursLeft + daysLeft.length,
  };
}

async function inPieces(
  write: (counts: readonly Count[]) => Promise<Unwritten<Count>>,
  counts: readonly Count[],
): Promise<Unwritten<Count>> {
  const left: Unwritten<Count>[] = [];
  for (let at = 0; at < counts.length; at += MOST_ROWS) left.push(await write(counts.slice(at, at + MOST_ROWS)));
  return { again: left.flatMap(({ again }) => again), lost: left.flatMap(({ lost }) => lost) };
}

/** Adds up the counts that are written by day, so that their number does not grow while they cannot be written. */
function byDay(counts: readonly Count[]): Count[] {
  const days = new Map<string, Count>();
  for (const one of counts.filter(isTotal)) {
    const day = dayOf(one);
    days.set(day, { ...one, count: one.count + (days.get(day)?.count ?? 0) });
  }
  return [...days.values()];
}

function dayOf({ tag, hour, kind }: Count): string {
  return `${tag} ${Math.floor(hour / 24)} ${kind}`;
}
