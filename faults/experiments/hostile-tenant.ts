import { fork } from "node:child_process";
import { readFile } from "node:fs/promises";
import { once } from "node:events";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { watchMemory } from "../../bench/meter.ts";
import { ATTACKS } from "../attacks.ts";
import type { Experiment } from "../experiment.ts";
import { startLoad } from "../load.ts";
import { tracked } from "../running.ts";
import { call, EVENT, assess, startWithCluster } from "../scene.ts";
import type { Scene } from "../scene.ts";

const ATTACKERS = new URL("../attackers.ts", import.meta.url);
const HEAP_MIB = 768;
const MOST_MIB = 1024;
const MOST_P99_MS = 200;

export const hostileTenant: Experiment = {
  name: "hostile-tenant",
  done: "One workspace, its senders and strangers send all that is dear at once: conditions, schemas, unsigned bodies, documents, megabytes for 90 endpoints that hang, endless scripts, workflows that multiply, 200 waits, streams, guesses, registrations",
  promised:
    "Of the calls of a quiet workspace, 99 in 100 take less than 200 ms, and none fails; its events arrive; the process lives, with a heap of 768 MiB and within 1 GiB of memory",
  async run({ full }) {
    const { scene } = await startWithCluster({
      nodes: 1,
      env: { JUNCTION_RATE_LIMITS: "{}", NODE_OPTIONS: `--max-old-space-size=${HEAP_MIB}` },
    });
    const [node] = scene.nodes;
    if (node === undefined) throw new Error("no node");
    const quiet = await quietWorkspace(scene, node.port);
    const attackers = await startAttackers(node.port, scene.key);
    const memory = watchMemory(node.pid());
    const load = startLoad({ port: () => node.port, key: quiet, event: EVENT, clients: 1, thinkMs: 200 });
    await load.more(30);
    attackers.begin();
    const times = await timesOf(node.port, quiet, full ? 60_000 : 20_000);
    const failures = await attackers.end();
    const fired = await load.stop();
    const { peak } = memory.stop();
    const p99 = times.toSorted((one, other) => one - other)[Math.ceil(times.length * 0.99) - 1] ?? 0;
    const broken = [
      ...(p99 > MOST_P99_MS ? [`the quiet workspace waited ${p99.toFixed(0)} ms at p99`] : []),
      ...(peak > MOST_MIB ? [`memory rose to ${peak.toFixed(0)} MiB`] : []),
      ...(Object.keys(fired.failed).length > 0 ? [`requests of others failed: ${JSON.stringify(fired.failed)}`] : []),
      ...failures,
    ];
    const what = `${ATTACKS.length} attacks; p99 of the quiet workspace ${p99.toFixed(0)} ms, longest ${Math.max(...times).toFixed(0)} ms; memory at most ${peak.toFixed(0)} MiB`;
    return await assess(scene, fired, { what, broken });
  },
};

/** Creates a workspace whose endpoint answers. Returns its owner's key. */
async function quietWorkspace(scene: Scene, port: number): Promise<string> {
  const { api_key: owner } = JSON.parse(await readFile(join(scene.folder, "bootstrap.json"), "utf8"));
  const { api_key: key } = await call<{ api_key: string }>(port, owner, "/v1/workspaces", { name: "Quiet" });
  await call(port, key, "/v1/webhook-endpoints", {
    url: `http://127.0.0.1:${scene.recorder.port}/slow`,
    events: [EVENT],
  });
  return key;
}

/** The attacks, in a process of their own (`attackers.ts`). */
interface Attackers {
  begin(): void;
  /** Returns what was broken, after the last round. */
  end(): Promise<readonly string[]>;
}

/** Resolves when the attacks are prepared. */
async function startAttackers(port: number, key: string): Promise<Attackers> {
  const child = fork(ATTACKERS, [String(port), key], { detached: true });
  const stop = tracked(async () => await Promise.resolve(void child.kill("SIGKILL")));
  await once(child, "message");
  return {
    begin: () => void child.send("begin"),
    async end() {
      child.send("end");
      const [broken] = await once(child, "message");
      await stop();
      return broken as readonly string[];
    },
  };
}

/** Returns the durations of calls of the quiet workspace in milliseconds, one after the other. */
async function timesOf(port: number, key: string, forMs: number): Promise<readonly number[]> {
  const worker = new Worker(new URL("../quiet.ts", import.meta.url), { workerData: { port, key, forMs } });
  const [times] = await once(worker, "message");
  return times as readonly number[];
}
