import { setTimeout as sleep } from "node:timers/promises";
import type { Db } from "../../platform/db/db.ts";
import type { TenantKey, Uuid } from "../../lib/lib.ts";
import { completeInterest, joinInterest, standing } from "./live.store.ts";
import type { SubscriberRights } from "./live.store.ts";

/** How long changes are kept after the last stream has ended, for clients that reconnect. */
export const WINDOW_SECONDS = 600;
const SETTLE_STEP_MS = 250;
/** After these steps, transactions that still run are no longer waited for. They may belong to another database of the server. */
const SETTLE_STEPS = 8;

export interface Interest extends Pick<SubscriberRights, "snapshot" | "xmax"> {
  readonly since: bigint;
}

/** Has changes recorded from now on. Transactions that began before a first interest may not record theirs, so it waits for their end. */
export async function openInterest(db: Db, { bucket, tag }: TenantKey, node: Uuid): Promise<Interest> {
  const place = { bucket, tag, tags: [tag], node };
  await joinInterest(db, place, node, WINDOW_SECONDS);
  const first = await standing(db, place);
  if (first.since !== null) return { ...first, since: first.since };
  for (let step = 0; step < SETTLE_STEPS; step += 1) {
    await sleep(SETTLE_STEP_MS);
    if ((await standing(db, place)).xmin >= first.xmax) break;
  }
  await completeInterest(db, place, node);
  const now = await standing(db, place);
  return { ...now, since: now.since ?? now.xmax };
}
