import { assertArrived, CONNECTIONS, latencyRows, ORDER, settle, warm } from "../scenario.ts";
import { startStage } from "../stage.ts";
import type { Source } from "../objects.ts";
import type { Stage } from "../stage.ts";
import { custom } from "../workload.ts";
import { row } from "../bench.ts";
import type { Bench, Row } from "../bench.ts";

/**
 * Signed inbound events, each delivered to one endpoint, against events fired at the same service a moment before: first those of a source
 * without contacts, then those that each become an activity of a contact. Then lists of events against single ones, which no endpoint takes.
 */
export async function inbound(bench: Bench): Promise<Row[]> {
  const stage = await startStage(bench);
  await stage.endpoint({ path: "order", events: [ORDER], maxInFlight: 256 });
  const load = { connections: CONNECTIONS, forMs: (bench.seconds * 1000) / 2 };
  await warm(stage);
  const fired = await stage.closed(custom(ORDER), load);
  await settle(stage);
  const perSecond = (fired.accepted / fired.wallMs) * 1000;
  return [
    ...(await rowsOf(stage, { contact: "none", what: "Inbound without contacts", load, perSecond, share: 0.8 })),
    ...(await rowsOf(stage, { contact: "required", what: "Inbound", load, perSecond, share: 0.5 })),
    ...(await listRows(stage, load)),
  ];
}

interface Measured {
  readonly contact: "none" | "required";
  readonly what: string;
  readonly load: { readonly connections: number; readonly forMs: number };
  /** The rate of fired events. */
  readonly perSecond: number;
  /** The least share of it. */
  readonly share: number;
}

async function rowsOf(stage: Stage, { contact, what, load, perSecond, share }: Measured): Promise<Row[]> {
  const source = await stage.source(ORDER, { contact });
  await stage.inbound(source, { ...load, forMs: Math.min(load.forMs, 4000) });
  await settle(stage);
  await stage.reset();
  const stopCounting = await stage.counting();
  const stopMeter = stage.meter(what);
  const taken = await stage.inbound(source, load);
  await settle(stage);
  const usage = stopMeter();
  const database = await stopCounting();
  const { requests } = await stage.received();
  assertArrived(taken, requests);
  const rate = (taken.accepted / taken.wallMs) * 1000;
  return [
    row(`${what}: accepted, each also delivered`, rate, "/s", {
      against: [perSecond, "fired"],
      goal: { atLeast: share, of: "ratio" },
    }),
    ...latencyRows(`${what}: accept`, taken.latencies),
    row(`${what}: processor time per event`, usage.machineMs / taken.accepted, "ms"),
    row(`${what}: SQL statements per event`, database.calls / taken.accepted, ""),
  ];
}

/** The events of a list. */
const LISTED = 100;
const FEW = 4;

/** Compares the processor time for a list with that for as many requests. */
async function listRows(stage: Stage, load: Measured["load"]): Promise<Row[]> {
  const single = await stage.source("bench.single", { contact: "none" });
  const list = await stage.source("bench.listed", { contact: "none", listed: LISTED });
  const alone = await costOf(stage, single, load);
  const listed = await costOf(stage, list, { ...load, connections: FEW });
  return [
    row("Inbound without an endpoint: processor time of service and database per event", alone, "ms"),
    row(`The same in lists of ${LISTED}: processor time of service and database per event`, listed / LISTED, "ms", {
      against: [alone, "a request each"],
      goal: { atMost: 0.4, of: "ratio" },
    }),
  ];
}

/** Returns the processor time of the service and the database for a request in milliseconds. */
async function costOf(stage: Stage, source: Source, load: Measured["load"]): Promise<number> {
  await stage.inbound(source, { ...load, forMs: load.forMs / 2 });
  await settle(stage);
  const stopMeter = stage.meter("receiving");
  const { accepted } = await stage.inbound(source, load);
  await settle(stage);
  const { serviceMs, databaseMs } = stopMeter();
  return (serviceMs + databaseMs) / accepted;
}
