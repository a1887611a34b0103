/**
 * Chooses the groups of long tests for a run of .ci/run. All of them take three times as long as a change should wait, so they go by turns.
 * The commit decides whose turn it is, and a group always runs when a file that it is about is not as it was when the group passed last.
 * For people, it prints the groups that it takes, with the reasons, and those that it leaves out. On standard output, it prints the keys for
 * JUNCTION_TEST_GROUPS. `--passed` writes down that the groups that a comma list names passed with the files of the index; all groups without a list. `npm run test:all` runs everything.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { matchesGlob } from "node:path";
import { fileURLToPath } from "node:url";
import { LEFT_OUT, POSTGRES_15 } from "./test-tiers.ts";

/** The groups of each turn. Each has 1000 to 1900 s of files (2026-11-29), which three workers run in at most eleven minutes. */
export const TURNS: readonly (readonly string[])[] = [
  ["crashes", "packages", "language"],
  ["toolchains", "people", "terraform"],
  ["installs", "vendors", "sandboxes"],
  ["screens", "routes", "brokers"],
  ["webhooks", POSTGRES_15.key],
  ["work", "platform"],
];

export interface Choice {
  readonly key: string;
  /** Why the group runs now; undefined if it is left to another turn. */
  readonly because: string | undefined;
}

/** A file, with the hash of its content. */
export interface Tracked {
  readonly path: string;
  readonly content: string;
}

/** Digests of what the groups are about, by their keys. */
export type Digests = Readonly<Record<string, string>>;

const GROUPS = [...LEFT_OUT, { ...POSTGRES_15, files: [] }];

/** Returns the choice for a commit. `passed` has the digests with which the groups passed last. */
export function choose(commit: string, digests: Digests, passed: Digests): Choice[] {
  const turn = Number.parseInt(commit.slice(0, 8), 16) % TURNS.length;
  return GROUPS.map(({ key }) => {
    if (TURNS[turn]?.includes(key) === true) return { key, because: `its turn (${turn + 1} of ${TURNS.length})` };
    return { key, because: digests[key] === passed[key] ? undefined : "what it is about has changed" };
  });
}

/** Returns the digest of each group: of its own files and of those that it is about. */
export function digestsOf(tracked: readonly Tracked[]): Digests {
  return Object.fromEntries(
    GROUPS.map(({ key, about, files }) => {
      const digest = createHash("sha256");
      for (const { path, content } of tracked)
        if ([...about, ...files].some((glob) => matchesGlob(path, glob))) digest.update(`${content} ${path}\n`);
      return [key, digest.digest("hex").slice(0, 32)];
    }),
  );
}

/** Returns the digests after these groups passed. Throws for a name that no group has. */
export function passedNow(digests: Digests, passed: Digests, keys = Object.keys(digests)): Digests {
  const stranger = keys.find((key) => digests[key] === undefined);
  if (stranger !== undefined) throw new Error(`${stranger} is no group of tests.`);
  return { ...passed, ...Object.fromEntries(keys.map((key) => [key, digests[key] ?? ""])) };
}

/** Returns the files of the index. */
function trackedFiles(cwd: string): Tracked[] {
  const lines = git(["ls-files", "--stage", "-z"], cwd).split("\0");
  return lines.filter(Boolean).map((line) => ({
    content: line.split(" ", 2).join(" "),
    path: line.slice(line.indexOf("\t") + 1),
  }));
}

function git(args: readonly string[], cwd: string): string {
  return execFileSync("git", [...args], { cwd, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 }).trim();
}

if (import.meta.main) {
  const root = fileURLToPath(new URL("../", import.meta.url));
  const file = `${root}.ci/passed.json`;
  const digests = digestsOf(trackedFiles(root));
  const passed: Digests = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};
  const [option, list] = process.argv.slice(2);
  if (option === "--passed") {
    const now = passedNow(digests, passed, list?.split(","));
    writeFileSync(file, `${JSON.stringify(now, undefined, 2)}\n`);
  } else {
    const choices = choose(git(["rev-parse", "HEAD"], root), digests, passed);
    for (const { key, because } of choices)
      console.error(because === undefined ? `left out: ${key}` : `taken: ${key} (${because})`);
    console.log(choices.flatMap(({ key, because }) => (because === undefined ? [] : [key])).join(","));
  }
}
