import { scopeOf } from "../../accounts/accounts.ts";
import type { Workspaces } from "../../accounts/accounts.ts";
import { after, ServiceError, toDate, uuidFloor, uuidTime, wireId } from "../../lib/lib.ts";
import type { Clock, Loop, Uuid } from "../../lib/lib.ts";
import type { Db, Tx } from "../../platform/db/db.ts";
import type { PortalSessions } from "../../portal/portal.ts";
import type { Tasks } from "../../platform/tasks/tasks.ts";
import { cancelPendingOf } from "../deliveries/deliveries.store.ts";
import { cancelOfEvents } from "../lanes/cancel-of-events.ts";
import type { Lanes } from "../endpoints/ordering.ts";
import { EVENT_SPREAD_MS } from "../deliveries/delivery-plans.ts";
import type { Endpoints } from "../endpoints/endpoints.ts";
import { extractedText } from "../sources/receipt-view.ts";
import { NOTHING } from "../sources/mapping.ts";
import * as store from "./tenant-deletion.store.ts";
import type { EventRecords } from "./event-records.ts";
import type { Phase } from "./deletion-phases.ts";
import type { DeletionRow, Progress } from "./tenant-deletion.store.ts";

export interface TenantDeletionDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly tasks: Tasks;
  readonly endpoints: Pick<Endpoints, "remove">;
  readonly keys: Pick<Workspaces["keys"], "revokeOfTenant">;
  readonly portal: Pick<PortalSessions, "endTenant">;
  readonly eventRecords: () => readonly EventRecords[];
  readonly lanes: Pick<Lanes, "ended">;
}

/** A request that began before the deletion has ended after this time. Then the logs are emptied. */
const SETTLE_MS = 60_000;
/** A step waits so long for what another transaction writes, or another node sends. */
const AGAIN_MS = 200;
const ENDPOINTS_TOGETHER = 20;
const ROWS_TOGETHER = 500;
/** Runs in progress are cancelled one by one. */
const REACTIONS_TOGETHER = 100;

/** Deletes tenants in steps, each of which can be repeated: one that was interrupted removes only what is left. */
export function createTenantDeletionWorker(deps: TenantDeletionDeps): Loop {
  return deps.tasks.define<DeletionRow>({
    kind: "tenant deletions",
    table: "tenant_deletion",
    concurrency: { ofNode: 2, ofTenant: 1 },
    async run(row, { stopping }) {
      let held: DeletionRow | undefined = row;
      while (held !== undefined && held.finished_at === null && !stopping.aborted) held = await step(deps, held);
    },
  });
}

/**
 * Does one step. Undefined if the next one has to wait. Throws, and undoes the step, if another node has taken the
 * deletion over.
 */
async function step(deps: TenantDeletionDeps, held: DeletionRow): Promise<DeletionRow | undefined> {
  // Keys are on all machines, so that no transaction writes them together with the rows of a bucket.
  const early = await EARLY[held.phase as Phase]?.(deps, held);
  return await deps.db.at(
    held.bucket,
    async () =>
      await deps.db.transaction(async (tx) => {
        const progress = early ?? (await WITHIN[held.phase as Phase]?.(deps, tx, held)) ?? NONE_LEFT;
        const waitMs = waitAfter(deps, held, progress);
        const advanced = await store.advanceDeletion(tx, held, progress, waitMs);
        if (advanced === undefined) throw new Error("another node has taken over the deletion of a tenant");
        return waitMs > 0 ? undefined : advanced;
      }),
  );
}

function waitAfter({ clock }: TenantDeletionDeps, held: DeletionRow, progress: Progress): number {
  if (progress.hasToWait === true) return AGAIN_MS;
  const isFirstOfLogs = progress.isOver && store.phaseAfter(held, progress) === "deliveries";
  return isFirstOfLogs ? after(uuidTime(held.id), SETTLE_MS) - clock.now() : 0;
}

const NONE_LEFT: Progress = { count: 0, position: null, isOver: true };

type Early = (deps: TenantDeletionDeps, held: DeletionRow) => Promise<Progress>;
type Within = (deps: TenantDeletionDeps, tx: Tx, held: DeletionRow) => Promise<Progress>;

