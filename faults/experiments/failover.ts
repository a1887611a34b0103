import { createCluster } from "../cluster.ts";
import type { Experiment } from "../experiment.ts";
import { startProxy } from "../proxy.ts";
import { EVENT, assess, startScene } from "../scene.ts";

export const failover: Experiment = {
  name: "failover",
  done: "Two PostgreSQL 15 servers with synchronous replication: the primary is killed with `kill -9` under load, and the standby is promoted",
  promised: "Every accepted event is on the standby and is delivered from there; the nodes resume automatically",
  async run() {
    const primary = await createCluster();
    const proxy = await startProxy(primary.port);
    const url = new URL(primary.url);
    url.port = String(proxy.port);
    const scene = await startScene({ nodes: 2, databaseUrl: url.href });
    await scene.endpoint("slow", [EVENT]);
    const standby = await primary.standby();
    const load = scene.load();
    await load.more(400);
    await primary.kill();
    await standby.promote();
    proxy.aim(standby.port);
    await load.more(200);
    const fired = await load.stop();
    const [row] = await standby.query<{ n: number }>("select count(*)::int as n from event where name = $1", [EVENT]);
    const kept = row?.n ?? 0;
    return await assess(scene, fired, {
      what: "`kill -9` of the primary, `pg_promote` of the standby, the way to the database turned",
      broken: kept < fired.accepted.size ? [`the standby has ${kept} events`] : [],
    });
  },
};
