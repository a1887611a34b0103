import { join } from "node:path";
import { tmpdir } from "node:os";
import type { Verdict } from "./checker.ts";
import { runNemesis } from "./nemesis.ts";
import { stopAll } from "../running.ts";
import { lineOf, scheduleOf } from "./schedule.ts";
import type { PlannedFault } from "./schedule.ts";
import { shrink } from "./shrink.ts";

/** One or several seeds, and what to do with them. */
export interface NemesisCommand {
  readonly seeds: readonly number[];
  readonly minutes: number;
  /** Makes a failed run smaller. */
  readonly shrink: boolean;
  /** The numbers of the schedule's faults that are done; undefined: all. */
  readonly only: ReadonlySet<number> | undefined;
  /** The names of planted faults, divided by commas. */
  readonly planted?: string | undefined;
}

/** Runs the seeds one after another. Returns true if every promise held. */
export async function runSeeds(command: NemesisCommand): Promise<boolean> {
  let holds = true;
  for (const seed of command.seeds) holds = (await runSeed(seed, command)) && holds;
  return holds;
}

async function runSeed(seed: number, { minutes, only, planted, ...command }: NemesisCommand): Promise<boolean> {
  const faults = scheduleOf(seed, minutes).filter((_fault, at) => only?.has(at) ?? true);
  console.log(
    `seed ${seed}, ${minutes} minutes, ${faults.length} faults${planted === undefined ? "" : `, ${planted}`}`,
  );
  for (const [at, fault] of faults.entries()) console.log(`${String(at).padStart(4)}  ${lineOf(fault)}`);
  const run = async (some: readonly PlannedFault[]): Promise<Verdict> =>
    await runOnce({ seed, minutes, faults: some, planted });
  const verdict = await run(faults);
  if (verdict.broken.length > 0 && command.shrink) {
    const smallest = await shrink(faults, async (some) => (await run(some)).broken.length > 0);
    console.log(`the smallest that fails: --seed ${seed} --minutes ${minutes} --faults ${numbers(faults, smallest)}`);
    for (const fault of smallest) console.log(`      ${lineOf(fault)}`);
  }
  return verdict.broken.length === 0;
}

function numbers(all: readonly PlannedFault[], some: readonly PlannedFault[]): string {
  return some.map((fault) => all.indexOf(fault)).join(",");
}

/** Runs once, keeps the history if a promise was broken, and tells the verdict. */
export async function runOnce(options: Parameters<typeof runNemesis>[0]): Promise<Verdict> {
  try {
    const { verdict, history } = await runNemesis(options);
    console.log(verdictLine(verdict));
    if (verdict.broken.length > 0) {
      const path = join(tmpdir(), `junction-nemesis-${options.seed}-${Date.now()}.jsonl`);
      history.keep(path);
      console.log(`  the history is kept in ${path}`);
    }
    return verdict;
  } finally {
    await stopAll();
  }
}

/** One line for a terminal, and one for each broken promise. */
function verdictLine({ broken, counts }: Verdict): string {
  const { calls, events, hits, unknown, duplicates, longestStallMs } = counts;
  const figures = `${calls} calls, ${events} events, ${hits} requests received, ${unknown} operations without an answer, ${duplicates} duplicates, longest stall ${(longestStallMs / 1000).toFixed(1)} s`;
  return broken.length === 0 ? `holds: ${figures}` : `BROKEN: ${figures}\n  ${broken.join("\n  ")}`;
}
