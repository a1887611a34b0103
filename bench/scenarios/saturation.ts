import type { Usage } from "../meter.ts";
import type { DatabaseCost } from "../statements.ts";
import { profileFolder, printProfile } from "../profile.ts";
import type { Bench, Row } from "../scenario.ts";
import { assertArrived, CONNECTIONS, latencyRows, ORDER, settle, warm } from "../scenario.ts";
import { startStage } from "../stage.ts";

/** As many events as the service takes, one endpoint: from the first fire until the last delivery is logged. */
export async function saturation(bench: Bench): Promise<Row[]> {
  const profile = bench.profile ? await profileFolder() : undefined;
  const stage = await startStage(
    bench,
    profile === undefined ? {} : { nodeArguments: ["--cpu-prof", `--cpu-prof-dir=${profile}`] },
  );
  try {
    await stage.endpoint({ path: "order", events: [ORDER], maxInFlight: 256 });
    await warm(stage);
    await stage.reset();
    const stopCounting = await stage.counting();
    const memory = stage.memory();
    const stopMeter = stage.meter("saturation");
    const load = await stage.closed(ORDER, { connections: CONNECTIONS, forMs: bench.seconds * 1000 });
    await settle(stage);
    const usage = stopMeter();
    const mib = memory.stop();
    const database = await stopCounting();
    const { requests, bytesEach, paths } = await stage.received();
    assertArrived(load, requests);
    if (bench.profile) tellStatements(bench, database, requests);
    return [
      ...rateRows(bench, usage, { accepted: load.accepted, acceptMs: load.wallMs, bytesEach }),
      ...latencyRows("At saturation: accept", load.latencies),
      ...latencyRows("At saturation: fire to arrival", paths["order"] ?? { count: 0, maxMs: 0, buckets: [] }),
      ...costRows(usage, database, requests),
      { what: "Memory of the service, peak", value: mib.peak, unit: "MiB", goal: { atMost: 300 } },
      {
        what: "Memory: last quarter of the run",
        value: mib.last,
        unit: "MiB",
        ratio: { value: mib.flatness, to: "second quarter" },
      },
    ];
  } finally {
    await stage.stop();
    if (profile !== undefined) await printProfile(profile, bench.say);
  }
}

function rateRows(bench: Bench, usage: Usage, load: { accepted: number; acceptMs: number; bytesEach: number }): Row[] {
  const sustained = (load.accepted / usage.wallMs) * 1000;
  const { ceiling } = bench.found;
  return [
    {
      what: "Sustained: fired, delivered and logged",
      value: sustained,
      unit: "/s",
      ...(ceiling === undefined
        ? {}
        : { ratio: { value: sustained / ceiling, to: "ceiling" }, goal: { atLeast: 0.15, of: "ratio" as const } }),
    },
    { what: "Accepted while firing", value: (load.accepted / load.acceptMs) * 1000, unit: "/s" },
    { what: "Size of one delivery's request", value: load.bytesEach, unit: "bytes" },
  ];
}

function costRows(usage: Usage, database: DatabaseCost, deliveries: number): Row[] {
  const each = (value: number): number => value / deliveries;
  const share = (value: number) => ({ value: value / usage.machineMs, to: "whole machine" });
  return [
    { what: "Processor time of the whole machine per delivery", value: each(usage.machineMs), unit: "ms" },
    { what: "· of it the service", value: each(usage.serviceMs), unit: "ms", ratio: share(usage.serviceMs) },
    { what: "· the database", value: each(usage.databaseMs), unit: "ms", ratio: share(usage.databaseMs) },
    {
      what: "· generator and receiver",
      value: each(usage.generatorMs + usage.receiverMs),
      unit: "ms",
      ratio: share(usage.generatorMs + usage.receiverMs),
    },
    { what: "· everything else on the machine", value: each(usage.otherMs), unit: "ms", ratio: share(usage.otherMs) },
    { what: "SQL statements per event", value: each(database.calls), unit: "", goal: { atMost: 0.2 } },
    { what: "WAL per event", value: each(database.walBytes), unit: "bytes" },
    { what: "WAL syncs per event", value: each(database.walSyncs), unit: "" },
  ];
}

function tellStatements(bench: Bench, database: DatabaseCost, events: number): void {
  bench.say("\nStatements of the saturated stretch, dearest first:");
  for (const { query, calls, rows, ms, blocks } of database.statements.slice(0, 14)) {
    const figures = [
      `${ms.toFixed(0)} ms`,
      `${calls} calls`,
      `${(ms / calls).toFixed(2)} ms each`,
      `${(rows / calls).toFixed(1)} rows each`,
      `${(blocks / events).toFixed(1)} blocks/event`,
    ];
    bench.say(`  ${figures.join(", ")}: ${query.replaceAll(/\s+/g, " ").slice(0, 110)}`);
  }
}
