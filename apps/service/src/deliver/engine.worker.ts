import { setTimeout as sleep } from "node:timers/promises";
import type { Db } from "../platform/db/db.ts";
import { createBatcher, isPassing } from "../lib/lib.ts";
import type { Batcher, Clock, IdMaker, Uuid } from "../lib/lib.ts";
import type { Events } from "../events/events.ts";
import type { Net } from "../platform/outbound-http/outbound-http.ts";
import type { Log, Signals, TraceHeaders } from "../platform/telemetry/telemetry.ts";
import { disabledNews, hopeless } from "./aftermath.ts";
import { attemptSignal, cancelled, isSendable, makeAttempt } from "./attempt.ts";
import type { Made } from "./attempt.ts";
import { disableEndpoint } from "../webhooks/endpoints/endpoints.store.ts";
import type { Ladder } from "./ladder.ts";
import { createQueue } from "../webhooks/deliveries/queue.ts";
import type { Work } from "../webhooks/deliveries/queue.ts";
import { giveBack } from "../webhooks/deliveries/queue.store.ts";
import { recordResults } from "../webhooks/deliveries/result.store.ts";
import type { ResultRow } from "../webhooks/deliveries/result.store.ts";
import type { Target, Targets } from "../webhooks/endpoints/targets.ts";

export const LEASE_SECONDS = 60;
/** An attempt takes 15 s at most; one that could outlive its lease is not begun. */
const LEASE_MARGIN_MS = 25_000;
const MAX_IN_FLIGHT = 1000;
const MAX_PER_WORKSPACE = 500;
const MAX_WAITING = 5000;
/** Of event data in memory, in UTF-16 units; what comes beyond it waits in the database. */
const MAX_HELD_UNITS = 64 * 1024 * 1024;
const RESULT_RETRY_MS = 500;
/** Beyond the lease a result is worthless: another node has the delivery by then. */
const RESULT_PATIENCE_MS = 55_000;

/** How news of the service itself gets out. */
export type Announcer = Pick<Events, "announce" | "announced">;

export interface EngineDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly ids: IdMaker;
  readonly net: Net;
  readonly ladder: Ladder;
  readonly targets: Targets;
  readonly log: Log;
  readonly signals: Signals;
  readonly traces: TraceHeaders;
  readonly announcer: Announcer;
  /** Called after an awaited delivery has ended. */
  readonly outcomeWritten: () => void;
}

export interface Engine {
  readonly leaseId: Uuid;
  push(work: Work, maxInFlight: number): void;
  /** How many more deliveries of an endpoint this process may hold. */
  room(endpointId: Uuid, maxInFlight: number): number;
  /** True while this process has the delivery's next attempt, so many having been made, before it. */
  holds(deliveryId: Uuid, attemptCount: number): boolean;
  leaseEndMs(): number;
  /** Called whenever a slot became free. */
  onDrain(listener: () => void): void;
  /** Called whenever a retry was written that is due in so many milliseconds. */
  onRetry(listener: (waitMs: number) => void): void;
  stats(): { waiting: number; inFlight: number };
  /** Sends no more, lets attempts under way end, gives the rest back. */
  stop(): Promise<void>;
}

export function createEngine(deps: EngineDeps): Engine {
  const queue = createQueue({ maxInFlight: MAX_IN_FLIGHT, maxPerWorkspace: MAX_PER_WORKSPACE });
  const leaseId = deps.ids.uuid();
  const held = new Map<Uuid, Work>();
  let heldUnits = 0;
  const active = new Set<Promise<void>>();
  let stopped = false;
  let drained: () => void = () => undefined;
  let retried: (waitMs: number) => void = () => undefined;
  const results = createBatcher<ResultRow, boolean>({
    maxSize: 500,
    run: async (rows) => await record(deps, leaseId, rows),
  });

  function pump(): void {
    for (let work = stopped ? undefined : queue.take(); work !== undefined; work = queue.take()) {
      const taken = work;
      const running = send({ deps, leaseId, results, freed, letGo, retried: (waitMs) => retried(waitMs) }, taken)
        .catch((error: unknown) => deps.log.error({ err: error }, "a delivery was left to its lease"))
        .finally(() => {
          letGo(taken);
          active.delete(running);
        });
      active.add(running);
    }
  }

  /** Its next attempt may have been claimed already, by ourselves: that one stays. */
  function letGo(work: Work): void {
    if (held.get(work.deliveryId) !== work) return;
    held.delete(work.deliveryId);
    heldUnits -= unitsOf(work);
  }

  function freed(work: Work): void {
    queue.release(work);
    pump();
    drained();
  }

  return {
    leaseId,
    room: (endpointId, maxInFlight) => {
      const left = Math.min(lookahead(maxInFlight) - queue.held(endpointId), MAX_WAITING - queue.waiting);
      return stopped || heldUnits > MAX_HELD_UNITS ? 0 : Math.max(0, left);
    },
    push(work, maxInFlight) {
      heldUnits += unitsOf(work) - unitsOf(held.get(work.deliveryId));
      held.set(work.deliveryId, work);
      queue.push(work, maxInFlight);
      setImmediate(pump);
    },
    holds: (deliveryId, attemptCount) => held.get(deliveryId)?.attemptCount === attemptCount,
    leaseEndMs: () => deps.clock.monotonicMs() + LEASE_SECONDS * 1000,
    onDrain: (listener) => {
      drained = listener;
    },
    onRetry: (listener) => {
      retried = listener;
    },
    stats: () => ({ waiting: queue.waiting, inFlight: queue.inFlight }),
    async stop() {
      stopped = true;
      await Promise.allSettled(active);
      if (held.size > 0) await giveBack(deps.db, [...held.values()], leaseId);
    },
  };
}

