import type { Loop } from "../../lib/lib.ts";
import type { Db } from "../db/db.ts";
import { createDueRowsWorker } from "./due-rows.worker.ts";
import type { DueRows } from "./due-rows.worker.ts";
import { createTaskQueue } from "./task-queue.worker.ts";
import type { QueueDeps, TaskKind } from "./task-queue.worker.ts";
import type { DueBucket, TaskRow } from "./task-rows.store.ts";

export { createSweep } from "./sweep.worker.ts";
export { dueBucketsOf } from "./task-rows.store.ts";
export type { RunningTask } from "./task-queue.worker.ts";

/** How late a kind of work is. */
export interface TaskLag {
  readonly kind: string;
  /** The seconds since the oldest task was due that no node has claimed; 0 if none is due. */
  readonly seconds: number;
}

/** The kinds of background work that have rows in the database. */
export interface Tasks {
  /** Defines work that is leased, since it waits for other systems or takes long. */
  define<Row extends TaskRow>(kind: TaskKind<Row>): Loop;
  /** Defines work that is done in the transaction that locks its rows. */
  defineShort<Row>(rows: DueRows<Row>): Loop;
  lags(): Promise<readonly TaskLag[]>;
}

export interface TasksDeps extends QueueDeps {
  /** False in a process that only accepts requests. */
  readonly works: boolean;
}

export function createTasks(deps: TasksDeps): Tasks {
  const { db } = deps;
  const kinds = new Map<string, (db: Db) => Promise<readonly DueBucket[]>>();
  const working = (worker: Loop, isEverywhere = false): Loop =>
    deps.works || isEverywhere ? worker : { ...worker, start: () => undefined };
  return {
    define(kind) {
      const queue = createTaskQueue(deps, kind);
      kinds.set(kind.kind, queue.dueBuckets);
      return working(queue, kind.isEverywhere);
    },
    defineShort(rows) {
      kinds.set(rows.kind, rows.buckets);
      return working(createDueRowsWorker(deps, rows));
    },
    lags: async () =>
      await Promise.all(
        [...kinds].map(async ([kind, buckets]) => {
          const heads = await buckets(db);
          return { kind, seconds: Math.max(0, ...heads.map(({ due_in_ms: dueInMs }) => -dueInMs / 1000)) };
        }),
      ),
  };
}
