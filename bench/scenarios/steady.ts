import type { Bench, Row } from "../scenario.ts";
import { assertArrived, latencyRows, ORDER, settle, warm } from "../scenario.ts";
import { startStage } from "../stage.ts";

const PER_SECOND = 100;

/** 100 events a second, at fixed moments: what a customer feels on an ordinary day. */
export async function steady(bench: Bench): Promise<Row[]> {
  const stage = await startStage(bench);
  try {
    await stage.endpoint({ path: "order", events: [ORDER] });
    await warm(stage);
    await stage.reset();
    const stopMeter = stage.meter("100 events/s");
    const load = await stage.open(ORDER, { perSecond: PER_SECOND, forMs: bench.seconds * 1000 });
    await settle(stage);
    const usage = stopMeter();
    const { requests, paths } = await stage.received();
    assertArrived(load, requests);
    return [
      ...latencyRows("At 100 events/s: accept", load.latencies),
      ...latencyRows("At 100 events/s: fire to arrival", paths["order"] ?? { count: 0, maxMs: 0, buckets: [] }, 50),
      {
        what: "At 100 events/s: processor time per delivery",
        value: usage.machineMs / requests,
        unit: "ms",
        ratio: { value: usage.machineMs / usage.wallMs / usage.cores, to: "whole machine" },
      },
    ];
  } finally {
    await stage.stop();
  }
}
