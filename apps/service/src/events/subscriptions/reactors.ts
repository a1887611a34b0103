import { once, toDate } from "../../lib/lib.ts";
import type { Batcher, Instant, Uuid } from "../../lib/lib.ts";
import { createShardBatcher } from "../../platform/db/db.ts";
import type { CommitPart } from "../../platform/db/db.ts";
import { changePart, changeStages } from "./dispatch.store.ts";
import type { StageChange } from "./dispatch.store.ts";
import { failure } from "./failure.ts";
import type { Stage } from "./failure.ts";
import type { Event } from "../event/event.ts";
import type { DispatchDeps, Ended, Later, Reacted, Releasable, Subscriber } from "./subscriber.ts";

/** The maximum number of events whose reactions of one kind share a transaction. */
const MAX_REACTIONS = 200;
const MAX_CHANGES = 500;
/** The number of concurrent batches of one kind, which have different workspaces. */
const LANES = 2;

/** A stage of an event that is ready to run. */
export interface StageWork extends Releasable {
  readonly stage: Stage;
}

/** Runs one stage, and resolves once its result is written. */
export type RunStage = (work: StageWork) => Promise<void>;

interface Running {
  readonly deps: DispatchDeps;
  readonly leaseId: Uuid;
  readonly changes: Batcher<StageChange, boolean>;
}

/**
 * Creates the function that runs stages. Stages of many events share their statements: work that is due while a batch
 * is written goes into the next one.
 */
export function createReactors(deps: DispatchDeps, leaseId: Uuid): RunStage {
  const changes = createShardBatcher<StageChange, boolean>(deps.db, {
    bucketOf: ({ stage }) => stage.bucket,
    maxSize: MAX_CHANGES,
    run: async (all) => await changeStages(deps.db, leaseId, all),
  });
  const running = { deps, leaseId, changes };
  const release = together(running, async (works, ended) => {
    await deps.deliveries().release(works, ended([...works.keys()]));
    return works.map(() => undefined);
  });
  const reactors = once(() =>
    deps.subscribers().map((subscriber) => ({ subscriber, run: reactorOf(running, subscriber) })),
  );

  return async (work) => {
    const { kind, key } = work.stage;
    // The deliveries have a stage of their own, which another node can take over if this one stops before it releases
    // them.
    if (kind === "webhook") return await release(work);
    const found = reactors().find(({ subscriber }) => subscriber.kind === kind && (subscriber.takes?.(key) ?? true));
    return await (found?.run ?? alone(running, absent))(work);
  };
}

/** Fails the stage, because another node may have the subscriber. Recorded as done, the stage would be lost. */
async function absent(_event: Event, { kind, key }: Stage): Promise<void> {
  return await Promise.reject(new Error(`no ${kind} ${key} here`));
}

function reactorOf(running: Running, subscriber: Subscriber): RunStage {
  if ("reactAll" in subscriber)
    return together(
      running,
      async (works, ended) =>
        await subscriber.reactAll(
          works.map(({ event, stage: { key } }) => ({ event, key })),
          ended,
        ),
    );
  return alone(running, async (event, { key, priority }) => await subscriber.react(event, key, priority));
}

interface Waiting extends StageWork {
  readonly started: Started;
}

/** Runs a subscriber that handles many events at once, and writes the results of the stages in its transaction. */
function together(
  running: Running,
  reactAll: (works: readonly StageWork[], ended: Ended) => Promise<Reacted>,
): RunStage {
  const { deps, leaseId } = running;
  const batcher = createShardBatcher<Waiting, Later | undefined>(deps.db, {
    bucketOf: ({ event }) => event.scope.bucket,
    maxSize: MAX_REACTIONS,
    concurrency: LANES,
    shareOf: ({ event }) => event.scope.tag,
    favorsFew: true,
    exclusive: true,
    async run(works) {
      const ended = (positions: readonly number[]): CommitPart => {
        const done = positions.flatMap((at) => works[at] ?? []);
        return changePart(
          done.map(({ stage, started }) => doneChange(deps, stage, started.at)),
          { leaseId },
        );
      };
      return await reactAll(works, ended);
    },
  });
  return async (work) => {
    const started = begin(deps);
    let rest: Later | undefined;
    try {
      rest = await batcher.add({ ...work, started });
    } catch (error) {
      await recordFailure(running, work, { error, started });
      return;
    }
    if (rest === undefined) tell(deps, work, started, true);
    else await finish(running, work, { started, run: rest.later });
  };
}

/** Runs a subscriber that handles one event at a time. */
function alone(running: Running, react: (event: Event, stage: Stage) => Promise<void>): RunStage {
  return async (work) =>
    await finish(running, work, {
      started: begin(running.deps),
      run: async () => await react(work.event, work.stage),
    });
}

/** Records that the stage is running before it runs, because it may take long. */
async function finish(
  running: Running,
  work: StageWork,
  { started, run }: { readonly started: Started; readonly run: () => Promise<void> },
): Promise<void> {
  const { deps, changes } = running;
  const done = doneChange(deps, work.stage, started.at);
  if (!(await changes.add({ ...done, state: "running", endedAt: null }))) return;
  try {
    await run();
  } catch (error) {
    await recordFailure(running, work, { error, started });
    return;
  }
  tell(deps, work, started, true);
  await changes.add(doneChange(deps, work.stage, started.at));
}

interface Started {
  readonly at: Instant;
  readonly monotonicMs: number;
}

function begin({ clock }: DispatchDeps): Started {
  return { at: clock.now(), monotonicMs: clock.monotonicMs() };
}

function doneChange({ clock }: DispatchDeps, stage: Stage, startedAt: Instant): StageChange {
  return {
    stage,
    state: "done",
    attempts: stage.attempts + 1,
    startedAt: toDate(startedAt),
    endedAt: toDate(clock.now()),
    error: null,
    retryAt: null,
  };
}

async function recordFailure(
  { deps, changes }: Running,
  work: StageWork,
  { error, started }: { readonly error: unknown; readonly started: Started },
): Promise<void> {
  const { event, stage } = work;
  tell(deps, work, started, false);
  deps.log.warn({ err: error, kind: stage.kind, key: stage.key, event_id: event.id }, "a subscriber failed");
  await changes.add(failure(stage, { error, startedAt: started.at, now: deps.clock.now() }));
}

function tell(
  { clock, signals }: DispatchDeps,
  { event, stage }: StageWork,
  started: Started,
  succeeded: boolean,
): void {
  const { kind, key, attempts } = stage;
  const ms = clock.monotonicMs() - started.monotonicMs;
  signals.stageEnded({ event, kind, key, number: attempts + 1, startedMs: started.at, ms, succeeded });
}
