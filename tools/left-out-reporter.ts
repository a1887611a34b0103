import { globSync } from "node:fs";
import type { UserConsoleLog } from "vitest";
import type { Reporter, TestModule, Vitest } from "vitest/node";
import { LEFT_OUT } from "./test-tiers.ts";

const MARK = "SKIPPED: ";

export interface Options {
  /** Tests that the configuration could not include on this machine, and the reasons. */
  readonly missing: readonly string[];
}

/** Prints at the end of a run which tests did not run, and why. Vitest wants a class. */
export class LeftOutReporter implements Reporter {
  readonly #reasons: Set<string>;
  #vitest: Vitest | undefined;

  constructor({ missing }: Options) {
    this.#reasons = new Set(missing);
  }

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  /** A test file that cannot run on this machine prints the reason with the mark. */
  onUserConsoleLog({ content }: UserConsoleLog): void {
    for (const line of content.split("\n"))
      if (line.includes(MARK)) this.#reasons.add(line.slice(line.indexOf(MARK) + MARK.length));
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const root = this.#vitest?.config.root ?? ".";
    // A run of single files does not report the others.
    const isNpmTest = process.env["npm_lifecycle_event"] === "test";
    const lines = endOf({
      reasons: [...this.#reasons],
      skipped: modules.flatMap(skippedIn),
      groups: isNpmTest
        ? LEFT_OUT.map(({ name, files }) => ({ name, count: globSync(files, { cwd: root, exclude }).length }))
        : [],
    });
    if (lines.length > 0) console.log(`\n${lines.join("\n")}\n`);
  }
}

interface Ended {
  readonly reasons: readonly string[];
  /** A note for each skipped test; undefined where the test has none. */
  readonly skipped: readonly (string | undefined)[];
  readonly groups: readonly { readonly name: string; readonly count: number }[];
}

/** Returns the lines at the end of a run; none if everything ran. */
export function endOf({ reasons, skipped, groups }: Ended): string[] {
  const notes = new Set([...reasons, ...skipped.filter((note) => note !== undefined)]);
  return [
    ...(groups.length === 0 ? [] : ["Not part of npm test; npm run test:all runs them:"]),
    ...groups.map(({ name, count }) => `  - ${name} (${count} ${count === 1 ? "file" : "files"})`),
    ...(notes.size === 0 ? [] : [`Skipped on this machine (${skipped.length} tests in the files that ran):`]),
    ...[...notes].map((note) => `  - ${note}`),
  ];
}

function skippedIn(module: TestModule): (string | undefined)[] {
  return [...module.children.allTests("skipped")].map((test) => {
    const result = test.result();
    return result.state === "skipped" ? result.note : undefined;
  });
}

function exclude(path: string): boolean {
  return path.includes("node_modules");
}
