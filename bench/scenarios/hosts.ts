import { merged, quantile } from "../histogram.ts";
import { startReceiverNames } from "../receiver-names.ts";
import type { ReceiverNames } from "../receiver-names.ts";
import { HALF } from "../receiver-paths.ts";
import { assertAccepted, settle, warm } from "../scenario.ts";
import { startStage } from "../stage.ts";
import type { Stage } from "../stage.ts";
import { custom } from "../workload.ts";
import { row } from "../bench.ts";
import type { Bench, Row } from "../bench.ts";

const HOSTS = { short: 1000, full: 5000 };
const AT_ONCE = 16;
const EVENT = "bench.many";
const HEALTHY = "healthy";
/** Events a second to the healthy half of the hosts, and as many to the other half. */
const PER_SECOND = 50;
/** Enough for the first attempts at the hanging hosts to end, and for their retries to begin. */
const LONGER = 3;

/** Measures the healthy half of many hosts with TLS, first alone, then while the other half hangs. */
export async function hosts(bench: Bench): Promise<Row[]> {
  const names = await startReceiverNames(bench.full ? HOSTS.full : HOSTS.short);
  try {
    const stage = await startStage(bench, { environment: names.environment });
    await stage.endpoint({ path: "order", events: ["bench.order"] });
    await warm(stage);
    const count = names.names.length;
    bench.say(`making ${count} endpoints`);
    await makeHosts(stage, names);
    // Both halves of the measurement find the connections to the healthy hosts open.
    await p95(stage, bench, { tenants: count / 2, perSecond: PER_SECOND });
    await settle(stage);
    const alone = await p95(stage, bench, { tenants: count / 2, perSecond: PER_SECOND });
    await settle(stage);
    const beside = await p95(stage, bench, { tenants: count, perSecond: 2 * PER_SECOND });
    return [
      row(`${count / 2} healthy hosts with TLS at ${PER_SECOND} events/s: fire to arrival, p95`, alone, "ms"),
      row(`The same next to ${count / 2} that hang, p95`, beside, "ms", {
        against: [alone, "alone"],
        goal: { atMost: 1.2, of: "ratio" },
      }),
    ];
  } finally {
    await names.stop();
  }
}

/** Makes hosts of which half respond. Of the other half, every second host says nothing, and every second one sends half of a response. */
async function makeHosts(stage: Stage, { certificate, names }: ReceiverNames): Promise<void> {
  const secured = await stage.secure({ ...certificate, version: "TLSv1.3", isResumable: true });
  const silent = await stage.silent();
  const left = names.entries();
  const make = async (): Promise<void> => {
    for (const [n, name] of left) {
      const tenant = `t${String(n).padStart(4, "0")}`;
      const isHealthy = n < names.length / 2;
      const port = isHealthy || n % 2 === 0 ? secured : silent;
      const path = isHealthy ? HEALTHY : HALF;
      await stage.endpoint({ path, events: [EVENT], origin: `https://${name}:${port}`, tenant });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, make));
}

async function p95(
  stage: Stage,
  { seconds }: Bench,
  { tenants, perSecond }: { readonly tenants: number; readonly perSecond: number },
): Promise<number> {
  await stage.reset();
  const load = await stage.open({ ...custom(EVENT), tenants }, { perSecond, forMs: seconds * LONGER * 1000 });
  assertAccepted(load);
  const { paths } = await stage.received();
  const healthy = merged(paths[HEALTHY] === undefined ? [] : [paths[HEALTHY]]);
  // Those that hang are not among them.
  if (healthy.count < load.accepted * (PER_SECOND / perSecond) * 0.75)
    throw new Error(`only ${healthy.count} healthy deliveries of ${load.accepted} events arrived in time`);
  return quantile(healthy, 0.95);
}
