import type { Db, HotStatement } from "./db.ts";

export interface Maintenance {
  /** Runs once, then hourly. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

export interface MaintenanceDeps {
  readonly db: Db;
  readonly log: { info(fields: object, message: string): void; warn(fields: object, message: string): void };
  readonly retentionDays: number;
}

const HOUR_MS = 3_600_000;
const DAYS_AHEAD = 3;
const ENSURE: HotStatement = {
  name: "ensure_partitions",
  text: "select sum(ensure_partitions(t, $1::int))::int as made from unnest(array['event', 'delivery', 'attempt']) t",
};
const DROP: HotStatement = {
  name: "drop_partitions",
  text: "select drop_partitions(t, $1::int) as dropped from unnest(array['event', 'delivery', 'attempt']) t",
};
const FORGET: HotStatement = {
  name: "forget_idempotency",
  text: `with old as (select ctid from idempotency where created_at < now() - interval '7 days' limit 20000)
    delete from idempotency where ctid in (select ctid from old)`,
};

/** Makes the days' partitions ahead of time, drops those past retention, forgets idempotency records after 7 days. */
export function createMaintenance(deps: MaintenanceDeps): Maintenance {
  const { db, log } = deps;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();

  async function tidy(): Promise<void> {
    await db.hot(ENSURE, [DAYS_AHEAD]);
    const dropped = await db.hot<{ dropped: string[] }>(DROP, [deps.retentionDays]);
    const names = dropped.flatMap((row) => row.dropped);
    if (names.length > 0) log.info({ partitions: names }, "partitions past retention were dropped");
    await db.hot(FORGET, []);
  }

  return {
    async start() {
      await tidy();
      timer = setInterval(() => {
        running = tidy().catch((error: unknown) =>
          log.warn({ err: error }, "maintenance failed; it tries again in an hour"),
        );
      }, HOUR_MS);
      timer.unref();
    },
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}
