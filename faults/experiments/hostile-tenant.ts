import { readFile } from "node:fs/promises";
import { once } from "node:events";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { request } from "undici";
import { watchMemory } from "../../bench/meter.ts";
import { ATTACKS } from "../attacks.ts";
import type { Answered, Attack, Hostile } from "../attacks.ts";
import type { Experiment } from "../experiment.ts";
import { startLoad } from "../load.ts";
import { tracked } from "../running.ts";
import { call, EVENT, assess, startWithCluster } from "../scene.ts";
import type { Scene } from "../scene.ts";

const HEAP_MIB = 768;
const MOST_MIB = 1024;
const MOST_P99_MS = 200;
const PAUSE_MS = 200;
const LIMIT_MS = 120_000;

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
    const hostile = hostileOf(node.port, scene.key, await hangingServer());
    for (const attack of ATTACKS) await attack.prepare(hostile);
    const memory = watchMemory(node.pid());
    const load = startLoad({ port: () => node.port, key: quiet, event: EVENT, clients: 1, thinkMs: 200 });
    await load.more(10);
    const attacking = attackAll(hostile);
    const times = await timesOf(node.port, quiet, full ? 60_000 : 15_000);
    const failures = await attacking.end();
    const fired = await load.stop();
    const { peak } = memory.stop();
    const p99 = times.toSorted((one, other) => one - other)[Math.floor(times.length * 0.99)] ?? 0;
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

/** Starts a server that accepts connections, reads little and never answers. Returns its URL. */
async function hangingServer(): Promise<string> {
  const sockets = new Set<{ destroy(): unknown }>();
  const server = createServer({ highWaterMark: 1024 }, (socket) => {
    sockets.add(socket.pause().on("error", () => undefined));
    socket.once("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  tracked(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await Promise.resolve();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hang`;
}

function hostileOf(port: number, key: string, hangingUrl: string): Hostile {
  const raw: Hostile["raw"] = async (method, path, headers, body): Promise<Answered> => {
    const answer = await request(`http://127.0.0.1:${port}${path}`, {
      method: method as "GET",
      headers,
      ...(body === undefined ? {} : { body }),
      headersTimeout: LIMIT_MS,
      bodyTimeout: LIMIT_MS,
    });
    return { status: answer.statusCode, text: await answer.body.text() };
  };
  return {
    hangingUrl,
    raw,
    call: async (method, path, body) =>
      await raw(
        method,
        path,
        { authorization: `Bearer ${key}`, ...(body === undefined ? {} : { "content-type": "application/json" }) },
        body === undefined ? undefined : typeof body === "string" ? body : JSON.stringify(body),
      ),
  };
}

/** Repeats all attacks at once. `end` returns what was broken: an attack that got a fault of the service, or no answer. */
function attackAll(hostile: Hostile): { end(): Promise<string[]> } {
  const broken = new Set<string>();
  let isOver = false;
  const repeat = async ({ name, strike }: Attack): Promise<void> => {
    while (!isOver) {
      const statuses = await strike(hostile).catch((error: unknown) => {
        broken.add(`${name} got no answer: ${String(error)}`);
        return [];
      });
      // A refusal that asks to try again is an answer; a fault of the service is none.
      for (const status of statuses) if (status === 500) broken.add(`${name} was answered 500`);
      if (statuses.length > 0 && statuses.every((status) => status === 404 || status === 422))
        broken.add(`${name} reached nothing`);
      await sleep(PAUSE_MS);
    }
  };
  const running = Promise.all(ATTACKS.map(repeat));
  return {
    async end() {
      isOver = true;
      await running;
      return [...broken];
    },
  };
}

/** Returns the durations of calls of the quiet workspace in milliseconds, one after the other. */
async function timesOf(port: number, key: string, forMs: number): Promise<readonly number[]> {
  const worker = new Worker(new URL("../quiet.ts", import.meta.url), { workerData: { port, key, forMs } });
  const [times] = await once(worker, "message");
  return times as readonly number[];
}
