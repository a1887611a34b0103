import { setImmediate as turnOfLoop } from "node:timers/promises";
import { createShardBatcher } from "../../platform/db/db.ts";
import { createTaskSet } from "../../lib/lib.ts";
import type { Uuid } from "../../lib/lib.ts";
import { afterCommit } from "../deliveries/after-commit.ts";
import type { AfterCommitDeps } from "../deliveries/after-commit.ts";
import { makeReady } from "../deliveries/attempt.ts";
import type { MakingDeps } from "../deliveries/attempt.ts";
import { workOf } from "../deliveries/claimed-work.ts";
import { createEventTexts, LARGE_BYTES } from "../deliveries/event-data.ts";
import type { LeasedDelivery } from "../deliveries/queue.ts";
import { claimDue, releaseLeases } from "../deliveries/queue.store.ts";
import { createRecorder } from "../deliveries/record.ts";
import type { RecorderDeps } from "../deliveries/record.ts";
import type { Targets } from "../endpoints/targets.ts";
import { createPreparation } from "../deliveries/prepare.ts";
import type { PreparationDeps } from "../deliveries/prepare.ts";
import { adopt, markJudged, numberReady } from "./pull.store.ts";
import type { LogKey, Numbered } from "./pull.store.ts";
import type { NumberSoon } from "../deliveries/delivery-plans.ts";

/**
 * Gives offsets to the messages of pull endpoints, after the commit that made them and in the order of commits. Several nodes can do it
 * for one endpoint at the same time.
 */
export interface Numbering {
  /** Resolves when all messages that were ready have offsets. */
  number(key: LogKey): Promise<void>;
  numberSoon: NumberSoon;
  /** Does the same for deliveries that a claimer found: of a stopped node, of a node of the version before, and retried transformations. */
  numberDue(key: LogKey): void;
  /** Waits for running work. */
  stop(): Promise<void>;
}

export interface NumberingDeps
  extends Omit<MakingDeps, "preparation" | "texts" | "turn">, PreparationDeps, RecorderDeps, AfterCommitDeps {
  readonly targets: Targets;
  /** Called after messages of an endpoint got offsets. */
  readonly numbered: (key: LogKey, last: number) => void;
  /** Called after a delivery was put off, so that a claimer finds it when it is due. */
  readonly putOff: () => void;
}

/** A transaction with this many takes a few milliseconds, and the next one of the endpoint waits for it. */
const MOST_AT_ONCE = 500;
/** The maximum for one call, so that a pull does not wait for a whole backlog. Claimers number the rest. */
const MOST_ROUNDS = 20;
const MOST_PREPARED = 100;
const LEASE_SECONDS = 60;
/** The time until a script that could not be run is tried again. */
const BUSY_MS = 2000;

export function createNumbering(deps: NumberingDeps): Numbering {
  const { db } = deps;
  const leaseId = deps.ids.uuid();
  const making: NumberingParts = {
    ...deps,
    leaseId,
    recorder: createRecorder(deps, leaseId),
    texts: createEventTexts(db),
    turn: async () => await turnOfLoop(),
    preparation: createPreparation(deps, leaseId),
  };
  const preparing = new Map<Uuid, Promise<number>>();
  const due = new Set<Uuid>();
  const tasks = createTaskSet((error) =>
    deps.log.warn({ err: error }, "failed to number pulled messages; a poll retries it"),
  );
  const batcher = createShardBatcher<LogKey, Numbered>(db, {
    bucketOf: ({ bucket }) => bucket,
    maxSize: 200,
    concurrency: 4,
    run: async (keys) => await numberAll(deps, keys),
  });

  async function prepare(key: LogKey): Promise<number> {
    const running =
      preparing.get(key.endpointId) ?? prepareDue(making, key).finally(() => preparing.delete(key.endpointId));
    preparing.set(key.endpointId, running);
    return await running;
  }

  async function number(key: LogKey): Promise<void> {
    for (;;) {
      const { unprepared } = await batcher.add(key);
      if (!unprepared || (await prepare(key)) === 0) return;
    }
  }

  async function numberDue(key: LogKey): Promise<void> {
    await adopt(db, key);
    await number(key);
    if ((await prepare(key)) > 0) await number(key);
  }

  return {
    number,
    numberSoon: (key) => tasks.add(number(key)),
    numberDue(key) {
      if (due.has(key.endpointId)) return;
      due.add(key.endpointId);
      tasks.add(numberDue(key).finally(() => due.delete(key.endpointId)));
    },
    stop: async () => await tasks.settled(),
  };
}

/** Numbers the messages of each endpoint, until none is ready or many are numbered. */
async function numberAll(deps: NumberingDeps, keys: readonly LogKey[]): Promise<Numbered[]> {
  const results = new Map<Uuid, Numbered>();
  for (const key of keys) {
    if (results.has(key.endpointId)) continue;
    let total = 0;
    for (let rounds = 0; rounds < MOST_ROUNDS; rounds += 1) {
      const { numbered, unprepared, last } = await numberReady(deps.db, key, MOST_AT_ONCE);
      total += numbered;
      results.set(key.endpointId, { numbered: total, unprepared, last });
      if (numbered > 0) deps.numbered(key, last);
      if (numbered < MOST_AT_ONCE) break;
    }
  }
  return keys.map((key) => results.get(key.endpointId) ?? { numbered: 0, unprepared: false, last: 0 });
}

interface NumberingParts extends NumberingDeps, MakingDeps {
  readonly leaseId: Uuid;
  readonly recorder: ReturnType<typeof createRecorder>;
}

/** Runs the transformation of due deliveries. Returns the number of those that were claimed. */
async function prepareDue(making: NumberingParts, { bucket, tag, endpointId }: LogKey): Promise<number> {
  const { db, clock, leaseId } = making;
  const leasedUntilMs = clock.monotonicMs() + LEASE_SECONDS * 1000;
  const lease = { id: leaseId, seconds: LEASE_SECONDS, largeBytes: LARGE_BYTES };
  const rows = await claimDue(db, bucket, [{ tag, endpointId, limit: MOST_PREPARED }], lease);
  const works = rows.map((row) => workOf(row, leasedUntilMs));
  const [first] = works;
  if (first === undefined) return 0;
  const target = await making.targets.load(first);
  const ends = await Promise.allSettled(works.map(async (work) => await prepareOne(making, work, target)));
  const kinds = ends.map((end) => (end.status === "fulfilled" ? end.value : "failed"));
  const ofKind = (kind: string): LeasedDelivery[] => works.filter((_work, at) => kinds[at] === kind);
  await releaseLeases(db, ofKind("busy"), leaseId, BUSY_MS);
  if (kinds.includes("busy")) making.putOff();
  const judged = works.filter((work, at) => work.isUnjudged && kinds[at] === "ready");
  if (judged.length > 0) await markJudged(db, first, judged.map(({ deliveryId }) => deliveryId), leaseId); // prettier-ignore
  const failure = ends.find((end) => end.status === "rejected");
  if (failure?.status === "rejected") throw failure.reason;
  return kinds.filter((kind) => kind !== "busy").length;
}

type End = "ready" | "busy" | "ended";

async function prepareOne(
  making: NumberingParts,
  work: LeasedDelivery,
  target: Awaited<ReturnType<Targets["load"]>>,
): Promise<End> {
  if (target?.active === false) return "busy";
  const result = await makeReady(making, work, target);
  if (result === undefined) return "ended";
  if (typeof result === "string") return result;
  if (await making.recorder.record(result)) await afterCommit(making, result, making.putOff);
  return "ended";
}