function unitsOf(work: Work | undefined): number {
  return work?.data?.length ?? 0;
}

interface Sending {
  readonly deps: EngineDeps;
  readonly leaseId: Uuid;
  readonly results: Batcher<ResultRow, boolean>;
  /** The work's slot may be used again. */
  freed(work: Work): void;
  /** The work is not ours any more. */
  letGo(work: Work): void;
  /** It is to be tried again after this. */
  retried(waitMs: number): void;
}

/** One delivery from its slot to its log row. */
async function send(sending: Sending, work: Work): Promise<void> {
  const { deps, results } = sending;
  const sent = await sendInSlot(sending, work);
  if (sent === undefined) return;
  const { made, target } = sent;
  const row = made?.row ?? cancelled(deps, work, target);
  const wasOurs = await results.add(row);
  if (made?.row.state === null) sending.retried(made.row.waitMs);
  if (!wasOurs) return;
  tell(deps, made, target);
  if (row.news !== null) deps.announcer.announced();
  await settle(deps, work, made, target);
}

/** Whoever made the delivery may go on. */
function tell(deps: EngineDeps, made?: Made, target?: Target): void {
  if (target?.awaited === true && made?.row.state !== null) deps.outcomeWritten();
}

interface Sent {
  readonly target: Target | undefined;
  /** Undefined when there was nothing to send, or nowhere to send it. */
  readonly made: Made | undefined;
}

/** Undefined when the delivery is left to others: nothing is to be recorded then. */
async function sendInSlot({ deps, leaseId, freed, letGo, retried }: Sending, work: Work): Promise<Sent | undefined> {
  try {
    // Its lease may run out under the attempt: whoever claims it next makes it.
    if (work.leasedUntilMs - deps.clock.monotonicMs() < LEASE_MARGIN_MS) return undefined;
    const target = await deps.targets.load(work);
    if (target?.active === false) {
      letGo(work);
      await giveBack(deps.db, [work], leaseId);
      // It may have been switched on again meanwhile.
      retried(0);
      return undefined;
    }
    const made = target !== undefined && isSendable(work) ? await makeAttempt(deps, work, target) : undefined;
    return { target, made };
  } finally {
    freed(work);
  }
}

async function settle(deps: EngineDeps, work: Work, made?: Made, target?: Target): Promise<void> {
  const { signals } = deps;
  if (made === undefined || target === undefined) return signals.deliveryEnded(work.tag, "cancelled");
  signals.attemptMade(attemptSignal(work, made));
  if (made.row.state !== null) signals.deliveryEnded(work.tag, made.row.state);
  return made.verdict.kind === "delivered" ? undefined : await disableIfHopeless(deps, work, made, target);
}

/** The end of an endpoint that is gone, or that only fails. */
async function disableIfHopeless(deps: EngineDeps, work: Work, made: Made, target: Target): Promise<void> {
  // What is not the caller's own it could not switch on again.
  if (target.owned) return;
  const reason = hopeless(made.verdict, target.failingSince, deps.clock.now());
  if (reason === undefined) return;
  const place = { bucket: work.bucket, tag: work.tag, id: work.endpointId };
  await deps.db.transaction(async (tx) => {
    if (!(await disableEndpoint(tx, place, reason))) return;
    await deps.announcer.announce(tx, disabledNews(deps.ids, work, target, reason));
  });
}

/** Enough in memory to keep an endpoint's slots full between claims, no more. */
function lookahead(maxInFlight: number): number {
  return Math.max(64, 4 * maxInFlight);
}

/** Writes results until they are written: a database that is away for a moment must not turn a delivery into a second one. */
async function record(deps: EngineDeps, leaseId: Uuid, rows: readonly ResultRow[]): Promise<boolean[]> {
  const giveUpMs = deps.clock.monotonicMs() + RESULT_PATIENCE_MS;
  for (;;) {
    try {
      const lost = await recordResults(deps.db, leaseId, rows);
      return rows.map((row) => !lost.has(row.deliveryId));
    } catch (error) {
      if (!isPassing(error) || deps.clock.monotonicMs() > giveUpMs) throw error;
      deps.log.warn({ err: error, results: rows.length }, "delivery results could not be written; trying again");
      await sleep(RESULT_RETRY_MS);
    }
  }
}
