import { tmpdir } from "node:os";
import { parseArgs } from "node:util";
import { machineLine } from "../bench/meter.ts";
import { keepReport } from "../bench/report.ts";
import type { Experiment, Faults } from "./experiment.ts";
import { EXPERIMENTS, runOne } from "./experiments.ts";
import { runSeeds } from "./nemesis/command.ts";
import { PLANTED } from "./nemesis/planted/list.ts";
import { seedsIn } from "./nemesis/seeds.ts";
import { holds, lineOf, tableOf } from "./report.ts";
import type { Row } from "./report.ts";
import { stopAll } from "./running.ts";

const PAGE = new URL("../docs/reliability.md", import.meta.url);

const MINUTES = "5";
const USAGE = `npm run faults -- [options]
  --only a,b  of ${EXPERIMENTS.map(({ name }) => name).join(", ")}; they run in this order.
              The beginning of names stands for all of them: --only citus
  --full      the lengths and counts that the promises name; about half an hour
  --write     keeps the table in docs/reliability.md

npm run faults -- --seed n | --seeds 1..20 [options]
  All operations by several clients, with faults in random overlap (faults/nemesis).
  --minutes m    how long faults begin; default: ${MINUTES}
  --shrink       leaves out faults of a failed run while it still fails
  --faults 1,4   does only these faults of the schedule
  --planted a,b  plants faults in the service: ${PLANTED.map(({ name }) => name).join(", ")}`;

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => void stopAll().then(() => process.exit(130)));
}
process.exitCode = await main();

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      only: { type: "string" },
      full: { type: "boolean", default: false },
      write: { type: "boolean", default: false },
      seed: { type: "string" },
      seeds: { type: "string" },
      minutes: { type: "string", default: MINUTES },
      shrink: { type: "boolean", default: false },
      faults: { type: "string" },
      planted: { type: "string" },
      help: { type: "boolean", default: false },
    },
  });
  const seeds = values.seed ?? values.seeds;
  if (seeds !== undefined && !values.help) return await nemesis({ ...values, seeds });
  const chosen = chosenOf(values.only?.split(","));
  if (values.help || chosen === undefined) {
    console.log(USAGE);
    return values.help ? 0 : 64;
  }
  const startedAt = new Date();
  const rows = await runAll(chosen, { full: values.full });
  const table = tableOf(rows);
  console.log(`\n${table}`);
  if (values.write) await keepReport(PAGE, "faults", `${headOf(startedAt)}\n\n${table}`);
  return rows.every(holds) ? 0 : 1;
}

interface NemesisValues {
  readonly seeds: string;
  readonly minutes: string;
  readonly shrink: boolean;
  readonly faults?: string | undefined;
  readonly planted?: string | undefined;
}

async function nemesis({ seeds: text, minutes, shrink, faults, planted }: NemesisValues): Promise<number> {
  const seeds = seedsIn(text);
  const isNamed = planted?.split(",").every((wanted) => PLANTED.some(({ name }) => name === wanted)) ?? true;
  if (seeds === undefined || !isNamed || !(Number(minutes) > 0)) {
    console.log(USAGE);
    return 64;
  }
  const only = faults === undefined ? undefined : new Set(faults.split(",").map(Number));
  return (await runSeeds({ seeds, minutes: Number(minutes), shrink, only, planted })) ? 0 : 1;
}

/** Undefined where a name is none. */
function chosenOf(names: readonly string[] | undefined): readonly Experiment[] | undefined {
  if (names === undefined) return EXPERIMENTS;
  const isNamed = (experiment: Experiment, name: string): boolean =>
    experiment.name === name || experiment.name.startsWith(`${name}-`);
  if (!names.every((name) => EXPERIMENTS.some((experiment) => isNamed(experiment, name)))) return undefined;
  return EXPERIMENTS.filter((experiment) => names.some((name) => isNamed(experiment, name)));
}

async function runAll(chosen: readonly Experiment[], faults: Faults): Promise<Row[]> {
  const rows: Row[] = [];
  for (const experiment of chosen) {
    const row = { experiment, finding: await runOne(experiment, faults) };
    rows.push(row);
    console.error(lineOf(row));
  }
  return rows;
}

function headOf(startedAt: Date): string {
  const command = ["npm run faults --", ...process.argv.slice(2)].join(" ");
  return `${startedAt.toISOString().slice(0, 10)}, \`${command}\`, on ${machineLine(tmpdir())}.`;
}
