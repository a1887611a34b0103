import { setTimeout as sleep } from "node:timers/promises";
import { advance } from "./advance.ts";
import type { AdvanceDeps } from "./advance.ts";
import { claimRuns, dueBuckets, giveBackRuns, settleRuns } from "./runs.store.ts";
import type { RunRow } from "./runs.store.ts";
import { LEASE_SECONDS } from "./settle.ts";

/** How long an idle node sleeps when nothing wakes it. */
const IDLE_MS = 5_000;
const MIN_PAUSE_MS = 20;
const AFTER_ERROR_MS = 1000;
/** Runs of one bucket at once, and of them so many side by side: each holds a connection while a step is done. */
const CLAIM = 40;
const LANES = 4;

export interface RunWorker {
  /** Something may be due now. */
  wake(): void;
  start(): void;
  /** Lets the steps under way end; the rest is another node's. */
  stop(): Promise<void>;
}

/** Takes up what is due: runs just started, delays that are over, deliveries that have ended, and what dead nodes left. */
export function createRunWorker(deps: AdvanceDeps): RunWorker {
  const stopping = new AbortController();
  let waiting = new AbortController();
  let loop: Promise<void> | undefined;

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      // Before the look: a wake during it must not be slept through.
      waiting = new AbortController();
      let pauseMs = AFTER_ERROR_MS;
      try {
        pauseMs = await round(deps, () => stopping.signal.aborted);
      } catch (error) {
        deps.log.warn({ err: error }, "workflow runs could not be taken up; trying again");
      }
      await sleep(pauseMs, undefined, { signal: AbortSignal.any([stopping.signal, waiting.signal]) }).catch(
        () => undefined,
      );
    }
  }

  return {
    wake: () => waiting.abort(),
    start: () => {
      loop = run();
    },
    stop: async () => {
      stopping.abort();
      if (loop === undefined) return;
      await loop;
      // Without it they wait for their leases to run out.
      await giveBackRuns(deps.db, deps.leaseId).catch((error: unknown) =>
        deps.log.warn({ err: error }, "workflow runs could not be given back"),
      );
    },
  };
}

/** Answers for how long there is nothing to do. */
async function round(deps: AdvanceDeps, isStopping: () => boolean): Promise<number> {
  for (const bucket of await deps.posting.outcomeBuckets()) {
    await deps.db.transaction(async (tx) => await settleRuns(tx, bucket, await deps.posting.outcomes(tx, bucket)));
  }
  const heads = await dueBuckets(deps.db);
  const due = heads.filter((head) => head.due_in_ms <= 0);
  for (const { bucket } of due) {
    if (isStopping()) return 0;
    const runs = await claimRuns(deps.db, bucket, { id: deps.leaseId, seconds: LEASE_SECONDS }, CLAIM);
    await advanceAll(deps, runs, isStopping);
  }
  if (due.length > 0) return MIN_PAUSE_MS;
  return heads.reduce((least, head) => Math.min(least, Math.max(MIN_PAUSE_MS, head.due_in_ms)), IDLE_MS);
}

async function advanceAll(deps: AdvanceDeps, runs: readonly RunRow[], isStopping: () => boolean): Promise<void> {
  const left = [...runs];
  const lanes = Array.from({ length: LANES }, async () => {
    for (let run = left.shift(); run !== undefined; run = left.shift()) await advance(deps, run, isStopping);
  });
  await Promise.all(lanes);
}
