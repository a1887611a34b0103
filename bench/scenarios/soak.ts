import { latencyRows, NONE, settle, startFurnished, warm } from "../scenario.ts";
import { refusals } from "../verify.ts";
import { CATALOGUE } from "../workload.ts";
import { row } from "../bench.ts";
import type { Bench, Row } from "../bench.ts";

const PER_SECOND = 500;
/** Duration for each second that another measurement lasts. */
const SHORT_MS = 5000;
/** Fires as many events as a day has at 21 a second. */
const FULL_MS = 3_600_000;

/** Measures a long steady load: memory must not grow. */
export async function soak(bench: Bench): Promise<Row[]> {
  const forMs = bench.full ? FULL_MS : SHORT_MS * bench.seconds;
  const what = `${PER_SECOND} events/s for ${forMs / 1000} s`;
  const stage = await startFurnished(bench);
  await warm(stage, CATALOGUE);
  await stage.reset();
  const memory = stage.memory();
  const stopMeter = stage.meter("soak");
  const load = await stage.open(CATALOGUE, { perSecond: PER_SECOND, forMs });
  await settle(stage);
  stopMeter();
  const mib = memory.stop();
  const { requests, paths } = await stage.received();
  await stage.verify();
  if (requests < load.accepted) throw new Error(`${load.accepted} events were accepted, ${requests} requests arrived`);
  return [
    ...latencyRows(`${what}: fire to arrival`, paths["order"] ?? NONE),
    row(`${what}: refused or not answered`, refusals(load), "", { goal: { atMost: 0 } }),
    row(`${what}: memory of the service, peak`, mib.peak, "MiB"),
    row(`${what}: memory, last quarter`, mib.last, "MiB", {
      ratio: { value: mib.flatness, to: "second quarter" },
      goal: { atMost: 1.1, of: "ratio" },
    }),
  ];
}
