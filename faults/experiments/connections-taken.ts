import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import type { Cluster } from "../cluster.ts";
import type { Experiment } from "../experiment.ts";
import { tracked } from "../running.ts";
import { EVENT, assess, startWithCluster } from "../scene.ts";

const MAX_CONNECTIONS = 60;

export const connectionsTaken: Experiment = {
  name: "connections-taken",
  done: "Other clients end the nodes' connections to the database and use all of `max_connections` for a time",
  promised:
    "During that time, events are rejected with 503 and `retryable`; both nodes resume automatically; no accepted event is lost",
  async run({ full }) {
    const { scene, cluster } = await startWithCluster({ nodes: 2 }, { maxConnections: MAX_CONNECTIONS });
    await scene.endpoint("slow", [EVENT]);
    const seconds = full ? 30 : 4;
    const load = scene.load();
    await load.more(200);
    const letGo = await takeAll(cluster);
    await sleep(seconds * 1000);
    await letGo();
    await load.more(200);
    const fired = await load.stop();
    const running = scene.nodes.every((node) => node.isRunning());
    return await assess(scene, fired, {
      what: `no connection was free for ${seconds} s`,
      broken: running ? [] : ["a node ended"],
    });
  },
};

/** Takes what is free, ends what others have, takes that: until they have none. */
async function takeAll(cluster: Cluster): Promise<() => Promise<void>> {
  const taken: Client[] = [];
  const letGo = tracked(async () => {
    await Promise.all(taken.map(async (client) => await client.end().catch(() => undefined)));
  });
  const take = async (): Promise<boolean> => {
    const client = new Client({ connectionString: cluster.url, application_name: "hog" });
    client.on("error", () => undefined);
    try {
      await client.connect();
      taken.push(client);
      return true;
    } catch {
      return false;
    }
  };
  for (let rounds = 0; taken.length < MAX_CONNECTIONS && rounds < 1000; rounds += 1) {
    if (await take()) continue;
    await taken[0]?.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'junction%'",
    );
  }
  return letGo;
}
