import { setImmediate as turnOfLoop } from "node:timers/promises";
import { asWork, createTaskSet, workGoesOn } from "../../lib/lib.ts";
import type { Tag, Uuid } from "../../lib/lib.ts";
import { afterCommit } from "./after-commit.ts";
import type { AfterCommitDeps } from "./after-commit.ts";
import { attempt } from "./attempt.ts";
import type { AttemptDeps, AttemptResult } from "./attempt.ts";
import { endAttemptOfCancelled } from "./deliveries.store.ts";
import { createEventTexts } from "./event-data.ts";
import type { EventTexts } from "./event-data.ts";
import { createQueue } from "./queue.ts";
import type { AttemptEnd } from "./patience.ts";
import type { LeasedDelivery, Promised, Queue, QueueLimits } from "./queue.ts";
import { postpone, releaseLeases } from "./queue.store.ts";
import { createRecorder } from "./record.ts";
import type { RecorderDeps } from "./record.ts";
import type { Targets } from "../endpoints/targets.ts";
import { createPreparation } from "./prepare.ts";
import type { PreparationDeps } from "./prepare.ts";

export const LEASE_SECONDS = 60;
/**
 * The least remaining time of a lease for which an attempt begins. An attempt takes 15 s at most, and must not outlive
 * its lease.
 */
const LEASE_MARGIN_MS = 25_000;
/** The time until a delivery is tried again whose script could not be run. It costs no attempt. */
const BUSY_MS = 2000;
/** The name of the work of attempts, regardless of the request or worker that led to them. */
const WORK = "deliveries";
const MAX_IN_FLIGHT = 1000;
const MAX_PER_WORKSPACE = 500;
/** Attempts whose receivers let them wait: of endpoints that hang, and of those that take more than a second. */
const MAX_PATIENT = 500;
const MAX_WAITING = 5000;
/** While slots are missing, attempts that have become slow are looked for after this time. */
const FULL_MS = 250;
/** Deliveries to endpoints that hang are claimed within this time of the end of the attempt before. */
export const HANGING_MS = 1000;
/** The bytes of large bodies that are in memory at a time. A workspace has half of them. */
const MAX_BYTES = 64 * 1024 * 1024;

const LIMITS: QueueLimits = {
  maxInFlight: MAX_IN_FLIGHT,
  maxPerWorkspace: MAX_PER_WORKSPACE,
  maxPatient: MAX_PATIENT,
  maxBytes: MAX_BYTES,
  maxBytesPerWorkspace: MAX_BYTES / 2,
  maxWaiting: MAX_WAITING,
};

export interface EngineDeps
  extends Omit<AttemptDeps, "preparation" | "texts" | "turn">, PreparationDeps, RecorderDeps, AfterCommitDeps {
  readonly targets: Targets;
  /** Called after the head of a lane has ended. */
  readonly laneEnded: (delivery: LeasedDelivery, lane: string) => void;
}

export interface Engine {
  readonly leaseId: Uuid;
  /** The texts of large events: those that were just accepted need not be read again. */
  readonly texts: EventTexts;
  /**
   * Sends a delivery as soon as its endpoint has a slot. If this process still holds it for the same attempt, because the lease of before
   * expired while the process was suspended, it is sent again only after that attempt ended without a result.
   */
  push(delivery: LeasedDelivery, maxInFlight: number): void;
  /** Returns how many more deliveries of an endpoint this process may hold. */
  room(tag: Tag, endpointId: Uuid, maxInFlight: number, promised?: Promised): number;
  /** Returns how many more deliveries of a workspace this process may hold. */
  roomOf(tag: Tag): number;
  /** Returns the number of deliveries of an endpoint that this process holds. */
  held(endpointId: Uuid): number;
  /** Returns true if the last attempt of this process at the endpoint timed out: then one at a time is made. */
  hangs(endpointId: Uuid): boolean;
  /** Returns how many more endpoints that hang may have a delivery that waits here. */
  hangingRoom(): number;
  /** Reports that deliveries to an endpoint that hangs are due. */
  hangingDue(): void;
  leaseEndMs(): number;
  /** Sets the function that is called whenever a slot becomes free. */
  onDrain(listener: () => void): void;
  /** Sets the function that is called whenever a retry was written, with the milliseconds until it is due. */
  onRetry(listener: (waitMs: number) => void): void;
  stats(): { waiting: number; inFlight: number; proxyFailingMs: number };
  /** Stops sending, waits for running attempts, and gives the other deliveries back. */
  stop(): Promise<void>;
}

