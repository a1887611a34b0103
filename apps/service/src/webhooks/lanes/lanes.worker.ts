import { setTimeout as sleep } from "node:timers/promises";
import { createTaskSet, ownContext } from "../../lib/lib.ts";
import type { IdMaker, Uuid } from "../../lib/lib.ts";
import type { Db } from "../../platform/db/db.ts";
import type { Log } from "../../platform/telemetry/telemetry.ts";
import { workOf } from "../deliveries/claimed-work.ts";
import { LEASE_SECONDS } from "../deliveries/engine.worker.ts";
import type { Engine } from "../deliveries/engine.worker.ts";
import { LARGE_BYTES } from "../deliveries/event-data.ts";
import type { EndpointNotice } from "../endpoints/endpoint-mail.ts";
import {
  advanceLanes,
  lostLanes,
  MOST_LANES,
  unblockedEndpoints,
  unnoticedEndpoints,
  unplacedEndpoints,
} from "./lanes.store.ts";
import type { Advancing, Stale } from "./lanes.store.ts";
import type { OrderedKey } from "../endpoints/ordered-endpoints.store.ts";
import type { Lanes } from "../endpoints/ordering.ts";

/** The lanes, as one process keeps them. */
export interface LanesWorker extends Lanes {
  start(): void;
  stop(): Promise<void>;
}

export interface LanesDeps {
  readonly db: Db;
  readonly ids: IdMaker;
  readonly log: Log;
  /** Null in a process that only accepts events. */
  readonly engine: Engine | null;
  readonly wakeAll: () => void;
  /** Tells people of lanes that have been blocked for an hour. */
  readonly blockedNotice: EndpointNotice;
}

/** The endpoints that are advanced at a time. Each needs a connection while it is. */
const AT_ONCE = 4;
const AGAIN_MS = 500;
const SWEEP_MS = 5000;
/** Each of these rounds looks for lanes that a killed node left, and each of the others for what is cheaper to find. */
const LOST_EVERY = 2;
const RARELY = 12;

interface Wish {
  readonly endpoint: OrderedKey;
  keys: Set<string>;
  /** True if the blocked lanes are looked at. */
  unblocked: boolean;
}

export function createLanes(deps: LanesDeps): LanesWorker {
  const { db, log } = deps;
  const outside = ownContext();
  const tasks = createTaskSet((error) => log.warn({ err: error }, "failed to advance lanes; a later round does it"));
  const stopping = new AbortController();
  /** The work that comes next, by endpoint: many commits share one statement. */
  const wishes = new Map<Uuid, Wish>();
  const busy = new Set<Uuid>();
  let isCalled = false;

  function wish({ bucket, tag, endpointId }: OrderedKey): Wish {
    const made = wishes.get(endpointId) ?? {
      endpoint: { bucket, tag, endpointId },
      keys: new Set(),
      unblocked: false,
    };
    wishes.set(endpointId, made);
    // After all that the caller does in this turn of the event loop.
    if (!isCalled) queueMicrotask(() => outside(pump));
    isCalled = true;
    return made;
  }

  /** Repeats what failed, such as work that waited too long for the lock of its endpoint: others need its place. */
  async function again({ endpoint, keys, unblocked }: Wish): Promise<void> {
    await sleep(AGAIN_MS, undefined, { signal: stopping.signal });
    const made = wish(endpoint);
    for (const key of keys) made.keys.add(key);
    made.unblocked ||= unblocked;
  }

  function pump(): void {
    isCalled = false;
    for (const [endpointId, next] of wishes) {
      if (busy.size >= AT_ONCE) return;
      if (busy.has(endpointId)) continue;
      wishes.delete(endpointId);
      busy.add(endpointId);
      tasks.add(run(next));
    }
  }

  async function run(next: Wish): Promise<void> {
    try {
      await db.at(next.endpoint.bucket, async () => await advance(deps, next, stopping.signal));
    } catch (error) {
      log.warn({ err: error }, "failed to advance lanes; retrying");
      tasks.add(again(next).catch(() => undefined));
    } finally {
      busy.delete(next.endpoint.endpointId);
      pump();
    }
  }

  function resume(stale: readonly Stale[], unblocked = false): void {
    for (const { bucket, tag, endpoint_id: endpointId, keys = [] } of stale) {
      const made = wish({ bucket, tag, endpointId });
      for (const key of keys) made.keys.add(key);
      made.unblocked ||= unblocked;
    }
  }

  return {
    place: (endpoint) => void wish(endpoint),
    ended: (endpoint, lane) => void wish(endpoint).keys.add(lane),
    unblocked: (endpoint) => {
      wish(endpoint).unblocked = true;
    },
    start: () => tasks.add(sweepAll(deps, resume, stopping.signal)),
    async stop() {
      stopping.abort();
      await tasks.settled();
    },
  };
}

type Resume = (stale: readonly Stale[], unblocked?: boolean) => void;

async function sweepAll(deps: LanesDeps, resume: Resume, stopping: AbortSignal): Promise<void> {
  for (let round = 0; !stopping.aborted; round += 1) {
    await sweep(deps, resume, round).catch((error: unknown) =>
      deps.log.warn({ err: error }, "failed to look for lanes; retrying"),
    );
    await sleep(SWEEP_MS, undefined, { signal: stopping }).catch(() => undefined);
  }
}

async function sweep({ db, blockedNotice }: LanesDeps, resume: Resume, round: number): Promise<void> {
  resume(await unplacedEndpoints(db));
  if (round % LOST_EVERY === 0) resume(await lostLanes(db));
  if (round % RARELY !== 0) return;
  resume(await unblockedEndpoints(db), true);
  for (const { bucket, tag, endpoint_id: id, workspace_id: workspaceId } of await unnoticedEndpoints(db))
    await db.at(bucket, async () => await blockedNotice({ bucket, tag, id, workspaceId }));
}

async function advance(deps: LanesDeps, { endpoint, keys, unblocked }: Wish, stopping: AbortSignal): Promise<void> {
  const all = [...keys];
  for (let from = 0; from === 0 || from < all.length; from += MOST_LANES)
    await repeat(deps, endpoint, all.slice(from, from + MOST_LANES), stopping);
  if (unblocked) await repeat(deps, endpoint, null, stopping);
}

async function repeat(
  deps: LanesDeps,
  endpoint: OrderedKey,
  keys: readonly string[] | null,
  stopping: AbortSignal,
): Promise<void> {
  for (let more = true; more;) {
    const holder = holderOf(deps, endpoint, stopping);
    const result = await advanceLanes(deps.db, endpoint, { keys, ...holder, largeBytes: LARGE_BYTES });
    for (const row of result.leased) deps.engine?.push(workOf(row, holder.leasedUntilMs), row.max_in_flight);
    if (result.due > 0) deps.wakeAll();
    more = result.more && !stopping.aborted;
  }
}

type Holder = Pick<Advancing, "lease" | "room" | "held"> & { readonly leasedUntilMs: number };

/** Returns what this process can lease. One that stops, or only accepts events, leaves what is next to others. */
function holderOf({ engine, ids }: LanesDeps, { tag, endpointId }: OrderedKey, stopping: AbortSignal): Holder {
  if (engine === null) return { lease: { id: ids.uuid(), seconds: LEASE_SECONDS }, room: 0, held: 0, leasedUntilMs: 0 };
  return {
    lease: { id: engine.leaseId, seconds: LEASE_SECONDS },
    room: stopping.aborted ? 0 : engine.roomOf(tag),
    held: engine.held(endpointId),
    leasedUntilMs: engine.leaseEndMs(),
  };
}
