import { createLoop } from "../../lib/lib.ts";
import type { Loop } from "../../lib/lib.ts";
import type { HotStatement } from "./prepared.ts";
import type { Db } from "./types.ts";

const EVERY_MS = 5000;
const REFRESH: HotStatement = { name: "refresh_statistics", text: "select refresh_statistics() as refreshed" };

export interface StatisticsDeps {
  readonly db: Pick<Db, "hot">;
  readonly log: { debug(fields: object, message: string): void; warn(fields: object, message: string): void };
}

/**
 * Renews the planner's statistics of tables that have grown fast (0163_statistics.sql). On Citus, it covers the tables of the coordinator; the
 * workers have autovacuum only.
 */
export function createStatistics({ db, log }: StatisticsDeps): Loop {
  return createLoop({
    async round() {
      const [row] = await db.hot<{ refreshed: string[] }>(REFRESH, []);
      if (row !== undefined && row.refreshed.length > 0)
        log.debug({ tables: row.refreshed }, "renewed the statistics of tables that have grown");
      return EVERY_MS;
    },
    failed(error) {
      log.warn({ err: error }, "could not renew the statistics of tables; the next attempt is in an hour");
      return 3_600_000;
    },
  });
}
