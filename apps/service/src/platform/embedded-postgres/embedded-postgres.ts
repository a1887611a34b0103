import { existsSync } from "node:fs";
import { isAbsolute, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { systemClock } from "../../lib/lib.ts";
import { recordOwner, assertNotCopied } from "./home.ts";
import { claim } from "./claim.ts";
import { EmbeddedError } from "./error.ts";
import { clearOrphans } from "./orphans.ts";
import { choosePort } from "./port.ts";
import { codeOf, until } from "./process.ts";
import { ensureCluster, password, tagOf } from "./cluster.ts";
import { becomeReady, ensureDatabase, launch, urlOf } from "./server.ts";
import { locate, prepareBinaries } from "./binaries.ts";
import { settle } from "./place.ts";
import type { Claim } from "./claim.ts";
import type { Exit, Life, Server } from "./server.ts";
import type { ServerPlace } from "./place.ts";

export { EmbeddedError } from "./error.ts";

export interface Log {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface EmbeddedDeps {
  /** The folder of `JUNCTION_DATA_DIR`. It is created if it does not exist. */
  readonly dataDir: string;
  readonly log: Log;
  /** The number of service processes that will connect; default: 1. */
  readonly processes?: number;
  /** Overrides our PostgreSQL settings, for tests whose data may be lost. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Called each time the server ends by itself, before it is started again. */
  readonly onUnexpectedExit?: () => void;
}

/** The PostgreSQL 18 that Junction includes, which runs as a child of this process. */
export interface Embedded {
  /** `postgres://junction:<password>@127.0.0.1:<port>/junction`; the same for as long as this process runs. */
  readonly url: string;
  /** Stops the server, ends its open connections and releases the data folder. Takes at most 30 s. */
  stop(): Promise<void>;
  /** The server's process id; `undefined` while there is none. */
  readonly pid: () => number | undefined;
}

/**
 * Starts the embedded PostgreSQL on a data folder and returns when it accepts connections (contract, section 1). From
 * then on, it is restarted on the same port whenever it ends by itself, until `stop`.
 * Throws EmbeddedError, whose message is for the operator: folder in use or not writable, no binaries, no port.
 */
export async function startEmbedded(deps: EmbeddedDeps): Promise<Embedded> {
  try {
    const place = settle(isAbsolute(deps.dataDir) ? deps.dataDir : resolve(deps.dataDir));
    // This check comes first, so that a copy of a folder in use is reported as a copy.
    assertNotCopied(place);
    const claimed = await claim(place.home);
    try {
      const settings = { max_connections: String(connectionsFor(deps.processes ?? 1)), ...deps.settings };
      return supervise(deps, claimed, ...(await firstStart(place, { ...deps, settings })));
    } catch (error) {
      claimed.release();
      throw error;
    }
  } catch (error) {
    if (error instanceof EmbeddedError || codeOf(error) === undefined) throw error;
    const advice = "Check the folder's owner and free space, or set JUNCTION_DATA_DIR to another folder.";
    throw new EmbeddedError(`The data folder ${deps.dataDir} cannot be used: ${String(error)}. ${advice}`, {
      cause: error,
    });
  }
}

/** The maximum number of connections of one service process: its pools (db.ts) and the listener. */
const CONNECTIONS_EACH = 28;
/** Connections for people, and for commands such as `backup` that run next to the service. */
const SPARE_CONNECTIONS = 32;

function connectionsFor(processes: number): number {
  return processes * CONNECTIONS_EACH + SPARE_CONNECTIONS;
}

async function firstStart(place: ServerPlace, deps: Pick<Server, "settings"> & EmbeddedDeps): Promise<[Server, Life]> {
  const { log, settings } = deps;
  announce(place, log);
  const secret = password(place);
  const tag = tagOf(place, secret);
  await clearOrphans(place, tag, log);
  const binaries = await prepareBinaries(locate(), place);
  await ensureCluster(place, binaries, secret);
  for (let triesLeft = 5; ; triesLeft -= 1) {
    const server: Server = { place, binaries, tag, secret, port: await choosePort(place.port), settings };
    const life = launch(server);
    const fault = await openingFault(server, life);
    if (fault === undefined) {
      log.info({ pid: life.pid, port: server.port, uid: place.account?.uid }, "embedded PostgreSQL is ready");
      return [server, life];
    }
    const isPassing = PASSING_FAULT.test(life.exit()?.output ?? "");
    if (!isPassing || triesLeft === 1) throw new EmbeddedError(`${fault} The whole log is in ${place.log}.`);
    await sleep(PASSING_MS);
    await clearOrphans(place, tag, log);
  }
}

function announce(place: ServerPlace, log: Log): void {
  const { home, data, dataDir, account } = place;
  const movedFrom = recordOwner(place);
  if (movedFrom !== undefined) log.info({}, `the data folder was moved from ${movedFrom} to ${dataDir}`);
  if (home !== dataDir)
    log.info(
      { folder: home, uid: account?.uid },
      `the database is in ${home}, not in the data folder ${dataDir}, which PostgreSQL's user (uid ${account?.uid}) cannot access: ` +
        "a copy of the data folder is not a backup, use junction backup",
    );
  log.info({ folder: home }, existsSync(data) ? "starting the database" : "creating the database");
}

/** Returns why the server did not become ready, if it did not. No process of the server runs then. */
async function openingFault(server: Server, life: Life): Promise<string | undefined> {
  const readiness = await becomeReady(server, life);
  try {
    if (readiness.kind === "ready") {
      await ensureDatabase(server);
      return undefined;
    }
  } catch (error) {
    await end(life);
    return `PostgreSQL started but has no database for Junction: ${String(error)}.`;
  }
  if (readiness.kind === "refused") {
    await end(life);
    const advice = `bring back the postgres.password that belongs to ${server.place.data}.`;
    return `PostgreSQL refuses Junction's password (${readiness.reason}): ${advice}`;
  }
  const { code, signal, output } = await life.gone;
  return `PostgreSQL ended while it started (${signal ?? code}): ${output || "it said nothing."}`;
}

/** Watches the server and restarts it, with a longer delay each time that it ends early. */
function supervise(deps: EmbeddedDeps, claimed: Claim, server: Server, first: Life): Embedded {
  const stopping = new AbortController();
  let life = first;
  // Every orderly end of this process stops the server too. After kill -9, the next start finds the server.
  const interrupt = () => life.kill("SIGINT");
  process.on("exit", interrupt);

  const watched = watch();
  let stopped: Promise<void> | undefined;
  return {
    url: urlOf(server),
    pid: () => (life.exit() === undefined ? life.pid : undefined),
    stop: async () => await (stopped ??= stop()),
  };

  async function watch(): Promise<void> {
    let waitMs = SHORTEST_WAIT_MS;
    for (;;) {
      const startedMs = systemClock.monotonicMs();
      const exit = await life.gone;
      if (stopping.signal.aborted) return;
      if (systemClock.monotonicMs() - startedMs > LASTING_MS) waitMs = SHORTEST_WAIT_MS;
      reportExit(exit, waitMs);
      await sleep(waitMs, undefined, { signal: stopping.signal }).catch(() => undefined);
      waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS);
      await clearOrphans(server.place, server.tag, deps.log).catch((error: unknown) => {
        deps.log.error({ err: error }, "failed to prepare the start of the embedded PostgreSQL");
      });
      if (stopping.signal.aborted) return;
      life = launch(server);
      void reportReadiness(life);
    }
  }

  function reportExit(exit: Exit, waitMs: number): void {
    deps.log.error(
      { code: exit.code, signal: exit.signal, output: exit.output, wait_ms: waitMs },
      "embedded PostgreSQL exited unexpectedly; restarting it",
    );
    try {
      deps.onUnexpectedExit?.();
    } catch (error) {
      // The server is restarted even if the listener fails.
      deps.log.error({ err: error }, "the exit handler of the embedded PostgreSQL failed");
    }
  }

  async function reportReadiness(next: Life): Promise<void> {
    const readiness = await becomeReady(server, next);
    if (readiness.kind === "ready")
      deps.log.info({ pid: next.pid, port: server.port }, "embedded PostgreSQL is running again");
    if (readiness.kind === "refused")
      deps.log.error({ reason: readiness.reason }, "embedded PostgreSQL rejects connections");
  }

  async function stop(): Promise<void> {
    stopping.abort();
    await end(life);
    if (life.exit() !== undefined) await watched;
    process.off("exit", interrupt);
    claimed.release();
  }
}

/** Matches temporary faults: another process took the port after our check, or a killed process has not quite ended. */
const PASSING_FAULT = /could not bind|"postmaster\.pid" already exists|pre-existing shared memory block/;
const PASSING_MS = 250;

const SHORTEST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 5_000;
/** A server that ran this long counts as healthy: its next fault is a new one. */
const LASTING_MS = 30_000;

/** Tries a fast shutdown first, which ends connections and writes a checkpoint, and then stronger signals. */
async function end(life: Life): Promise<void> {
  const steps = [
    ["SIGINT", 20_000],
    ["SIGQUIT", 5_000],
    ["SIGKILL", 5_000],
  ] as const;
  for (const [name, limitMs] of steps) {
    if (life.exit() !== undefined) return;
    life.kill(name);
    if (await until(() => life.exit() !== undefined, limitMs)) return;
  }
}
