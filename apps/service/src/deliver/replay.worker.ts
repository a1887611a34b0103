import type { Db } from "../db/db.ts";
import { after, fromDate, toDate, uuidFloor, uuidTime, wireId } from "../kernel/kernel.ts";
import type { Clock, Id, IdMaker, Uuid } from "../kernel/kernel.ts";
import type { Log } from "../telemetry/telemetry.ts";
import type { Scope } from "../workspaces/workspaces.ts";
import { advanceReplayJob, insertReplayJob, openReplayJobs, reopenFailed } from "./deliveries.store.ts";
import type { ReplayJob } from "./deliveries.store.ts";

const STEP = 500;

export interface ReplayRange {
  readonly scope: Scope;
  readonly endpointId: Uuid;
  readonly from: Uuid;
  readonly to: Uuid;
  readonly total: number;
}

export interface Replayer {
  start(range: ReplayRange): Promise<Id>;
  /** Goes on with the jobs that a stopped node left. */
  resume(): void;
  stop(): Promise<void>;
}

/** Replays all failed deliveries of an endpoint and a time, in steps, each a commit: a killed node's job is gone on with, and none is replayed twice by it. */
export function createReplayer(deps: { db: Db; clock: Clock; ids: IdMaker; log: Log; wakeAll: () => void }): Replayer {
  const { db, clock } = deps;
  const active = new Set<Promise<void>>();
  let stopped = false;

  async function run(job: ReplayJob): Promise<void> {
    const of = {
      ...job,
      endpointId: job.endpoint_id,
      from: uuidFloor(fromDate(job.since)),
      to: uuidFloor(fromDate(job.until)),
      // What the job replayed and failed again since is not taken up once more: neither by its next step, nor by another node's.
      endedBefore: toDate(after(uuidTime(job.id), 1)),
    };
    for (let more = true; more && !stopped;) {
      more = await db.transaction(async (tx) => {
        const count = await reopenFailed(tx, of, STEP);
        await advanceReplayJob(tx, job, count, count < STEP ? toDate(clock.now()) : null);
        tx.onCommit(deps.wakeAll);
        return count === STEP;
      });
    }
  }

  function track(work: Promise<void>): void {
    const tracked = work
      .catch((error: unknown) => deps.log.error({ err: error }, "a replay job stopped; the next start goes on with it"))
      .finally(() => active.delete(tracked));
    active.add(tracked);
  }

  return {
    async start({ scope, endpointId, from, to, total }) {
      const job: ReplayJob = {
        bucket: scope.bucket,
        tag: scope.tag,
        id: deps.ids.uuid(),
        endpoint_id: endpointId,
        since: toDate(uuidTime(from)),
        until: toDate(uuidTime(to)),
        total,
      };
      await db.transaction(async (tx) => {
        await insertReplayJob(tx.query, job);
        tx.onCommit(() => track(run(job)));
      });
      return wireId("job", scope.tag, job.id);
    },
    resume: () => {
      track(openReplayJobs(db.query).then(async (jobs) => void (await Promise.all(jobs.map(run)))));
    },
    async stop() {
      stopped = true;
      await Promise.allSettled(active);
    },
  };
}
