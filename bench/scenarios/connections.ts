import { quantile } from "../histogram.ts";
import { assertAccepted, CONNECTIONS, ORDER, settle, warm } from "../scenario.ts";
import { startStage } from "../stage.ts";
import { custom } from "../workload.ts";
import { row } from "../bench.ts";
import type { Bench, Row } from "../bench.ts";

/** Clients that keep their connection, and clients that open one for each event. */
export async function connections(bench: Bench): Promise<Row[]> {
  const forMs = (bench.seconds * 1000) / 2;
  const workload = custom(ORDER);
  const stage = await startStage(bench);
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
    row("Connections: kept, accepted", perSecond(kept), "/s"),
    row("Connections: kept, accept, p99", quantile(kept.latencies, 0.99), "ms"),
    row("Connections: a new one for each event, accepted", perSecond(each), "/s", {
      against: [perSecond(kept), "kept"],
      goal: { atLeast: 0.5, of: "ratio" },
    }),
    row("Connections: a new one for each event, accept, p99", quantile(each.latencies, 0.99), "ms"),
  ];
}
