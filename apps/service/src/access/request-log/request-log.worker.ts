import { createRowWriter } from "../../platform/db/db.ts";
import type { Db } from "../../platform/db/db.ts";
import { createFlushLoop } from "../../lib/lib.ts";
import type { Clock } from "../../lib/lib.ts";
import type { Log, Signals } from "../../platform/telemetry/telemetry.ts";
import { writeRequests } from "./request-log.store.ts";
import type { RequestRow } from "./request-log.store.ts";

export interface RequestWriterDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  readonly signals: Pick<Signals, "requestUnlogged">;
}

const FLUSH_MS = 1000;
/** Successes and refusals have limits of their own, so that many successes do not crowd refusals out. */
type Kind = "succeeded" | "refused";
const KINDS: readonly Kind[] = ["succeeded", "refused"];
/** Rows of a kind that a process keeps per second. */
const MOST_A_SECOND = 500;
/** Rows of a kind that wait in memory while the database is unavailable. */
const MOST_WAITING = 5000;
/** A row that the database refuses on its own is tried for a minute. */
const TRIES = 60;

/** Writes rows every second (hot). Adding one touches memory alone. */
export function createRequestWriter({ db, clock, log, signals }: RequestWriterDeps) {
  let waiting: Record<Kind, RequestRow[]> = { succeeded: [], refused: [] };
  let second = { at: 0, succeeded: 0, refused: 0 };

  const write = createRowWriter<RequestRow>({
    db,
    clock,
    log,
    name: "the request log",
    bucketOf: ({ bucket }) => bucket,
    keyOf: ({ id }) => id,
    write: async (rows) => await writeRequests(db, rows),
    tries: TRIES,
  });

  function note(row: RequestRow): void {
    const kind = kindOf(row);
    const at = Math.floor(clock.monotonicMs() / 1000);
    if (second.at !== at) second = { at, succeeded: 0, refused: 0 };
    second[kind] += 1;
    if (second[kind] <= MOST_A_SECOND && waiting[kind].length < MOST_WAITING) waiting[kind].push(row);
    else signals.requestUnlogged(row.tag);
  }

  /** Puts rows that could not be written before those that came since. */
  function putBack(rows: readonly RequestRow[]): void {
    const byKind = Map.groupBy(rows, kindOf);
    for (const kind of KINDS) {
      const own = byKind.get(kind) ?? [];
      // Rows that are refused again and again leave room for those of the next second.
      const room = Math.max(0, MOST_WAITING - MOST_A_SECOND - waiting[kind].length);
      for (const row of own.slice(room)) signals.requestUnlogged(row.tag);
      waiting[kind] = [...own.slice(0, room), ...waiting[kind]];
    }
  }

  async function flush(): Promise<void> {
    const all = KINDS.flatMap((kind) => waiting[kind]);
    if (all.length === 0) return;
    waiting = { succeeded: [], refused: [] };
    const { again, lost } = await write(all);
    for (const { tag } of lost) signals.requestUnlogged(tag);
    putBack(again);
  }

  return {
    note,
    /** Returns the number of rows that are not written yet. */
    waiting: (): number => KINDS.reduce((sum, kind) => sum + waiting[kind].length, 0),
    ...createFlushLoop(flush, FLUSH_MS),
  };
}

function kindOf({ status }: RequestRow): Kind {
  return status < 400 ? "succeeded" : "refused";
}
