import { assertArrived, CONNECTIONS, latencyRows, ORDER, settle, warm } from "../scenario.ts";
import { startStage } from "../stage.ts";
import { custom } from "../workload.ts";
import type { Bench, Row } from "../bench.ts";

/** Signed inbound events, each delivered to one endpoint, against events fired at the same service a moment before. */
export async function inbound(bench: Bench): Promise<Row[]> {
  const stage = await startStage(bench);
  try {
    await stage.endpoint({ path: "order", events: [ORDER], maxInFlight: 256 });
    const source = await stage.source(ORDER);
    const load = { connections: CONNECTIONS, forMs: (bench.seconds * 1000) / 2 };
    await warm(stage);
    const fired = await stage.closed(custom(ORDER), load);
    await settle(stage);
    await stage.inbound(source, { ...load, forMs: Math.min(load.forMs, 4000) });
    await settle(stage);
    await stage.reset();
    const stopCounting = await stage.counting();
    const stopMeter = stage.meter("inbound");
    const taken = await stage.inbound(source, load);
    await settle(stage);
    const usage = stopMeter();
    const database = await stopCounting();
    const { requests } = await stage.received();
    assertArrived(taken, requests);
    const perSecond = (one: { accepted: number; wallMs: number }): number => (one.accepted / one.wallMs) * 1000;
    return [
      {
        what: "Inbound: accepted, each also delivered",
        value: perSecond(taken),
        unit: "/s",
        ratio: { value: perSecond(taken) / perSecond(fired), to: "fired" },
        goal: { atLeast: 0.5, of: "ratio" },
      },
      ...latencyRows("Inbound: accept", taken.latencies),
      { what: "Inbound: processor time per event", value: usage.machineMs / taken.accepted, unit: "ms" },
      { what: "Inbound: SQL statements per event", value: database.calls / taken.accepted, unit: "" },
    ];
  } finally {
    await stage.stop();
  }
}
