import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { chown, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { freePort } from "../apps/service/src/testing/process.ts";
import { serverAccount } from "../apps/service/src/testing/postgres-15.ts";
import { findPostgres15 } from "../apps/service/src/testing/store-tests.ts";
import { tracked } from "./running.ts";
import { run } from "../tools/run.ts";

/** A PostgreSQL 15 of our own, with fsync on, that can be killed and started again. */
export interface Cluster {
  readonly port: number;
  readonly url: string;
  /** The process id of the postmaster. */
  pid(): number;
  start(): Promise<void>;
  /** Sends SIGKILL to the postmaster. */
  kill(): Promise<void>;
  /** Stops at once and without a checkpoint, like a power cut. `start` recovers. */
  stopAtOnce(): Promise<void>;
  query<Row extends object>(text: string, values?: unknown[]): Promise<Row[]>;
  /** Creates a synchronous standby. */
  standby(): Promise<Cluster>;
  promote(): Promise<void>;
  /** Ends it and deletes its folder. */
  remove(): Promise<void>;
}

export interface ClusterOptions {
  readonly maxConnections?: number;
  /** The folder of the server's programs. Default: that of PostgreSQL 15. */
  readonly binaries?: string;
  readonly settings?: Readonly<Record<string, string>>;
  /** `trust` accepts every local connection, as the machines of one Citus need it. Default: scram-sha-256. */
  readonly auth?: "scram-sha-256" | "trust";
}

interface Place {
  readonly binaries: string;
  readonly folder: string;
  readonly data: string;
  readonly port: number;
  readonly password: string;
  readonly settings: Readonly<Record<string, string>>;
}

const READY_MS = 60_000;
const STANDBY = "standby";

/** Undefined where there is no PostgreSQL 15 to run one with. */
export const BINARIES = findPostgres15();
export const NO_POSTGRES =
  "PostgreSQL 15 is not on this machine (Debian's postgresql-15, or name the folder of its programs in JUNCTION_POSTGRES_15)";

export async function createCluster(options: ClusterOptions = {}): Promise<Cluster> {
  const { maxConnections = 120, binaries = BINARIES, settings = {}, auth = "scram-sha-256" } = options;
  const password = randomBytes(16).toString("hex");
  const place = await settle(binaries, password, { max_connections: String(maxConnections), ...settings });
  const passwordFile = join(place.folder, "password");
  await writeFile(passwordFile, password, { mode: 0o600 });
  await own(passwordFile);
  const given = ["--username=junction", `--pwfile=${passwordFile}`, `--auth=${auth}`, "--encoding=UTF8"];
  await ran(place, "initdb", [`--pgdata=${place.data}`, ...given, "--locale=C", "--no-sync"]);
  const cluster = clusterOf(place);
  await cluster.start();
  return cluster;
}

async function settle(binaries: string | undefined, password: string, settings: Place["settings"]): Promise<Place> {
  if (binaries === undefined) throw new Error(NO_POSTGRES);
  const folder = await mkdtemp(join(tmpdir(), "junction-faults-"));
  await own(folder);
  return { binaries, folder, data: join(folder, "data"), port: await freePort(), password, settings };
}

function clusterOf(place: Place): Cluster {
  const url = `postgres://junction:${place.password}@127.0.0.1:${place.port}/postgres`;
  let server: ChildProcess | undefined;
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (server === undefined || server.exitCode !== null || server.signalCode !== null) return;
    const ended = once(server, "exit");
    server.kill(signal);
    await ended;
  };
  const remove = tracked(async () => {
    await end("SIGQUIT");
    await rm(place.folder, { recursive: true, force: true, maxRetries: 20 });
  });
  const query = async <Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> =>
    await connected(url, async (client) => (await client.query<Row>(text, values)).rows);
  return {
    port: place.port,
    url,
    pid: () => server?.pid ?? 0,
    async start() {
      const endAt = performance.now() + READY_MS;
      // A killed server holds its shared memory for a moment, so a start may have to be repeated.
      for (;;) {
        server = launch(place);
        if (await isReady(url, server, endAt)) return;
        if (performance.now() > endAt) throw new Error("PostgreSQL did not become ready");
        await sleep(200);
      }
    },
    kill: async () => await end("SIGKILL"),
    stopAtOnce: async () => await end("SIGQUIT"),
    query,
    async standby() {
      const other = await standbyOf(place, url);
      await query(`alter system set synchronous_standby_names = '${STANDBY}'`);
      await query("select pg_reload_conf()");
      await until("the standby to be synchronous", async () => {
        const rows = await query<{ state: string }>("select sync_state as state from pg_stat_replication");
        return rows.some(({ state }) => state === "sync");
      });
      return other;
    },
    async promote() {
      await query("select pg_promote(true, 60)");
    },
    remove,
  };
}

async function standbyOf(primary: Place, url: string): Promise<Cluster> {
  const place = await settle(primary.binaries, primary.password, { ...primary.settings, cluster_name: STANDBY });
  await mkdir(place.data, { mode: 0o700 });
  await own(place.data);
  const options = ["-R", "-X", "stream", "-c", "fast", "--no-sync"];
  await ran(place, "pg_basebackup", ["-D", place.data, "-d", `${url}?application_name=${STANDBY}`, ...options]);
  const cluster = clusterOf(place);
  await cluster.start();
  return cluster;
}

function launch(place: Place): ChildProcess {
  const settings = {
    listen_addresses: "127.0.0.1",
    unix_socket_directories: place.folder,
    log_min_messages: "panic",
    wal_level: "replica",
    hot_standby: "on",
    ...place.settings,
  };
  const set = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  return spawn(join(place.binaries, "postgres"), ["-D", place.data, "-p", String(place.port), ...set], {
    ...childOptions(),
    stdio: "ignore",
    detached: true,
  });
}

/** Returns false when the server ended before it was ready. */
async function isReady(url: string, server: ChildProcess, endAt: number): Promise<boolean> {
  while (performance.now() < endAt) {
    if (server.exitCode !== null || server.signalCode !== null) return false;
    try {
      await connected(url, async (client) => await client.query("select 1"));
      return true;
    } catch {
      await sleep(50);
    }
  }
  return false;
}

/** Runs work on a connection of its own. */
export async function connected<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 5000 });
  client.on("error", () => undefined);
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function ran(place: Place, program: string, args: readonly string[]): Promise<void> {
  const { status, output } = await run(join(place.binaries, program), args, childOptions());
  if (status !== 0) throw new Error(`${program} ended with ${status}: ${output}`);
}

/** PostgreSQL refuses to run as root. */
function childOptions() {
  return { ...serverAccount(), cwd: "/", env: { PATH: "/usr/bin:/bin", LC_ALL: "C", TZ: "UTC" } };
}

async function own(path: string): Promise<void> {
  const account = serverAccount();
  if (account !== undefined) await chown(path, account.uid, account.gid);
}

/** Polls until the condition holds. A rejection, as of an unavailable database, counts as not holding. */
export async function until(what: string, holds: () => Promise<boolean>, limitMs = 60_000): Promise<void> {
  const endAt = performance.now() + limitMs;
  while (!(await holds().catch(() => false))) {
    if (performance.now() > endAt) throw new Error(`waited ${limitMs / 1000} s in vain for ${what}`);
    await sleep(100);
  }
}
