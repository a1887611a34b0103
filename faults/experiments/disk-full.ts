import { mkdtemp, open, rm, statfs } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { run } from "../../tools/run.ts";
import type { Experiment } from "../experiment.ts";
import { tracked } from "../running.ts";
import { ask } from "./database-killed.ts";
import { EVENT, assess, startScene } from "../scene.ts";

const SIZE = "400m";
/** Events without the delivery that is committed with them. */
const HALVES = `select count(*)::int from event e where e.name = '${EVENT}'
  and not exists (select from delivery d where d.event_id = e.id) and not exists (select from pending_delivery p where p.event_id = e.id)`;

export const diskFull: Experiment = {
  name: "disk-full",
  done: "The embedded database is on a small file system, which fills up under load; later, space is freed",
  promised:
    "Events are rejected with 503 and `retryable`; nothing is half-written; the service resumes automatically when space is available",
  async run({ full }) {
    const folder = await mkdtemp(join(tmpdir(), "junction-faults-disk-"));
    const fault = await mount(folder);
    if (fault !== undefined) {
      await rm(folder, { recursive: true });
      return { skipped: `a file system of its own cannot be mounted here: ${fault}` };
    }
    const scene = await startScene({ nodes: 1, databaseUrl: null, folder: join(folder, "scene") });
    await scene.endpoint("slow", [EVENT]);
    const load = scene.load();
    const broken: string[] = [];
    const rounds = full ? 3 : 1;
    for (let round = 0; round < rounds; round += 1) {
      await load.more(200);
      const ballast = join(folder, "ballast");
      await fill(folder, ballast);
      await refused(load);
      await sleep(full ? 20_000 : 5000);
      await rm(ballast);
      await load.more(200);
    }
    const [node] = scene.nodes;
    if (node?.isRunning() !== true) broken.push(`the service ended:\n${node?.output()}`);
    const fired = await load.stop();
    const halves = Number(await ask(join(folder, "scene", "data"), HALVES));
    if (halves > 0) broken.push(`${halves} events have no delivery`);
    const refusals = Object.values(fired.failed).reduce((sum, many) => sum + many, 0);
    return await assess(scene, fired, { what: `filled ${rounds} ×; ${refusals} tries were refused`, broken });
  },
};

async function mount(folder: string): Promise<string | undefined> {
  const { status, output } = await run("mount", [
    "-t",
    "tmpfs",
    "-o",
    `size=${SIZE},mode=0711`,
    "junction-faults",
    folder,
  ]);
  if (status !== 0) return output.trim();
  tracked(async () => {
    await run("umount", ["--lazy", folder]);
    await rm(folder, { recursive: true, force: true });
  });
  return undefined;
}

/** Fills the disk to the last block. */
async function fill(folder: string, path: string): Promise<void> {
  const file = await open(path, "w");
  try {
    const block = Buffer.alloc(4096, 1);
    const { bavail, bsize } = await statfs(folder);
    for (let left = bavail * bsize; left > 0; left -= block.length) await file.write(block);
    for (;;) await file.write(block);
  } catch (error) {
    if ((error as { code?: string }).code !== "ENOSPC") throw error;
  } finally {
    await file.close();
  }
}

/** Waits until no event is accepted. Events that fit into existing pages may be accepted for a while. */
async function refused(load: { accepted(): number }): Promise<void> {
  for (let quiet = 0, last = load.accepted(), waited = 0; quiet < 3 && waited < 600; waited += 1) {
    await sleep(500);
    quiet = load.accepted() === last ? quiet + 1 : 0;
    last = load.accepted();
  }
}
