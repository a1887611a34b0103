import { randomBytes, randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { secretPlace } from "../../apps/service/src/webhooks/endpoints/targets.ts";
import { createSealer, newSigningSecret } from "../../apps/service/src/lib/lib.ts";
import type { Uuid } from "../../apps/service/src/lib/lib.ts";
import { watchMemory } from "../../bench/meter.ts";
import type { Cluster } from "../cluster.ts";
import type { Experiment } from "../experiment.ts";
import { startLoad } from "../load.ts";
import { call, EVENT, assess, startWithCluster } from "../scene.ts";
import type { Scene } from "../scene.ts";

const ENDPOINTS = 2000;
const CALLERS = 4;
const HEAP_MIB = 768;
const WORST_MS = 1000;
const FLOOD = "faults.flood";

/** The number of batches that each caller sends, one after the other, and the events in each batch. */
interface Flood {
  readonly what: string;
  readonly callers: number;
  readonly calls: number;
  readonly events: number;
  readonly status: number;
}

export const fanOut: Experiment = {
  name: "fan-out",
  done: "Calls of one workspace with 2,000 endpoints send 500 events (a million deliveries) or 10 events (20,000), one at a time and four at once, to a node with a heap of 768 MiB",
  promised:
    "A million deliveries are rejected (422), and 20,000 are accepted; memory stays below 768 MiB; each event that another workspace fires at the same time is accepted within a second",
  async run({ full }) {
    const masterKey = randomBytes(32);
    const env = {
      NODE_OPTIONS: `--max-old-space-size=${HEAP_MIB}`,
      JUNCTION_RETRY_LADDER: "1m,5m,30m,2h,12h",
      JUNCTION_MASTER_KEY: masterKey.toString("base64"),
    };
    const { scene, cluster } = await startWithCluster({ nodes: 1, env });
    const [node] = scene.nodes;
    if (node === undefined) throw new Error("no node");
    const neighbour = await neighbourOf(scene, node.port);
    await makeEndpoints(scene, cluster, masterKey);
    const memory = watchMemory(node.pid());
    const load = startLoad({ port: () => node.port, key: neighbour, event: EVENT, clients: 2 });
    const worst: string[] = [];
    const broken: string[] = [];
    for (const flood of floodsOf(full ? 3 : 1)) {
      await load.more(50);
      const { worstMs, statuses } = await beside(flood, { port: node.port, key: scene.key, neighbour });
      worst.push(`${flood.what} ${worstMs.toFixed(0)} ms`);
      if (worstMs > WORST_MS)
        broken.push(`beside ${flood.what} an event of another workspace took ${worstMs.toFixed(0)} ms`);
      const others = statuses.filter((status) => status !== flood.status);
      if (others.length > 0) broken.push(`${flood.what} were answered ${others.join(", ")} instead of ${flood.status}`);
    }
    const fired = await load.stop();
    const { peak } = memory.stop();
    if (peak > HEAP_MIB) broken.push(`memory rose to ${peak.toFixed(0)} MiB`);
    if (Object.keys(fired.failed).length > 0) broken.push(`requests of others failed: ${JSON.stringify(fired.failed)}`);
    const what = `longest fire of the other workspace beside ${worst.join(", ")}; memory at most ${peak.toFixed(0)} MiB`;
    return await assess(scene, fired, { what, broken });
  },
};

function floodsOf(times: number): readonly Flood[] {
  const refused = { events: 500, status: 422 };
  const served = { events: 10, status: 202 };
  return [
    { what: "refused calls", callers: 1, calls: 3 * times, ...refused },
    { what: `refused calls of ${CALLERS} at once`, callers: CALLERS, calls: 3 * times, ...refused },
    { what: "served calls", callers: 1, calls: 2 * times, ...served },
    { what: `served calls of ${CALLERS} at once`, callers: CALLERS, calls: 2 * times, ...served },
  ];
}

/** Creates a second workspace whose endpoint answers. Returns its owner's key. */
async function neighbourOf(scene: Scene, port: number): Promise<string> {
  const { api_key: owner } = JSON.parse(await readFile(join(scene.folder, "bootstrap.json"), "utf8"));
  const { api_key: key } = await call<{ api_key: string }>(port, owner, "/v1/workspaces", { name: "Neighbour" });
  await call(port, key, "/v1/webhook-endpoints", {
    url: `http://127.0.0.1:${scene.recorder.port}/slow`,
    events: [EVENT],
  });
  return key;
}

/** Inserts endpoints as the API would create them, which would take minutes. */
async function makeEndpoints({ recorder }: Scene, cluster: Cluster, masterKey: Buffer): Promise<void> {
  const sealer = createSealer(masterKey);
  const ids = Array.from({ length: ENDPOINTS }, () => randomUUID() as Uuid);
  await cluster.query(
    `insert into endpoint (bucket, tag, id, workspace_id, url, events, secret_sealed)
     select w.bucket, w.tag, n.id, w.id, $1, array[$2], n.sealed
     from (select * from workspace order by id limit 1) w, unnest($3::uuid[], $4::bytea[]) as n (id, sealed)`,
    [
      `http://127.0.0.1:${recorder.port}/flood`,
      FLOOD,
      ids,
      ids.map((id) => sealer.seal(newSigningSecret(), secretPlace(id))),
    ],
  );
}

/** Returns the duration of the neighbor's longest call during the flood, and the statuses that the flooding callers got. */
async function beside(
  { callers, calls, events }: Flood,
  { port, key, neighbour }: { readonly port: number; readonly key: string; readonly neighbour: string },
): Promise<{ worstMs: number; statuses: number[] }> {
  const body = { events: Array.from({ length: events }, (_, n) => ({ event: FLOOD, data: { n } })) };
  const statuses: number[] = [];
  const caller = async (): Promise<void> => {
    for (let n = 0; n < calls; n += 1) statuses.push(await statusOf(port, key, "/v1/events/batch", body));
  };
  let isOver = false;
  const flood = Promise.all(Array.from({ length: callers }, caller)).finally(() => {
    isOver = true;
  });
  let worstMs = 0;
  while (!isOver) {
    const begunMs = performance.now();
    const status = await statusOf(port, neighbour, "/v1/events/fire", { event: "faults.calm", data: {} });
    if (status !== 202) throw new Error(`the neighbour was answered ${status}`);
    worstMs = Math.max(worstMs, performance.now() - begunMs);
    await sleep(10);
  }
  await flood;
  return { worstMs, statuses };
}

async function statusOf(port: number, key: string, path: string, body: object): Promise<number> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  await answer.arrayBuffer();
  return answer.status;
}
