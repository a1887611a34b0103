import { tmpdir } from "node:os";
import { parseArgs } from "node:util";
import { machineLine } from "../bench/meter.ts";
import { keepReport } from "../bench/report.ts";
import { runOnce } from "./nemesis/command.ts";
import { scheduleOf } from "./nemesis/schedule.ts";
import { addRun, NO_RUNS, soakTable } from "./nemesis/soak-counts.ts";
import { stopAll } from "./running.ts";

const PAGE = new URL("../docs/soak.md", import.meta.url);
const USAGE = `npm run soak -- [options]
  Runs one seed after another until it is stopped, or a promise is broken.
  --first n    the first seed; default: a number made of the time
  --minutes m  how long faults begin in each run; default: 5
  --runs n     stops after so many runs
  --write      keeps the counts in docs/soak.md after each run`;

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => void stopAll().then(() => process.exit(0)));
}
process.exitCode = await main();

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      first: { type: "string" },
      minutes: { type: "string", default: "5" },
      runs: { type: "string", default: "Infinity" },
      write: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  const [minutes, runs] = [Number(values.minutes), Number(values.runs)];
  const first = Number(values.first ?? Math.floor(Date.now() / 1000) % 1_000_000);
  if (values.help || !Number.isInteger(first) || !(minutes > 0) || !(runs > 0)) {
    console.log(USAGE);
    return values.help ? 0 : 64;
  }
  return await soak({ first, minutes, runs, keeps: values.write });
}

interface Soak {
  readonly first: number;
  readonly minutes: number;
  readonly runs: number;
  /** Keeps the counts in the page. */
  readonly keeps: boolean;
}

async function soak({ first, minutes, runs, keeps }: Soak): Promise<number> {
  const startedAt = new Date();
  let counts = NO_RUNS;
  for (let seed = first; counts.runs < runs; seed += 1) {
    console.log(`seed ${seed}, ${minutes} minutes`);
    const verdict = await runOnce({ seed, minutes, faults: scheduleOf(seed, minutes) });
    counts = addRun(counts, seed, verdict);
    const head = `${startedAt.toISOString().slice(0, 10)}, ${counts.runs} runs of ${minutes} minutes from seed ${first} on, on ${machineLine(tmpdir())}.`;
    const table = soakTable(counts);
    console.log(table);
    if (keeps) await keepReport(PAGE, "soak", `${head}\n\n${table}`);
    if (verdict.broken.length > 0) return 1;
  }
  return 0;
}
