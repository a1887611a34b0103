import { merged, quantile } from "../histogram.ts";
import { assertAccepted, settle, warm } from "../scenario.ts";
import { startStage } from "../stage.ts";
import type { Stage } from "../stage.ts";
import { custom } from "../workload.ts";
import { row } from "../bench.ts";
import type { Bench, Row } from "../bench.ts";

const HEALTHY = 9;
const ALONE = "bench.alone";
const BESIDE = "bench.beside";
const PER_SECOND = 50;

/** Nine healthy endpoints of a workspace, first alone, then with a tenth that never answers. */
export async function hanging(bench: Bench): Promise<Row[]> {
  const stage = await startStage(bench);
  for (let n = 0; n < HEALTHY; n += 1) await stage.endpoint({ path: `healthy/${n}`, events: [ALONE, BESIDE] });
  await stage.endpoint({ path: "order", events: ["bench.order"] });
  await warm(stage);
  const alone = await p95(stage, ALONE, bench.seconds);
  await settle(stage);
  await stage.endpoint({ path: "hang", events: [BESIDE] });
  const beside = await p95(stage, BESIDE, bench.seconds);
  return [
    row(`${HEALTHY} healthy endpoints at ${PER_SECOND} events/s: fire to arrival, p95`, alone, "ms"),
    row("The same next to one that hangs, p95", beside, "ms", { against: [alone, "alone"] }),
  ];
}

async function p95(stage: Stage, event: string, seconds: number): Promise<number> {
  await stage.reset();
  const load = await stage.open(custom(event), { perSecond: PER_SECOND, forMs: (seconds * 1000) / 2 });
  assertAccepted(load);
  const { paths } = await stage.received();
  const healthy = merged(paths["healthy"] === undefined ? [] : [paths["healthy"]]);
  if (healthy.count < load.accepted * HEALTHY * 0.99)
    throw new Error(`only ${healthy.count} of ${load.accepted * HEALTHY} healthy deliveries arrived in time`);
  return quantile(healthy, 0.95);
}
