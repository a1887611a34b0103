import type { Db } from "../../platform/db/db.ts";
import { createSweep } from "../../platform/tasks/tasks.ts";
import { after, toDate } from "../../lib/lib.ts";
import type { Clock, Loop } from "../../lib/lib.ts";
import { deleteIdleClients } from "./clients.store.ts";
import { deleteEnded } from "./grants.store.ts";

export interface CleanupDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: { warn(fields: object, message: string): void };
}

const PERIOD_MS = 10 * 60_000;
const DAY_MS = 86_400_000;
const USED_DAYS = 90;

export interface Cleanup extends Loop {
  /** Deletes what has ended by now. Several nodes may do it at once. */
  sweep(): Promise<void>;
}

/** Deletes what OAuth no longer needs: expired tokens, unused codes, and unused clients. */
export function createCleanup(deps: CleanupDeps): Cleanup {
  const run = async (): Promise<void> => await sweep(deps);
  return {
    ...createSweep(deps.log, { to: "delete expired tokens of connected apps", everyMs: PERIOD_MS, run }),
    sweep: run,
  };
}

async function sweep({ db, clock }: CleanupDeps): Promise<void> {
  const now = clock.now();
  await deleteEnded(db, { now: toDate(now), ended: toDate(after(now, -DAY_MS)) });
  await deleteIdleClients(db.query, {
    unusedSince: toDate(after(now, -DAY_MS)),
    usedSince: toDate(after(now, -USED_DAYS * DAY_MS)),
  });
}
