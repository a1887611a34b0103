import { assertArrived, CONNECTIONS } from "../scenario.ts";
import { startEnds } from "../stage.ts";
import { CATALOGUE } from "../workload.ts";
import { row } from "../bench.ts";
import type { Bench, Row } from "../bench.ts";

const WARM_MS = 2000;

/** Measures the best that this machine can do: the same signed POSTs from generator to receiver, with no service between them. */
export async function ceiling(bench: Bench): Promise<Row[]> {
  const forMs = (bench.seconds * 1000) / 2;
  const ends = await startEnds();
  await ends.raw({ connections: CONNECTIONS, forMs: WARM_MS });
  await ends.reset();
  const load = await ends.raw({ connections: CONNECTIONS, forMs });
  const { requests, bytesEach } = await ends.received();
  assertArrived(load, requests);
  await ends.fire(CATALOGUE, { connections: CONNECTIONS, forMs: WARM_MS });
  const fired = await ends.fire(CATALOGUE, { connections: CONNECTIONS, forMs });
  bench.found.ceiling = (load.accepted / load.wallMs) * 1000;
  bench.found.fireCeiling = (fired.accepted / fired.wallMs) * 1000;
  return [
    row("Raw ceiling: signed POSTs without the service", bench.found.ceiling, "/s"),
    row("Size of one of these requests", bytesEach, "bytes"),
    row("Events that the generator can fire, each answered at once", bench.found.fireCeiling, "/s"),
  ];
}
