import { setTimeout as sleep } from "node:timers/promises";
import { COMMIT_MS } from "../../events/events.ts";
import { lockName } from "../../platform/db/db.ts";
import type { Db, Tx } from "../../platform/db/db.ts";
import { after, toDate, uuidAfter, uuidFloor, uuidTime, fromDate } from "../../lib/lib.ts";
import type { Uuid } from "../../lib/lib.ts";
import { orderedKeyOf } from "../endpoints/ordered-endpoints.store.ts";
import { findEndpoint } from "../endpoints/endpoints.store.ts";
import type { EndpointRow } from "../endpoints/endpoints.store.ts";
import { EVENT_SPREAD_MS } from "./delivery-plans.ts";
import type { PlanDeps } from "./delivery-plans.ts";
import { missedEvents, spanOf } from "./missed-events.ts";
import type { Backfill, MissedPage, Missing } from "./missed-events.ts";
import { countDue, endpointLock, insertMissed } from "./missed-events.store.ts";
import {
  advanceReplayJob,
  advanceSweep,
  cancelReplayJob,
  findReplayJob,
  holdReplayJob,
  holdSweep,
} from "./replays.store.ts";
import type { ReplayJobRow } from "./replays.store.ts";

export interface BackfillDeps extends Pick<PlanDeps, "clock" | "ids" | "signals" | "wakeAll" | "lanes"> {
  readonly db: Db;
}

/** A backfill as its job stores it. */
export interface StoredBackfill extends Backfill {
  /** True if there were more events than were counted. */
  readonly isCapped: boolean;
}

/** The deliveries of one step. Further ones wait until fewer are due, so that an event that happens now waits only for these. */
const MOST_AT_ONCE = 500;
/** The seconds that the deliveries of one step take at the endpoint's rate. */
const STEP_SECONDS = 10;
const PAUSE_MS = 500;
const SWEEP_PAUSE_MS = 1000;

/**
 * Makes the next deliveries of a backfill, in one commit with its progress. Returns true if there may be more. Ends the
 * job as cancelled if its endpoint is inactive or deleted.
 */
export async function backfillStep(deps: BackfillDeps, job: ReplayJobRow, stopping: AbortSignal): Promise<boolean> {
  const { db, clock } = deps;
  const open = await findReplayJob(db.query, { bucket: job.bucket, tag: job.tag }, job.id);
  const { endpoint_id: endpointId } = job;
  if (open === undefined || open.finished_at !== null || open.cancelled_at !== null || endpointId === null)
    return false;
  const row = await findEndpoint(db.query, job, endpointId);
  if (row?.active !== true) {
    await cancelReplayJob(db.query, { bucket: job.bucket, tag: job.tag }, job.id, toDate(clock.now()));
    return false;
  }
  const most = Math.min(MOST_AT_ONCE, (row.rate_limit_per_second ?? MOST_AT_ONCE) * STEP_SECONDS);
  if ((await countDue(db.query, { ...job, endpointId }, most)) >= most) {
    await sleep(PAUSE_MS, undefined, { signal: stopping }).catch(() => undefined);
    return true;
  }
  const position = open.position ?? uuidFloor(fromDate(open.since));
  const backfill = storedBackfill(open);
  const page = await missedEvents({ query: db.query, clock }, missingOf({ open, row, backfill, most }, position));
  return await db.transaction(async (tx) => await writePage(deps, tx, { open, row, backfill, page }));
}

interface MissingQuery {
  readonly open: ReplayJobRow;
  readonly row: EndpointRow;
  readonly backfill: Backfill;
  readonly most: number;
}

function missingOf({ open, ...asked }: MissingQuery, position: Uuid): Missing {
  return { ...asked, after: position, to: uuidFloor(fromDate(open.until)) };
}

/**
 * Looks again at the newest events of a finished backfill, once no further one can appear: an event that was planned before
 * the endpoint was turned on may have been committed after the backfill had passed its place. Returns true if there may be
 * more.
 */
