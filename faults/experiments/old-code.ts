import { mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { must, run } from "../../tools/run.ts";
import type { Experiment } from "../experiment.ts";
import { tracked } from "../running.ts";
import { EVENT, judge, startWithCluster } from "../scene.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const MIGRATIONS = "apps/service/src/db/migrations/";

export const oldCode: Experiment = {
  name: "old-code",
  done: "A node of an earlier version runs under load while one of this version starts beside it and migrates the database",
  promised: "The old node goes on accepting and delivering on the new schema until it is stopped; nothing is lost",
  async run({ full }) {
    const earlier = await earlierCommit();
    if (earlier === undefined)
      return { skipped: "the clone's history holds no version with fewer migrations than this, each as it is now" };
    const { scene, cluster } = await startWithCluster({ nodes: 1, main: await checkedOut(earlier) });
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
    return await judge(scene, fired, {
      what: `${earlier.slice(0, 10)}, from ${before} migrations to ${after} under it`,
      broken: [
        ...(after > before ? [] : ["the new node migrated nothing"]),
        ...(code === 0 ? [] : [`the old node ended with ${code}:\n${old.output()}`]),
        ...failed.map((status) => `requests were answered ${status}`),
      ],
    });
  },
};

/** The newest commit whose migrations are some of ours, unchanged, but not all. */
async function earlierCommit(): Promise<string | undefined> {
  const git = async (...args: string[]): Promise<string[]> =>
    (await run("git", args, { cwd: ROOT })).stdout.split("\n").filter((line) => line !== "");
  const ours = new Set(await git("ls-tree", "HEAD", MIGRATIONS));
  for (const commit of await git("log", "--format=%H", "--", MIGRATIONS)) {
    const theirs = await git("ls-tree", commit, MIGRATIONS);
    if (theirs.length > 0 && theirs.length < ours.size && theirs.every((line) => ours.has(line))) return commit;
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
