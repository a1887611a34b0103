import { quantile } from "../histogram.ts";
import { assertAccepted, CONNECTIONS, ORDER, settle, warm } from "../scenario.ts";
import { startStage } from "../stage.ts";
import { custom } from "../workload.ts";
import type { Bench, Row } from "../bench.ts";

/** Clients that keep their connection, and clients that open one for each event. */
export async function connections(bench: Bench): Promise<Row[]> {
  const forMs = (bench.seconds * 1000) / 2;
  const workload = custom(ORDER);
  const stage = await startStage(bench);
  try {
    await stage.endpoint({ path: "order", events: [ORDER] });
    await warm(stage);
    const kept = await stage.closed(workload, { connections: CONNECTIONS, forMs });
    await settle(stage);
    const each = await stage.closed(workload, { connections: CONNECTIONS, forMs, isEachNew: true });
    await settle(stage);
    assertAccepted(kept);
    assertAccepted(each);
    await stage.verify();
    const perSecond = (load: typeof kept): number => (load.accepted / load.wallMs) * 1000;
    return [
      { what: "Connections: kept, accepted", value: perSecond(kept), unit: "/s" },
      { what: "Connections: kept, accept, p99", value: quantile(kept.latencies, 0.99), unit: "ms" },
      {
        what: "Connections: a new one for each event, accepted",
        value: perSecond(each),
        unit: "/s",
        ratio: { value: perSecond(each) / perSecond(kept), to: "kept" },
        goal: { atLeast: 0.5, of: "ratio" },
      },
      { what: "Connections: a new one for each event, accept, p99", value: quantile(each.latencies, 0.99), unit: "ms" },
    ];
  } finally {
    await stage.stop();
  }
}
