import { setTimeout as sleep } from "node:timers/promises";
import type { Db } from "../../platform/db/db.ts";
import type { Clock, Tag } from "../../lib/lib.ts";
import type { Log } from "../../platform/telemetry/telemetry.ts";
import { HANGING_MS, LEASE_SECONDS } from "./engine.worker.ts";
import type { Engine } from "./engine.worker.ts";
import { isPulled } from "../endpoints/kind.ts";
import type { TargetKey } from "../endpoints/targets.ts";
import { workOf } from "./claimed-work.ts";
import { LARGE_BYTES } from "./event-data.ts";
import { claimDue, dueHeads, takeRateTokens } from "./queue.store.ts";
import type { ClaimRequest, NextDue } from "./queue.store.ts";

/** The longest sleep of an idle node that is not woken. */
const IDLE_MS = 20_000;
/** The shortest pause between rounds. */
const MIN_PAUSE_MS = 20;
const AFTER_ERROR_MS = 1000;
/**
 * The pause after due deliveries could not be claimed: a node that is claiming them or a transaction that may not
 * change them has locked them.
 */
const AFTER_MISS_MS = 100;
/** The pause between rounds for each endpoint that has deliveries: a round reads the first of each. */
const PAUSE_AN_ENDPOINT_MS = 0.1;
/** The node that made a pulled delivery numbers it within this time. */
const LATE_MS = 1000;

export interface ClaimerDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly engine: Engine;
  /** Gives offsets to due messages of a pull endpoint. */
  readonly numberDue: (endpoint: TargetKey) => void;
  readonly log: Log;
}

/**
 * Claims due deliveries that have no valid lease: retries, replays, overflow, and deliveries that stopped nodes left.
 */
export function createClaimer(deps: ClaimerDeps) {
  const { engine } = deps;
  let stopping: AbortController | undefined;
  let loop: Promise<void> | undefined;
  let woken = false;
  let starved = false;
  let drained = false;
  // Infinite during a round, because the round may miss a retry that is written in that time.
  let sleepsUntilMs = Infinity;
  let wakeUp: () => void = () => undefined;

  function wake(): void {
    woken = true;
    wakeUp();
  }

  async function pause(ms: number, leastMs: number, signal: AbortSignal): Promise<void> {
    await sleep(leastMs, undefined, { signal }).catch(() => undefined);
    if (woken || signal.aborted) return;
    sleepsUntilMs = deps.clock.monotonicMs() + ms;
    const waker = new AbortController();
    wakeUp = () => waker.abort();
    await sleep(Math.max(0, ms - leastMs), undefined, { signal: AbortSignal.any([signal, waker.signal]) }).catch(
      () => undefined,
    );
    wakeUp = () => undefined;
  }

  async function run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      let pauseMs = AFTER_ERROR_MS;
      let leastMs = MIN_PAUSE_MS;
      woken = false;
      drained = false;
      sleepsUntilMs = Infinity;
      try {
        ({ pauseMs, leastMs, starved } = await round(deps));
        woken ||= starved && drained;
      } catch (error) {
        deps.log.warn({ err: error }, "failed to claim deliveries; retrying");
      }
      await pause(pauseMs, leastMs, signal);
    }
  }

  return {
    /** Reports that something may be due now. */
    wake,
    start: (): void => {
      stopping = new AbortController();
      engine.onDrain(() => {
        drained = true;
        if (starved) wake();
      });
      engine.onRetry((waitMs) => {
        if (deps.clock.monotonicMs() + waitMs < sleepsUntilMs) wake();
      });
      loop = run(stopping.signal);
    },
    stop: async (): Promise<void> => {
      stopping?.abort();
      await loop;
    },
  };
}

interface Round {
  /** The milliseconds until there is something to do. */
  readonly pauseMs: number;
  /** The shortest pause, no matter how often the node is woken. */
  readonly leastMs: number;
  /** True if more is due than there was room for, so that a free slot is worth another round. */
  readonly starved: boolean;
}

