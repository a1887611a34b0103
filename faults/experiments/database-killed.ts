import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "pg";
import { until } from "../cluster.ts";
import type { Experiment } from "../experiment.ts";
import { EVENT, assess, startScene } from "../scene.ts";

export const databaseKilled: Experiment = {
  name: "database-killed",
  done: "A backend and the postmaster of the embedded PostgreSQL are killed with `kill -9` under load, in turn",
  promised: "The service restarts its database and continues automatically; no accepted event is lost",
  async run({ full }) {
    const scene = await startScene({ nodes: 1, databaseUrl: null });
    await scene.endpoint("slow", [EVENT]);
    const data = join(scene.folder, "data");
    const load = scene.load();
    const rounds = full ? 4 : 1;
    for (let round = 0; round < rounds; round += 1) {
      await load.more(100);
      const backend = await ask(data, "select pid from pg_stat_activity where application_name = 'junction' limit 1");
      process.kill(Number(backend), "SIGKILL");
      await load.more(100);
      const postmaster = postmasterOf(data);
      process.kill(postmaster, "SIGKILL");
      await until("another postmaster", async () => await Promise.resolve(postmasterOf(data) !== postmaster));
      await load.more(100);
    }
    const fired = await load.stop();
    const [node] = scene.nodes;
    const broken = node?.isRunning() === true ? [] : [`the service ended with its database:\n${node?.output()}`];
    return await assess(scene, fired, { what: `${rounds} × a backend, then the postmaster`, broken });
  },
};

/** The service puts its database elsewhere when the server's user cannot enter the folder. */
function homeOf(data: string): string {
  const pointer = join(data, "postgres.location");
  return existsSync(pointer) ? readFileSync(pointer, "utf8").trim() : data;
}

function postmasterOf(data: string): number {
  const file = join(homeOf(data), "postgres", "postmaster.pid");
  const pid = existsSync(file) ? Number(readFileSync(file, "utf8").split("\n")[0]) : 0;
  // 0 and below would reach a group of processes, ourselves among them.
  if (!(pid > 1)) throw new Error("the embedded database has no process");
  return pid;
}

/** One value from the embedded database. */
export async function ask(data: string, text: string): Promise<unknown> {
  const secret = readFileSync(join(data, "postgres.password"), "utf8").trim();
  const port = readFileSync(join(data, "postgres.port"), "utf8").trim();
  const client = new Client({ connectionString: `postgres://junction:${secret}@127.0.0.1:${port}/junction` });
  await client.connect();
  try {
    const { rows } = await client.query<Record<string, unknown>>(text);
    return Object.values(rows[0] ?? {})[0];
  } finally {
    await client.end();
  }
}
