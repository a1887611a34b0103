import { markLate } from "./dispatch.store.ts";
import type { Stage } from "./failure.ts";
import type { RunStage } from "./reactors.ts";
import type { Uuid } from "../../lib/lib.ts";
import type { DispatchDeps, Releasable } from "./subscriber.ts";

export interface Driving {
  readonly deps: Pick<DispatchDeps, "db" | "stageWaitMs">;
  readonly leaseId: Uuid;
  readonly runStage: RunStage;
  /** Tracks work that continues after its stage's time has ended. */
  track(work: Promise<void>): void;
}

/** An event with the stages that must run. */
export interface Journey extends Releasable {
  readonly stages: readonly Stage[];
}

/** Runs an event's stages by priority. The next begins when the previous one has ended or its wait is over. */
export async function drive(driving: Driving, journey: Journey): Promise<void> {
  for (const group of groupsOf(journey.stages)) await runGroup(driving, journey, group);
}

async function runGroup(driving: Driving, { event, deliveries }: Journey, group: readonly Stage[]): Promise<void> {
  const { deps, leaseId, runStage, track } = driving;
  const running = new Set(group);
  // The stages start in order, so that those of one priority begin the same way on every firing. They run concurrently.
  const runs = group.map(async (stage) => {
    await runStage({ event, stage, deliveries });
    running.delete(stage);
  });
  // One that cannot be recorded does not end the wait: the leases of the others are renewed only while the event is worked on.
  if (await endsWithin(Promise.allSettled(runs), deps.stageWaitMs)) return void (await Promise.all(runs));
  for (const run of runs) track(run);
  await Promise.all([...running].map(async (stage) => await markLate(deps.db.query, stage, leaseId)));
}

async function endsWithin(work: Promise<unknown>, ms: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(resolve, ms, false);
  timer.unref();
  try {
    return await Promise.race([work.then(() => true), promise]);
  } finally {
    clearTimeout(timer);
  }
}

function groupsOf(stages: readonly Stage[]): (readonly Stage[])[] {
  const groups = Map.groupBy(stages, (stage) => stage.priority);
  return [...groups.entries()].toSorted(([a], [b]) => a - b).map(([, group]) => group);
}
