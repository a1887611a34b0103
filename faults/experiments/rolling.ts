import type { Experiment } from "../experiment.ts";
import { startBalancer } from "../proxy.ts";
import { EVENT, assess, startWithCluster } from "../scene.ts";

export const rolling: Experiment = {
  name: "rolling",
  done: "Three nodes behind a connection balancer that checks `/readyz`: each node in turn gets SIGTERM and is restarted, under load",
  promised: "No request fails, no event is lost, and every node exits with code 0",
  async run({ full }) {
    const { scene } = await startWithCluster({ nodes: 3 });
    await scene.endpoint("slow", [EVENT]);
    const balancer = await startBalancer(scene.nodes);
    const load = scene.load({ port: () => balancer, again: false });
    const rounds = full ? 3 : 1;
    const broken: string[] = [];
    for (let round = 0; round < rounds; round += 1) {
      for (const node of scene.nodes) {
        await load.more(100);
        const code = await node.stop();
        if (code !== 0) broken.push(`a node ended with ${code}:\n${node.output()}`);
        await load.more(100);
        await node.start();
      }
    }
    await load.more(100);
    const fired = await load.stop();
    const failed = JSON.stringify(fired.failed);
    if (failed !== "{}") broken.push(`requests failed: ${failed}`);
    return await assess(scene, fired, { what: `${rounds * 3} nodes stopped and started`, broken });
  },
};
