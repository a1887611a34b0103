import { setTimeout as sleep } from "node:timers/promises";
import { createLoop } from "../../lib/lib.ts";
import type { Tag, Uuid } from "../../lib/lib.ts";
import type { Event, PlannedEvent, SubscriberRef } from "../event/event.ts";
import { changeStages, claimStages, dueStageBuckets, giveBackStages, renewStages } from "./dispatch.store.ts";
import type { StageRow } from "./dispatch.store.ts";
import { drive } from "./run-stages.ts";
import type { Journey } from "./run-stages.ts";
import { failure } from "./failure.ts";
import type { Stage } from "./failure.ts";
import { createLoad, MAX_EVENTS } from "./load.ts";
import type { Load } from "./load.ts";
import { createReactors } from "./reactors.ts";
import type { DispatchDeps } from "./subscriber.ts";

export const LEASE_SECONDS = 60;
/** A lease that has less than this left is renewed. */
const RENEW_SECONDS = 40;
const RENEW_MS = 10_000;
const POLL_MS = 5_000;
/** The longest time that a stopping node waits for its stages. Another node takes over the rest. */
const STOP_MS = 10_000;
/** The number of events in one claim. */
const CLAIM = 100;

export type StageRunner = ReturnType<typeof createStageRunner>;

/** Runs the stages of the events that this node has accepted, and takes over those of stopped nodes. */
export function createStageRunner(deps: DispatchDeps) {
  const leaseId = deps.ids.uuid();
  const lease = { id: leaseId, seconds: LEASE_SECONDS };
  const runStage = createReactors(deps, leaseId);
  // Contains the events that this node works on. Their leases are renewed until the work ends.
  const active = new Map<Promise<void>, Pick<Event, "scope" | "id">>();
  const load = createLoad();
  let renewedMs = deps.clock.monotonicMs();
  /** True if more stages were due than there was room for. */
  let starved = false;

  function track(event: Pick<Event, "scope" | "id">, work: Promise<void>): void {
    const tracked = work
      .catch((error: unknown) =>
        deps.log.error({ err: error }, "failed to record a dispatch stage; another node will take it over"),
      )
      .finally(() => active.delete(tracked));
    active.set(tracked, event);
  }

  function go(journey: Journey): void {
    const { event } = journey;
    load.add(event);
    const running = drive({ deps, leaseId, runStage, track: (work) => track(event, work) }, journey);
    track(
      event,
      running.finally(() => {
        load.remove(event);
        if (starved && load.events < MAX_EVENTS / 2) loop.wake();
      }),
    );
  }

  const loop = createLoop({
    async round() {
      starved = await takeOver({ deps, lease, load, go });
      if (active.size > 0 && deps.clock.monotonicMs() - renewedMs > RENEW_MS) {
        await renewStages(deps.db, lease, RENEW_SECONDS, [...new Set(active.values())]);
        renewedMs = deps.clock.monotonicMs();
      }
      return starved && load.room() > 0 ? 0 : POLL_MS;
    },
    failed(error) {
      deps.log.warn({ err: error }, "dispatch failed to reach the database; retrying");
      return POLL_MS;
    },
  });

  return {
    /** The id under which the node's stages are leased. */
    leaseId,
    /** Decides which events this node can react to now. The first node that has room claims the others. */
    admission: load.admission,
    /** Runs the stages of an event that this node has just committed. Returns at once. */
    run: ({ event, stages, deliveries }: PlannedEvent): void =>
      go({ event, stages: stages.map((ref) => stageOf(event, ref)), deliveries }),
    /** Reports that stages are due that belong to no node. */
    wake: loop.wake,
    start: loop.start,
    async stop(): Promise<void> {
      await loop.stop();
      await allSettled(active.keys(), Math.min(deps.stageWaitMs, STOP_MS));
      if (active.size > 0) await giveBackStages(deps.db, leaseId);
    },
  };
}

interface TakingOver {
  readonly deps: DispatchDeps;
  readonly lease: { readonly id: Uuid; readonly seconds: number };
  readonly load: Load;
  go(journey: Journey): void;
}

/** Claims due stages and runs them. Returns true if more were due than there was room for. */
async function takeOver(taking: TakingOver): Promise<boolean> {
  const { db } = taking.deps;
  let isMore = false;
  for (const bucket of await dueStageBuckets(db))
    isMore = (await db.at(bucket, async () => await takeOverBucket(taking, bucket))) || isMore;
  return isMore;
}

async function takeOverBucket({ deps, lease, load, go }: TakingOver, bucket: number): Promise<boolean> {
  const room = Math.min(CLAIM, load.room());
  const claimed = room <= 0 ? [] : await claimStages(deps.db, bucket, lease, room);
  const byEvent = Map.groupBy(claimed, (stage) => stage.event_id);
  const events = await deps.readEvents(bucket, placesOf(byEvent));
  for (const [eventId, stages] of byEvent) {
    const event = events.get(eventId);
    if (event === undefined) await giveUp(deps, lease.id, stages);
    else go({ event, stages, deliveries: undefined });
  }
  return byEvent.size >= room;
}

/** Ends the stages of an event that retention has deleted: there is nothing left to react to. */
async function giveUp({ db, clock }: DispatchDeps, leaseId: Uuid, stages: readonly StageRow[]): Promise<void> {
  const now = clock.now();
  const of = { error: "The event has been deleted.", startedAt: now, now };
  const ended = stages.map((stage) => ({ ...failure(stage, of), state: "failed" as const, retryAt: null }));
  await changeStages(db, leaseId, ended);
}

function placesOf(byEvent: ReadonlyMap<Uuid, readonly StageRow[]>): { tag: Tag; id: Uuid }[] {
  return [...byEvent].flatMap(([id, [first]]) => (first === undefined ? [] : [{ tag: first.tag, id }]));
}

function stageOf({ scope, id }: Event, { priority, kind, key }: SubscriberRef): Stage {
  const { bucket, tag } = scope;
  return { bucket, tag, event_id: id, priority, kind, key, attempts: 0 };
}

async function allSettled(work: Iterable<Promise<void>>, limitMs: number): Promise<void> {
  await Promise.race([Promise.allSettled(work), sleep(limitMs, undefined, { ref: false })]);
}
