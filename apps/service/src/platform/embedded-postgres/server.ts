import { spawn } from "node:child_process";
import { closeSync, fstatSync, ftruncateSync, mkdirSync, openSync, readSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { Client, DatabaseError } from "pg";
import { CHILD_ENV } from "./process.ts";
import { give, NAME } from "./cluster.ts";
import type { Binaries } from "./binaries.ts";
import type { ServerPlace } from "./place.ts";
import { memoryLimit, pageCacheMib } from "./page-cache.ts";

/** The parameters of a server. They stay the same for its whole life, restarts included. */
export interface Server {
  readonly place: ServerPlace;
  readonly binaries: Binaries;
  readonly tag: string;
  readonly secret: string;
  readonly port: number;
  /** Overrides of PostgreSQL's settings. */
  readonly settings: Readonly<Record<string, string>>;
}

/** One run of the server, from its start to its exit. */
export interface Life {
  readonly pid: number | undefined;
  /** Settles when the server has ended. */
  readonly gone: Promise<Exit>;
  readonly exit: () => Exit | undefined;
  kill(name: NodeJS.Signals): void;
}

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** The last part of what the server wrote to its log in this run. */
  readonly output: string;
}

/** `refused`: a server answers at the port, but it rejects our password or lacks our database. */
export type Readiness = { readonly kind: "ready" | "gone" } | { readonly kind: "refused"; readonly reason: string };

const LOG_LIMIT_BYTES = 10 * 1024 * 1024;
const OUTPUT_LIMIT_BYTES = 2_000;

/** Starts the server. Never throws: a server that cannot be started counts as ended. */
export function launch(server: Server): Life {
  try {
    return spawnServer(server);
  } catch (error) {
    const exit: Exit = { code: null, signal: null, output: String(error) };
    return { pid: undefined, gone: Promise.resolve(exit), exit: () => exit, kill: () => undefined };
  }
}

/** Waits until the server accepts connections, however long its recovery takes, or has ended, or refuses us. */
export async function becomeReady(server: Server, life: Life): Promise<Readiness> {
  const pollMs = 25;
  while (life.exit() === undefined) {
    const fault = await connectionFault(server);
    if (fault === undefined) return { kind: "ready" };
    if (fault.isRefusal) {
      // Another server may have our port; then our server is about to end.
      await Promise.race([life.gone, sleep(1_000)]);
      if (life.exit() === undefined) return { kind: "refused", reason: fault.reason };
    }
    await Promise.race([life.gone, sleep(pollMs)]);
  }
  return { kind: "gone" };
}

/** Creates our database if it does not exist, as after initdb. The server must be ready. */
export async function ensureDatabase(server: Server): Promise<void> {
  const client = clientFor(server);
  await client.connect();
  try {
    const { rowCount } = await client.query("select from pg_database where datname = $1", [NAME]);
    if (rowCount === 0) await client.query(`create database ${NAME}`);
  } finally {
    await client.end();
  }
}

export function urlOf(server: Server): string {
  return `postgres://${NAME}:${server.secret}@127.0.0.1:${server.port}/${NAME}`;
}

function spawnServer(server: Server): Life {
  const { sockets, account, log: logPath } = server.place;
  if (sockets !== undefined) {
    mkdirSync(sockets, { recursive: true, mode: 0o700 });
    give(sockets, account);
  }
  const log = openLog(logPath);
  let exit: Exit | undefined;
  const child = spawn(server.binaries.postgres, serverArguments(server), {
    ...account,
    cwd: "/",
    env: CHILD_ENV,
    stdio: ["ignore", log.descriptor, log.descriptor],
    // The server has its own session: Ctrl-C on the terminal must not stop it before the service has drained.
    detached: true,
    windowsHide: true,
  });
  const gone = new Promise<Exit>((resolve) => {
    const end = (code: number | null, signal: NodeJS.Signals | null, reason?: string) => {
      if (exit !== undefined) return;
      exit = { code, signal, output: reason ?? log.tail() };
      closeSync(log.descriptor);
      resolve(exit);
    };
    child.once("error", (error) => end(null, null, error.message));
    child.once("exit", (code, signal) => end(code, signal));
  });
  return { pid: child.pid, gone, exit: () => exit, kill: (name) => void child.kill(name) };
}

function serverArguments({ place, binaries, tag, port, settings: given }: Server): string[] {
  const settings = {
    cluster_name: tag,
    listen_addresses: "127.0.0.1",
    port: String(port),
    unix_socket_directories: place.sockets ?? "",
    shared_buffers: `${pageCacheMib(memoryLimit())}MB`,
    fsync: "on",
    full_page_writes: "on",
    synchronous_commit: "on",
    max_wal_size: "4GB",
    checkpoint_timeout: "15min",
    autovacuum_naptime: "10s",
    jit: "off",
    // A worker's title then always contains the tag by which it is found.
    update_process_title: "on",
    logging_collector: "off",
    log_destination: "stderr",
    // A statement's error goes to its caller. In the log, it would put customers' data in a file, and flood it.
    log_min_messages: "log",
    log_min_error_statement: "panic",
    log_error_verbosity: "terse",
    ...binaries.settings,
    ...given,
  };
  return ["-D", place.data, ...Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`])];
}

async function connectionFault(server: Server): Promise<{ isRefusal: boolean; reason: string } | undefined> {
  const client = clientFor(server);
  try {
    await client.connect();
    return undefined;
  } catch (error) {
    return classifyConnectError(error);
  } finally {
    await client.end().catch(() => undefined);
  }
}

function classifyConnectError(error: unknown): { isRefusal: boolean; reason: string } | undefined {
  const code = error instanceof DatabaseError ? error.code : undefined;
  const TOO_MANY_CONNECTIONS = "53300";
  // The server is ready: other clients have taken all of its connections.
  if (code === TOO_MANY_CONNECTIONS) return undefined;
  const isAuthorization = code?.startsWith("28") === true;
  return { isRefusal: isAuthorization, reason: error instanceof Error ? error.message : String(error) };
}

/** Connects to the database that initdb creates, which exists before ours. */
function clientFor({ port, secret }: Server): Client {
  const client = new Client({
    host: "127.0.0.1",
    port,
    user: NAME,
    password: secret,
    database: "postgres",
    ssl: false,
    connectionTimeoutMillis: 5_000,
  });
  // A connection that breaks after its query is irrelevant. Without a listener, the error would end the process.
  client.on("error", () => undefined);
  return client;
}

/** Opens the log in this process, because the server's user cannot always reach the data folder. */
function openLog(path: string): { descriptor: number; tail: () => string } {
  const descriptor = openSync(path, "a+", 0o600);
  if (fstatSync(descriptor).size > LOG_LIMIT_BYTES) ftruncateSync(descriptor);
  const from = fstatSync(descriptor).size;
  return {
    descriptor,
    tail() {
      const { size } = fstatSync(descriptor);
      const start = Math.max(from, size - OUTPUT_LIMIT_BYTES);
      const bytes = Buffer.alloc(Math.max(0, size - start));
      readSync(descriptor, bytes, 0, bytes.length, start);
      return bytes.toString().trim();
    },
  };
}