/** The steps with transactions of their own, before the one that records them. */
const EARLY: Readonly<Partial<Record<Phase, Early>>> = {
  async keys({ keys, portal }, { tag, tenant, id: before }) {
    await portal.endTenant({ tag, tenant, before });
    return { count: await keys.revokeOfTenant({ tag, tenant, before }), position: null, isOver: true };
  },
  async endpoints({ db, endpoints }, held) {
    const scope = scopeOf(held.workspace_id, held.tag);
    return await db.at(held.bucket, async () => {
      const ids = await store.endpointsLeft(db.query, held, ENDPOINTS_TOGETHER);
      for (const id of ids) await endpoints.remove(scope, wireId("ep", held.tag, id)).catch(ignoreMissing);
      return { count: ids.length, position: null, isOver: ids.length < ENDPOINTS_TOGETHER };
    });
  },
};

const WITHIN: Readonly<Partial<Record<Phase, Within>>> = {
  sources: async ({ clock }, tx, held) => ({
    ...NONE_LEFT,
    count: await store.deleteSources(tx, held, toDate(clock.now())),
  }),
  scheduled_events: async (_deps, tx, held) => ({
    ...NONE_LEFT,
    count: await store.deleteScheduled(tx, held, toDate(uuidTime(held.id))),
  }),
  async deliveries(_deps, tx, held) {
    // A result that was being written when its endpoint was deleted left its delivery pending, as a killed node does.
    const isNew = held.position === null;
    if (isNew && (await cancelPendingOf(tx.query, held, { endpoints: store.deletedEndpoints(held) })))
      return waiting(held);
    const endpoint = await store.nextOwner(tx.query, held, "endpoint");
    if (endpoint === undefined) return NONE_LEFT;
    return progressIn(endpoint, await store.emptyDeliveries(tx, held, endpoint, ROWS_TOGETHER));
  },
  async receipts(_deps, tx, held) {
    const source = await store.nextOwner(tx.query, held, "inbound_source");
    if (source === undefined) return NONE_LEFT;
    const emptied = { sourceId: source, extracted: extractedText(NOTHING) };
    return progressIn(source, await store.emptyReceipts(tx, held, emptied, ROWS_TOGETHER));
  },
  async events({ eventRecords, lanes }, tx, held) {
    const isFirst = held.position === null;
    if (isFirst && (await eraseReactions(eventRecords(), tx, held))) return again(held);
    const ids = await store.eventsLeft(tx, held, ROWS_TOGETHER);
    const spans = ids.map((id) => ({ id, end: uuidFloor(after(uuidTime(id), EVENT_SPREAD_MS)) }));
    // The deliveries to endpoints without a tenant.
    if (await cancelOfEvents(lanes, tx, held, spans)) return waiting(held);
    const scope = scopeOf(held.workspace_id, held.tag);
    for (const records of eventRecords()) await records.eraseOfEvents?.(tx, scope, ids);
    await store.deleteEvents(tx, held, spans);
    return { count: ids.length, position: ids.at(-1) ?? null, isOver: ids.length < ROWS_TOGETHER };
  },
};

/** Erases what the tenant's events led to. What still runs ends here, so that no event follows. Returns true if some of it may be left. */
async function eraseReactions(all: readonly EventRecords[], tx: Tx, held: DeletionRow): Promise<boolean> {
  const scope = scopeOf(held.workspace_id, held.tag);
  const gone = { tenant: held.tenant, before: held.id, limit: REACTIONS_TOGETHER };
  await store.emptyOwners(tx, held);
  await store.deleteAnnounced(tx, held);
  for (const records of all) if ((await records.eraseOfTenant?.(tx, scope, gone)) === REACTIONS_TOGETHER) return true;
  return false;
}

function again({ position, sub_position }: DeletionRow): Progress {
  return { count: 0, position, sub_position, isOver: false };
}

/** Repeats a step, because deliveries are being sent, or another transaction is writing their results. */
function waiting(held: DeletionRow): Progress {
  return { ...again(held), hasToWait: true };
}

function progressIn(owner: Uuid, { count, last }: Awaited<ReturnType<typeof store.emptyDeliveries>>): Progress {
  return { count, position: owner, sub_position: count < ROWS_TOGETHER ? null : last, isOver: false };
}

/** The endpoint was deleted in between. */
function ignoreMissing(error: unknown): void {
  if (!(error instanceof ServiceError && error.code === "not_found")) throw error;
}
