import { execFileSync, spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { chown, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { freePort } from "./process.ts";
import { SETTINGS } from "./template.ts";

export interface TestServer {
  readonly url: string;
  /** Ends the server at once, without a checkpoint. */
  crash(): Promise<void>;
  /** Starts the server again on its folder and port. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

export type Account = { readonly uid: number; readonly gid: number } | undefined;

const READY_MS = 60_000;

/** Starts the oldest supported PostgreSQL. */
export async function startPostgres15(binaries: string): Promise<TestServer> {
  return await startServer(binaries, { auth: "scram-sha-256", settings: {} });
}

interface ServerOptions {
  readonly auth: "scram-sha-256" | "trust";
  readonly settings: Readonly<Record<string, string>>;
}

/** Starts a cluster in a temporary folder and on its own port. Both are removed after the run. */
export async function startServer(binaries: string, { auth, settings: own }: ServerOptions): Promise<TestServer> {
  const folder = await mkdtemp(join(tmpdir(), "junction-test-15-"));
  const account = serverAccount();
  const child = { ...account, cwd: "/", env: { PATH: "/usr/bin:/bin", LC_ALL: "C", TZ: "UTC" } };
  const password = randomBytes(16).toString("hex");
  const passwordFile = join(folder, "password");
  await writeFile(passwordFile, password, { mode: 0o600 });
  if (account !== undefined) {
    for (const path of [folder, passwordFile]) await chown(path, account.uid, account.gid);
  }
  execFileSync(join(binaries, "initdb"), initArguments(folder, passwordFile, auth), {
    ...child,
    stdio: ["ignore", "ignore", "inherit"],
  });
  const port = await freePort();
  const url = `postgres://junction:${password}@127.0.0.1:${port}/postgres`;
  const start = async (): Promise<Running> =>
    await run(url, () =>
      spawn(join(binaries, "postgres"), serverArguments(folder, port, own), { ...child, stdio: "ignore" }),
    );
  let running = await start();
  return {
    url,
    crash: async () => await running.end("SIGQUIT"),
    async restart() {
      running = await start();
    },
    async stop() {
      await running.end("SIGINT");
      await rm(folder, { recursive: true, force: true });
    },
  };
}

interface Running {
  end(signal: "SIGINT" | "SIGQUIT"): Promise<void>;
}

/** Runs the server's process, and ends it with this one. */
async function run(url: string, begin: () => ChildProcess): Promise<Running> {
  const server = begin();
  const ended = once(server, "exit");
  const interrupt = (): unknown => server.kill("SIGINT");
  process.on("exit", interrupt);
  const died = ended.then(([code]) => {
    throw new Error(`PostgreSQL 15 ended with ${code} before it was ready`);
  });
  await Promise.race([becomeReady(url), died]);
  return {
    async end(signal) {
      process.off("exit", interrupt);
      server.kill(signal);
      await ended;
    },
  };
}

/** Sorts text by language, unlike the embedded database, which sorts by code point. Most databases of operators do the same. */
function initArguments(folder: string, passwordFile: string, auth: ServerOptions["auth"]): string[] {
  return [
    `--pgdata=${join(folder, "data")}`,
    "--username=junction",
    `--pwfile=${passwordFile}`,
    `--auth=${auth}`,
    "--encoding=UTF8",
    "--locale=C",
    "--locale-provider=icu",
    "--icu-locale=en",
    "--no-sync",
    "--no-instructions",
  ];
}

function serverArguments(folder: string, port: number, own: ServerOptions["settings"]): string[] {
  const settings = {
    listen_addresses: "127.0.0.1",
    unix_socket_directories: folder,
    ...SETTINGS,
    ...own,
  };
  const set = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  return ["-D", join(folder, "data"), "-p", String(port), ...set];
}

/** Waits until the server accepts connections, and checks its version. */
async function becomeReady(url: string): Promise<void> {
  const deadline = Date.now() + READY_MS;
  for (;;) {
    const client = new pg.Client({ connectionString: url });
    try {
      await client.connect();
      const { rows } = await client.query<{ version: string }>("select current_setting('server_version') as version");
      const version = rows[0]?.version ?? "";
      if (!version.startsWith("15.")) throw new Error(`This is PostgreSQL ${version}, not 15.`);
      return;
    } catch (error) {
      if (Date.now() > deadline || (error instanceof Error && error.message.startsWith("This is"))) throw error;
      await sleep(50);
    } finally {
      await client.end().catch(() => undefined);
    }
  }
}

/** Returns the account for the server, because PostgreSQL refuses to run as root. */
export function serverAccount(): Account {
  if (process.getuid?.() !== 0) return undefined;
  const idOf = (flag: string): number => Number(execFileSync("id", [flag, "nobody"], { encoding: "utf8" }));
  return { uid: idOf("-u"), gid: idOf("-g") };
}
