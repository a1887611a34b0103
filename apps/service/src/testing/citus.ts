import { existsSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { startServer } from "./postgres-15.ts";
import type { TestServer } from "./postgres-15.ts";

/** Returns the folder of the programs of a PostgreSQL with Citus: `JUNCTION_CITUS`. Undefined if there is none. */
export function findCitus(): string | undefined {
  const folder = process.env["JUNCTION_CITUS"];
  return folder !== undefined && existsSync(join(folder, "postgres")) ? folder : undefined;
}

export interface CitusServers {
  readonly coordinator: TestServer;
  readonly workers: readonly TestServer[];
  stop(): Promise<void>;
}

const SETTINGS = {
  shared_preload_libraries: "citus",
  max_prepared_transactions: "500",
  wal_level: "logical",
  // Connections that the tests' own statements leave would keep a database from being dropped.
  "citus.max_cached_conns_per_worker": "0",
};

/** Starts a coordinator and workers, each with a data folder of its own. */
export async function startCitus(binaries: string, workers = 2): Promise<CitusServers> {
  const servers = await Promise.all(
    Array.from({ length: workers + 1 }, async () => await startServer(binaries, { auth: "trust", settings: SETTINGS })),
  );
  const [coordinator, ...others] = servers;
  if (coordinator === undefined) throw new Error("no server was started");
  return {
    coordinator,
    workers: others,
    async stop() {
      await Promise.all(servers.map(async (server) => await server.stop()));
    },
  };
}

/** Makes an empty database on each machine and joins them to one. Returns its address on the coordinator. */
export async function createCluster(servers: CitusServers, name: string): Promise<string> {
  for (const { url } of [servers.coordinator, ...servers.workers])
    await runOn(url, `create database ${name} template template0`);
  return await joinCluster(servers, name);
}

/** Joins the databases of this name. Returns the address on the coordinator. */
export async function joinCluster({ coordinator, workers }: CitusServers, name: string): Promise<string> {
  for (const { url } of [coordinator, ...workers]) await runOn(databaseAt(url, name), "create extension citus");
  const url = databaseAt(coordinator.url, name);
  const { hostname, port } = new URL(url);
  await runOn(url, `select citus_set_coordinator_host('${hostname}', ${port})`);
  for (const worker of workers) {
    const at = new URL(worker.url);
    await runOn(url, `select citus_add_node('${at.hostname}', ${at.port})`);
  }
  return url;
}

export function databaseAt(server: string, name: string): string {
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}

/** Ends the transactions that a killed node left between the two phases of its commit. A bare database has none. */
export async function recoverTransactions(server: string, database: string): Promise<void> {
  await runOn(
    databaseAt(server, database),
    `do $$ begin
      if exists (select from pg_extension where extname = 'citus') then perform recover_prepared_transactions(); end if;
    end $$`,
  );
}

/** Ends the processes of Citus itself, which keep a database from being copied or dropped. */
export async function endCitusProcesses(server: string, database: string): Promise<void> {
  await runOn(
    server,
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${database}'
      and (backend_type like 'Citus%' or application_name like 'citus%')`,
  );
}

export async function runOn(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
