/**
 * Chooses the groups of long tests for a run of .ci/run. All of them take three times as long as a change should wait, so most go by turns.
 * The commit decides whose turn it is, and a group always runs when a file that it is about has changed. For people, it prints the groups
 * that it takes, with the reasons, and those that it leaves out. On standard output, it prints the keys for JUNCTION_TEST_GROUPS.
 * `npm run test:all` runs everything.
 */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { matchesGlob } from "node:path";
import { fileURLToPath } from "node:url";
import { LEFT_OUT, POSTGRES_15 } from "./test-tiers.ts";

/** The groups of each turn. Each has about 900 s of files (2026-11-28), which three workers run in five minutes. */
export const TURNS: readonly (readonly string[])[] = [
  ["crashes", "packages", "language"],
  ["toolchains", POSTGRES_15.key],
  ["installs", "vendors"],
  ["screens", "routes"],
];

export interface Choice {
  readonly key: string;
  /** Why the group runs now; undefined if it is left to another turn. */
  readonly because: string | undefined;
}

/** Returns the choice for a commit. `changed` has the paths that differ from what passed last; undefined if that is unknown. */
export function choose(commit: string, changed: readonly string[] | undefined): Choice[] {
  const turn = Number.parseInt(commit.slice(0, 8), 16) % TURNS.length;
  return [...LEFT_OUT, { ...POSTGRES_15, files: [] }].map(({ key, files, about }) => {
    if (about === undefined) return { key, because: "always" };
    if (TURNS[turn]?.includes(key) === true) return { key, because: `its turn (${turn + 1} of ${TURNS.length})` };
    if (changed === undefined) return { key, because: "the changes are unknown" };
    const cause = changed.find((path) => [...about, ...files].some((glob) => matchesGlob(path, glob)));
    return { key, because: cause === undefined ? undefined : `${cause} changed` };
  });
}

/** Returns the paths that changed since the commit that passed CI last. A clone without that commit knows none. */
function changedSince(base: string, cwd: string): string[] | undefined {
  try {
    return git(["diff", "--name-only", base, "HEAD"], cwd)
      .split("\n")
      .filter((path) => path !== "");
  } catch {
    return undefined;
  }
}

function git(args: readonly string[], cwd: string): string {
  return execFileSync("git", [...args], { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
}

if (import.meta.main) {
  const root = fileURLToPath(new URL("../", import.meta.url));
  const base = process.env["JUNCTION_CI_BASE"] ?? readFileSync(`${root}.ci/base`, "utf8").trim();
  const choices = choose(git(["rev-parse", "HEAD"], root), changedSince(base, root));
  for (const { key, because } of choices)
    console.error(because === undefined ? `left out: ${key}` : `taken: ${key} (${because})`);
  console.log(choices.flatMap(({ key, because }) => (because === undefined ? [] : [key])).join(","));
}
