import { createLoop } from "../../lib/lib.ts";
import type { Loop } from "../../lib/lib.ts";
import { advance, advanceTogether } from "./advance.ts";
import type { AdvanceDeps } from "./advance.ts";
import { wakeParents } from "./children.store.ts";
import { claimRuns, dueBuckets, giveBackRuns, settleRuns } from "./runs.store.ts";
import type { RunRow } from "./runs.store.ts";
import { LEASE_SECONDS } from "./settle.ts";

/** How long an idle node sleeps when nothing wakes it. */
const IDLE_MS = 5_000;
const MIN_PAUSE_MS = 20;
const AFTER_ERROR_MS = 1000;
/** Maximum number of runs that are claimed at once in one bucket. */
const CLAIM = 40;
/** Number of claimed runs at which they are advanced before more are claimed. */
const ROUND = 200;
/** Maximum number of runs that share a transaction. */
const TOGETHER = 50;
/** Number of runs that advance alone at the same time. Each holds a connection while a step runs. */
const LANES = 4;
/** Those of one workspace. A step is up to eight statements, whose results the event loop handles between the requests of all others. */
const LANES_OF_WORKSPACE = 2;

/** `stop` waits for the steps in progress. Other nodes process the rest. */
export type RunWorker = Loop;

/** Advances due runs: new runs, ended delays, ended deliveries, and runs of dead nodes. */
export function createRunWorker(deps: AdvanceDeps): RunWorker {
  let isStarted = false;
  const loop = createLoop({
    round: async (stopping) => await round(deps, () => stopping.aborted),
    failed(error) {
      deps.log.warn({ err: error }, "failed to claim workflow runs; retrying");
      return AFTER_ERROR_MS;
    },
  });

  return {
    wake: loop.wake,
    start: () => {
      isStarted = true;
      loop.start();
    },
    stop: async () => {
      if (!isStarted) return;
      await loop.stop();
      // Otherwise these runs would wait until their leases expire.
      await giveBackRuns(deps.db, deps.leaseId).catch((error: unknown) =>
        deps.log.warn({ err: error }, "failed to release workflow runs"),
      );
    },
  };
}

/** Advances due runs. Returns the milliseconds until there is more to do. */
async function round(deps: AdvanceDeps, isStopping: () => boolean): Promise<number> {
  for (const bucket of await deps.ownedDeliveries.outcomeBuckets()) {
    await deps.db.at(bucket, async () => await settleOutcomes(deps, bucket));
  }
  const heads = await dueBuckets(deps.db);
  const due = heads.filter((head) => head.due_in_ms <= 0);
  let runs: RunRow[] = [];
  for (const { bucket } of due) {
    if (isStopping()) return 0;
    runs.push(...(await claimRuns(deps.db, bucket, { id: deps.leaseId, seconds: LEASE_SECONDS }, CLAIM)));
    if (runs.length < ROUND) continue;
    await advanceByShard(deps, runs, isStopping);
    runs = [];
  }
  const hasEnded = runs.some(isEnded);
  await advanceByShard(deps, runs, isStopping);
  // The parents are due now.
  if (hasEnded) return 0;
  if (due.length > 0) return MIN_PAUSE_MS;
  return heads.reduce((least, head) => Math.min(least, Math.max(MIN_PAUSE_MS, head.due_in_ms)), IDLE_MS);
}

async function settleOutcomes({ db, ownedDeliveries }: AdvanceDeps, bucket: number): Promise<void> {
  await db.transaction(async (tx) => await settleRuns(tx, bucket, await ownedDeliveries.outcomes(tx, bucket)));
}

async function advanceByShard(deps: AdvanceDeps, runs: readonly RunRow[], isStopping: () => boolean): Promise<void> {
  await deps.db.byShard(
    runs,
    ({ bucket }) => bucket,
    async (ofShard) => {
      const ended = ofShard.filter(isEnded);
      if (ended.length > 0) await deps.db.transaction(async (tx) => await wakeParents(tx, ended, deps.leaseId));
      const going = ofShard.filter((run) => !isEnded(run));
      await advanceAll(deps, going, isStopping);
    },
  );
}

/** Returns whether it is a child run that is due only to make its parent due. */
function isEnded(run: RunRow): boolean {
  return run.ended_at !== null;
}

/** Advances runs sorted by workspace, so that the locks of a batch affect few other workspaces. */
async function advanceAll(deps: AdvanceDeps, runs: readonly RunRow[], isStopping: () => boolean): Promise<void> {
  const sorted = runs.toSorted((a, b) => (a.tag < b.tag ? -1 : Number(a.tag > b.tag)));
  const left: RunRow[] = [];
  for (let at = 0; at < sorted.length && !isStopping(); at += TOGETHER)
    left.push(...(await advanceTogether(deps, sorted.slice(at, at + TOGETHER))));
  await advanceAlone(deps, left, isStopping);
}

/** Advances runs with a transaction for each step. A lane that ends leaves the rest to those that still have a run of the same workspace. */
async function advanceAlone(deps: AdvanceDeps, runs: readonly RunRow[], isStopping: () => boolean): Promise<void> {
  const left = [...runs];
  const lanesOf = new Map<string, number>();
  const take = (): RunRow | undefined => {
    const at = left.findIndex(({ tag }) => (lanesOf.get(tag) ?? 0) < LANES_OF_WORKSPACE);
    return at < 0 ? undefined : left.splice(at, 1)[0];
  };
  const lanes = Array.from({ length: LANES }, async () => {
    for (let run = take(); run !== undefined; run = take()) {
      lanesOf.set(run.tag, (lanesOf.get(run.tag) ?? 0) + 1);
      await advance(deps, run, isStopping);
      lanesOf.set(run.tag, (lanesOf.get(run.tag) ?? 1) - 1);
    }
  });
  await Promise.all(lanes);
}
