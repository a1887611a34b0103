import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { addressOf } from "./address.ts";
import { readLayout } from "./layout.store.ts";
import type { Shard } from "./layout.store.ts";
import { PLACEMENT } from "./placement.ts";
import { MOVED, schemaOf } from "./prepare.store.ts";

/** A shard in a read transaction on its machine. Its tables have their plain names in `schema`. */
export interface ShardReader {
  readonly client: pg.Client;
  readonly schema: string;
}

/** All shards at one moment, independent of later writes. */
export interface Moment {
  readonly shards: readonly ShardReader[];
  close(): Promise<void>;
}

/** The tables that are distributed by bucket. */
export const BUCKET_TABLES: readonly string[] = Object.keys(PLACEMENT).filter((name) => PLACEMENT[name] === "bucket");
const EVERYWHERE_TABLES = Object.keys(PLACEMENT).filter((name) => PLACEMENT[name] === "everywhere");

/** How long writes wait at most while the moment is taken. */
const HOLD = "2s";
const MOST_TRIES = 20;
const PAUSE_MS = 500;
/** SQLSTATEs of a lock that was not granted in time, of a deadlock, and of a shard that has just moved. */
const BUSY: readonly unknown[] = ["55P03", "40P01", MOVED];

/**
 * Opens read transactions on all machines that see one moment. Machines share no snapshot, so the writes of all shards
 * are held back while the transactions begin, as Citus does to move a shard. `begin` begins the caller's own
 * transaction on the coordinator at the same moment. Returns undefined, after `begin`, for a plain PostgreSQL. Throws if
 * a machine is down, or if other transactions keep running.
 */
export async function atOneMoment(
  coordinator: pg.Client,
  databaseUrl: string,
  settings: string,
  begin: () => Promise<void>,
): Promise<Moment | undefined> {
  for (let tries = MOST_TRIES; ; tries -= 1) {
    const layout = await readLayout(coordinator);
    if (layout === undefined) {
      await begin();
      return undefined;
    }
    const machines = Map.groupBy(layout.shards, (shard) => addressOf(databaseUrl, shard));
    const readers = new Map<string, pg.Client>();
    try {
      for (const url of machines.keys()) readers.set(url, await connected(url));
      const shards = [...machines].flatMap(([url, some]) => some.map((shard) => readerOf(readers, url, shard)));
      await whileHeld(databaseUrl, machines, async () => {
        await Promise.all([...machines].map(async ([url, some]) => await beginOn(readers.get(url), settings, some)));
        await begin();
      });
      return { shards, close: async () => await endAll(readers.values()) };
    } catch (error) {
      await endAll(readers.values());
      const code = error instanceof Error && "code" in error ? error.code : undefined;
      if (tries <= 1 || !BUSY.includes(code)) throw error;
      await sleep(PAUSE_MS);
    }
  }
}

function readerOf(readers: ReadonlyMap<string, pg.Client>, url: string, shard: Shard): ShardReader {
  return { client: present(readers.get(url)), schema: schemaOf(shard) };
}

/** Holds back all writes while `work` runs, and waits before for those that have started. */
async function whileHeld(
  databaseUrl: string,
  machines: ReadonlyMap<string, readonly Shard[]>,
  work: () => Promise<void>,
): Promise<void> {
  const holders: pg.Client[] = [];
  const holder = async (url: string): Promise<pg.Client> => {
    const client = await connected(url);
    holders.push(client);
    await client.query(`begin; set local lock_timeout to '${HOLD}'`);
    return client;
  };
  try {
    await Promise.all(
      [...machines].map(async ([url, shards]) => {
        const client = await holder(url);
        await client.query("select lock_shard_metadata(7, $1::bigint[])", [shards.map(({ id }) => id)]);
      }),
    );
    // Citus takes this lock on every machine, and so waits for the second phase of commits too.
    const client = await holder(databaseUrl);
    await client.query(`lock table ${EVERYWHERE_TABLES.map((name) => `public.${name}`).join(", ")} in share mode`);
    await work();
  } finally {
    await endAll(holders);
  }
}

/** The locks come before the first query, so that it sees all that was committed before, and keep a moved shard's tables. */
async function beginOn(reader: pg.Client | undefined, settings: string, shards: readonly Shard[]): Promise<void> {
  const client = present(reader);
  await client.query(settings);
  await client.query("begin isolation level repeatable read read only");
  for (const shard of shards) {
    const tables = BUCKET_TABLES.map((name) => `${schemaOf(shard)}.${name}`);
    await client.query(`lock table ${tables.join(", ")} in access share mode`);
  }
  for (const shard of shards) await client.query(`select ${schemaOf(shard)}.assert_here()`);
}

async function connected(url: string): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    application_name: "junction backup",
    connectionTimeoutMillis: 10_000,
  });
  // A lost connection fails the query that runs on it.
  client.on("error", () => undefined);
  await client.connect();
  return client;
}

async function endAll(clients: Iterable<pg.Client>): Promise<void> {
  await Promise.all([...clients].map(async (client) => await client.end().catch(() => undefined)));
}

function present<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error("a machine of the database has no connection");
  return value;
}
