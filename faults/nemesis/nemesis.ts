import { setTimeout as sleep } from "node:timers/promises";
import { createClient } from "./api.ts";
import type { Client } from "./api.ts";
import { judge } from "./checker.ts";
import type { Verdict } from "./checker.ts";
import { doFaults } from "./faults.ts";
import type { History } from "./history.ts";
import { ACTS } from "./operations/operations.ts";
import { settle } from "./operations/settle.ts";
import { createKnown } from "./operations/known.ts";
import type { Known } from "./operations/known.ts";
import { endAll, readEnd } from "./quiet-end.ts";
import { createRandom } from "./random.ts";
import type { PlannedFault } from "./schedule.ts";
import { startWorld } from "./world.ts";
import type { World, WorldOptions } from "./world.ts";

export interface RunOptions extends WorldOptions {
  readonly seed: number;
  readonly minutes: number;
  /** The faults of the run: those of the schedule, or a part of them. */
  readonly faults: readonly PlannedFault[];
}

export interface RunResult {
  readonly verdict: Verdict;
  readonly history: History;
}

const CLIENTS = 5;
const THINK_MS = [20, 220] as const;
const LOOK_MS = 250;

/** Runs the clients and the faults of a seed, waits for a quiet end, and judges what happened. */
export async function runNemesis({ seed, minutes, faults, planted }: RunOptions): Promise<RunResult> {
  const world = await startWorld({ planted });
  const random = createRandom(seed);
  const known = createKnown();
  const clients = Array.from({ length: CLIENTS }, (_, at) =>
    createClient(world, at, random.fork(`client-${at}`), at % 2 === 1),
  );
  const [first] = clients;
  if (first === undefined) throw new Error("no client");
  await settle({ world, client: first, known });
  const watched = watch(world);
  let isOver = false;
  const working = clients.map(async (client) => await work({ world, known, client }, () => isOver));
  // The schedule's time begins when everything is ready.
  const fromMs = world.history.now();
  const moved = faults.map((fault) => ({ ...fault, startMs: fault.startMs + fromMs }));
  await Promise.all([doFaults(world, moved), sleep(minutes * 60_000)]);
  isOver = true;
  await endAll(world);
  await Promise.all(working);
  const ended = watched.stop();
  await freeAll({ world, known, client: first });
  world.history.add(await readEnd(world, known.endpoints, ended));
  return { verdict: judge(world.history.records, world.history.originMs), history: world.history };
}

interface Working {
  readonly world: World;
  readonly known: Known;
  readonly client: Client;
}

async function work(acting: Working, isOver: () => boolean): Promise<void> {
  const { random } = acting.client;
  while (!isOver()) {
    await random.weighted(ACTS).run(acting);
    await sleep(random.between(...THINK_MS));
  }
}

/** Notes nodes that end although no fault ends them. */
function watch({ nodes }: World): { stop(): string[] } {
  const ended: string[] = [];
  const timer = setInterval(() => {
    for (const [at, { node, mustRun }] of nodes.entries())
      if (mustRun && !node.isRunning() && ended.length === 0) ended.push(`node ${at} ended:\n${node.output()}`);
  }, LOOK_MS);
  return {
    stop: () => {
      clearInterval(timer);
      return ended;
    },
  };
}

/** Lets everything go on that waits for a decision: inactive endpoints, and lanes that a failed delivery blocks. */
async function freeAll({ known, client }: Working): Promise<void> {
  for (const { id, kind } of known.endpoints) {
    const path = `/v1/webhook-endpoints/${id}`;
    const change = { active: true } as const;
    await client.call({ op: "change", endpoint: id, change }, { method: "PATCH", path, body: change });
    if (kind === "pull") continue;
    const retried = { method: "POST", path: `${path}/lanes/retry`, body: { all: true }, once: true } as const;
    await client.call({ op: "lanes", endpoint: id }, retried);
  }
}
