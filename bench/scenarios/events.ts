import { CATALOGUE_SHARE, HOT_SHARE } from "../goals.ts";
import { quantile } from "../histogram.ts";
import type { Latencies } from "../histogram.ts";
import type { Usage } from "../meter.ts";
import { printProfile, profileFolder } from "../profile.ts";
import {
  assertAccepted,
  assertArrived,
  CONNECTIONS,
  NONE,
  ORDER,
  settle,
  startFurnished,
  startPeopled,
  warm,
} from "../scenario.ts";
import type { Stage } from "../stage.ts";
import type { DatabaseCost } from "../statements.ts";
import { tellStatements } from "../statements.ts";
import { CATALOGUE, custom as customEvents, HOT } from "../workload.ts";
import type { Workload } from "../workload.ts";
import { row } from "../bench.ts";
import type { Bench, Row } from "../bench.ts";

const PER_SECOND = 100;

/** A load with its goals. */
interface Measured {
  readonly load: string;
  readonly workload: Workload;
  /** Minimum share of the raw ceiling. */
  readonly leastOfCeiling?: number;
  /** Minimum share of the custom events' rate. */
  readonly leastOfCustom?: number;
  readonly mostMachineMs?: number;
  readonly mostStatements?: number;
  /** True where no rule and no workflow reacts. */
  readonly isQuiet?: boolean;
}

/** Measures events whose names are not in the catalog. Only endpoints subscribe to them. */
export async function custom(bench: Bench): Promise<Row[]> {
  return await measured(bench, {
    load: "Custom events",
    workload: customEvents(ORDER),
    leastOfCeiling: 0.25,
    mostMachineMs: 0.3,
    mostStatements: 0.2,
  });
}

/** Measures catalog events: contacts, tickets and timelines are kept, a rule and a workflow react. */
export async function catalogue(bench: Bench): Promise<Row[]> {
  return await measured(bench, {
    load: "Catalogue's events",
    workload: CATALOGUE,
    leastOfCustom: CATALOGUE_SHARE,
  });
}

/** Measures catalog events in a workspace without a rule and a workflow. */
export async function projection(bench: Bench): Promise<Row[]> {
  return await measured(bench, {
    load: "Without rule and workflow",
    workload: CATALOGUE,
    leastOfCustom: CATALOGUE_SHARE,
    mostStatements: 0.35,
    isQuiet: true,
  });
}

/** Measures catalog events that are all about one customer. */
export async function hot(bench: Bench): Promise<Row[]> {
  return await measured(bench, {
    load: "One customer's events",
    workload: HOT,
    leastOfCustom: HOT_SHARE,
  });
}

/** Fires as many events as the service accepts, then 100 a second. All of them go to one endpoint. */
async function measured(bench: Bench, one: Measured): Promise<Row[]> {
  const profile = bench.profile ? await profileFolder() : undefined;
  const start = one.isQuiet === true ? startPeopled : startFurnished;
  const stage = await start(
    bench,
    profile === undefined ? {} : { nodeArguments: ["--cpu-prof", `--cpu-prof-dir=${profile}`] },
  );
  try {
    await warm(stage, one.workload);
    const calm = await steady(bench, stage, one);
    const rows = [...(await saturated(bench, stage, one)), ...calm];
    await stage.verify();
    return rows.map((line) => ({ ...line, load: one.load }));
  } finally {
    await stage.stop();
    if (profile !== undefined) await printProfile(profile, bench.say);
  }
}

