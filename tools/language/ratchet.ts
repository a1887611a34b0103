/**
 * Compares the findings in our texts with ratchet.json, whose counts may only fall. Prints the findings of each count that rose.
 * `--all` prints all findings. `--lower` writes lower counts into the file. `--group "log messages"` selects one group to print.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { checkLanguage } from "./check.ts";
import type { Finding } from "./check.ts";

/** The number of findings by group and rule. A count that is not in the file is zero. */
export type Counts = Readonly<Record<string, Readonly<Record<string, number>>>>;

export const LOWER = "node tools/language/ratchet.ts --lower";

const FILE = new URL("ratchet.json", import.meta.url);

if (import.meta.main) await main();

export function readRatchet(): Counts {
  return JSON.parse(readFileSync(FILE, "utf8")) as Counts;
}

/** Returns a problem for each count that differs from the file's, with the findings if there are more. */
export function compare(findings: readonly Finding[], allowed: Counts): string[] {
  const actual = countsOf(findings);
  return keysOf(actual, allowed).flatMap(([group, rule]) => {
    const [now, most] = [actual[group]?.[rule] ?? 0, allowed[group]?.[rule] ?? 0];
    if (now < most) return [`${group}: ${rule} has ${now} findings, and ${most} are allowed. Run ${LOWER}`];
    if (now === most) return [];
    const found = findings.filter((each) => each.group === group && each.rule === rule).map(lineOf);
    return [
      `${group}: ${rule} has ${now} findings, and ${most} are allowed. Correct the new ones:\n${found.join("\n")}`,
    ];
  });
}

/** Returns the lower one of each two counts. A count never rises: a new rule needs its first counts written into the file by hand. */
export function lowered(findings: readonly Finding[], allowed: Counts): Counts {
  const actual = countsOf(findings);
  const result: Record<string, Record<string, number>> = {};
  for (const [group, rule] of keysOf(allowed, {})) {
    const count = Math.min(actual[group]?.[rule] ?? 0, allowed[group]?.[rule] ?? 0);
    if (count > 0) (result[group] ??= {})[rule] = count;
  }
  return result;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { all: { type: "boolean" }, lower: { type: "boolean" }, group: { type: "string" } },
  });
  const findings = await checkLanguage();
  if (values.all === true || values.group !== undefined) {
    const shown = findings.filter(({ group }) => values.group === undefined || group === values.group);
    console.log(shown.map(lineOf).join("\n"));
    return;
  }
  if (values.lower === true) writeFileSync(FILE, `${JSON.stringify(lowered(findings, readRatchet()), undefined, 2)}\n`);
  const problems = compare(findings, readRatchet());
  console.log(problems.length === 0 ? "The counts are those of ratchet.json." : problems.join("\n\n"));
  process.exitCode = problems.length === 0 ? 0 : 1;
}

function countsOf(findings: readonly Finding[]): Counts {
  const counts: Record<string, Record<string, number>> = {};
  for (const { group, rule } of findings) {
    const rules = (counts[group] ??= {});
    rules[rule] = (rules[rule] ?? 0) + 1;
  }
  return counts;
}

/** Returns each group and rule of two sets of counts once, in order. */
function keysOf(...sets: readonly [Counts, Counts]): [group: string, rule: string][] {
  const keys = sets.flatMap((counts) =>
    Object.entries(counts).flatMap(([group, rules]) => Object.keys(rules).map((rule) => JSON.stringify([group, rule]))),
  );
  return [...new Set(keys)].toSorted().map((key) => JSON.parse(key) as [string, string]);
}

function lineOf({ file, line, rule, message }: Finding): string {
  return `${file}:${line} ${rule}: ${message}`;
}
