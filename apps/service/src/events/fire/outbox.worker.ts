import type { Db } from "../../platform/db/db.ts";
import type { Loop } from "../../lib/lib.ts";
import { createSweep } from "../../platform/tasks/tasks.ts";
import type { Log } from "../../platform/telemetry/telemetry.ts";
import { forget, unfired } from "./outbox.store.ts";
import type { OutboxRow } from "./outbox.store.ts";

const STEP = 100;
/** The interval at which a node looks for announcements of nodes that stopped between the commit and the firing. */
const POLL_MS = 10_000;

/**
 * Fires announced events. If two nodes fire one announcement, `fire` creates one event, because the announcement's id
 * is the event's.
 */
export function createOutbox(deps: { db: Db; log: Log; fire: (row: OutboxRow) => Promise<unknown> }): Loop {
  const { db, log } = deps;
  return createSweep(log, {
    to: "fire system events",
    everyMs: POLL_MS,
    async run() {
      for (let rows = await unfired(db, STEP); rows.length > 0; rows = await unfired(db, STEP)) {
        await Promise.all(rows.map(deps.fire));
        await forget(db, rows);
      }
    },
  });
}
