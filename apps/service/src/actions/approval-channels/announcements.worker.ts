import { createLoop, createTaskSet } from "../../lib/lib.ts";
import type { IdMaker, Loop } from "../../lib/lib.ts";
import type { Db } from "../../platform/db/db.ts";
import type { Log } from "../../platform/telemetry/telemetry.ts";
import { claimAnnouncements, dueBuckets, markStale, settleAnnouncement, staleBuckets } from "./announcements.store.ts";
import type { AnnouncementRow } from "./announcements.store.ts";
import { nextStep } from "./announcement-step.ts";
import type { StepDeps } from "./announcement-step.ts";

export interface AnnouncementWorkerDeps extends StepDeps {
  readonly db: Db;
  readonly ids: IdMaker;
  readonly log: Log;
}

/** The pause when nothing wakes the worker. A message shows a decision at the latest after it. */
const IDLE_MS = 2000;
const MIN_PAUSE_MS = 20;
const AFTER_ERROR_MS = 1000;
const NO_ROOM_MS = 500;
/** Longer than the calls of one step take. */
const LEASE_SECONDS = 60;
const SLOTS = 8;
const STALE_AT_ONCE = 100;
const STOP_MS = 25_000;

/**
 * Announces proposals, reminds of them, and shows in the messages what has become of them. It reads the proposals
 * themselves, so that no decision is missed, regardless of who made it, and on which node.
 */
export function createAnnouncementWorker(deps: AnnouncementWorkerDeps): Loop {
  const { db, log } = deps;
  const tasks = createTaskSet((error) =>
    log.error({ err: error }, "an announcement was not recorded; it is repeated when its lease expires"),
  );

  function begin(row: AnnouncementRow): void {
    tasks.add(db.at(row.bucket, async () => await step(deps, row)).finally(loop.wake));
  }

  async function claim(bucket: number): Promise<number> {
    const lease = { id: deps.ids.uuid(), seconds: LEASE_SECONDS };
    const rows = await db.at(bucket, async () => await claimAnnouncements(db, bucket, lease, SLOTS - tasks.size));
    rows.forEach(begin);
    return rows.length;
  }

  const loop = createLoop({
    async round(stopping) {
      for (const bucket of await staleBuckets(db))
        await db.at(bucket, async () => await markStale(db, bucket, STALE_AT_ONCE));
      const heads = await dueBuckets(db);
      const due = heads.filter(({ due_in_ms: dueInMs }) => dueInMs <= 0);
      let begun = 0;
      for (const { bucket } of due) if (tasks.size < SLOTS && !stopping.aborted) begun += await claim(bucket);
      if (due.length > 0) return begun > 0 ? MIN_PAUSE_MS : NO_ROOM_MS;
      return Math.max(MIN_PAUSE_MS, Math.min(IDLE_MS, ...heads.map(({ due_in_ms: dueInMs }) => dueInMs)));
    },
    failed(error) {
      log.warn({ err: error }, "failed to claim announcements of proposals; retrying");
      return AFTER_ERROR_MS;
    },
  });
  return {
    ...loop,
    async stop() {
      await loop.stop();
      await tasks.settled(STOP_MS);
    },
  };
}

async function step(deps: AnnouncementWorkerDeps, row: AnnouncementRow): Promise<void> {
  const { end, mails, place } = await nextStep(deps, row);
  if (end.error_class !== null) {
    const { state, error_class: errorClass } = end;
    deps.log.warn({ announcement: row.id, state, errorClass }, `failed to announce a proposal: ${end.error ?? ""}`);
  }
  await deps.db.transaction(async (tx) => {
    // E-mail is queued in the same commit, so that it is sent once.
    const isOurs = await settleAnnouncement(tx, row, end);
    if (isOurs && mails.length > 0) await deps.mail.queue(tx, place, mails);
  });
}
