import { createLoop, createTaskSet } from "../../lib/lib.ts";
import type { IdMaker, Loop } from "../../lib/lib.ts";
import type { Db } from "../db/db.ts";
import type { Log } from "../telemetry/telemetry.ts";
import { LEASE_SECONDS, taskRowsOf } from "./task-rows.store.ts";
import type { DueBucket, TaskRow, TaskRows, TaskTable } from "./task-rows.store.ts";

/**
 * A kind of work that waits for other systems, or takes long: mails, HTTP calls, deletions. Its rows are leased, each try
 * is recorded by the domain in its own table, and a try that ended without that is repeated. So a task runs at least once.
 */
export interface TaskKind<Row extends TaskRow> extends Omit<TaskTable, "open"> {
  /** Names the kind in logs and metrics: `mails`. */
  readonly kind: string;
  /** The condition of rows that have not ended. Default: they have a `due_at`. */
  readonly open?: string;
  /** The maximum number of tasks in progress. */
  readonly concurrency: {
    readonly ofNode: number;
    /** The share of one environment, on all nodes. Nodes that claim at the same time can exceed it for a moment. */
    readonly ofTenant: number;
  };
  /** True: also in processes that only accept requests. */
  readonly isEverywhere?: true;
  /** Runs before each round of claims. */
  readonly prepare?: () => Promise<void>;
  /**
   * Runs one try on the coordinator, and records its end if `lease_id` still holds the row. After an error, it is
   * repeated with a growing pause.
   */
  run(row: Row, running: RunningTask): Promise<void>;
}

export interface RunningTask {
  readonly stopping: AbortSignal;
  /** Gives the row back. The try does not count. */
  release(delayMs: number): Promise<void>;
}

export interface TaskQueue extends Loop {
  dueBuckets(): Promise<readonly DueBucket[]>;
}

export interface QueueDeps {
  readonly db: Db;
  readonly ids: IdMaker;
  readonly log: Log;
}

const IDLE_MS = 2000;
const MIN_PAUSE_MS = 20;
const AFTER_ERROR_MS = 1000;
/** The pause while due tasks have no place. The end of a task wakes the queue. */
const NO_ROOM_MS = 500;
const RENEW_MS = (LEASE_SECONDS * 1000) / 3;
const LONGEST_PAUSE_MS = 60_000;
/** The time that tasks have to end during a shutdown. Other nodes repeat those that do not, when their leases have ended. */
const STOP_MS = 25_000;

/** Runs due tasks of one kind: new ones, repeated ones, and those of dead nodes. `stop` waits for those in progress. */
export function createTaskQueue<Row extends TaskRow>(deps: QueueDeps, kind: TaskKind<Row>): TaskQueue {
  const { db, log } = deps;
  const { concurrency } = kind;
  const rows = taskRowsOf<Row>({ ...kind, open: kind.open ?? "due_at is not null" });
  const held = new Set<Row>();
  let stopping = new AbortController();
  const tasks = createTaskSet((error) =>
    log.error({ err: error, kind: kind.kind }, "a task was not released; it is repeated when its lease expires"),
  );

  const release = async (row: Row, delayMs: number, counts: boolean): Promise<void> =>
    await db.at(row.bucket, async () => await rows.release(db, row, delayMs, counts));

  async function runOne(row: Row): Promise<void> {
    try {
      await kind.run(row, {
        stopping: stopping.signal,
        release: async (delayMs) => await release(row, delayMs, false),
      });
      if (stopping.signal.aborted) await release(row, 0, false);
    } catch (error) {
      log.warn({ err: error, kind: kind.kind, id: row.id }, "a task failed; it is repeated");
      await release(row, Math.min(1000 * 2 ** (row.attempts - 1), LONGEST_PAUSE_MS), true);
    } finally {
      held.delete(row);
      loop.wake();
    }
  }

  async function claim(bucket: number): Promise<number> {
    const most = { limit: concurrency.ofNode - held.size, ofTenant: concurrency.ofTenant };
    const claimed = await db.at(bucket, async () => await rows.claim(db, bucket, deps.ids.uuid(), most));
    for (const row of claimed) {
      held.add(row);
      tasks.add(runOne(row));
    }
    return claimed.length;
  }

  const loop = createLoop({
    async round(stop) {
      await kind.prepare?.();
      const heads = await rows.dueBuckets(db);
      const due = heads.filter(({ due_in_ms: dueInMs }) => dueInMs <= 0);
      let begun = 0;
      for (const { bucket } of due) if (held.size < concurrency.ofNode && !stop.aborted) begun += await claim(bucket);
      if (begun > 0) return MIN_PAUSE_MS;
      const nextMs = Math.min(IDLE_MS, ...heads.map(({ due_in_ms: ms }) => ms).filter((ms) => ms > 0));
      return Math.max(MIN_PAUSE_MS, due.length > 0 ? Math.min(nextMs, NO_ROOM_MS) : nextMs);
    },
    failed(error) {
      log.warn({ err: error, kind: kind.kind }, "failed to claim tasks; retrying");
      return AFTER_ERROR_MS;
    },
  });

  const renewal = createRenewal(deps, kind.kind, { rows, held });
  return {
    wake: loop.wake,
    start() {
      stopping = new AbortController();
      loop.start();
      renewal.start();
    },
    async stop() {
      stopping.abort();
      await loop.stop();
      await tasks.settled(STOP_MS);
      await renewal.stop();
    },
    dueBuckets: async () => await rows.dueBuckets(db),
  };
}

interface Leases<Row> {
  readonly rows: Pick<TaskRows<Row>, "renew">;
  readonly held: ReadonlySet<Row>;
}

function createRenewal<Row extends TaskRow>({ db, log }: QueueDeps, kind: string, { rows, held }: Leases<Row>): Loop {
  return createLoop({
    async round() {
      for (const [bucket, group] of Map.groupBy(held, (row) => row.bucket))
        await db.at(bucket, async () => await rows.renew(db, bucket, group));
      return RENEW_MS;
    },
    failed(error) {
      log.warn({ err: error, kind }, "failed to renew the leases of tasks; retrying");
      return AFTER_ERROR_MS;
    },
  });
}
