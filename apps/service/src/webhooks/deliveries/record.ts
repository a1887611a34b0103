import { setTimeout as sleep } from "node:timers/promises";
import { createShardBatcher } from "../../platform/db/db.ts";
import type { Db } from "../../platform/db/db.ts";
import { isPassing } from "../../lib/lib.ts";
import type { Clock, Uuid } from "../../lib/lib.ts";
import type { Log } from "../../platform/telemetry/telemetry.ts";
import type { AttemptResult } from "./attempt.ts";
import { recordResults } from "./result.store.ts";
import type { ResultRow } from "./result.store.ts";

export interface Recorder {
  /**
   * Writes a result together with others. Returns false if the delivery was no longer leased to this node; then nothing
   * was written.
   */
  record(result: AttemptResult): Promise<boolean>;
}

export interface RecorderDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
}

const MAX_AT_ONCE = 500;
const RETRY_MS = 500;
/** The time after which a result is dropped. After the lease another node has the delivery. */
const PATIENCE_MS = 55_000;

export function createRecorder(deps: RecorderDeps, leaseId: Uuid): Recorder {
  const batcher = createShardBatcher<ResultRow, boolean>(deps.db, {
    bucketOf: ({ bucket }) => bucket,
    maxSize: MAX_AT_ONCE,
    run: async (rows) => await writeAll(deps, leaseId, rows),
  });
  return { record: async (result) => await batcher.add(rowOf(result)) };
}

/** Repeats the write until it succeeds, because a short failure of the database must not cause a second attempt. */
async function writeAll(deps: RecorderDeps, leaseId: Uuid, rows: readonly ResultRow[]): Promise<boolean[]> {
  const giveUpMs = deps.clock.monotonicMs() + PATIENCE_MS;
  for (;;) {
    try {
      return await recordResults(deps.db, leaseId, rows);
    } catch (error) {
      if (!isPassing(error) || deps.clock.monotonicMs() > giveUpMs) throw error;
      deps.log.warn({ err: error, results: rows.length }, "failed to write delivery results; retrying");
      await sleep(RETRY_MS);
    }
  }
}

function rowOf({ delivery, target, transition, made, announcement }: AttemptResult): ResultRow {
  const { bucket, tag, deliveryId, endpointId, trigger, attemptCount } = delivery;
  return {
    bucket,
    tag,
    deliveryId,
    endpointId,
    trigger,
    number: attemptCount + 1,
    state: transition.state,
    waitMs: transition.kind === "retry" ? transition.waitMs : 0,
    attempt: made?.record ?? null,
    healthy: made === null || target?.isPulled === true ? null : made.exchange.errorClass === null,
    news: announcement,
    awaited: target?.awaited ?? false,
  };
}
