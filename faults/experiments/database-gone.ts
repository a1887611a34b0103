import { setTimeout as sleep } from "node:timers/promises";
import { createCluster } from "../cluster.ts";
import type { Experiment } from "../experiment.ts";
import { startProxy } from "../proxy.ts";
import { EVENT, assess, startScene, startWithCluster } from "../scene.ts";

export const databaseGone: Experiment = {
  name: "database-gone",
  done: "The database stops without a checkpoint, its port refuses connections for a minute, and it returns",
  promised:
    "During the outage, events are rejected with 503 and `retryable`; both nodes resume automatically; no accepted event is lost",
  async run({ full }) {
    const { scene, cluster } = await startWithCluster({ nodes: 2 });
    await scene.endpoint("slow", [EVENT]);
    const seconds = full ? 60 : 6;
    const load = scene.load();
    await load.more(200);
    await cluster.stopAtOnce();
    await sleep(seconds * 1000);
    const unready = await Promise.all(scene.nodes.map(async (node) => !(await node.isReady())));
    await cluster.start();
    await load.more(200);
    const fired = await load.stop();
    return await assess(scene, fired, {
      what: `gone for ${seconds} s`,
      broken: [
        ...(unready.every(Boolean) ? [] : ["a node said that it was ready without a database"]),
        ...(scene.nodes.every((node) => node.isRunning()) ? [] : ["a node ended with its database"]),
      ],
    });
  },
};

export const databaseSilent: Experiment = {
  name: "database-silent",
  done: "For a time, the network between the nodes and the database drops every packet: connections do not close, and nothing responds",
  promised:
    "Requests are rejected with 503 within a minute instead of waiting for TCP to time out; both nodes resume automatically; no accepted event is lost",
  async run({ full }) {
    const cluster = await createCluster();
    const proxy = await startProxy(cluster.port);
    const url = new URL(cluster.url);
    url.port = String(proxy.port);
    const scene = await startScene({ nodes: 2, databaseUrl: url.href });
    await scene.endpoint("slow", [EVENT]);
    const seconds = full ? 90 : 10;
    const load = scene.load();
    await load.more(200);
    proxy.hold();
    await sleep(seconds * 1000);
    proxy.restore();
    await load.more(200);
    const fired = await load.stop();
    const held = fired.failed["UND_ERR_HEADERS_TIMEOUT"] ?? 0;
    return await assess(scene, fired, {
      what: `silent for ${seconds} s`,
      broken: held > 0 ? [`${held} requests were not answered within 60 s`] : [],
    });
  },
};
