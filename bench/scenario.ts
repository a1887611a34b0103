import { setTimeout as sleep } from "node:timers/promises";
import { fillPending, fillPeople } from "./fill.ts";
import type { PendingFill } from "./fill.ts";
import type { Generated } from "./generator.ts";
import { quantile } from "./histogram.ts";
import type { Latencies } from "./histogram.ts";
import type { Usage } from "./meter.ts";
import type { ServiceOptions } from "./service.ts";
import { startStage } from "./stage.ts";
import type { Stage } from "./stage.ts";
import type { DatabaseCost } from "./statements.ts";
import { CATALOGUE, custom } from "./workload.ts";
import type { Workload } from "./workload.ts";
import { row } from "./bench.ts";
import type { Bench, Row } from "./bench.ts";

/** A name that is not in the catalogue, for what measures deliveries and not what reacts before them. */
export const ORDER = "bench.order";
export const CONNECTIONS = 128;
const WARM_MS = 4000;
const DRAIN_LIMIT_MS = 120_000;

/** A stage as a user has set it up: contacts, a rule, a workflow, and an endpoint for the catalogue's ten events and for ORDER. */
export async function startFurnished(bench: Bench, options?: ServiceOptions): Promise<Stage> {
  const stage = await startPeopled(bench, options);
  await stage.reactions();
  return stage;
}

/** The same without rule and workflow. */
export async function startPeopled(bench: Bench, options?: ServiceOptions): Promise<Stage> {
  const stage = await startStage(bench, options);
  await fillPeople(stage.sql, stage.place);
  await stage.endpoint({ path: "order", events: [...CATALOGUE.names, ORDER], maxInFlight: 256 });
  return stage;
}

/** Runs the service hot, so that nothing is measured while its code is still being compiled. */
export async function warm(stage: Stage, workload: Workload = custom(ORDER)): Promise<void> {
  await stage.closed(workload, { connections: CONNECTIONS, forMs: WARM_MS });
  await settle(stage);
}

/** Waits until all is delivered and logged, and all that reacts has ended. */
export async function settle(stage: Stage, limitMs = DRAIN_LIMIT_MS): Promise<void> {
  const left = await stage.drained(limitMs);
  if (left > 0) throw new Error(`${left} deliveries, stages and runs were not done after ${limitMs / 1000} s`);
}

/** Events a second that are accepted, delivered and logged, from the first one fired until all that reacts has ended. */
export async function sustained(stage: Stage, name: string, forMs: number, workload: Workload): Promise<number> {
  await stage.reset();
  const stopMeter = stage.meter(name);
  const load = await stage.closed(workload, { connections: CONNECTIONS, forMs });
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

/** A load that met a refusal measured something else than it says. Requests that were shed count only where `mayShed` says so. */
export function assertAccepted({ refused, shed }: Generated, mayShed = false): void {
  if (Object.keys(refused).length > 0) throw new Error(`the service refused events: ${JSON.stringify(refused)}`);
  if (shed > 0 && !mayShed) throw new Error(`the service answered ${shed} events with 503 at a load that it can bear`);
}

/** Every accepted event must have arrived once: a fast service that loses or doubles is not fast. Clients at full speed may be shed. */
export function assertArrived(load: Generated, requests: number, each = 1): void {
  assertAccepted(load, true);
  if (requests !== load.accepted * each)
    throw new Error(`${load.accepted * each} deliveries were due, ${requests} requests arrived`);
}

export const NONE: Latencies = { count: 0, maxMs: 0, buckets: [] };

export function latencyRows(what: string, latencies: Latencies, goalP99Ms?: number): Row[] {
  return [0.5, 0.95, 0.99].map((q) =>
    row(
      `${what}, p${q * 100}`,
      quantile(latencies, q),
      "ms",
      q === 0.99 && goalP99Ms !== undefined ? { goal: { atMost: goalP99Ms } } : {},
    ),
  );
}

/** Returns the processor time of the service for an event, from its acceptance to the log of its delivery, in milliseconds. */
export async function costOf(
  stage: Stage,
  workload: Workload,
  { name, forMs }: { readonly name: string; readonly forMs: number },
): Promise<number> {
  await stage.reset();
  const stopMeter = stage.meter(name);
  const load = await stage.closed(workload, { connections: CONNECTIONS, forMs });
  await settle(stage);
  const { serviceMs } = stopMeter();
  assertArrived(load, (await stage.received()).requests);
  return serviceMs / load.accepted;
}
