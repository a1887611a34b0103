import type { Loop } from "../../lib/lib.ts";
import type { Db } from "../../platform/db/db.ts";
import type { Tasks } from "../../platform/tasks/tasks.ts";
import type { Log } from "../../platform/telemetry/telemetry.ts";
import { markStale, settleAnnouncement, staleBuckets } from "./announcements.store.ts";
import type { AnnouncementRow } from "./announcements.store.ts";
import { nextStep } from "./announcement-step.ts";
import type { StepDeps } from "./announcement-step.ts";

export interface AnnouncementWorkerDeps extends StepDeps {
  readonly db: Db;
  readonly tasks: Tasks;
  readonly log: Log;
}

const STALE_AT_ONCE = 100;

/**
 * Announces proposals, reminds of them, and shows in the messages what has become of them. It reads the proposals
 * themselves, so that no decision is missed, regardless of who made it, and on which node.
 */
export function createAnnouncementWorker(deps: AnnouncementWorkerDeps): Loop {
  const { db } = deps;
  return deps.tasks.define<AnnouncementRow>({
    kind: "announcements",
    table: "approval_announcement",
    concurrency: { ofNode: 8, ofTenant: 4 },
    async prepare() {
      for (const bucket of await staleBuckets(db))
        await db.at(bucket, async () => await markStale(db, bucket, STALE_AT_ONCE));
    },
    run: async (row) => await db.at(row.bucket, async () => await step(deps, row)),
  });
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
