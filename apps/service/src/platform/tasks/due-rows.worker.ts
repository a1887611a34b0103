import { createLoop } from "../../lib/lib.ts";
import type { Loop } from "../../lib/lib.ts";
import type { Db, Tx } from "../db/db.ts";
import type { Log } from "../telemetry/telemetry.ts";
import type { DueBucket } from "./task-rows.store.ts";

/** A table whose due rows are worked off in transactions that wait for nothing else, so that they need no lease. */
export interface DueRows<Row> {
  /** Names the rows in logs and metrics: `schedules`. */
  readonly kind: string;
  /** The maximum number of rows in one transaction. */
  readonly together: number;
  buckets(db: Db): Promise<readonly DueBucket[]>;
  /** Locks due rows of one bucket until the transaction ends, except those that another process has locked. */
  hold(tx: Tx, bucket: number, limit: number): Promise<readonly Row[]>;
  /** Does the work of the rows. They must not be due afterwards. */
  work(tx: Tx, rows: readonly Row[]): Promise<void>;
  /** Makes a row due again later, whose work failed alone. */
  postpone(row: Row): Promise<void>;
}

interface Deps {
  readonly db: Db;
  readonly log: Pick<Log, "warn">;
}

const IDLE_MS = 5000;
const MIN_PAUSE_MS = 20;
const AFTER_ERROR_MS = 1000;

export function createDueRowsWorker<Row>(deps: Deps, rows: DueRows<Row>): Loop {
  const { db, log } = deps;
  return createLoop({
    async round(stopping) {
      const heads = await rows.buckets(db);
      let done = 0;
      for (const { bucket, due_in_ms: dueInMs } of heads) {
        if (dueInMs > 0 || stopping.aborted) continue;
        done += await db.at(bucket, async () => await takeDue(deps, rows, bucket, rows.together));
      }
      if (done > 0) return MIN_PAUSE_MS;
      return heads.reduce((least, head) => Math.min(least, Math.max(MIN_PAUSE_MS, head.due_in_ms)), IDLE_MS);
    },
    failed(error) {
      log.warn({ err: error, kind: rows.kind }, "failed to process due rows; retrying");
      return AFTER_ERROR_MS;
    },
  });
}

/**
 * Works off due rows of one bucket in one transaction, and returns their number. If it fails, fewer are tried, and a row
 * that fails alone is tried again later, so that it does not stop the others.
 */
async function takeDue<Row>(deps: Deps, rows: DueRows<Row>, bucket: number, limit: number): Promise<number> {
  let held: readonly Row[] = [];
  try {
    return await deps.db.transaction(async (tx) => {
      held = await rows.hold(tx, bucket, limit);
      if (held.length > 0) await rows.work(tx, held);
      return held.length;
    });
  } catch (error) {
    const [first] = held;
    if (first === undefined) throw error;
    if (held.length > 1) return await takeDue(deps, rows, bucket, Math.ceil(held.length / 2));
    deps.log.warn({ err: error, kind: rows.kind }, "failed to process a due row; it is tried again later");
    await rows.postpone(first);
    return 1;
  }
}
