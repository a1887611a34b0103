import type { Db } from "../../platform/db/db.ts";
import type { Clock, Tag, TenantKey, Uuid } from "../../lib/lib.ts";
import type { Hub } from "./hub.ts";
import { WINDOW_SECONDS } from "./interest.ts";
import { keepInterest, leaveInterest, pruneNews } from "./live.store.ts";

/** The maximum number of changes that are kept per tenant, regardless of their age. */
const MOST_KEPT = 200_000;

/**
 * Keeps this node's interest alive while it has open streams, and for a time after that. Deletes changes that no client can request
 * any longer. Does nothing if there were no streams in that time.
 */
export function createKeeper(deps: {
  readonly db: Db;
  readonly clock: Clock;
  readonly node: Uuid;
  readonly hub: Hub;
}): () => Promise<void> {
  const { db, clock, node, hub } = deps;
  const known = new Map<Tag, { readonly place: TenantKey; readonly untilMs: number }>();
  return async () => {
    const listened = new Map(hub.listened().map((one) => [one.tag, one]));
    const nowMs = clock.monotonicMs();
    for (const [tag, place] of listened) known.set(tag, { place, untilMs: nowMs + WINDOW_SECONDS * 1000 });
    if (known.size === 0) return;
    const over = [...known.values()].filter(({ untilMs }) => untilMs <= nowMs).map(({ place }) => place);
    for (const { tag } of over) known.delete(tag);
    const kept = [...known.values()].map(({ place }) => ({
      ...place,
      listeners: listened.get(place.tag)?.listeners ?? 0,
    }));
    // A shard that does not answer fails each step for its own tenants alone: the others are kept, pruned and left.
    const steps = await Promise.allSettled([
      keepInterest(db, node, kept, WINDOW_SECONDS).then(
        async () => await pruneNews(db, node, kept, { seconds: WINDOW_SECONDS, rows: MOST_KEPT }),
      ),
      over.length > 0 ? leaveInterest(db, node, over) : undefined,
    ]);
    for (const step of steps) if (step.status === "rejected") throw step.reason;
  };
}
