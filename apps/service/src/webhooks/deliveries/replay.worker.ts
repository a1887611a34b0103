import { setTimeout as sleep } from "node:timers/promises";
import type { Db } from "../../platform/db/db.ts";
import { after, createTaskSet, fromDate, toDate, uuidFloor, uuidTime } from "../../lib/lib.ts";
import type { Clock, IdMaker, Uuid } from "../../lib/lib.ts";
import type { Log } from "../../platform/telemetry/telemetry.ts";
import type { Scope } from "../../accounts/accounts.ts";
import { advanceReplayJob, holdReplayJob, insertReplayJob, openReplayJobs, reopenMatching } from "./replays.store.ts";
import type { Matching, ReplayJobRow } from "./replays.store.ts";

const STEP = 500;
const PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 60_000;

export interface ReplayWish {
  readonly scope: Scope;
  readonly filter: Matching["filter"];
  readonly ids: readonly Uuid[] | null;
  /** The number of deliveries to replay, as counted before. */
  readonly total: number;
  /** True if transformations are run again. Otherwise, the same bytes are sent. */
  readonly isAnew: boolean;
}

export interface Replayer {
  start(wish: ReplayWish): Promise<ReplayJobRow>;
  /** Resumes the jobs that stopped nodes left. */
  resume(): void;
  stop(): Promise<void>;
}

interface ReplayerDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly ids: IdMaker;
  readonly log: Log;
  readonly wakeAll: () => void;
}

/**
 * Replays many deliveries in steps, each of which is a commit. Another node can resume a killed node's job, and a job
 * replays no delivery twice.
 */
export function createReplayer(deps: ReplayerDeps): Replayer {
  const { db, clock } = deps;
  const tasks = createTaskSet((error) =>
    deps.log.error({ err: error }, "a replay job stopped; the next start resumes it"),
  );
  const stopping = new AbortController();

  /** Repeats work that failed, after longer and longer pauses, until the process stops. */
  async function persist(work: () => Promise<unknown>): Promise<void> {
    for (let pauseMs = PAUSE_MS; !stopping.signal.aborted; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
      try {
        await work();
        return;
      } catch (error) {
        deps.log.warn({ err: error }, "failed to continue a replay job; retrying");
        await sleep(pauseMs, undefined, { signal: stopping.signal }).catch(() => undefined);
      }
    }
  }

  async function run(job: ReplayJobRow): Promise<void> {
    await db.at(job.bucket, async () => await runSteps(deps, job, stopping.signal));
  }

  return {
    async start({ scope, filter, ids, total, isAnew }) {
      const { from, to, ...rest } = filter;
      return await db.transaction(async (tx) => {
        const job = await insertReplayJob(tx.query, {
          bucket: scope.bucket,
          tag: scope.tag,
          id: deps.ids.uuid(),
          endpoint_id: rest.endpointId ?? null,
          since: toDate(from === undefined ? uuidTime(NEVER) : uuidTime(from)),
          until: toDate(to === undefined ? clock.now() : uuidTime(to)),
          total,
          filter: JSON.stringify(rest),
          ids: ids === null ? null : [...ids],
          retransform: isAnew ? true : null,
          tenant: scope.tenant ?? null,
        });
        tx.onCommit(() => tasks.add(persist(async () => await run(job))));
        return job;
      });
    },
    resume: () => {
      tasks.add(
        persist(async () => {
          for (const job of await db.onEachShard(async () => await openReplayJobs(db.query)))
            tasks.add(persist(async () => await run(job)));
        }),
      );
    },
    async stop() {
      stopping.abort();
      await tasks.settled();
    },
  };
}

async function runSteps({ db, clock, wakeAll }: ReplayerDeps, job: ReplayJobRow, stopping: AbortSignal): Promise<void> {
  for (let more = true; more && !stopping.aborted;) {
    more = await db.transaction(async (tx) => {
      const held = await holdReplayJob(tx, job);
      if (held === undefined) return false;
      const { count, last } = await reopenMatching(tx, matchingOf(held), {
        // Deliveries that ended after the job was created are excluded. A delivery that the job replayed and that
        // failed again is therefore not replayed again by a later step, on this node or another.
        endedBefore: toDate(after(uuidTime(job.id), 1)),
        position: held.position,
        limit: STEP,
        isAnew: held.retransform === true,
      });
      const finished = count < STEP ? toDate(clock.now()) : null;
      await advanceReplayJob(tx, job, { count, position: last, finished });
      tx.onCommit(wakeAll);
      return count === STEP;
    });
  }
}

const NEVER = "00000000-0000-0000-0000-000000000000" as Uuid;

function matchingOf({ bucket, tag, filter, ids, ...job }: ReplayJobRow): Matching {
  const range = { from: uuidFloor(fromDate(job.since)), to: uuidFloor(fromDate(job.until)) };
  // A job that began before jobs had filters belongs to an endpoint.
  const ofEndpoint = job.endpoint_id === null ? {} : { endpointId: job.endpoint_id };
  return { bucket, tag, ids, filter: { state: "failed", ...ofEndpoint, ...filter, ...range } };
}
