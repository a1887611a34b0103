import { fillLog } from "../fill.ts";
import { assertArrived, CONNECTIONS, settle, startFurnished, warm } from "../scenario.ts";
import { sizeOf } from "../statements.ts";
import type { Stage } from "../stage.ts";
import { CATALOGUE } from "../workload.ts";
import { row } from "../bench.ts";
import type { Bench, Row } from "../bench.ts";

const DAYS = 10;
const LOGGED = ["event", "delivery", "attempt"];

/** The same load on an empty log and on a large one: a delivery must cost the same. */
export async function log(bench: Bench): Promise<Row[]> {
  const rows = bench.full ? 10_000_000 : 500_000;
  const stage = await startFurnished(bench);
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
    row("Empty log: processor time per delivery", empty.machineMs, "ms"),
    row(`${rows} logged deliveries: processor time per delivery`, large.machineMs, "ms", {
      ratio: against("machineMs"),
    }),
    row(`${rows} logged deliveries: of it the database`, large.databaseMs, "ms", { ratio: against("databaseMs") }),
    row(`${rows} logged deliveries: sustained`, large.perSecond, "/s", { ratio: against("perSecond") }),
    row(`${rows} logged deliveries: pages touched per delivery`, large.blocks, "", { ratio: against("blocks") }),
    row("Disk for an event, its delivery and its attempt, indexes included", bytes, "bytes"),
  ];
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
