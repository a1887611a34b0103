import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { inject } from "vitest";
import { endCitusProcesses, recoverTransactions } from "./citus.ts";

export interface TestDatabase {
  readonly url: string;
  query<Row extends pg.QueryResultRow>(text: string, values?: unknown[]): Promise<Row[]>;
  drop(): Promise<void>;
}

/** Creates a separate database, migrated and empty. */
export async function cloneDatabase(): Promise<TestDatabase> {
  // Copying files takes half the processor time of the default, which writes each page to the log too.
  return await made("template template_junction strategy file_copy");
}

/** Creates a separate database without any tables. */
export async function bareDatabase(): Promise<TestDatabase> {
  return await made("template template0");
}

async function made(from: string): Promise<TestDatabase> {
  const server = inject("databaseUrl");
  const servers = inject("machines") ?? [server];
  const name = `test_${randomBytes(8).toString("hex")}`;
  await Promise.all(servers.map(async (machine) => await run(machine, `create database ${name} ${from}`)));
  const url = new URL(server);
  url.pathname = `/${name}`;
  const client = new pg.Pool({ connectionString: url.href, max: 2 });
  return {
    url: url.href,
    query: async (text, values = []) => (await client.query(text, values)).rows,
    async drop() {
      await client.end();
      // The end of a pool only sends a close message. PostgreSQL waits up to 5 s for connections that are closing. `force` would send their
      // clients an error that no listener handles. A connection that stays open fails the drop.
      if (servers.length === 1) await run(server, `drop database ${name}`);
      else for (const machine of servers) await dropOnCitus(machine, name);
    },
  };
}

/** Repeats the drop, because the machines of one database connect to each other at any time. */
async function dropOnCitus(machine: string, name: string): Promise<void> {
  for (let tries = 20; ; tries -= 1) {
    try {
      await recoverTransactions(machine, name);
      await endCitusProcesses(machine, name);
      await run(machine, `drop database ${name} with (force)`);
      return;
    } catch (error) {
      if (tries <= 1) throw error;
      await sleep(250);
    }
  }
}

async function run(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
