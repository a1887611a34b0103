import { setTimeout as sleep } from "node:timers/promises";
import { CITUS, NO_CITUS, startDistributed, workspaceOn } from "../citus.ts";
import type { Distributed, Machine } from "../citus.ts";
import { until } from "../cluster.ts";
import type { Experiment, Finding, Outcome } from "../experiment.ts";
import type { Fired, Load } from "../load.ts";
import { EVENT, assess, call, startScene } from "../scene.ts";
import type { Scene } from "../scene.ts";

/** Two workspaces on different workers, each with clients that fire and an endpoint on the path of its name. */
interface Stage {
  readonly database: Distributed;
  readonly scene: Scene;
  readonly first: Load;
  readonly second: Load;
}

const PATHS = ["first", "second"] as const;
const CLIENTS = 6;
const FEW = 100;

export const citusWorker: Experiment = {
  name: "citus-worker-killed",
  done: "One of two Citus workers is stopped without a checkpoint under load, and started again after a time",
  promised:
    "Events of the workspaces on it are rejected with 503 and `retryable`, those of the other worker are accepted all the time; no accepted event is lost",
  run: onCitus(async ({ database, first, second }, { full }) => {
    const worker = workerOf(database);
    await worker.server.stopAtOnce();
    const before = second.accepted();
    await sleep(full ? 60_000 : 8000);
    const acceptedThen = second.accepted() - before;
    await worker.server.start();
    await first.more(FEW);
    return {
      what: `one worker was down for ${full ? 60 : 8} s; the other accepted ${acceptedThen} events in that time`,
      broken: acceptedThen === 0 ? ["the other worker's workspace accepted nothing"] : [],
    };
  }),
};

export const citusCoordinator: Experiment = {
  name: "citus-coordinator-killed",
  done: "The Citus coordinator is stopped without a checkpoint under load, and started again",
  promised:
    "Events are rejected with 503 and `retryable` until it is back; both nodes resume; no accepted event is lost",
  run: onCitus(async ({ database, first, second }, { full }) => {
    await database.coordinator.server.stopAtOnce();
    await sleep(full ? 60_000 : 8000);
    await database.coordinator.server.start();
    await Promise.all([first.more(FEW), second.more(FEW)]);
    return { what: `the coordinator was down for ${full ? 60 : 8} s`, broken: [] };
  }),
};

export const citusRebalance: Experiment = {
  name: "citus-rebalanced",
  done: "A third Citus worker is added and the shards are rebalanced under load (`citus_rebalance_start`)",
  promised:
    "The new worker has shards; an event is refused at most for a short time, with 503 and `retryable`; no accepted event is lost",
  run: onCitus(async ({ database, first, second }) => {
    const third = await database.grow();
    await database.query("select citus_rebalance_start()");
    await until(
      "the rebalance to end",
      async () => (await shardsOn(database, third)) > 0 && (await isDone(database)),
      240_000,
    );
    await Promise.all([first.more(FEW), second.more(FEW)]);
    return { what: `${await shardsOn(database, third)} shards of \`event\` moved to the third worker`, broken: [] };
  }),
};

export const citusNetwork: Experiment = {
  name: "citus-network-split",
  done: "For a time, the network to one of two Citus workers drops every packet: connections do not close, and nothing responds",
  promised:
    "Events of the workspaces on it are rejected within a minute, those of the other worker are accepted all the time; no accepted event is lost",
  run: onCitus(async ({ database, first, second }, { full }) => {
    const worker = workerOf(database);
    worker.proxy?.hold();
    const before = second.accepted();
    await sleep(full ? 90_000 : 30_000);
    const acceptedThen = second.accepted() - before;
    worker.proxy?.restore();
    await first.more(FEW);
    return {
      what: `the network was split for ${full ? 90 : 30} s; the other worker accepted ${acceptedThen} events in that time`,
      broken: acceptedThen === 0 ? ["the other worker's workspace accepted nothing"] : [],
    };
  }),
};

type Fault = (stage: Stage, faults: { readonly full: boolean }) => Promise<Pick<Outcome, "what" | "broken">>;

/** Runs a fault under the load of both workspaces, and compares what was accepted with what arrived, for each. */
function onCitus(fault: Fault): Experiment["run"] {
  return async (faults): Promise<Finding> => {
    if (CITUS === undefined) return { skipped: NO_CITUS };
    const database = await startDistributed();
    const scene = await startScene({ nodes: 2, databaseUrl: database.url });
    const [first, second] = await Promise.all(
      PATHS.map(async (path, at) => await loadOf(scene, database, { path, machine: database.workers[at] })),
    );
    if (first === undefined || second === undefined) throw new Error("a load did not start");
    await Promise.all([first.more(FEW), second.more(FEW)]);
    const { what, broken } = await fault({ database, scene, first, second }, faults);
    const fired = await Promise.all([first.stop(), second.stop()]);
    const outcomes = await Promise.all(
      PATHS.map(async (path, at) => await assess(scene, fired[at] as Fired, { what, path })),
    );
    return merged(what, broken, outcomes);
  };
}

/** Returns the worker that has the first workspace. */
function workerOf({ workers: [worker] }: Distributed): Machine {
  if (worker === undefined) throw new Error("there is no worker");
  return worker;
}

async function loadOf(
  scene: Scene,
  database: Distributed,
  { path, machine }: { readonly path: string; readonly machine: Machine | undefined },
): Promise<Load> {
  if (machine === undefined) throw new Error("there is no such worker");
  const key = await workspaceOn(database, machine);
  await call(scene.nodes[0]?.port ?? 0, key, "/v1/webhook-endpoints", {
    url: `http://127.0.0.1:${scene.recorder.port}/${path}`,
    events: [EVENT],
    max_in_flight: 64,
  });
  return scene.load({ key, clients: CLIENTS });
}

async function shardsOn(database: Distributed, { port }: Machine): Promise<number> {
  const rows = await database.query<{ n: number }>(
    `select count(*)::int as n from pg_dist_shard s join pg_dist_placement p using (shardid) join pg_dist_node n on n.groupid = p.groupid
      where s.logicalrelid = 'event'::regclass and n.nodeport = $1`,
    [port],
  );
  return rows[0]?.n ?? 0;
}

async function isDone(database: Distributed): Promise<boolean> {
  const rows = await database.query<{ state: string }>("select state::text from citus_rebalance_status()");
  return rows.every(({ state }) => state === "finished");
}

function merged(what: string, broken: readonly string[], outcomes: readonly Outcome[]): Outcome {
  const sum = (of: (outcome: Outcome) => number): number => outcomes.reduce((total, one) => total + of(one), 0);
  return {
    what,
    accepted: sum((one) => one.accepted),
    delivered: sum((one) => one.delivered),
    lost: sum((one) => one.lost),
    duplicates: sum((one) => one.duplicates),
    longestStallS: Math.max(...outcomes.map((one) => one.longestStallS)),
    broken: [...broken, ...outcomes.flatMap((one) => one.broken)],
  };
}
