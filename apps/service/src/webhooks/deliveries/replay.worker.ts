import { after, createTurns, fromDate, NIL_UUID, ServiceError, toDate, uuidFloor, uuidTime } from "../../lib/lib.ts";
import type { Uuid } from "../../lib/lib.ts";
import type { Tasks } from "../../platform/tasks/tasks.ts";
import type { Scope } from "../../accounts/accounts.ts";
import { backfillStep, sweepStep } from "./backfill.ts";
import type { BackfillDeps, StoredBackfill } from "./backfill.ts";
import { lockLanes } from "../endpoints/ordered-endpoints.store.ts";
import { advanceReplayJob, countOpenJobs, holdReplayJob, insertReplayJob, sendMatching } from "./replays.store.ts";
import type { Matching, ReplayJobRow } from "./replays.store.ts";

const STEP = 500;
/** The jobs of a tenant, or of the workspace itself, that can be open at a time: each one reads the database until it ends. */
const MOST_OPEN = 100;
/** The longest time that a timer can have. A job waits for its turn for as long as it takes. */
const PATIENCE_MS = 2 ** 31 - 1;

export interface ReplayWish {
  readonly scope: Scope;
  readonly filter: Matching["filter"];
  readonly ids: readonly Uuid[] | null;
  /** The number of deliveries to replay, as counted before. */
  readonly total: number;
  /** True if transformations are run again. Otherwise, the same bytes are sent. */
  readonly isAnew: boolean;
  /** Set if the job makes new deliveries to the filter's endpoint. */
  readonly backfill?: StoredBackfill;
}

export type Replayer = ReturnType<typeof createReplayer>;

interface ReplayerDeps extends BackfillDeps {
  readonly tasks: Tasks;
}

/**
 * Replays many deliveries in steps, each of which is a commit. Another node can resume a killed node's job, and a job
 * replays no delivery twice.
 */
export function createReplayer(deps: ReplayerDeps) {
  const { db, clock } = deps;
  // The jobs of one endpoint take turns, because each makes deliveries until as many are due as new events can wait for.
  const turns = createTurns({ most: 1, patienceMs: PATIENCE_MS, late: () => new Error("a replay job had no turn") });
  const jobs = deps.tasks.define<ReplayJobRow>({
    kind: "replays",
    table: "replay_job",
    open: "cancelled_at is null and (finished_at is null or sweep_from is not null)",
    concurrency: { ofNode: 2 * MOST_OPEN, ofTenant: MOST_OPEN },
    isEverywhere: true,
    async run(job, { stopping }) {
      const endTurn = await turns.take(job.endpoint_id ?? job.id);
      try {
        await db.at(job.bucket, async () => await runSteps(deps, job, stopping));
      } finally {
        endTurn();
      }
    },
  });

  return {
    /** Throws 409 `conflict` if too many jobs of the caller are open. */
    async start({ scope, filter, ids, total, isAnew, backfill }: ReplayWish): Promise<ReplayJobRow> {
      const { from, to, ...rest } = filter;
      return await db.transaction(async (tx) => {
        if ((await countOpenJobs(tx, scope, MOST_OPEN)) >= MOST_OPEN) throw tooManyJobs();
        const job = await insertReplayJob(tx.query, {
          bucket: scope.bucket,
          tag: scope.tag,
          id: deps.ids.uuid(),
          endpoint_id: rest.endpointId ?? null,
          since: toDate(from === undefined ? uuidTime(NIL_UUID) : uuidTime(from)),
          until: toDate(to === undefined ? clock.now() : uuidTime(to)),
          total,
          filter: JSON.stringify(rest),
          ids: backfill === undefined ? ids && [...ids] : [],
          retransform: isAnew ? true : null,
          tenant: scope.tenant ?? null,
          backfill: backfill === undefined ? null : JSON.stringify(backfill),
        });
        tx.onCommit(jobs.wake);
        return job;
      });
    },
    jobs,
  };
}

function tooManyJobs(): ServiceError {
  return new ServiceError("conflict", {
    detail: `${MOST_OPEN} replays and backfills are not finished. Wait until one ends, or cancel one, then repeat the call.`,
  });
}

async function runSteps(deps: ReplayerDeps, job: ReplayJobRow, stopping: AbortSignal): Promise<void> {
  for (let more = true; more && !stopping.aborted;)
    more = job.backfill === null ? await replayStep(deps, job) : await backfillStep(deps, job, stopping);
  if (job.backfill === null) return;
  for (let more = true; more && !stopping.aborted;) more = await sweepStep(deps, job, stopping);
}

async function replayStep({ db, clock, wakeAll, lanes }: ReplayerDeps, job: ReplayJobRow): Promise<boolean> {
  return await db.transaction(async (tx) => {
    const held = await holdReplayJob(tx, job);
    if (held === undefined) return false;
    await lockLanes(tx, job, held.endpoint_id === null ? "all" : [held.endpoint_id]);
    const { count, last, ordered } = await sendMatching(tx, matchingOf(held), {
      // A delivery that the job replayed and that failed again is therefore not replayed again by a later step, on this
      // node or another, nor by another job that was created at the same time.
      before: toDate(after(uuidTime(job.id), 1)),
      position: held.position,
      limit: STEP,
      isAnew: held.retransform === true,
    });
    const finished = count < STEP ? toDate(clock.now()) : null;
    await advanceReplayJob(tx, job, { count, position: last, finished });
    tx.onCommit(() => {
      for (const endpointId of ordered) lanes.place({ ...job, endpointId });
      wakeAll();
    });
    return count === STEP;
  });
}

function matchingOf({ bucket, tag, filter, ids, ...job }: ReplayJobRow): Matching {
  const range = { from: uuidFloor(fromDate(job.since)), to: uuidFloor(fromDate(job.until)) };
  // A job that began before jobs had filters belongs to an endpoint.
  const ofEndpoint = job.endpoint_id === null ? {} : { endpointId: job.endpoint_id };
  return { bucket, tag, ids, filter: { state: "failed", ...ofEndpoint, ...filter, ...range } };
}
