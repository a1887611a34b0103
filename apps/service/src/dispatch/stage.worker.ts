import { setTimeout as sleep } from "node:timers/promises";
import type { Uuid } from "../kernel/kernel.ts";
import { after, toDate } from "../kernel/kernel.ts";
import type { SubscriberRef } from "../events/events.ts";
import type { DispatchDeps, DispatchedEvent } from "./dispatch.ts";
import { claimStages, dueStageBuckets, renewStages, setStage } from "./dispatch.store.ts";
import type { StageRow } from "./dispatch.store.ts";

export const LEASE_SECONDS = 60;
const RENEW_MS = 20_000;
const POLL_MS = 5_000;
const MAX_ATTEMPTS = 6;
const FIRST_RETRY_MS = 5_000;
/** Deliveries go out before the stages from here on. */
const RELEASE_BEFORE = 60;

type Stage = Pick<StageRow, "bucket" | "tag" | "event_id" | "priority" | "kind" | "key" | "attempts">;

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
  let stopping: AbortController | undefined;
  let loop: Promise<void> | undefined;

  function track(work: Promise<void>): void {
    const tracked = work
      .catch((error: unknown) => deps.log.error({ err: error }, "a dispatch stage could not be recorded; another node takes it over"))
      .finally(() => active.delete(tracked));
    active.add(tracked);
  }

  async function drive(event: DispatchedEvent, stages: readonly Stage[]): Promise<void> {
    const scope = event.scope;
    let released = false;
    for (const group of groupsOf(stages)) {
      if (!released && (group[0]?.priority ?? 0) >= RELEASE_BEFORE) {
        await deps.deliveries.release(scope, event.id);
        released = true;
      }
      const runs = group.map((stage) => attempt(event, stage));
      const ended = Promise.all(runs).then(() => true);
      const inTime = await Promise.race([ended, sleep(deps.stageWaitMs, false, { ref: false })]);
      if (!inTime) {
        await Promise.all(group.map((stage) => setStage(deps.db.query, stage, leaseId, { late: true })));
        for (const run of runs) track(run);
      }
    }
    if (!released) await deps.deliveries.release(scope, event.id);
  }

  async function attempt(event: DispatchedEvent, stage: Stage): Promise<void> {
    const subscriber = deps.subscribers.find((candidate) => candidate.kind === stage.kind);
    const startedAt = toDate(deps.clock.now());
    const attempts = stage.attempts + 1;
    if (!(await setStage(deps.db.query, stage, leaseId, { state: "running", started_at: startedAt, attempts }))) return;
    try {
      await subscriber?.react(event, stage.key);
      await setStage(deps.db.query, stage, leaseId, { state: "done", ended_at: toDate(deps.clock.now()), error: null });
    } catch (error) {
      deps.log.warn({ err: error, kind: stage.kind, key: stage.key, event_id: event.id }, "a subscriber failed");
      await setStage(deps.db.query, stage, leaseId, failure(attempts, error));
    }
  }

  /** The failed stage has ended as far as its successors care; its retries go on in the background. */
  function failure(attempts: number, error: unknown): Partial<StageRow> {
    const now = deps.clock.now();
    const message = error instanceof Error ? error.message : String(error);
    const given = attempts >= MAX_ATTEMPTS;
    return {
      state: given ? "failed" : "waiting",
      ended_at: toDate(now),
      error: message.slice(0, 500),
      due_at: toDate(after(now, FIRST_RETRY_MS * 4 ** (attempts - 1))),
      // Whoever polls next may take it: a retry belongs to no node.
      lease_id: null,
    };
  }

  async function takeOver(): Promise<void> {
    for (const bucket of await dueStageBuckets(deps.db)) {
      const claimed = await claimStages(deps.db, bucket, leaseId, LEASE_SECONDS);
      const byEvent = Map.groupBy(claimed, (stage) => stage.event_id);
      for (const [eventId, stages] of byEvent) {
        const [first] = stages;
        const event = first === undefined ? undefined : await deps.readEvent(first, eventId);
        if (event !== undefined) track(drive(event, stages));
      }
    }
  }

  async function poll(signal: AbortSignal): Promise<void> {
    let renewedMs = deps.clock.monotonicMs();
    while (!signal.aborted) {
      try {
        await takeOver();
        if (active.size > 0 && deps.clock.monotonicMs() - renewedMs > RENEW_MS) {
          await renewStages(deps.db, leaseId, LEASE_SECONDS);
          renewedMs = deps.clock.monotonicMs();
        }
      } catch (error) {
        deps.log.warn({ err: error }, "dispatch could not reach the database; it tries again");
      }
      await sleep(POLL_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  return {
    leaseId,
    run: (event, refs) => {
      const { bucket, tag } = event.scope;
      const stages = refs.map((ref): Stage => ({ bucket, tag, event_id: event.id, priority: ref.priority, kind: ref.kind, key: ref.key, attempts: 0 }));
      track(drive(event, stages));
    },
    start: () => {
      stopping = new AbortController();
      loop = poll(stopping.signal);
    },
    stop: async () => {
      stopping?.abort();
      await loop;
      await Promise.allSettled(active);
    },
  };
}

function groupsOf(stages: readonly Stage[]): Stage[][] {
  const groups = Map.groupBy(stages, (stage) => stage.priority);
  return [...groups.entries()].toSorted(([a], [b]) => a - b).map(([, group]) => group);
}