export async function sweepStep(deps: BackfillDeps, job: ReplayJobRow, stopping: AbortSignal): Promise<boolean> {
  const { db, clock } = deps;
  const open = await findReplayJob(db.query, { bucket: job.bucket, tag: job.tag }, job.id);
  if (open === undefined || open.sweep_from === null || open.endpoint_id === null) return false;
  const waitMs = after(fromDate(open.until), COMMIT_MS) - clock.now();
  if (waitMs > 0) {
    await sleep(Math.min(waitMs, SWEEP_PAUSE_MS), undefined, { signal: stopping }).catch(() => undefined);
    return true;
  }
  const row = await findEndpoint(db.query, job, open.endpoint_id);
  if (row?.active !== true) {
    await advanceSweep(db.query, job, 0, null);
    return false;
  }
  const backfill = { ...storedBackfill(open), missingOnly: true };
  const from = open.sweep_from;
  const asked = missingOf({ open, row, backfill, most: MOST_AT_ONCE }, from);
  const page = await missedEvents({ query: db.query, clock }, asked);
  return await db.transaction(async (tx) => {
    if ((await holdSweep(tx, open, from)) === undefined) return true;
    const count = await write(deps, tx, { row, backfill, page });
    await advanceSweep(tx.query, open, count, page.isLast ? null : (page.examined?.last ?? from));
    tellOf(deps, tx, row, count);
    return !page.isLast;
  });
}

/** Returns the id after which events may have been committed while the job read; null if there can be none. */
function sweepOf({ id, since, until }: ReplayJobRow): Uuid | null {
  const settled = after(uuidTime(id), -COMMIT_MS);
  if (fromDate(until) <= settled) return null;
  return uuidFloor(fromDate(since) > settled ? fromDate(since) : settled);
}

function storedBackfill({ backfill }: ReplayJobRow): StoredBackfill {
  if (backfill === null) throw new Error("a replay was run as a backfill");
  return backfill as unknown as StoredBackfill;
}

interface Writing {
  readonly open: ReplayJobRow;
  readonly row: EndpointRow;
  readonly backfill: Backfill;
  readonly page: MissedPage;
}

async function writePage(deps: BackfillDeps, tx: Tx, { open, row, backfill, page }: Writing): Promise<boolean> {
  const held = await holdReplayJob(tx, open);
  if (held === undefined) return false;
  // Another node has made these deliveries.
  if (held.position !== open.position) return true;
  const count = await write(deps, tx, { row, backfill, page });
  await advanceReplayJob(tx, open, {
    count,
    position: page.examined?.last ?? open.position,
    finished: page.isLast ? toDate(deps.clock.now()) : null,
    sweepFrom: page.isLast ? sweepOf(open) : null,
  });
  tellOf(deps, tx, row, count);
  return !page.isLast;
}

function tellOf({ signals, wakeAll, lanes }: BackfillDeps, tx: Tx, row: EndpointRow, count: number): void {
  if (count === 0) return;
  const { tag, tenant } = row;
  tx.onCommit(() => {
    if (row.ordering_key !== null) lanes.place(orderedKeyOf(row));
    signals.deliveriesMade(Array.from({ length: count }, () => ({ tag, tenant })));
    wakeAll();
  });
}

async function write(
  { ids }: BackfillDeps,
  tx: Tx,
  { row, backfill, page: { events, examined } }: Omit<Writing, "open">,
): Promise<number> {
  if (examined === undefined || events.length === 0) return 0;
  // The next statement sees the deliveries that another job has written, so each event is sent once.
  await lockName(tx, endpointLock(row.tag, row.id));
  const deliveries = events.map(({ id, name, isUnjudged, lane }) => ({
    id: uuidAfter(ids, id, EVENT_SPREAD_MS) satisfies Uuid,
    eventId: id,
    eventName: name,
    isUnjudged,
    lane,
  }));
  return await insertMissed(tx, spanOf(row, examined.first, examined.last), deliveries, {
    missingOnly: backfill.missingOnly,
    isPulled: row.kind === "pull",
  });
}