async function saturated(bench: Bench, stage: Stage, one: Measured): Promise<Row[]> {
  await stage.reset();
  const stopCounting = await stage.counting();
  const memory = stage.memory();
  const stopMeter = stage.meter(`${one.load} at saturation`);
  const load = await stage.closed(one.workload, { connections: CONNECTIONS, forMs: bench.seconds * 1000 });
  await settle(stage);
  const usage = stopMeter();
  const mib = memory.stop();
  const database = await stopCounting();
  const { requests, paths } = await stage.received();
  assertArrived(load, requests);
  if (bench.profile) tellStatements(bench.say, database, requests);
  const perSecond = (load.accepted / usage.wallMs) * 1000;
  if (one.leastOfCustom === undefined) bench.found.custom = perSecond;
  return [
    ...rateRows(bench, one, perSecond),
    row("Accepted while firing", (load.accepted / load.wallMs) * 1000, "/s", {
      against: [bench.found.fireCeiling, "what the generator can"],
    }),
    row("Answered 503 with Retry-After", load.shed, ""),
    ...ends("Accept", load.latencies),
    ...ends("Fire to arrival", paths["order"] ?? NONE),
    ...costRows(one, { usage, database, deliveries: requests }),
    row("Resident memory of the service, peak", mib.peak, "MiB", { goal: { atMost: 300 } }),
    row("· last quarter of the run", mib.last, "MiB", { ratio: { value: mib.flatness, to: "second quarter" } }),
  ];
}

function rateRows({ found }: Bench, one: Measured, perSecond: number): Row[] {
  const { leastOfCeiling, leastOfCustom } = one;
  return [
    row("Delivered, logged and reacted to", perSecond, "/s", {
      against: [found.ceiling, "ceiling"],
      ...(found.ceiling === undefined || leastOfCeiling === undefined
        ? {}
        : { goal: { atLeast: leastOfCeiling, of: "ratio" as const } }),
    }),
    ...(found.custom === undefined
      ? []
      : [
          row(
            "Share of the custom events' rate",
            perSecond / found.custom,
            "",
            leastOfCustom === undefined ? {} : { goal: { atLeast: leastOfCustom } },
          ),
        ]),
  ];
}

function ends(what: string, latencies: Latencies, goalP99Ms?: number): Row[] {
  return [0.5, 0.99].map((q) =>
    row(
      `${what}, p${q * 100}`,
      quantile(latencies, q),
      "ms",
      q === 0.99 && goalP99Ms !== undefined ? { goal: { atMost: goalP99Ms } } : {},
    ),
  );
}

interface Cost {
  readonly usage: Usage;
  readonly database: DatabaseCost;
  readonly deliveries: number;
}

function costRows({ mostMachineMs, mostStatements }: Measured, { usage, database, deliveries }: Cost): Row[] {
  const each = (value: number): number => value / deliveries;
  return [
    row(
      "Processor time of the whole machine per delivery",
      each(usage.machineMs),
      "ms",
      mostMachineMs === undefined ? {} : { goal: { atMost: mostMachineMs } },
    ),
    row("· of it the service", each(usage.serviceMs), "ms"),
    row("· the database", each(usage.databaseMs), "ms"),
    row("· generator and receiver", each(usage.generatorMs + usage.receiverMs), "ms"),
    row("· everything else on the machine", each(usage.otherMs), "ms"),
    row(
      "SQL statements per event",
      each(database.calls),
      "",
      mostStatements === undefined ? {} : { goal: { atMost: mostStatements } },
    ),
    row("WAL per event", each(database.walBytes), "bytes"),
    row("WAL syncs per event", each(database.walSyncs), ""),
    row("The generator's time on a core", (usage.generatorMs / usage.wallMs) * 100, "%"),
  ];
}

/** Shorter runs test the bench itself, on a machine that does other things at the same time. */
const LEAST_MEASURED_SECONDS = 10;

/** Measures an ordinary day: events come at fixed moments. */
async function steady(bench: Bench, stage: Stage, { load: name, workload }: Measured): Promise<Row[]> {
  await stage.reset();
  const what = `At ${PER_SECOND} events/s`;
  const stopMeter = stage.meter(`${name} at ${PER_SECOND}/s`);
  const load = await stage.open(workload, { perSecond: PER_SECOND, forMs: bench.seconds * 1000 });
  await settle(stage);
  const usage = stopMeter();
  const { requests, paths } = await stage.received();
  assertAccepted(load, bench.seconds < LEAST_MEASURED_SECONDS);
  assertArrived(load, requests);
  return [
    ...ends(`${what}: accept`, load.latencies),
    ...ends(`${what}: fire to arrival`, paths["order"] ?? NONE, 50),
    row(`${what}: processor time per delivery`, usage.machineMs / requests, "ms"),
  ];
}
