import type { Bench, Row } from "../scenario.ts";
import { assertArrived, CONNECTIONS, latencyRows } from "../scenario.ts";
import { startStage } from "../stage.ts";

/** Runs that confirm themselves: each a proposal with its approval, a signed call, two audit rows, an event and an answer that is kept. */
export async function actions(bench: Bench): Promise<Row[]> {
  const stage = await startStage(bench);
  try {
    const action = await stage.action();
    await stage.actions(action, { connections: CONNECTIONS, forMs: 4000 });
    await stage.reset();
    const stopCounting = await stage.counting();
    const stopMeter = stage.meter("actions");
    const load = await stage.actions(action, { connections: CONNECTIONS, forMs: (bench.seconds * 1000) / 2 });
    const usage = stopMeter();
    const database = await stopCounting();
    const { requests } = await stage.received();
    assertArrived(load, requests);
    const perSecond = (load.accepted / load.wallMs) * 1000;
    const { ceiling } = bench.found;
    return [
      {
        what: "Actions: proposed, confirmed, executed, audited",
        value: perSecond,
        unit: "/s",
        ...(ceiling === undefined ? {} : { ratio: { value: perSecond / ceiling, to: "raw" } }),
        goal: { atLeast: 1000 },
      },
      ...latencyRows("Actions: from call to answer", load.latencies),
      { what: "Actions: processor time per run", value: usage.machineMs / load.accepted, unit: "ms" },
      { what: "Actions: SQL statements per run", value: database.calls / load.accepted, unit: "" },
    ];
  } finally {
    await stage.stop();
  }
}
