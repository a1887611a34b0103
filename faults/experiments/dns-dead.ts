import { setTimeout as sleep } from "node:timers/promises";
import { startNameServer } from "../../apps/service/src/testing/name-server.ts";
import type { Experiment } from "../experiment.ts";
import { tracked } from "../running.ts";
import { EVENT, assess, startWithCluster } from "../scene.ts";

const NAME = "receiver.faults.test";

export const dnsDead: Experiment = {
  name: "dns-dead",
  done: "The name servers stop responding under load, and then respond again",
  promised:
    "Events are still accepted; their deliveries are retried on the retry schedule and arrive; deliveries to endpoints with IP addresses continue",
  async run({ full }) {
    const dns = await startNameServer();
    tracked(dns.close);
    dns.set(NAME, ["127.0.0.1"]);
    // Attempts take up to 5 s without an answer, so the retry schedule must outlast the silence.
    const env = { JUNCTION_DNS_SERVERS: dns.address, JUNCTION_RETRY_LADDER: "5s,10s,20s,30s,60s" };
    const { scene } = await startWithCluster({ nodes: 2, env });
    await scene.endpoint("by-address", [EVENT]);
    await scene.endpoint("slow", [EVENT], { url: `http://${NAME}:${scene.recorder.port}/slow` });
    const load = scene.load();
    await load.more(100);
    dns.fallSilent();
    await load.more(20);
    await sleep(full ? 40_000 : 8000);
    dns.speak();
    await load.more(50);
    const fired = await load.stop();
    const outcome = await assess(scene, fired, { what: `silent for ${full ? 40 : 8} s` });
    const direct = await assess(scene, fired, { what: "", path: "by-address" });
    const failed = JSON.stringify(fired.failed);
    return {
      ...outcome,
      broken: [...outcome.broken, ...direct.broken, ...(failed === "{}" ? [] : [`requests failed: ${failed}`])],
    };
  },
};
