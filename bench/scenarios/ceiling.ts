import type { Bench, Row } from "../scenario.ts";
import { assertArrived, CONNECTIONS } from "../scenario.ts";
import { startEnds } from "../stage.ts";

/** What this machine can do at best: the same signed POSTs from generator to receiver, with no service between them. */
export async function ceiling(bench: Bench): Promise<Row[]> {
  const ends = await startEnds();
  try {
    await ends.raw({ connections: CONNECTIONS, forMs: 2000 });
    await ends.reset();
    const load = await ends.raw({ connections: CONNECTIONS, forMs: (bench.seconds * 1000) / 2 });
    const { requests, bytesEach } = await ends.received();
    assertArrived(load, requests);
    const perSecond = (load.accepted / load.wallMs) * 1000;
    bench.found.ceiling = perSecond;
    return [
      { what: "Raw ceiling: signed POSTs without the service", value: perSecond, unit: "/s" },
      { what: "Size of one of these requests", value: bytesEach, unit: "bytes" },
    ];
  } finally {
    await ends.stop();
  }
}
