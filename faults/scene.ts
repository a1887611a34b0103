import { randomBytes } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { chmod, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../apps/service/src/testing/process.ts";
import { tracked } from "./running.ts";
import { createCluster, until } from "./cluster.ts";
import type { Cluster, ClusterOptions } from "./cluster.ts";
import type { Outcome } from "./experiment.ts";
import { startLoad } from "./load.ts";
import type { Fired, Load, LoadOptions } from "./load.ts";
import { createNode } from "./node.ts";
import type { Node } from "./node.ts";
import { startRecorder } from "./recorder.ts";
import type { Recorder } from "./recorder.ts";

/** Nodes of the service between clients and a receiver, on a database of their own. */
export interface Scene {
  readonly nodes: readonly Node[];
  readonly recorder: Recorder;
  readonly key: string;
  /** The folder of the nodes' files other than an external database. */
  readonly folder: string;
  /** Creates a further node on the same database and does not start it. */
  node(more?: Readonly<Record<string, string>>, main?: string): Promise<Node>;
  /** Creates an endpoint on the recorder's path for these events. */
  endpoint(path: string, events: readonly string[], more?: object): Promise<string>;
  /** Starts clients that fire at the nodes in turn. */
  load(more?: Partial<LoadOptions>): Load;
}

export interface SceneOptions {
  readonly nodes: number;
  /** Null stands for the embedded database of the single node. */
  readonly databaseUrl: string | null;
  readonly env?: Readonly<Record<string, string>>;
  /** A `main.ts` for these nodes, instead of this tree's. */
  readonly main?: string;
  /** The folder to create, instead of a temporary one. */
  readonly folder?: string;
}

export const EVENT = "faults.event";
/** Long enough to outlast the faults, short enough to wait for. */
const LADDER = "1s,2s,4s,8s,16s";
const LIMITS = { "events.fire": 10_000_000, "management.read": 1_000_000, "management.write": 1_000_000 };

export async function startScene({
  nodes: count,
  databaseUrl,
  env = {},
  folder: given,
  main: first,
}: SceneOptions): Promise<Scene> {
  const folder = given ?? (await mkdtemp(join(tmpdir(), "junction-faults-")));
  if (given !== undefined) await mkdir(given);
  // The embedded database runs under another uid and must be able to reach its data here.
  await chmod(folder, 0o711);
  const recorder = await startRecorder();
  const masterKey = randomBytes(32).toString("base64");
  let made = 0;
  const node = async (more: Readonly<Record<string, string>> = {}, main?: string): Promise<Node> => {
    const port = await freePort();
    made += 1;
    return createNode({
      port,
      ...(main === undefined ? {} : { main }),
      env: {
        JUNCTION_BASE_URL: `http://127.0.0.1:${port}`,
        JUNCTION_DATA_DIR: join(folder, databaseUrl === null ? "data" : `data-${made}`),
        JUNCTION_BOOTSTRAP: join(folder, "bootstrap.json"),
        JUNCTION_ALLOW_TARGETS: "127.0.0.0/8",
        JUNCTION_RATE_LIMITS: JSON.stringify(LIMITS),
        JUNCTION_RETRY_LADDER: LADDER,
        JUNCTION_LOG_LEVEL: "error",
        ...(databaseUrl === null ? {} : { DATABASE_URL: databaseUrl, JUNCTION_MASTER_KEY: masterKey }),
        ...env,
        ...more,
      },
    });
  };
  // `stopAll` ends nodes before everything else, so the folder is deleted after all nodes have ended.
  const nodes = await Promise.all(Array.from({ length: count }, async () => await node({}, first)));
  tracked(async () => {
    await Promise.all(nodes.map(async (one) => await one.stop()));
    await rm(folder, { recursive: true, force: true, maxRetries: 20 });
  });
  for (const one of nodes) await one.start();
  const port = nodes[0]?.port ?? 0;
  const key = await makeKey(port, folder);
  let turn = 0;
  const inTurn = (): number => nodes[(turn += 1) % nodes.length]?.port ?? 0;
  return {
    nodes,
    recorder,
    key,
    folder,
    node,
    endpoint: async (path, events, more = {}) => {
      const body = { url: `http://127.0.0.1:${recorder.port}/${path}`, events, max_in_flight: 64, ...more };
      return (await call<{ id: string }>(port, key, "/v1/webhook-endpoints", body)).id;
    },
    load: (more = {}) => startLoad({ port: inTurn, key, event: EVENT, ...more }),
  };
}

/** Starts a scene on a PostgreSQL 15 of its own. */
export async function startWithCluster(
  options: Omit<SceneOptions, "databaseUrl">,
  cluster: ClusterOptions = {},
): Promise<{ scene: Scene; cluster: Cluster }> {
  const own = await createCluster(cluster);
  return { cluster: own, scene: await startScene({ ...options, databaseUrl: own.url }) };
}

interface Judged {
  readonly what: string;
  /** Broken promises in addition to those that are always checked. */
  readonly broken?: readonly string[];
  /** The path at which the numbered events arrive. Default: `slow`. */
  readonly path?: string;
}

const ARRIVAL_LIMIT_MS = 150_000;

/** Waits until all accepted events have arrived, and compares. */
export async function assess(
  scene: Scene,
  fired: Fired,
  { what, broken = [], path = "slow" }: Judged,
): Promise<Outcome> {
  const arrivals = scene.recorder.arrivals(path);
  const missing = (): number[] => [...fired.accepted.keys()].filter((n) => !arrivals.has(n));
  await until(
    "what was accepted to arrive",
    async () => await Promise.resolve(missing().length === 0),
    ARRIVAL_LIMIT_MS,
  ).catch(() => undefined);
  const lost = missing();
  const twice = [...arrivals.values()].filter(({ events }) => events.size > 1).length;
  const strange = [...fired.accepted].filter(([n, id]) => arrivals.get(n)?.events.has(id) === false).length;
  const repeats = [...arrivals.values()].flatMap(({ deliveries }) =>
    [...deliveries.values()].map((times) => times - 1),
  );
  return {
    what,
    accepted: fired.accepted.size,
    delivered: fired.accepted.size - lost.length,
    lost: lost.length,
    duplicates: repeats.reduce((sum, more) => sum + more, 0),
    longestStallS: fired.longestStallS,
    broken: [
      ...(fired.accepted.size === 0 ? ["no event was accepted"] : []),
      ...(lost.length > 0 ? [`${lost.length} accepted events did not arrive, such as number ${lost[0]}`] : []),
      ...(twice > 0 ? [`${twice} events happened twice although their key was the same`] : []),
      ...(strange > 0 ? [`${strange} events arrived under another id than they were accepted with`] : []),
      ...fired.unclear.map((text) => `a refusal that says too little: ${text}`),
      ...broken,
    ],
  };
}

async function makeKey(port: number, folder: string): Promise<string> {
  const file = join(folder, "bootstrap.json");
  if (!existsSync(file)) throw new Error("the first node wrote no bootstrap file");
  const { api_key } = JSON.parse(readFileSync(file, "utf8")) as { api_key: string };
  const wanted = { name: "faults", permission_mode: "all", rate_limit_per_hour: 100_000_000 };
  return (await call<{ key: string }>(port, api_key, "/v1/keys", wanted)).key;
}

/** Sends a POST that must succeed. */
export async function call<Answer>(port: number, key: string, path: string, body: object): Promise<Answer> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`POST ${path} was answered ${answer.status}: ${await answer.text()}`);
  return (await answer.json()) as Answer;
}
