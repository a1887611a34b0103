import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createCluster } from "../cluster.ts";
import type { Cluster } from "../cluster.ts";
import type { Node } from "../node.ts";
import { startProxy } from "../proxy.ts";
import type { Proxy } from "../proxy.ts";
import { tracked } from "../running.ts";
import { startScene } from "../scene.ts";
import { createHistory } from "./history.ts";
import type { History } from "./history.ts";
import { startReceiver } from "./receivers.ts";
import type { NemesisReceiver } from "./receivers.ts";

/** Two nodes, each with a way of its own to one database, and three receivers. */
export interface World {
  readonly cluster: Cluster;
  readonly nodes: readonly WorldNode[];
  readonly receivers: readonly NemesisReceiver[];
  readonly history: History;
  /** A key of the owner, who is a person, and one of a service. */
  readonly keys: { readonly owner: string; readonly service: string };
  /** Runs the works of a target one after another. */
  inTurn(target: string, work: () => Promise<void>): Promise<void>;
}

export interface WorldNode {
  readonly node: Node;
  readonly way: Proxy;
  /** The file that tells its failpoints what to do. */
  readonly failpoints: string;
  /** True while it has to run: a node that does not has ended by itself. */
  mustRun: boolean;
}

export interface WorldOptions {
  /** The names of planted faults, divided by commas. Every node then has them. */
  readonly planted?: string | undefined;
}

/** The service with failpoints, and with a planted fault where one is named. */
const MAIN = fileURLToPath(new URL("planted/main.ts", import.meta.url));
/** A retry schedule that ends within a run. */
const LADDER = "1s,1s,2s,4s,8s";
const RECEIVERS = 3;

export async function startWorld({ planted }: WorldOptions): Promise<World> {
  const cluster = await createCluster();
  const [way, otherWay] = [await startProxy(cluster.port), await startProxy(cluster.port)];
  const urlOf = (proxy: Proxy): string => {
    const url = new URL(cluster.url);
    url.port = String(proxy.port);
    return url.href;
  };
  const env = {
    JUNCTION_RETRY_LADDER: LADDER,
    ...(planted === undefined ? {} : { NEMESIS_PLANTED: planted }),
  };
  const control = await mkdtemp(join(tmpdir(), "junction-nemesis-"));
  tracked(async () => await rm(control, { recursive: true, force: true }));
  const [failpoints, others] = [join(control, "node-0"), join(control, "node-1")];
  const scene = await startScene({
    nodes: 1,
    databaseUrl: urlOf(way),
    env: { ...env, NEMESIS_FAILPOINTS: failpoints },
    main: MAIN,
  });
  const [first] = scene.nodes;
  if (first === undefined) throw new Error("no node");
  const second = await scene.node({ DATABASE_URL: urlOf(otherWay), NEMESIS_FAILPOINTS: others }, MAIN);
  await second.start();
  const nodes: WorldNode[] = [
    { node: first, way, failpoints, mustRun: true },
    { node: second, way: otherWay, failpoints: others, mustRun: true },
  ];
  const owner = await ownerKey(scene.folder);
  const history = createHistory();
  const receivers = await Promise.all(
    Array.from({ length: RECEIVERS }, async () => await startReceiver(history.now, history.add)),
  );
  const turns = new Map<string, Promise<void>>();
  return {
    cluster,
    nodes,
    receivers,
    history,
    keys: { owner, service: scene.key },
    async inTurn(target, work) {
      const turn = (turns.get(target) ?? Promise.resolve()).then(work);
      turns.set(
        target,
        turn.catch(() => undefined),
      );
      await turn;
    },
  };
}

async function ownerKey(folder: string): Promise<string> {
  const { api_key: key } = JSON.parse(await readFile(join(folder, "bootstrap.json"), "utf8")) as { api_key: string };
  return key;
}
