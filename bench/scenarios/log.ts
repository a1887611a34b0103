import { fillLog } from "../fill.ts";
import { assertArrived, CONNECTIONS, settle, startFurnished, warm } from "../scenario.ts";
import { sizeOf } from "../statements.ts";
import type { Stage } from "../stage.ts";
import { CATALOGUE } from "../workload.ts";
import type { Bench, Row } from "../bench.ts";

const DAYS = 10;
const LOGGED = ["event", "delivery", "attempt"];

/** The same load on an empty log and on a large one: a delivery must cost the same. */
export async function log(bench: Bench): Promise<Row[]> {
  const rows = bench.full ? 10_000_000 : 500_000;
  const stage = await startFurnished(bench);
  try {
    await warm(stage, CATALOGUE);
    const empty = await cost(stage, "empty log", bench.seconds);
    bench.say(`filling in ${rows} events, deliveries and attempts`);
    const before = await sizeOf(stage.sql, LOGGED);
    await fillLog(stage.sql, stage.place, { rows, days: DAYS });
    const bytes = ((await sizeOf(stage.sql, LOGGED)) - before) / rows;
    await warm(stage, CATALOGUE);
    const large = await cost(stage, "large log", bench.seconds);
    await stage.verify();
    const against = (key: keyof Cost) => ({ value: large[key] / empty[key], to: "empty log" });
    return [
      { what: "Empty log: processor time per delivery", value: empty.machineMs, unit: "ms" },
      {
        what: `${rows} logged deliveries: processor time per delivery`,
        value: large.machineMs,
        unit: "ms",
        ratio: against("machineMs"),
      },
      {
        what: `${rows} logged deliveries: of it the database`,
        value: large.databaseMs,
        unit: "ms",
        ratio: against("databaseMs"),
      },
      { what: `${rows} logged deliveries: sustained`, value: large.perSecond, unit: "/s", ratio: against("perSecond") },
      {
        what: `${rows} logged deliveries: pages touched per delivery`,
        value: large.blocks,
        unit: "",
        ratio: against("blocks"),
      },
      { what: "Disk for an event, its delivery and its attempt, indexes included", value: bytes, unit: "bytes" },
    ];
  } finally {
    await stage.stop();
  }
}

/** Per delivery. */
interface Cost {
  readonly machineMs: number;
  readonly databaseMs: number;
  readonly blocks: number;
  readonly perSecond: number;
}

async function cost(stage: Stage, name: string, seconds: number): Promise<Cost> {
  await stage.reset();
  const stopCounting = await stage.counting();
  const stopMeter = stage.meter(name);
  const load = await stage.closed(CATALOGUE, { connections: CONNECTIONS, forMs: (seconds * 1000) / 2 });
  await settle(stage);
  const usage = stopMeter();
  const database = await stopCounting();
  const { requests } = await stage.received();
  assertArrived(load, requests);
  return {
    machineMs: usage.machineMs / requests,
    databaseMs: usage.databaseMs / requests,
    blocks: database.blocks / requests,
    perSecond: (requests / usage.wallMs) * 1000,
  };
}
