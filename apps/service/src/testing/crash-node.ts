import { chmod, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort, startProcess } from "./process.ts";
import type { ServiceProcess } from "./process.ts";
import { MASTER_KEY } from "./service.ts";
import type { TestService } from "./test-service.ts";

/** A service as a process that a test kills and starts again, in the same folder and on the same port. */
export interface CrashNode {
  readonly folder: string;
  start(): Promise<void>;
  kill(): Promise<void>;
  /** With the key of the workspace that its first start made. */
  send(method: string, path: string, body?: unknown): Promise<Response>;
  /** Stops it and deletes its folder. */
  close(): Promise<void>;
}

/** Without a `DATABASE_URL` in `env` it starts the embedded database. It is not started yet. */
export async function createCrashNode(env: Readonly<Record<string, string>>): Promise<CrashNode> {
  const folder = await mkdtemp(join(tmpdir(), "junction-crash-"));
  // So that the embedded database, which runs under another uid, can have its data here.
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

/** Another node of the same installation, for requests alone. */
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

/** Repeats a request in so many clients until it is stopped; `stop` resolves with what was accepted. A request that fails is not. */
export function repeatWith<Accepted>(
  clients: number,
  request: (client: number, n: number) => Promise<Accepted | undefined>,
): { stop(): Promise<Accepted[]> } {
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
    async stop() {
      running = false;
      await Promise.all(loops);
      return accepted;
    },
  };
}
