import { setTimeout as sleep } from "node:timers/promises";
import { fillPending } from "../fill.ts";
import type { Bench, Row } from "../scenario.ts";
import { assertArrived, CONNECTIONS, ORDER, settle, warm } from "../scenario.ts";
import { startStage } from "../stage.ts";
import type { Stage } from "../stage.ts";

const COUNTS = [1, 2, 4] as const;
const ENDPOINTS = 100;
const DUE = 60_000;

interface Found {
  readonly fired: number;
  readonly drained: number;
}

/** The same load on one process and on several: events fired and delivered, and deliveries that only wait to be sent. */
export async function processes(bench: Bench): Promise<Row[]> {
  const rows: Row[] = [];
  let one: Found | undefined;
  for (const count of COUNTS) {
    const found = await measured(bench, count);
    one ??= found;
    const against = (key: keyof Found) => ({ value: found[key] / (one?.[key] ?? 1), to: "one process" });
    const isTwo = count === 2;
    rows.push(
      { what: `Processes: ${count}, sustained`, value: found.fired, unit: "/s", ratio: against("fired") },
      {
        what: `Processes: ${count}, due deliveries sent`,
        value: found.drained,
        unit: "/s",
        ratio: against("drained"),
        ...(isTwo ? { goal: { atLeast: 1.6, of: "ratio" as const } } : {}),
      },
    );
  }
  return rows;
}

async function measured(bench: Bench, count: number): Promise<Found> {
  const stage = await startStage(bench, { environment: { JUNCTION_PROCESSES: String(count) } });
  try {
    await stage.endpoint({ path: "order", events: [ORDER], maxInFlight: 256 });
    for (let n = 0; n < ENDPOINTS; n += 1) await stage.endpoint({ path: `retry/${n}`, events: ["bench.retry"] });
    await warm(stage);
    await stage.reset();
    const stopMeter = stage.meter(`${count} processes`);
    const load = await stage.closed(ORDER, { connections: CONNECTIONS, forMs: bench.seconds * 500 });
    await settle(stage);
    const { wallMs } = stopMeter();
    assertArrived(load, (await stage.received()).requests);
    return { fired: (load.accepted / wallMs) * 1000, drained: await drained(stage, bench) };
  } finally {
    await stage.stop();
  }
}

async function drained(stage: Stage, bench: Bench): Promise<number> {
  await fillPending(stage.sql, stage.place, { deliveries: DUE, endpoints: ENDPOINTS });
  await stage.reset();
  const stopMeter = stage.meter("due deliveries");
  await stage.sql.query("commit");
  await stage.sql.query("notify junction_due");
  const endAt = performance.now() + bench.seconds * 1000;
  while (performance.now() < endAt && (await stage.received()).requests < DUE) await sleep(100);
  const { requests } = await stage.received();
  return (requests / stopMeter().wallMs) * 1000;
}
