import { setTimeout as sleep } from "node:timers/promises";
import { after, toDate } from "../kernel/kernel.ts";
import type { Uuid } from "../kernel/kernel.ts";
import type { DispatchDeps, DispatchedEvent } from "./dispatch.ts";
import { setStage } from "./dispatch.store.ts";
import type { StageRow } from "./dispatch.store.ts";

const MAX_ATTEMPTS = 6;
const FIRST_RETRY_MS = 5_000;

export type Stage = Pick<StageRow, "bucket" | "tag" | "event_id" | "priority" | "kind" | "key" | "attempts">;

export interface Driving {
  readonly deps: DispatchDeps;
  readonly leaseId: Uuid;
  /** Takes care of what goes on after its stage's time is up. */
  track(work: Promise<void>): void;
}

/** Runs an event's stages by priority: the next begins when the one before has ended, or its wait is over. */
export async function drive(driving: Driving, event: DispatchedEvent, stages: readonly Stage[]): Promise<void> {
  for (const group of groupsOf(stages)) await runGroup(driving, event, group);
}

async function runGroup(driving: Driving, event: DispatchedEvent, group: readonly Stage[]): Promise<void> {
  const { deps, leaseId, track } = driving;
  const begun = await begin(driving, group);
  const running = new Set(begun);
  // Started in order, so that stages of one priority begin the same way on every firing; they run side by side.
  const runs = begun.map(async (stage) => {
    await finish(driving, event, stage);
    running.delete(stage);
  });
  const ended = Promise.all(runs).then(() => true);
  if (await Promise.race([ended, sleep(deps.stageWaitMs, false, { ref: false })])) return;
  for (const run of runs) track(run);
  await Promise.all([...running].map((stage) => setStage(deps.db.query, stage, leaseId, { late: true })));
}

/** The stages that this lease still holds, marked as running. */
async function begin({ deps, leaseId }: Driving, group: readonly Stage[]): Promise<Stage[]> {
  const startedAt = toDate(deps.clock.now());
  const begun = await Promise.all(
    group.map(async (stage) => {
      const attempts = stage.attempts + 1;
      const isOurs = await setStage(deps.db.query, stage, leaseId, {
        state: "running",
        started_at: startedAt,
        attempts,
      });
      return isOurs ? { ...stage, attempts } : undefined;
    }),
  );
  return begun.filter((stage) => stage !== undefined);
}

async function finish({ deps, leaseId }: Driving, event: DispatchedEvent, stage: Stage): Promise<void> {
  const { db, clock, log } = deps;
  const [startedMs, begunMs] = [clock.now(), clock.monotonicMs()];
  const tell = (succeeded: boolean): void => {
    const { kind, key, attempts } = stage;
    const ms = clock.monotonicMs() - begunMs;
    deps.signals.stageEnded({ event, kind, key, number: attempts, startedMs, ms, succeeded });
  };
  try {
    await react(deps, event, stage);
    tell(true);
    await setStage(db.query, stage, leaseId, { state: "done", ended_at: toDate(clock.now()), error: null });
  } catch (error) {
    tell(false);
    log.warn({ err: error, kind: stage.kind, key: stage.key, event_id: event.id }, "a subscriber failed");
    await setStage(db.query, stage, leaseId, failure(deps, stage, error));
  }
}

/** The deliveries' stage lets them go; being a stage, it outlives the node that was about to. */
async function react({ subscribers, deliveries }: DispatchDeps, event: DispatchedEvent, stage: Stage): Promise<void> {
  if (stage.kind === "webhook") {
    await deliveries.release(event.scope, event.id);
    return;
  }
  const { kind, key, priority } = stage;
  const subscriber = subscribers.find((one) => one.kind === kind && (one.takes?.(key) ?? true));
  // Another node may have it: done without it would be lost.
  if (subscriber === undefined) throw new Error(`no ${kind} ${key} here`);
  await subscriber.react(event, key, priority);
}

/** The failed stage has ended as far as its successors care; its retries go on in the background. */
function failure({ clock }: DispatchDeps, { kind, attempts }: Stage, error: unknown): Partial<StageRow> {
  const now = clock.now();
  const message = error instanceof Error ? error.message : String(error);
  return {
    // A subscriber is given up in the end; deliveries are never left behind.
    state: attempts >= MAX_ATTEMPTS && kind !== "webhook" ? "failed" : "waiting",
    ended_at: toDate(now),
    error: message.slice(0, 500),
    due_at: toDate(after(now, FIRST_RETRY_MS * 4 ** (Math.min(attempts, MAX_ATTEMPTS) - 1))),
    // Whoever polls next may take it: a retry belongs to no node.
    lease_id: null,
  };
}

function groupsOf(stages: readonly Stage[]): Stage[][] {
  const groups = Map.groupBy(stages, (stage) => stage.priority);
  return [...groups.entries()].toSorted(([a], [b]) => a - b).map(([, group]) => group);
}
