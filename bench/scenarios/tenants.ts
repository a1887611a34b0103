import { quantile } from "../histogram.ts";
import type { Bench, Row } from "../scenario.ts";
import { assertAccepted, CONNECTIONS, ORDER, settle, warm } from "../scenario.ts";
import { startStage } from "../stage.ts";
import type { Neighbour, Stage } from "../stage.ts";

const QUIET = "bench.quiet";
const PER_SECOND = 20;

/** Many workspaces, one of which fires as fast as it can: what a quiet one notices of it. */
export async function tenants(bench: Bench): Promise<Row[]> {
  const count = bench.full ? 1000 : 200;
  const stage = await startStage(bench);
  let quiet: Neighbour | undefined;
  try {
    for (let n = 1; n < count; n += 1) quiet = await stage.neighbour();
    if (quiet === undefined) throw new Error("there is no neighbour");
    await quiet.endpoint({ path: "quiet", events: [QUIET] });
    await stage.endpoint({ path: "order", events: [ORDER], maxInFlight: 256 });
    await warm(stage);
    const alone = await p95(stage, quiet, bench);
    const noise = stage.closed(ORDER, { connections: CONNECTIONS, forMs: bench.seconds * 500 + 2000 });
    const beside = await p95(stage, quiet, bench);
    assertAccepted(await noise);
    await settle(stage);
    const what = `Of ${count} workspaces a quiet one, ${PER_SECOND} events/s`;
    return [
      { what: `${what}: fire to arrival, p95`, value: alone, unit: "ms" },
      {
        what: "The same beside one that fires as fast as it can, p95",
        value: beside,
        unit: "ms",
        ratio: { value: beside / alone, to: "alone" },
      },
    ];
  } finally {
    await quiet?.stop();
    await stage.stop();
  }
}

async function p95(stage: Stage, quiet: Neighbour, bench: Bench): Promise<number> {
  await stage.reset();
  const load = await quiet.open(QUIET, { perSecond: PER_SECOND, forMs: bench.seconds * 500 });
  assertAccepted(load);
  const { paths } = await stage.received();
  if (paths["quiet"] === undefined) throw new Error("nothing arrived for the quiet workspace");
  return quantile(paths["quiet"], 0.95);
}
