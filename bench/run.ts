import { tmpdir } from "node:os";
import { parseArgs } from "node:util";
import { machineLine } from "./meter.ts";
import { isMet, keepReport, tableOf } from "./report.ts";
import { actions } from "./scenarios/actions.ts";
import { ceiling } from "./scenarios/ceiling.ts";
import { citus } from "./scenarios/citus.ts";
import { configuration } from "./scenarios/configuration.ts";
import { connections } from "./scenarios/connections.ts";
import { connectors } from "./scenarios/connectors.ts";
import { endpoints } from "./scenarios/endpoints.ts";
import { eventTypes } from "./scenarios/event-types.ts";
import { filters } from "./scenarios/filters.ts";
import { catalogue, custom, hot, projection } from "./scenarios/events.ts";
import { fanout } from "./scenarios/fanout.ts";
import { hanging } from "./scenarios/hanging.ts";
import { hosts } from "./scenarios/hosts.ts";
import { httpCalls } from "./scenarios/http-calls.ts";
import { inbound } from "./scenarios/inbound.ts";
import { lanes } from "./scenarios/lanes.ts";
import { log } from "./scenarios/log.ts";
import { operatorTools } from "./scenarios/operator-tools.ts";
import { overload } from "./scenarios/overload.ts";
import { processes } from "./scenarios/processes.ts";
import { pull } from "./scenarios/pull.ts";
import { retries } from "./scenarios/retries.ts";
import { rules } from "./scenarios/rules.ts";
import { schedules } from "./scenarios/schedules.ts";
import { sdkPhp } from "./scenarios/sdk-php.ts";
import { sdkNode } from "./scenarios/sdk-node.ts";
import { sdkPython } from "./scenarios/sdk-python.ts";
import { small } from "./scenarios/small.ts";
import { soak } from "./scenarios/soak.ts";
import { tenants } from "./scenarios/tenants.ts";
import { tls } from "./scenarios/tls.ts";
import { tokens } from "./scenarios/tokens.ts";
import { transforms } from "./scenarios/transforms.ts";
import { xmin } from "./scenarios/xmin.ts";
import { stopAll } from "./stage.ts";
import type { Bench, Row, Scenario } from "./bench.ts";

const SCENARIOS: readonly Scenario[] = [
  { name: "ceiling", run: ceiling },
  // First of the four: the rates of the others are shares of its rate.
  { name: "custom", run: custom },
  { name: "catalogue", run: catalogue },
  { name: "projection", run: projection },
  { name: "hot", run: hot },
  { name: "connections", run: connections },
  { name: "overload", run: overload },
  { name: "inbound", run: inbound },
  { name: "actions", run: actions },
  { name: "tokens", run: tokens },
  { name: "operator-tools", run: operatorTools },
  { name: "rules", run: rules },
  { name: "http-calls", run: httpCalls },
  { name: "schedules", run: schedules },
  { name: "fanout", run: fanout },
  { name: "hanging", run: hanging },
  { name: "hosts", run: hosts },
  { name: "tls", run: tls },
  { name: "retries", run: retries },
  { name: "pull", run: pull },
  { name: "log", run: log },
  { name: "xmin", run: xmin },
  { name: "processes", run: processes },
  { name: "tenants", run: tenants },
  { name: "endpoints", run: endpoints },
  { name: "filters", run: filters },
  { name: "transforms", run: transforms },
  { name: "lanes", run: lanes },
  { name: "event-types", run: eventTypes },
  { name: "configuration", run: configuration },
  { name: "soak", run: soak },
  { name: "small", run: small },
  { name: "citus", run: citus },
  { name: "connectors", run: connectors },
  { name: "sdk-php", run: sdkPhp },
  { name: "sdk-node", run: sdkNode },
  { name: "sdk-python", run: sdkPython },
];
const DEFAULT_SECONDS = 12;
const SCENARIO_LIMIT_MS = 420_000;
const LIMIT_A_SECOND_MS = 30_000;
const FULL_SCENARIO_LIMIT_MS = 4_500_000;
const PAGE = new URL("../docs/performance.md", import.meta.url);

const USAGE = `npm run bench -- [options]
  --only a,b     of ${SCENARIOS.map((scenario) => scenario.name).join(", ")}; they run in this order
  --seconds n    how long one measurement lasts (${DEFAULT_SECONDS})
  --full         1 000 000 pending retries, 10 000 000 logged deliveries, an hour of soak; needs about 90 minutes and 30 GB
  --profile      where the saturated service spends its time (slows it down)
  --write        keeps the table in docs/performance.md`;

process.exitCode = await main();

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      only: { type: "string" },
      seconds: { type: "string" },
      full: { type: "boolean", default: false },
      profile: { type: "boolean", default: false },
      write: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  const seconds = Number(values.seconds ?? DEFAULT_SECONDS);
  const chosen = SCENARIOS.filter(({ name }) => values.only === undefined || values.only.split(",").includes(name));
  if (values.help || !(seconds > 0) || chosen.length === 0) {
    console.log(USAGE);
    return values.help ? 0 : 64;
  }
  stopOnSignal();
  const bench: Bench = {
    seconds,
    full: values.full,
    profile: values.profile,
    found: {},
    disturbed: [],
    say: (line) => console.error(line),
  };
  const startedAt = new Date();
  const machine = machineLine(tmpdir());
  console.error(machine);
  const rows = await runAll(chosen, bench);
  const table = tableOf(rows);
  const disturbed = bench.disturbed.map((line) => `\n- ${line}`).join("");
  const noise =
    disturbed && `\n\nNot to be relied on, because others took this share of the processor time:\n${disturbed}`;
  console.log(`\n${table}${noise}`);
  if (values.write) await keepReport(PAGE, "bench", `${headOf(startedAt, machine)}\n\n${table}${noise}`);
  return rows.some((row) => isMet(row) === false) ? 1 : 0;
}

async function runAll(chosen: readonly Scenario[], bench: Bench): Promise<Row[]> {
  const rows: Row[] = [];
  for (const { name, run } of chosen) {
    const startedAt = performance.now();
    const limit = new AbortController();
    try {
      rows.push(...(await Promise.race([run(bench), expiry(name, bench, limit.signal)])));
    } finally {
      limit.abort();
      await stopAll();
    }
    console.error(`${name}: ${((performance.now() - startedAt) / 1000).toFixed(0)} s`);
  }
  return rows;
}

async function expiry(name: string, { full, seconds }: Bench, signal: AbortSignal): Promise<never> {
  const limitMs = full ? FULL_SCENARIO_LIMIT_MS : SCENARIO_LIMIT_MS + seconds * LIMIT_A_SECOND_MS;
  return await new Promise((_resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`${name} took longer than ${limitMs / 1000} s`)), limitMs);
    signal.addEventListener("abort", () => clearTimeout(timer));
  });
}

function headOf(startedAt: Date, machine: string): string {
  const command = ["npm run bench --", ...process.argv.slice(2)].join(" ");
  return `${startedAt.toISOString().slice(0, 10)}, \`${command}\`, on ${machine}.`;
}

function stopOnSignal(): void {
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => {
      void stopAll().then(() => process.exit(130));
    });
  }
}
