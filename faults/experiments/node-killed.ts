import { until } from "../cluster.ts";
import type { Cluster } from "../cluster.ts";
import type { Experiment } from "../experiment.ts";
import type { Node } from "../node.ts";
import { call, EVENT, assess, startWithCluster } from "../scene.ts";
import type { Scene } from "../scene.ts";

const LEASES_OVER_MS = 90_000;

export const nodeKilled: Experiment = {
  name: "node-killed",
  done: "One of two nodes is killed with `kill -9` under load and restarted, repeatedly",
  promised: "No accepted event is lost; another node takes over the killed node's work within 90 s",
  async run({ full }) {
    const { scene, cluster } = await startWithCluster({ nodes: 2 });
    const [victim] = scene.nodes;
    if (victim === undefined) throw new Error("no node");
    await scene.endpoint("slow", [EVENT]);
    await scene.endpoint("hang", ["faults.mark"], { max_in_flight: 16 });
    const kills = full ? 5 : 1;
    const load = scene.load();
    const broken: string[] = [];
    for (let kill = 0; kill < kills; kill += 1) {
      await load.more(100);
      const lease = await leaseOf(scene, cluster, victim);
      await victim.kill();
      const killedMs = performance.now();
      await load.more(50);
      // A short run does not wait for the clock: it ends the dead node's leases itself, and no other.
      if (!full) await cluster.query("update pending_delivery set due_at = now() where lease_id = $1", [lease]);
      const late = await heldBeyond(cluster, lease, killedMs);
      if (late > 0) broken.push(`${late} deliveries of a killed node were not taken over within 90 s`);
      await victim.start();
    }
    await load.more(50);
    const fired = await load.stop();
    const leases = full ? "its leases ran out by themselves" : "its leases were ended by hand";
    return await assess(scene, fired, { what: `${kills} × \`kill -9\`; ${leases}`, broken });
  },
};

/** Returns the id under which a node leases, taken from a hanging delivery of its own. */
async function leaseOf(scene: Scene, cluster: Cluster, node: Node): Promise<string> {
  const { id } = await call<{ id: string }>(node.port, scene.key, "/v1/events/fire", {
    event: "faults.mark",
    data: { n: 0, of: node.pid() },
  });
  const rows = await cluster.query<{ lease_id: string }>(
    `select p.lease_id from pending_delivery p join event e on e.id = p.event_id
      where p.event_name = 'faults.mark' and p.lease_id is not null order by e.id desc limit 1`,
  );
  const lease = rows[0]?.lease_id;
  if (lease === undefined) throw new Error(`event ${id} is leased to nobody`);
  return lease;
}

/** Returns the number of deliveries that a dead node still holds after its leases must have expired. */
async function heldBeyond(cluster: Cluster, lease: string, killedMs: number): Promise<number> {
  const held = async (): Promise<number> =>
    (
      await cluster.query<{ n: number }>("select count(*)::int as n from pending_delivery where lease_id = $1", [lease])
    )[0]?.n ?? 0;
  const limitMs = Math.max(1000, killedMs + LEASES_OVER_MS - performance.now());
  await until("the leases to be taken over", async () => (await held()) === 0, limitMs).catch(() => undefined);
  return await held();
}
