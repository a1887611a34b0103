import { createRateLimiter } from "../../access/access.ts";
import type { Db } from "../../platform/db/db.ts";
import type { Clock, Uuid } from "../../lib/lib.ts";
import type { Source } from "./source.ts";

const REFUSALS_PER_MINUTE = 60;
const REST_MS = 1000;
const MOST_RESTING = 10_000;

/**
 * Limits the receipts of unsigned requests, because anyone who knows the URL can send them. A source that is over its limit costs the
 * database nothing for a second. Requests with a right signature are not concerned.
 */
export function createRecordLimit({
  db,
  clock,
}: {
  readonly db: Db;
  readonly clock: Clock;
}): (source: Source) => Promise<boolean> {
  const rates = createRateLimiter(db);
  const restingUntil = new Map<Uuid, number>();
  return async ({ scope, id }) => {
    const now = clock.now();
    if ((restingUntil.get(id) ?? 0) > now) return false;
    const { granted } = await rates.take({
      bucket: scope.bucket,
      subject: `src:${id}`,
      operation: "inbound.refused",
      perMinute: REFUSALS_PER_MINUTE,
    });
    if (granted) restingUntil.delete(id);
    else {
      if (restingUntil.size >= MOST_RESTING) restingUntil.clear();
      restingUntil.set(id, now + REST_MS);
    }
    return granted;
  };
}
