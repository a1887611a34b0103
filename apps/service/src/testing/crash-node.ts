import { chmod, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort, startProcess } from "./process.ts";
import type { ServiceProcess } from "./process.ts";
import { MASTER_KEY } from "./service.ts";
import type { TestService } from "./test-service.ts";

/** A service process that a test can kill and restart in the same folder and on the same port. */
export interface CrashNode {
  readonly folder: string;
  start(): Promise<void>;
  kill(): Promise<void>;
  /** Sends a request with the key of the workspace that the first start created. */
  send(method: string, path: string, body?: unknown): Promise<Response>;
  /** Stops the process and deletes its folder. */
  close(): Promise<void>;
}

/** Creates a node without starting it. Without a `DATABASE_URL` in `env`, it uses the embedded database. */
export async function createCrashNode(env: Readonly<Record<string, string>>): Promise<CrashNode> {
  const folder = await mkdtemp(join(tmpdir(), "junction-crash-"));
  // The embedded database, which runs under another uid, must be able to store its data here.
  await chmod(folder, 0o711);
  const port = await freePort();
  const bootstrap = join(folder, "keys.json");
  let service: ServiceProcess | undefined;
  return {
    folder,
    async start() {
      service = startProcess(
        {
          JUNCTION_DATA_DIR: join(folder, "data"),
          JUNCTION_BOOTSTRAP: bootstrap,
          JUNCTION_ALLOW_TARGETS: "127.0.0.0/8",
          JUNCTION_LOG_LEVEL: "info",
          ...env,
        },
        port,
      );
      await service.ready();
    },
    kill: async () => await service?.kill(),
    async send(method, path, body) {
      const { api_key: key } = JSON.parse(await readFile(bootstrap, "utf8")) as { api_key: string };
      return await fetch(`http://127.0.0.1:${port}${path}`, {
        method,
        headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
    },
    async close() {
      await service?.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Starts another node of the same installation that only serves requests. */
export async function startDoomedNode(survivor: TestService): Promise<ServiceProcess> {
  const node = startProcess(
    {
      DATABASE_URL: survivor.database.url,
      JUNCTION_MASTER_KEY: MASTER_KEY,
      JUNCTION_ROLES: "api",
      JUNCTION_ALLOW_TARGETS: "127.0.0.0/8",
    },
    await freePort(),
  );
  await node.ready();
  return node;
}

/** Repeats a request in parallel clients until `stop`, which resolves with the accepted results. Failed requests are not included. */
export function repeatWith<Accepted>(
  clients: number,
  request: (client: number, n: number) => Promise<Accepted | undefined>,
): { accepted(): number; stop(): Promise<Accepted[]> } {
  const accepted: Accepted[] = [];
  let running = true;
  const loops = Array.from({ length: clients }, async (_client, client) => {
    for (let n = 0; running; n += 1) {
      try {
        const answer = await request(client, n);
        if (answer !== undefined) accepted.push(answer);
      } catch {
        await sleep(20);
      }
    }
  });
  return {
    accepted: () => accepted.length,
    async stop() {
      running = false;
      await Promise.all(loops);
      return accepted;
    },
  };
}
