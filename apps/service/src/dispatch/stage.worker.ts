import { setTimeout as sleep } from "node:timers/promises";
import { createLoop, toDate } from "../kernel/kernel.ts";
import type { Uuid } from "../kernel/kernel.ts";
import type { SubscriberRef } from "../events/events.ts";
import type { DispatchDeps, DispatchedEvent } from "./dispatch.ts";
import { claimStages, dueStageBuckets, giveBackStages, renewStages, setStage } from "./dispatch.store.ts";
import type { StageRow } from "./dispatch.store.ts";
import { drive } from "./drive.ts";
import type { Stage } from "./drive.ts";

export const LEASE_SECONDS = 60;
const RENEW_MS = 20_000;
const POLL_MS = 5_000;
/** How long a stopping node waits for its stages at most; what has not ended by then is another's. */
const STOP_MS = 10_000;

export interface StageRunner {
  /** Under this the node's stages are leased. */
  readonly leaseId: Uuid;
  /** Runs the stages of an event that this node has just committed. Returns at once. */
  run(event: DispatchedEvent, refs: readonly SubscriberRef[]): void;
  start(): void;
  stop(): Promise<void>;
}

export function createStageRunner(deps: DispatchDeps): StageRunner {
  const leaseId = deps.ids.uuid();
  const active = new Set<Promise<void>>();
  let renewedMs = deps.clock.monotonicMs();

  function track(work: Promise<void>): void {
    const tracked = work
      .catch((error: unknown) =>
        deps.log.error({ err: error }, "a dispatch stage could not be recorded; another node takes it over"),
      )
      .finally(() => active.delete(tracked));
    active.add(tracked);
  }

  async function takeOver(): Promise<void> {
    for (const bucket of await dueStageBuckets(deps.db)) {
      const claimed = await claimStages(deps.db, bucket, leaseId, LEASE_SECONDS);
      const byEvent = Map.groupBy(claimed, (stage) => stage.event_id);
      for (const [eventId, stages] of byEvent) {
        const [first] = stages;
        const event = first === undefined ? undefined : await deps.readEvent(first, eventId);
        track(event === undefined ? end(stages) : drive({ deps, leaseId, track }, event, stages));
      }
    }
  }

  /** Ends the stages of an event that retention has deleted: there is nothing left to react to. */
  async function end(stages: readonly StageRow[]): Promise<void> {
    const ended = { state: "failed", ended_at: toDate(deps.clock.now()), error: "The event has been deleted." };
    for (const stage of stages) await setStage(deps.db.query, stage, leaseId, ended);
  }

  const loop = createLoop({
    async round() {
      await takeOver();
      if (active.size > 0 && deps.clock.monotonicMs() - renewedMs > RENEW_MS) {
        await renewStages(deps.db, leaseId, LEASE_SECONDS);
        renewedMs = deps.clock.monotonicMs();
      }
      return POLL_MS;
    },
    failed(error) {
      deps.log.warn({ err: error }, "dispatch could not reach the database; it tries again");
      return POLL_MS;
    },
  });

  return {
    leaseId,
    run: (event, refs) => {
      const { bucket, tag } = event.scope;
      const stages = refs.map(({ priority, kind, key }): Stage => ({
        bucket,
        tag,
        event_id: event.id,
        priority,
        kind,
        key,
        attempts: 0,
      }));
      track(drive({ deps, leaseId, track }, event, stages));
    },
    start: loop.start,
    stop: async () => {
      await loop.stop();
      await allSettled(active, Math.min(deps.stageWaitMs, STOP_MS));
      if (active.size > 0) await giveBackStages(deps.db, leaseId);
    },
  };
}

async function allSettled(work: Iterable<Promise<void>>, limitMs: number): Promise<void> {
  await Promise.race([Promise.allSettled(work), sleep(limitMs, undefined, { ref: false })]);
}
