import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { debianProgram, whyNoDebianPrograms } from "../../tools/debian-programs.ts";
import type { Experiment } from "../experiment.ts";
import type { Node } from "../node.ts";
import { EVENT, assess, startWithCluster } from "../scene.ts";

const LIBRARIES: Readonly<Record<string, string>> = { x64: "x86_64-linux-gnu", arm64: "aarch64-linux-gnu" };

const HOUR_S = 3600;
const DAY_S = 86_400;

export const clockStepped: Experiment = {
  name: "clock-stepped",
  done: "The clock of one of two nodes jumps an hour ahead and two hours back under load (libfaketime)",
  promised:
    "Both nodes continue to accept and deliver; leases, retries and rate limits use the database's clock; no event is lost",
  run: stepping([HOUR_S, -HOUR_S], "one hour ahead, then one hour behind"),
};

export const clockOffByDays: Experiment = {
  name: "clock-off-by-days",
  done: "The clock of one of two nodes jumps ten days ahead and twenty days back under load; then both nodes restart (libfaketime)",
  promised: "Both nodes continue to accept and deliver, and start again; no event is lost",
  run: stepping([10 * DAY_S, -10 * DAY_S], "ten days ahead, then ten days behind", async (nodes) => {
    for (const node of nodes) {
      await node.stop();
      await node.start();
    }
  }),
};

/** Steps the clock of one of two nodes by each of these offsets in seconds, under load. `settle` runs before the deliveries are assessed. */
function stepping(
  offsets: readonly number[],
  what: string,
  settle: (nodes: readonly Node[]) => Promise<void> = async () => await Promise.resolve(),
): Experiment["run"] {
  return async ({ full }) => {
    const library = await libfaketime();
    if (library === undefined) return { skipped: "libfaketime of Debian cannot be had here" };
    const { scene } = await startWithCluster({ nodes: 1 });
    await scene.endpoint("slow", [EVENT]);
    const file = join(scene.folder, "faketime");
    await writeFile(file, "+0");
    // Only the time of day is set. The clock with which a process measures durations never changes.
    const faked = {
      LD_PRELOAD: library,
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_NO_CACHE: "1",
      DONT_FAKE_MONOTONIC: "1",
    };
    const node = await scene.node(faked);
    await node.start();
    const [other] = scene.nodes;
    let turn = 0;
    const load = scene.load({ port: () => ((turn += 1) % 2 === 0 ? node.port : (other?.port ?? 0)) });
    await load.more(100);
    const broken: string[] = [];
    for (const seconds of offsets) {
      await writeFile(file, seconds < 0 ? String(seconds) : `+${seconds}`);
      const off = await offBy(node.port);
      if (Math.abs(off - seconds) > 600)
        broken.push(`the node's clock was to be off by ${seconds} s and was by ${off}`);
      await load.more(full ? 1000 : 150);
      if (full) await sleep(30_000);
    }
    const fired = await load.stop();
    if (Object.keys(fired.failed).length > 0) broken.push(`requests failed: ${JSON.stringify(fired.failed)}`);
    await writeFile(file, "+0");
    await settle([...new Set([node, ...scene.nodes])]);
    return await assess(scene, fired, { what, broken });
  };
}

async function libfaketime(): Promise<string | undefined> {
  const folder = LIBRARIES[process.arch];
  if (process.platform !== "linux" || folder === undefined || (await whyNoDebianPrograms()) !== undefined)
    return undefined;
  return await debianProgram("libfaketime", `usr/lib/${folder}/faketime/libfaketime.so.1`).catch(() => undefined);
}

/** Seconds between the node's clock, as its answers show it, and ours. */
async function offBy(port: number): Promise<number> {
  // Node writes the header from a clock that it reads once a second.
  await sleep(1500);
  const answer = await fetch(`http://127.0.0.1:${port}/livez`);
  await answer.arrayBuffer();
  return Math.round((Date.parse(answer.headers.get("date") ?? "") - Date.now()) / 1000);
}
