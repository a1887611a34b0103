import { drainDue, ORDER, settle, warm } from "../scenario.ts";
import { startStage } from "../stage.ts";
import type { Stage } from "../stage.ts";
import { claimCost, sizeOf } from "../statements.ts";
import { row } from "../bench.ts";
import type { Bench, Row } from "../bench.ts";

const ENDPOINTS = 100;
const RETRY = "bench.retry";
const FEW = 20_000;
const PENDING = ["pending_delivery"];

/** Measures the time after an outage: retries of a hundred endpoints are all due at once. The cost of claiming one must not depend on the number of pending ones. */
export async function retries(bench: Bench): Promise<Row[]> {
  const many = bench.full ? 1_000_000 : 200_000;
  const stage = await startStage(bench);
  for (let n = 0; n < ENDPOINTS; n += 1) await stage.endpoint({ path: `retry/${n}`, events: [RETRY] });
  await stage.endpoint({ path: "order", events: [ORDER] });
  await warm(stage);
  const few = await drain(stage, FEW, bench.seconds * 1000);
  await settle(stage);
  bench.say(`filling in ${many} pending retries`);
  const before = await sizeOf(stage.sql, PENDING);
  const all = await drain(stage, many, bench.seconds * 1000);
  const bytes = ((await sizeOf(stage.sql, PENDING)) - before) / many;
  return [
    row(`${FEW} pending retries: claim, database time each`, few.ms * 1000, "µs"),
    row(`${many} pending retries: claim, database time each`, all.ms * 1000, "µs", {
      ratio: { value: all.ms / few.ms, to: "few pending" },
    }),
    row(`${FEW} pending retries: pages touched per claim`, few.blocks, ""),
    row(`${many} pending retries: pages touched per claim`, all.blocks, "", { against: [few.blocks, "few pending"] }),
    row(`${many} pending retries: sent`, all.perSecond, "/s", { against: [few.perSecond, "few pending"] }),
    row(`${many} pending retries: processor time per delivery`, all.machineMs, "ms", {
      against: [few.machineMs, "few pending"],
    }),
    row("Disk for a pending delivery, indexes included", bytes, "bytes"),
  ];
}

interface Drain {
  /** Database time per claimed delivery. */
  readonly ms: number;
  readonly blocks: number;
  readonly perSecond: number;
  /** Processor time of the whole machine per sent delivery. */
  readonly machineMs: number;
}

async function drain(stage: Stage, deliveries: number, limitMs: number): Promise<Drain> {
  const name = `${deliveries} pending retries`;
  const fill = { event: RETRY, deliveries, endpoints: ENDPOINTS };
  const { requests, usage, database } = await drainDue(stage, name, fill, limitMs);
  const cost = claimCost(database);
  if (cost.claimed === 0 || requests === 0) throw new Error("no due retry was claimed");
  return {
    ms: cost.ms / cost.claimed,
    blocks: cost.blocks / cost.claimed,
    perSecond: (requests / usage.wallMs) * 1000,
    machineMs: usage.machineMs / requests,
  };
}