export function createEngine(deps: EngineDeps): Engine {
  const queue = createQueue(LIMITS, deps.clock);
  const leaseId = deps.ids.uuid();
  const held = createHeld();
  const recorder = createRecorder(deps, leaseId);
  const texts = createEventTexts(deps.db);
  const attemptDeps = { ...deps, texts, turn: createLoopTurns(), preparation: createPreparation(deps, leaseId) };
  const sending = createTaskSet((error) =>
    deps.log.error({ err: error }, "delivery processing failed; lease will expire"),
  );
  const outage = createOutage(deps);
  const pump = createPump(queue, begin);
  let drained: () => void = () => undefined;
  let retried: (waitMs: number) => void = () => undefined;

  function begin(delivery: LeasedDelivery): void {
    const sent = asWork(WORK, () => deps.db.at(delivery.bucket, async () => await send(delivery)));
    sending.add(sent.finally(() => held.remove(delivery)));
  }

  function push(delivery: LeasedDelivery, maxInFlight: number): void {
    if (!held.add(delivery, () => push(delivery, maxInFlight))) return;
    queue.push(delivery, Math.abs(maxInFlight));
    setImmediate(pump.run);
  }

  async function send(delivery: LeasedDelivery): Promise<void> {
    const result = await attemptInSlot(delivery);
    if (result !== undefined) {
      if (await recorder.record(result)) return await afterRecord(deps, result, retried);
      // Another node has the delivery, it was cancelled, or an earlier attempt to write the result succeeded without a
      // response. The claimer finds out which.
      await endAttemptOfCancelled(deps.db.query, delivery, delivery.deliveryId);
      retried(0);
    }
    held.endWithoutResult(delivery);
  }

  /** Makes the attempt. Undefined if the delivery is left to the claimer; then nothing is recorded. */
  async function attemptInSlot(delivery: LeasedDelivery): Promise<AttemptResult | undefined> {
    let end: AttemptEnd;
    try {
      // The lease may expire during the attempt, so the attempt is left to the node that claims the delivery next.
      if (delivery.leasedUntilMs - deps.clock.monotonicMs() < LEASE_MARGIN_MS) return undefined;
      const target = await deps.targets.load(delivery);
      const result = target?.active === false ? "inactive" : await attempt(attemptDeps, delivery, target);
      end = endOf(result);
      if (typeof result !== "string") return outage.passed(result);
      held.remove(delivery);
      retried(await giveBack({ db: deps.db, leaseId, outage }, delivery, result));
      return undefined;
    } finally {
      const left = queue.release(delivery, end);
      if (left.length > 0) sending.add(giveUp({ db: deps.db, leaseId, held }, left).then(() => retried(HANGING_MS)));
      pump.run();
      drained();
    }
  }

  return {
    leaseId,
    texts,
    ...capacityOf(queue, pump.isStopped),
    hangingDue: () => retried(HANGING_MS),
    push,
    leaseEndMs: () => deps.clock.monotonicMs() + LEASE_SECONDS * 1000,
    onDrain: (listener) => {
      drained = listener;
    },
    onRetry: (listener) => {
      retried = listener;
    },
    stats: () => ({ waiting: queue.waiting, inFlight: queue.inFlight, proxyFailingMs: outage.failingMs() }),
    async stop() {
      pump.stop();
      await sending.settled();
      if (held.size > 0) await releaseLeases(deps.db, held.all(), leaseId);
    },
  };
}

/** Begins the attempts that have slots. */
function createPump(queue: Queue, begin: (delivery: LeasedDelivery) => void) {
  let stopped = false;
  let again: NodeJS.Timeout | undefined;

  function run(): void {
    clearTimeout(again);
    for (let next = stopped ? undefined : queue.take(); next !== undefined; next = queue.take()) begin(next);
    if (queue.isFull && !stopped) again = setTimeout(run, FULL_MS);
    if (queue.hanging > 0) setImmediate(runHanging);
  }

  /** Begins one attempt in each turn of the event loop: each opens a connection, and many of them may be claimed together. */
  function runHanging(): void {
    const next = stopped ? undefined : queue.takeHanging();
    if (next === undefined) return;
    begin(next);
    setImmediate(runHanging);
  }

  return {
    run,
    isStopped: (): boolean => stopped,
    stop(): void {
      stopped = true;
      clearTimeout(again);
    },
  };
}

/** Gives back what waits for a receiver that has begun to hang: it may not keep the places from other deliveries. */
async function giveUp(
  { db, leaseId, held }: Pick<GivingBack, "db" | "leaseId"> & { readonly held: Held },
  left: readonly LeasedDelivery[],
): Promise<void> {
  for (const delivery of left) held.remove(delivery);
  await releaseLeases(db, left, leaseId);
}

async function afterRecord(deps: EngineDeps, result: AttemptResult, retried: (waitMs: number) => void): Promise<void> {
  await afterCommit(deps, result, retried);
  const { delivery, transition } = result;
  // Afterwards, because a 410 disables the endpoint first.
  if (delivery.lane !== null && transition.state !== null) deps.laneEnded(delivery, delivery.lane.key);
}

