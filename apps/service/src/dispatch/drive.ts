import { setTimeout as sleep } from "node:timers/promises";
import { after, toDate } from "../kernel/kernel.ts";
import type { Uuid } from "../kernel/kernel.ts";
import type { DispatchDeps, DispatchedEvent } from "./dispatch.ts";
import { setStage } from "./dispatch.store.ts";
import type { StageRow } from "./dispatch.store.ts";

const MAX_ATTEMPTS = 6;
const FIRST_RETRY_MS = 5_000;
/** Deliveries go out before the stages from here on. */
const RELEASE_BEFORE = 60;

export type Stage = Pick<StageRow, "bucket" | "tag" | "event_id" | "priority" | "kind" | "key" | "attempts">;

export interface Driving {
  readonly deps: DispatchDeps;
  readonly leaseId: Uuid;
  /** Takes care of what goes on after its stage's time is up. */
  track(work: Promise<void>): void;
}

/** Runs an event's stages by priority: the next begins when the one before has ended, or its wait is over. */
export async function drive(driving: Driving, event: DispatchedEvent, stages: readonly Stage[]): Promise<void> {
  const { deliveries } = driving.deps;
  let released = false;
  for (const group of groupsOf(stages)) {
    if (!released && (group[0]?.priority ?? 0) >= RELEASE_BEFORE) {
      await deliveries.release(event.scope, event.id);
      released = true;
    }
    await runGroup(driving, event, group);
  }
  if (!released) await deliveries.release(event.scope, event.id);
}

async function runGroup(driving: Driving, event: DispatchedEvent, group: readonly Stage[]): Promise<void> {
  const { deps, leaseId, track } = driving;
  const running = new Set(group);
  const runs = group.map(async (stage) => {
    await attempt(driving, event, stage);
    running.delete(stage);
  });
  const ended = Promise.all(runs).then(() => true);
  if (await Promise.race([ended, sleep(deps.stageWaitMs, false, { ref: false })])) return;
  for (const run of runs) track(run);
  await Promise.all([...running].map((stage) => setStage(deps.db.query, stage, leaseId, { late: true })));
}

async function attempt({ deps, leaseId }: Driving, event: DispatchedEvent, stage: Stage): Promise<void> {
  const { db, clock, log, subscribers } = deps;
  const subscriber = subscribers.find((candidate) => candidate.kind === stage.kind);
  const attempts = stage.attempts + 1;
  const started = { state: "running", started_at: toDate(clock.now()), attempts };
  if (!(await setStage(db.query, stage, leaseId, started))) return;
  try {
    await subscriber?.react(event, stage.key);
    await setStage(db.query, stage, leaseId, { state: "done", ended_at: toDate(clock.now()), error: null });
  } catch (error) {
    log.warn({ err: error, kind: stage.kind, key: stage.key, event_id: event.id }, "a subscriber failed");
    await setStage(db.query, stage, leaseId, failure(deps, attempts, error));
  }
}

/** The failed stage has ended as far as its successors care; its retries go on in the background. */
function failure({ clock }: DispatchDeps, attempts: number, error: unknown): Partial<StageRow> {
  const now = clock.now();
  const message = error instanceof Error ? error.message : String(error);
  return {
    state: attempts >= MAX_ATTEMPTS ? "failed" : "waiting",
    ended_at: toDate(now),
    error: message.slice(0, 500),
    due_at: toDate(after(now, FIRST_RETRY_MS * 4 ** (attempts - 1))),
    // Whoever polls next may take it: a retry belongs to no node.
    lease_id: null,
  };
}

function groupsOf(stages: readonly Stage[]): Stage[][] {
  const groups = Map.groupBy(stages, (stage) => stage.priority);
  return [...groups.entries()].toSorted(([a], [b]) => a - b).map(([, group]) => group);
}
