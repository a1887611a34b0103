import { setTimeout as sleep } from "node:timers/promises";
import { until } from "../cluster.ts";
import type { Experiment } from "../experiment.ts";
import { EVENT, assess, startWithCluster } from "../scene.ts";

export const tarpit: Experiment = {
  name: "tarpit",
  done: "One receiver never responds, and one responds with one byte per second; both get every event, in addition to a working receiver",
  promised: "The working endpoint gets every event while the others still hang",
  async run({ full }) {
    const { scene } = await startWithCluster({ nodes: 2 });
    await scene.endpoint("slow", [EVENT]);
    for (const path of ["hang", "drip"]) await scene.endpoint(path, [EVENT], { max_in_flight: 16 });
    const load = scene.load();
    await until("the tarpits to be full", async () => await Promise.resolve(scene.recorder.hanging() > 16));
    await load.more(full ? 3000 : 300);
    if (full) await sleep(20_000);
    const fired = await load.stop();
    const outcome = await assess(scene, fired, { what: "16 requests at a time hung at each, all the while" });
    const hanging = scene.recorder.hanging();
    return hanging > 0 ? outcome : { ...outcome, broken: [...outcome.broken, "nothing hung any more at the end"] };
  },
};
