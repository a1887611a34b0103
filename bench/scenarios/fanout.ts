import { quantile } from "../histogram.ts";
import { assertArrived, settle, warm } from "../scenario.ts";
import { startStage } from "../stage.ts";
import { custom } from "../workload.ts";
import { row } from "../bench.ts";
import type { Bench, Row } from "../bench.ts";

const WIDE = "bench.wide";
const ENDPOINTS = 50;

/** Measures one event for fifty endpoints: deliveries a second, and the time until the last endpoint has it. */
export async function fanout(bench: Bench): Promise<Row[]> {
  const forMs = (bench.seconds * 1000) / 2;
  const stage = await startStage(bench);
  for (let n = 0; n < ENDPOINTS; n += 1) await stage.endpoint({ path: `wide/${n}`, events: [WIDE] });
  await stage.endpoint({ path: "order", events: ["bench.order"] });
  await warm(stage);
  await stage.reset(ENDPOINTS);
  const calm = await stage.open(custom(WIDE), { perSecond: 10, forMs });
  await settle(stage);
  const { requests, complete } = await stage.received();
  assertArrived(calm, requests, ENDPOINTS);
  await stage.reset();
  const stopMeter = stage.meter("fan-out");
  const flood = await stage.closed(custom(WIDE), { connections: 4, forMs });
  await settle(stage);
  const usage = stopMeter();
  const deliveries = (await stage.received()).requests;
  assertArrived(flood, deliveries, ENDPOINTS);
  return [
    row("Fan-out 1 to 50 at 10 events/s: the last of 50 arrived, p50", quantile(complete, 0.5), "ms"),
    row("Fan-out 1 to 50 at 10 events/s: the last of 50 arrived, p95", quantile(complete, 0.95), "ms"),
    row("Fan-out 1 to 50: deliveries sustained", (deliveries / usage.wallMs) * 1000, "/s", {
      against: [bench.found.ceiling, "ceiling"],
    }),
    row("Fan-out 1 to 50: processor time per delivery", usage.machineMs / deliveries, "ms"),
  ];
}
