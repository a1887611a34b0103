import type { Db, Tx } from "../../platform/db/db.ts";
import { fromDate, uuidTime } from "../../lib/lib.ts";
import type { Loop } from "../../lib/lib.ts";
import { scopeOf } from "../../accounts/accounts.ts";
import type { Tasks } from "../../platform/tasks/tasks.ts";
import type { EventDraft } from "../event/event.ts";
import { labelsOfText } from "../event/labels.ts";
import { dueBuckets, postpone, takeDue } from "./scheduled.store.ts";
import type { ScheduledRow } from "./scheduled.store.ts";

export interface ScheduledWorkerDeps {
  readonly db: Db;
  readonly tasks: Tasks;
  /** Writes events with their reactions in the transaction. */
  readonly fireWithin: (tx: Tx, drafts: readonly EventDraft[]) => Promise<unknown>;
}

/** Each event may have many deliveries, which are written with it. */
const TOGETHER = 100;
const RETRY_SECONDS = 60;

/** Fires scheduled events when their time has come. An event of a closed workspace is dropped. */
export function createScheduledWorker({ db, tasks, fireWithin }: ScheduledWorkerDeps): Loop {
  return tasks.defineShort({
    kind: "scheduled events",
    together: TOGETHER,
    buckets: dueBuckets,
    hold: takeDue,
    async work(tx, rows) {
      await fireWithin(tx, rows.filter((row) => row.is_open).map(draftOf));
    },
    postpone: async (row) => await postpone(db, row, RETRY_SECONDS),
  });
}

function draftOf(row: ScheduledRow): EventDraft {
  const {
    tag,
    id,
    workspace_id: workspaceId,
    name,
    data,
    subject,
    tenant,
    traceparent,
    type_version: typeVersion,
  } = row;
  return {
    scope: scopeOf(workspaceId, tag),
    id,
    name,
    data,
    occurredAt: row.occurred_at === null ? uuidTime(id) : fromDate(row.occurred_at),
    subject,
    tenant,
    traceparent,
    typeVersion,
    labels: labelsOfText(row.labels),
    firedBy: row.fired_by ?? undefined,
  };
}
