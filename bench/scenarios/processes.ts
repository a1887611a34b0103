import { drainDue, ORDER, settle, startFurnished, sustained, warm } from "../scenario.ts";
import { CATALOGUE, custom } from "../workload.ts";
import { row } from "../bench.ts";
import type { Bench, Row } from "../bench.ts";

const COUNTS = [1, 2, 4] as const;
/** Together, the endpoints accept more requests at once than a process sends. */
const ENDPOINTS = 40;
/** Due deliveries for each second of a measurement, which are more than are sent in it. */
const DUE_A_SECOND = 10_000;
/** The receiver takes half a second for these events. Their limit is the number of requests that a process has in flight, not its processor. */
const SLOW = "bench.slow";
const RETRY = "bench.retry";

interface Found {
  /** A second. */
  readonly fired: number;
  readonly custom: number;
  readonly drained: number;
  readonly slow: number;
}

/**
 * Measures the same load on one process and on several: catalog events and custom events, fired and delivered; due deliveries, and deliveries to
 * slow receivers.
 */
export async function processes(bench: Bench): Promise<Row[]> {
  const rows: Row[] = [];
  let one: Found | undefined;
  for (const count of COUNTS) {
    const found = await measured(bench, count);
    one ??= found;
    const line = (what: string, key: keyof Found, goal: Pick<Row, "goal"> = {}): Row =>
      row(`Processes: ${count}, ${what}`, found[key], "/s", { against: [one?.[key], "one process"], ...goal });
    rows.push(
      line("sustained", "fired"),
      line("custom events sustained", "custom"),
      line("due deliveries sent", "drained"),
      line(
        "due deliveries to receivers that take 500 ms",
        "slow",
        count === 2 ? { goal: { atLeast: 1.6, of: "ratio" } } : {},
      ),
    );
  }
  return rows;
}

async function measured(bench: Bench, count: number): Promise<Found> {
  const stage = await startFurnished(bench, { environment: { JUNCTION_PROCESSES: String(count) } });
  for (let n = 0; n < ENDPOINTS; n += 1) {
    await stage.endpoint({ path: `retry/${n}`, events: [RETRY] });
    await stage.endpoint({ path: `slow/${n}`, events: [SLOW] });
  }
  const drained = async (event: string): Promise<number> => {
    const fill = { event, deliveries: DUE_A_SECOND * bench.seconds, endpoints: ENDPOINTS };
    const { requests, usage } = await drainDue(stage, `due deliveries, ${count}`, fill, bench.seconds * 1000);
    return (requests / usage.wallMs) * 1000;
  };
  await warm(stage, CATALOGUE);
  const fired = await sustained(stage, `${count} processes`, bench.seconds * 500, CATALOGUE);
  const customFired = await sustained(stage, `${count} processes, custom events`, bench.seconds * 500, custom(ORDER));
  await stage.verify();
  const sent = await drained(RETRY);
  await settle(stage);
  const slow = await drained(SLOW);
  await stage.stop();
  return { fired, custom: customFired, drained: sent, slow };
}
