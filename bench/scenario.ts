import { setTimeout as sleep } from "node:timers/promises";
import { fillPending } from "./fill.ts";
import type { PendingFill } from "./fill.ts";
import type { Generated } from "./generator.ts";
import { quantile } from "./histogram.ts";
import type { Latencies } from "./histogram.ts";
import type { Usage } from "./meter.ts";
import type { Stage } from "./stage.ts";
import type { DatabaseCost } from "./statements.ts";

/** One line of the table. */
export interface Row {
  readonly what: string;
  readonly value: number;
  readonly unit: string;
  /** How it stands to another figure of the same run. */
  readonly ratio?: { readonly value: number; readonly to: string };
  /** What we promise; judged against the ratio where `of` says so. */
  readonly goal?: { readonly atLeast?: number; readonly atMost?: number; readonly of?: "ratio" };
}

export interface Bench {
  /** How long one measurement lasts. */
  readonly seconds: number;
  /** The sizes that the goals name, instead of those that fit a coffee break. */
  readonly full: boolean;
  /** Also writes down where the service's time goes. */
  readonly profile: boolean;
  /** What earlier scenarios of this run found. */
  readonly found: { ceiling?: number };
  /** Stretches in which others took more than a tenth of the processor time: programs, or the host's other machines. */
  readonly disturbed: string[];
  say(line: string): void;
}

export interface Scenario {
  readonly name: string;
  run(bench: Bench): Promise<Row[]>;
}

/** The event that most scenarios fire. */
export const ORDER = "bench.order";
export const CONNECTIONS = 128;
const WARM_MS = 4000;
const DRAIN_LIMIT_MS = 60_000;

/** Runs the service hot, so that nothing is measured while its code is still being compiled. */
export async function warm(stage: Stage, event: string = ORDER): Promise<void> {
  await stage.closed(event, { connections: CONNECTIONS, forMs: WARM_MS });
  await settle(stage);
}

/** Waits until all is delivered and logged. */
export async function settle(stage: Stage): Promise<void> {
  const left = await stage.drained(DRAIN_LIMIT_MS);
  if (left > 0) throw new Error(`${left} deliveries were still pending after ${DRAIN_LIMIT_MS / 1000} s`);
}

/** Events a second that are accepted, delivered and logged, from the first one fired until the last one is logged. */
export async function sustained(stage: Stage, name: string, forMs: number): Promise<number> {
  await stage.reset();
  const stopMeter = stage.meter(name);
  const load = await stage.closed(ORDER, { connections: CONNECTIONS, forMs });
  await settle(stage);
  const { wallMs } = stopMeter();
  assertArrived(load, (await stage.received()).requests);
  return (load.accepted / wallMs) * 1000;
}

export interface Drained {
  readonly requests: number;
  readonly usage: Usage;
  readonly database: DatabaseCost;
}

/** Fills in deliveries that are due and watches them go, for `limitMs` at most. */
export async function drainDue(stage: Stage, name: string, fill: PendingFill, limitMs: number): Promise<Drained> {
  await fillPending(stage.sql, stage.place, fill);
  await stage.reset();
  const stopCounting = await stage.counting();
  const stopMeter = stage.meter(name);
  await stage.sql.query("commit");
  await stage.sql.query("notify junction_due");
  const endAt = performance.now() + limitMs;
  while (performance.now() < endAt && (await stage.received()).requests < fill.deliveries) await sleep(100);
  const usage = stopMeter();
  const { requests } = await stage.received();
  return { requests, usage, database: await stopCounting() };
}

/** A load that met a refusal measured something else than it says. */
export function assertAccepted(load: Generated): void {
  if (Object.keys(load.refused).length > 0)
    throw new Error(`the service refused events: ${JSON.stringify(load.refused)}`);
}

/** Every accepted event must have arrived once: a fast service that loses or doubles is not fast. */
export function assertArrived(load: Generated, requests: number, each = 1): void {
  assertAccepted(load);
  if (requests !== load.accepted * each)
    throw new Error(`${load.accepted * each} deliveries were due, ${requests} requests arrived`);
}

export function latencyRows(what: string, latencies: Latencies, goalP99Ms?: number): Row[] {
  return [0.5, 0.95, 0.99].map((q) => ({
    what: `${what}, p${q * 100}`,
    value: quantile(latencies, q),
    unit: "ms",
    ...(q === 0.99 && goalP99Ms !== undefined ? { goal: { atMost: goalP99Ms } } : {}),
  }));
}
