import { setTimeout as sleep } from "node:timers/promises";
import type { Generated } from "../generator.ts";
import { quantile } from "../histogram.ts";
import type { MemoryWatch } from "../meter.ts";
import { CONNECTIONS, settle, startFurnished, warm } from "../scenario.ts";
import type { Stage } from "../stage.ts";
import { refusals } from "../verify.ts";
import { CATALOGUE } from "../workload.ts";
import { quietly, quietRows, startQuiet } from "./tenants.ts";
import { row } from "../bench.ts";
import type { Bench, Row } from "../bench.ts";

const TIMES = 3;
/** Duration for each second that another measurement lasts. */
const OFFERED_MS = 5000;
/** Time that the service may take afterwards, for each millisecond of overload. */
const DRAIN_SHARE = 10;
const LEAST_DRAIN_MS = 60_000;
const LOOK_MS = 1000;

/** Measures three times as many events as the service can process, at fixed moments: the accepted events, the backlog, and the effect on a quiet workspace. */
export async function overload(bench: Bench): Promise<Row[]> {
  const forMs = OFFERED_MS * bench.seconds;
  const stage = await startFurnished(bench);
  const quiet = await startQuiet(stage);
  try {
    await warm(stage, CATALOGUE);
    const sustainable = await sustainableRate(stage, bench.seconds * 500);
    const alone = await quietly(stage, quiet, bench.seconds * 500);
    await settle(stage);
    const perSecond = Math.ceil(sustainable * TIMES);
    bench.say(`offering ${perSecond} events/s for ${forMs / 1000} s`);
    const stopMeter = stage.meter("overload");
    const watch = watchBacklog(stage, bench);
    const [load, flooded] = await Promise.all([
      stage.open(CATALOGUE, { perSecond, forMs }),
      quietly(stage, quiet, forMs),
    ]).finally(watch.stop);
    const seen = watch.seen();
    bench.say(`not accepted, by status: ${JSON.stringify({ "503 with Retry-After": load.shed, ...load.refused })}`);
    const endedAt = performance.now();
    await settle(stage, Math.max(LEAST_DRAIN_MS, forMs * DRAIN_SHARE));
    const drainMs = performance.now() - endedAt;
    stopMeter();
    await stage.verify();
    return [
      row("Overload: sustainable before", sustainable, "/s"),
      ...loadRows(load, { perSecond, forMs }),
      row("Overload: deliveries that waited, most at a time", seen.mostWaiting, ""),
      row("Overload: from the last answer until all was done", drainMs / 1000, "s"),
      ...memoryRows(seen.memory),
      ...quietRows("Overload: a quiet workspace", { alone, flooded }),
    ];
  } finally {
    await quiet.stop();
    await stage.stop();
  }
}

/** Events a second from the first one fired until all that reacts has ended. */
async function sustainableRate(stage: Stage, forMs: number): Promise<number> {
  const startedAt = performance.now();
  const { accepted } = await stage.closed(CATALOGUE, { connections: CONNECTIONS, forMs });
  await settle(stage);
  return (accepted / (performance.now() - startedAt)) * 1000;
}

function loadRows(load: Generated, { perSecond, forMs }: { perSecond: number; forMs: number }): Row[] {
  const refused = refusals(load) - load.shed;
  const offered = load.accepted + load.shed + refused;
  const against = [offered, "offered"] as const;
  return [
    row(`Overload: offered for ${forMs / 1000} s`, perSecond, "/s"),
    row("Overload: the generator was late, p99", quantile(load.late, 0.99), "ms"),
    row("Overload: accepted", load.accepted, "", { against }),
    row("Overload: answered 503 with Retry-After", load.shed, "", { against }),
    row("Overload: refused in another way, or not answered", refused, "", { against, goal: { atMost: 0 } }),
    row("Overload: accept of what was accepted, p50", quantile(load.latencies, 0.5), "ms"),
    row("Overload: accept of what was accepted, p99", quantile(load.latencies, 0.99), "ms", { goal: { atMost: 250 } }),
  ];
}

function memoryRows(memory: ReturnType<MemoryWatch["stop"]>): Row[] {
  return [
    row("Overload: resident memory of the service, peak", memory.peak, "MiB"),
    ...memory.quarters.map((mean, at): Row =>
      row(`Overload: resident memory, mean of quarter ${at + 1} until the last answer`, mean, "MiB"),
    ),
  ];
}

interface Seen {
  readonly mostWaiting: number;
  readonly memory: ReturnType<MemoryWatch["stop"]>;
}

/** Looks once a second what waits and how much memory the service has, until stopped. */
function watchBacklog(stage: Stage, bench: Bench): { stop(): Promise<void>; seen(): Seen } {
  const memory = stage.memory();
  const startedAt = performance.now();
  let mostWaiting = 0;
  let isStopped = false;
  const watching = (async () => {
    for (let looks = 0; !isStopped; looks += 1) {
      const waiting = await stage.backlog();
      mostWaiting = Math.max(mostWaiting, waiting);
      if (looks % 5 === 0) {
        const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
        bench.say(`  after ${seconds} s: ${waiting} deliveries wait, ${memory.now().toFixed(0)} MiB`);
      }
      await sleep(LOOK_MS);
    }
  })();
  return {
    stop: async () => {
      isStopped = true;
      await watching;
    },
    seen: () => ({ mostWaiting, memory: memory.stop() }),
  };
}
