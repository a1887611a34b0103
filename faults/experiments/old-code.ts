import { mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { must, run } from "../../tools/run.ts";
import type { Experiment } from "../experiment.ts";
import { tracked } from "../running.ts";
import { EVENT, assess, startWithCluster } from "../scene.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
/** Now, and in versions before 2026-11-23. */
const MIGRATIONS = ["apps/service/src/platform/db/migrations/", "apps/service/src/db/migrations/"];

export const oldCode: Experiment = {
  name: "old-code",
  done: "A node of an earlier version runs under load while a node of this version starts and migrates the database",
  promised: "The old node continues to accept and deliver on the new schema until it is stopped; no event is lost",
  async run({ full }) {
    const earlier = await earlierVersion();
    if (earlier === undefined)
      return { skipped: "the clone's history holds no version with fewer migrations than this, each as it is now" };
    const { scene, cluster } = await startWithCluster({ nodes: 1, main: earlier.main });
    const [old] = scene.nodes;
    if (old === undefined) throw new Error("no node");
    await scene.endpoint("slow", [EVENT]);
    const applied = async (): Promise<number> => (await cluster.query("select name from schema_migration")).length;
    const before = await applied();
    let target = old.port;
    const load = scene.load({ port: () => target });
    await load.more(100);
    const young = await scene.node();
    await young.start();
    const after = await applied();
    await load.more(full ? 2000 : 300);
    target = young.port;
    const code = await old.stop();
    await load.more(100);
    const fired = await load.stop();
    const failed = Object.keys(fired.failed).filter((name) => /^[45]/.test(name) && name !== "503");
    return await assess(scene, fired, {
      what: `${earlier.commit.slice(0, 10)}, from ${before} migrations to ${after} under it`,
      broken: [
        ...(after > before ? [] : ["the new node migrated nothing"]),
        ...(code === 0 ? [] : [`the old node ended with ${code}:\n${old.output()}`]),
        ...failed.map((status) => `requests were answered ${status}`),
      ],
    });
  },
};

/** The newest commit that loads, and whose migrations are some of ours, unchanged, but not all. */
async function earlierVersion(): Promise<{ readonly commit: string; readonly main: string } | undefined> {
  const git = async (...args: string[]): Promise<string[]> =>
    (await run("git", args, { cwd: ROOT })).stdout.split("\n").filter((line) => line !== "");
  // A line ends with the path; two files are one when their contents and names are.
  const migrationsOf = async (commit: string): Promise<string[]> =>
    (await git("ls-tree", commit, ...MIGRATIONS)).map((line) => line.replace(/\t.*\//, "\t"));
  const ours = new Set(await migrationsOf("HEAD"));
  for (const commit of await git("log", "--format=%H", "--", ...MIGRATIONS)) {
    const theirs = await migrationsOf(commit);
    if (theirs.length === 0 || theirs.length === ours.size || theirs.some((line) => !ours.has(line))) continue;
    const main = await checkedOut(commit);
    // A commit in the middle of a change may not even load; one that does says how it is used.
    if ((await run(process.execPath, [main, "--help"])).output.includes("Usage")) return { commit, main };
  }
  return undefined;
}

/** Answers its `main.ts`. It runs with the packages of this tree. */
async function checkedOut(commit: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "junction-faults-old-"));
  tracked(async () => {
    await run("git", ["worktree", "remove", "--force", folder], { cwd: ROOT });
    await rm(folder, { recursive: true, force: true });
  });
  await must("git", ["worktree", "add", "--detach", "--force", folder, commit], { cwd: ROOT });
  await symlink(join(ROOT, "node_modules"), join(folder, "node_modules"));
  return join(folder, "apps/service/src/main.ts");
}
