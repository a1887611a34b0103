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
    return rows.map((row) => ({ ...row, load: one.load }));
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
    {
      what: "Accepted while firing",
      value: (load.accepted / load.wallMs) * 1000,
      unit: "/s",
      ...ratio((load.accepted / load.wallMs) * 1000, bench.found.fireCeiling, "what the generator can"),
    },
    { what: "Answered 503 with Retry-After", value: load.shed, unit: "" },
    ...ends("Accept", load.latencies),
    ...ends("Fire to arrival", paths["order"] ?? NONE),
    ...costRows(one, { usage, database, deliveries: requests }),
    { what: "Resident memory of the service, peak", value: mib.peak, unit: "MiB", goal: { atMost: 300 } },
    {
      what: "· last quarter of the run",
      value: mib.last,
      unit: "MiB",
      ratio: { value: mib.flatness, to: "second quarter" },
    },
  ];
}

function rateRows({ found }: Bench, one: Measured, perSecond: number): Row[] {
  const { leastOfCeiling, leastOfCustom } = one;
  return [
    {
      what: "Delivered, logged and reacted to",
      value: perSecond,
      unit: "/s",
      ...ratio(perSecond, found.ceiling, "ceiling"),
      ...(found.ceiling === undefined || leastOfCeiling === undefined
        ? {}
        : { goal: { atLeast: leastOfCeiling, of: "ratio" as const } }),
    },
    ...(found.custom === undefined
      ? []
      : [
          {
            what: "Share of the custom events' rate",
            value: perSecond / found.custom,
            unit: "",
            ...(leastOfCustom === undefined ? {} : { goal: { atLeast: leastOfCustom } }),
          },
        ]),
  ];
}

function ratio(value: number, of: number | undefined, to: string): Pick<Row, "ratio"> {
  return of === undefined ? {} : { ratio: { value: value / of, to } };
}

function ends(what: string, latencies: Latencies, goalP99Ms?: number): Row[] {
  return [0.5, 0.99].map((q) => ({
    what: `${what}, p${q * 100}`,
    value: quantile(latencies, q),
    unit: "ms",
    ...(q === 0.99 && goalP99Ms !== undefined ? { goal: { atMost: goalP99Ms } } : {}),
  }));
}

interface Cost {
  readonly usage: Usage;
  readonly database: DatabaseCost;
  readonly deliveries: number;
}

function costRows({ mostMachineMs, mostStatements }: Measured, { usage, database, deliveries }: Cost): Row[] {
  const each = (value: number): number => value / deliveries;
  return [
    {
      what: "Processor time of the whole machine per delivery",
      value: each(usage.machineMs),
      unit: "ms",
      ...(mostMachineMs === undefined ? {} : { goal: { atMost: mostMachineMs } }),
    },
    { what: "· of it the service", value: each(usage.serviceMs), unit: "ms" },
    { what: "· the database", value: each(usage.databaseMs), unit: "ms" },
    { what: "· generator and receiver", value: each(usage.generatorMs + usage.receiverMs), unit: "ms" },
    { what: "· everything else on the machine", value: each(usage.otherMs), unit: "ms" },
    {
      what: "SQL statements per event",
      value: each(database.calls),
      unit: "",
      ...(mostStatements === undefined ? {} : { goal: { atMost: mostStatements } }),
    },
    { what: "WAL per event", value: each(database.walBytes), unit: "bytes" },
    { what: "WAL syncs per event", value: each(database.walSyncs), unit: "" },
    {
      what: "The generator's time on a core",
      value: (usage.generatorMs / usage.wallMs) * 100,
      unit: "%",
    },
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
    {
      what: `${what}: processor time per delivery`,
      value: usage.machineMs / requests,
      unit: "ms",
    },
  ];
}
