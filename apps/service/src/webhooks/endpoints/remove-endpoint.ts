import { setTimeout as sleep } from "node:timers/promises";
import type { Scope } from "../../accounts/accounts.ts";
import { toDate } from "../../lib/lib.ts";
import type { Uuid } from "../../lib/lib.ts";
import type { Tx } from "../../platform/db/db.ts";
import type { EndpointsDeps } from "./endpoint.ts";
import { deleteEndpoint } from "./endpoints.store.ts";
import { wakePulls } from "./pull-log.store.ts";

const CANCEL_TRIES = 50;
const CANCEL_PAUSE_MS = 20;

/** Deletes an endpoint and cancels its pending deliveries. Returns false if it was deleted before. */
export async function removeEndpoint(
  deps: EndpointsDeps,
  scope: Scope,
  id: Uuid,
  record?: (tx: Tx) => void,
): Promise<boolean> {
  return await deps.db.transaction(async (tx) => {
    if (!(await deleteEndpoint(tx, scope, id, toDate(deps.clock.now())))) return false;
    record?.(tx);
    await wakePulls(tx, id);
    await deps.issuesEnded(tx, scope, id);
    // Runs after the commit, because the writer of a result may wait for the endpoint's row, which this transaction
    // locks until then.
    if (await deps.cancelPending(tx.query, scope, id)) tx.onCommit(() => void cancelRest(deps, scope, id));
    return true;
  });
}

/**
 * Cancels the deliveries whose results were being written when their endpoint was deleted. If this fails, a worker
 * cancels them in place of the next attempt.
 */
async function cancelRest({ db, cancelPending }: EndpointsDeps, scope: Scope, id: Uuid): Promise<void> {
  for (let tries = 0, isLeft = true; isLeft && tries < CANCEL_TRIES; tries += 1) {
    await sleep(CANCEL_PAUSE_MS);
    isLeft = await cancelPending(db.query, scope, id).catch(() => false);
  }
}