async function round(deps: ClaimerDeps): Promise<Round> {
  const heads = await dueHeads(deps.db);
  const due = heads.filter((head) => head.due_in_ms <= 0);
  const dueInMs = heads.reduce(
    (least, head) => (head.due_in_ms > 0 ? Math.min(least, head.due_in_ms) : least),
    IDLE_MS,
  );
  const { sent, late, lateInMs } = partition(due);
  const [hanging, others] = byHanging(deps.engine, sent);
  const nextMs = Math.min(dueInMs, lateInMs, hanging.length > 0 ? HANGING_MS : IDLE_MS);
  for (const head of late) deps.numberDue({ ...head, endpointId: head.endpoint_id });
  const open = others.filter((head) => hasRoom(deps.engine, head));
  const claimable = [
    ...open,
    ...hanging.filter((head) => hasRoom(deps.engine, head)).slice(0, deps.engine.hangingRoom()),
  ];
  let claimed = 0;
  let full = false;
  let missed = late.length > 0;
  for (const [bucket, inBucket] of Map.groupBy(claimable, (head) => head.bucket)) {
    const got = await deps.db.at(bucket, async () => await claimBucket(deps, bucket, inBucket));
    claimed += got.claimed;
    full ||= got.full;
    missed ||= got.missed;
  }
  // Endpoints that hang wait for the next round.
  const starved = full || open.length < others.length;
  const leastMs = Math.max(MIN_PAUSE_MS, heads.length * PAUSE_AN_ENDPOINT_MS);
  // A claimed head hides the time at which the next delivery of its endpoint is due.
  const pauseMs = claimed > 0 ? leastMs : Math.max(leastMs, missed ? Math.min(AFTER_MISS_MS, nextMs) : nextMs);
  return { starved, pauseMs, leastMs };
}

/** Divides due endpoints. Those that hang are in order of their due times, because there may be room for only some of them. */
function byHanging(engine: Engine, sent: readonly NextDue[]): [hanging: NextDue[], others: NextDue[]] {
  const { true: hanging = [], false: others = [] } = Object.groupBy(
    sent,
    (head) => `${engine.hangs(head.endpoint_id)}`,
  );
  return [hanging.toSorted((a, b) => a.due_in_ms - b.due_in_ms), others];
}

function hasRoom(engine: Engine, head: NextDue): boolean {
  return engine.room(head.tag, head.endpoint_id, head.max_in_flight) > 0;
}

/** Divides due endpoints. Pulled deliveries are left to the node that made them for a while. */
function partition(due: readonly NextDue[]): { sent: readonly NextDue[]; late: NextDue[]; lateInMs: number } {
  const pulled = due.filter((head) => head.exists && isPulled({ maxInFlight: head.max_in_flight }));
  if (pulled.length === 0) return { sent: due, late: [], lateInMs: IDLE_MS };
  const late = pulled.filter((head) => head.due_in_ms < -LATE_MS);
  const waits = pulled.map((head) => head.due_in_ms + LATE_MS + 1).filter((ms) => ms > 0);
  const isPulledHead = new Set(pulled);
  const lateInMs = waits.reduce((least, ms) => Math.min(least, ms), IDLE_MS);
  return { sent: due.filter((head) => !isPulledHead.has(head)), late, lateInMs };
}

interface Claimed {
  readonly claimed: number;
  /** True if an endpoint got all that was requested for it, so that more may be due. */
  readonly full: boolean;
  /** True if an endpoint got none of its due deliveries. */
  readonly missed: boolean;
}

async function wishesOf({ db, engine }: ClaimerDeps, heads: readonly NextDue[]): Promise<ClaimRequest[]> {
  const wishes: ClaimRequest[] = [];
  const promised = { all: 0, of: new Map<Tag, number>() };
  for (const head of heads) {
    const room = engine.room(head.tag, head.endpoint_id, head.max_in_flight, promised);
    const limit = head.rate_limit_per_second === null || !head.exists ? room : await takeRateTokens(db, head, room);
    if (limit > 0) wishes.push({ tag: head.tag, endpointId: head.endpoint_id, limit, from: head.due_from });
    promised.all += limit;
    promised.of.set(head.tag, (promised.of.get(head.tag) ?? 0) + limit);
  }
  return wishes;
}

async function claimBucket(deps: ClaimerDeps, bucket: number, heads: readonly NextDue[]): Promise<Claimed> {
  const { engine } = deps;
  const wishes = await wishesOf(deps, heads);
  if (wishes.length === 0) return { claimed: 0, full: false, missed: false };
  const leasedUntilMs = engine.leaseEndMs();
  const rows = await claimDue(deps.db, bucket, wishes, {
    id: engine.leaseId,
    seconds: LEASE_SECONDS,
    largeBytes: LARGE_BYTES,
  });
  const limits = new Map(heads.map((head) => [head.endpoint_id, head.max_in_flight]));
  const counts = new Map<string, number>();
  for (const row of rows) {
    counts.set(row.endpoint_id, (counts.get(row.endpoint_id) ?? 0) + 1);
    engine.push(workOf(row, leasedUntilMs), limits.get(row.endpoint_id) ?? 1);
  }
  const full = wishes.some(
    ({ endpointId, limit }) => (counts.get(endpointId) ?? 0) >= limit && !engine.hangs(endpointId),
  );
  const missed = wishes.some((wish) => !counts.has(wish.endpointId));
  return { claimed: rows.length, full, missed };
}
