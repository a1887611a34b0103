import type { Db } from "../../platform/db/db.ts";
import { after, timeText, uuidFloor } from "../../lib/lib.ts";
import type { Clock, Uuid, t } from "../../lib/lib.ts";
import type { Usage } from "../../insights/insights.ts";
import type { Scope } from "../../accounts/accounts.ts";
import { endpointStats, undeliveredOf, waitingOf } from "./endpoint-stats.store.ts";
import type { EndpointStats } from "./endpoint-stats.store.ts";
import type * as shapes from "./endpoint-stats.schemas.ts";

/** The figures of an endpoint's last 24 hours in a list. The counts are a few seconds old. */
export type EndpointSummary = t.Static<typeof shapes.SummaryView>;

export type StatsView = EndpointStats &
  Pick<EndpointSummary, "hours" | "success_rate" | "next_attempt_at" | "filtered">;

export type EndpointStatistics = ReturnType<typeof createStatistics>;

export interface StatisticsDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly usage: Pick<Usage, "endpoints">;
}

const DAY_MS = 86_400_000;
const MOST_PENDING = 1000;

export function createStatistics({ db, clock, usage }: StatisticsDeps) {
  async function summaries(scope: Scope, ids: readonly Uuid[]): Promise<ReadonlyMap<Uuid, EndpointSummary>> {
    const [used, waits] = await Promise.all([
      usage.endpoints(scope, ids),
      waitingOf(db.query, scope, ids, MOST_PENDING + 1),
    ]);
    const waiting = new Map(waits.map((row) => [row.endpoint_id, row]));
    return new Map(
      [...used].map(([id, summary]) => {
        const { pending = 0, next_attempt_at: next = null } = waiting.get(id) ?? {};
        const summarised: EndpointSummary = {
          ...summary,
          pending: Math.min(pending, MOST_PENDING),
          pending_capped: pending > MOST_PENDING,
          next_attempt_at: timeText(next),
        };
        return [id, summarised];
      }),
    );
  }

  return {
    summaries,
    /** Returns the number of pending deliveries and unread messages of each endpoint, counted up to 1,000. */
    async undelivered(scope: Scope, ids: readonly Uuid[]): Promise<ReadonlyMap<Uuid, number>> {
      const rows = await undeliveredOf(db.query, scope, ids, MOST_PENDING);
      return new Map(rows.map((row) => [row.endpoint_id, Math.min(row.pending, MOST_PENDING)]));
    },
    async of(scope: Scope, id: Uuid): Promise<StatsView> {
      const [stats, all] = await Promise.all([
        endpointStats(db.query, scope, id, uuidFloor(after(clock.now(), -DAY_MS))),
        summaries(scope, [id]),
      ]);
      const { hours = [], success_rate = null, next_attempt_at = null, filtered = 0 } = all.get(id) ?? {};
      return { ...stats, hours, success_rate, next_attempt_at, filtered };
    },
  };
}
