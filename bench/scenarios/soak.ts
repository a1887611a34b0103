import type { Bench, Row } from "../scenario.ts";
import { assertArrived, latencyRows, ORDER, settle, warm } from "../scenario.ts";
import { startStage } from "../stage.ts";

const PER_SECOND = 500;
/** For each second that another measurement lasts: a minute. */
const SHORT_MS = 5000;
/** As many events as a day has at 21 a second. */
const FULL_MS = 3_600_000;

/** A steady load for long: memory has to stay where it is. */
export async function soak(bench: Bench): Promise<Row[]> {
  const forMs = bench.full ? FULL_MS : SHORT_MS * bench.seconds;
  const what = `${PER_SECOND} events/s for ${forMs / 1000} s`;
  const stage = await startStage(bench);
  try {
    await stage.endpoint({ path: "order", events: [ORDER], maxInFlight: 256 });
    await warm(stage);
    await stage.reset();
    const memory = stage.memory();
    const stopMeter = stage.meter("soak");
    const load = await stage.open(ORDER, { perSecond: PER_SECOND, forMs });
    await settle(stage);
    stopMeter();
    const mib = memory.stop();
    const { requests, paths } = await stage.received();
    assertArrived(load, requests);
    return [
      ...latencyRows(`${what}: fire to arrival`, paths["order"] ?? { count: 0, maxMs: 0, buckets: [] }),
      { what: `${what}: memory of the service, peak`, value: mib.peak, unit: "MiB" },
      {
        what: `${what}: memory, last quarter`,
        value: mib.last,
        unit: "MiB",
        ratio: { value: mib.flatness, to: "second quarter" },
        goal: { atMost: 1.1, of: "ratio" },
      },
    ];
  } finally {
    await stage.stop();
  }
}