function capacityOf(
  queue: Queue,
  isStopped: () => boolean,
): Pick<Engine, "room" | "roomOf" | "held" | "hangs" | "hangingRoom"> {
  return {
    room(tag, endpointId, maxInFlight, promised) {
      const hangs = queue.hangs(endpointId);
      if (isStopped() || (hangs && queue.hanging >= MAX_PATIENT)) return 0;
      const most = hangs ? 1 : lookahead(maxInFlight);
      return Math.max(0, Math.min(most - queue.held(endpointId), queue.room(tag, promised)));
    },
    roomOf: (tag) => (isStopped() ? 0 : queue.room(tag)),
    held: (endpointId) => queue.held(endpointId),
    hangs: queue.hangs,
    hangingRoom: () => MAX_PATIENT - queue.hanging,
  };
}

function endOf(result: AttemptResult | string | undefined): AttemptEnd {
  if (result === undefined || typeof result === "string" || result.made === null) return undefined;
  const { errorClass, cut, latency } = result.made.exchange;
  const isSilent = errorClass === "broker" && latency.total >= SILENT_MS;
  return errorClass === "timeout" || cut === "time" || isSilent ? "hung" : "ended";
}

/** A broker that let an attempt fail after this time did not answer. */
const SILENT_MS = 4000;
const LEAST_POSTPONED_MS = 2000;
const MOST_POSTPONED_MS = 60_000;

/** How long the egress proxy has failed, and how long deliveries wait therefore. */
type Outage = ReturnType<typeof createOutage>;

interface GivingBack {
  readonly db: EngineDeps["db"];
  readonly leaseId: Uuid;
  readonly outage: Outage;
}

/** Gives back a delivery that could not be attempted. Returns the milliseconds until it is due. */
async function giveBack(
  { db, leaseId, outage }: GivingBack,
  delivery: LeasedDelivery,
  reason: "inactive" | "busy" | "proxy",
): Promise<number> {
  if (reason === "proxy") {
    const waitMs = outage.waitMs();
    await postpone(db, delivery, { leaseId, waitMs });
    return waitMs;
  }
  // The endpoint may have been enabled again since it was read.
  const waitMs = reason === "busy" ? BUSY_MS : 0;
  await releaseLeases(db, [delivery], leaseId, waitMs);
  return waitMs;
}

function createOutage({ clock, log }: Pick<EngineDeps, "clock" | "log">) {
  let since: number | undefined;
  let told = -Infinity;
  return {
    /** Records a failure. Returns the wait of its delivery. */
    waitMs(): number {
      const now = clock.monotonicMs();
      since ??= now;
      if (now - told > MOST_POSTPONED_MS) {
        told = now;
        log.warn({ for_ms: Math.round(now - since) }, "the egress proxy fails; deliveries are postponed");
      }
      return Math.min(Math.max((now - since) / 4, LEAST_POSTPONED_MS), MOST_POSTPONED_MS);
    },
    failingMs: (): number => (since === undefined ? 0 : clock.monotonicMs() - since),
    /** Ends with the next request that was sent. Returns the result. */
    passed(result: AttemptResult | undefined): AttemptResult | undefined {
      if (result?.made?.exchange.sent === true) since = undefined;
      return result;
    },
  };
}

/** Returns a function that resolves for one caller in each turn of the event loop, in the order of the calls. */
function createLoopTurns(): () => Promise<void> {
  let last = Promise.resolve();
  return async () => {
    last = last.then(async () => await turnOfLoop());
    await last;
    workGoesOn();
  };
}

/** The deliveries that this process has leased. */
interface Held {
  readonly size: number;
  /** Returns false if it is held for the same attempt already: `again` is called if that attempt ends without a result. */
  add(delivery: LeasedDelivery, again: () => void): boolean;
  remove(delivery: LeasedDelivery): void;
  endWithoutResult(delivery: LeasedDelivery): void;
  all(): LeasedDelivery[];
}

function createHeld(): Held {
  const held = new Map<Uuid, LeasedDelivery>();
  const claimedAgain = new WeakMap<LeasedDelivery, () => void>();
  // This process may already have claimed the next attempt, which stays.
  const remove = (delivery: LeasedDelivery): boolean =>
    held.get(delivery.deliveryId) === delivery && held.delete(delivery.deliveryId);
  return {
    get size() {
      return held.size;
    },
    add(delivery, again) {
      const before = held.get(delivery.deliveryId);
      if (before?.attemptCount === delivery.attemptCount) {
        claimedAgain.set(before, again);
        return false;
      }
      held.set(delivery.deliveryId, delivery);
      return true;
    },
    remove: (delivery) => void remove(delivery),
    endWithoutResult(delivery) {
      if (remove(delivery)) claimedAgain.get(delivery)?.();
    },
    all: () => [...held.values()],
  };
}

/** Returns the number of deliveries that keep an endpoint's slots full between claims. That of a broker is stored as a negative number. */
function lookahead(maxInFlight: number): number {
  return Math.max(64, 4 * Math.abs(maxInFlight));
}
