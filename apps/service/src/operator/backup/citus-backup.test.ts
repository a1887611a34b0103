import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { newTag } from "../../lib/lib.ts";
import { distribute, migrate } from "../../platform/db/db.ts";
import { createCluster, databaseAt, findCitus, runOn, startCitus } from "../../testing/citus.ts";
import type { CitusServers } from "../../testing/citus.ts";
import { addWorkspace } from "../../testing/keys.ts";
import { startReceiver } from "../../testing/receiver.ts";
import type { Receiver } from "../../testing/receiver.ts";
import { MASTER_KEY, startService } from "../../testing/service.ts";
import { SHORT_LADDER } from "../../testing/subscription.ts";
import { MIGRATIONS_FOLDER } from "../../testing/template.ts";
import type { TestService } from "../../testing/test-service.ts";
import { restoreBackup, writeBackup } from "./backup.ts";

let servers: CitusServers;
let url: string;
let folder: string;
let first: TestService;
let receiver: Receiver;
const masterKey = Buffer.from(MASTER_KEY, "base64");

beforeAll(async () => {
  const binaries = findCitus();
  if (binaries === undefined) throw new Error("JUNCTION_CITUS names no PostgreSQL with Citus");
  servers = await startCitus(binaries);
  folder = await mkdtemp(join(tmpdir(), "junction-citus-"));
  receiver = await startReceiver();
  url = await createCluster(servers, "junction");
  await migrate(url, MIGRATIONS_FOLDER, { distributing: true });
  first = await startService({ env: { DATABASE_URL: url, ...SHORT_LADDER } });
  await first.endpoint(receiver.url);
  await first.fire();
  await first.service.stop();
  await distribute(url, { tell: () => undefined });
});
afterAll(async () => {
  await first.database.drop();
  await receiver.close();
  await servers.stop();
  await rm(folder, { recursive: true });
});

async function backUp(name: string): Promise<string> {
  const file = join(folder, name);
  const deps = { databaseUrl: url, dataDir: folder, masterKey, includesMasterKey: false, tell: () => undefined };
  await writeBackup(deps, file);
  return file;
}

async function restore(file: string, databaseUrl: string): Promise<void> {
  const deps = { databaseUrl, dataDir: folder, masterKey, migrations: MIGRATIONS_FOLDER, force: true };
  const check = async (): Promise<void> => await Promise.resolve();
  await restoreBackup({ ...deps, tell: () => undefined, check }, file);
}

async function plain(name: string): Promise<string> {
  await runOn(servers.coordinator.url, `create database ${name} template template0`);
  return databaseAt(servers.coordinator.url, name);
}

async function on<T extends object>(databaseUrl: string, statement: string, values: unknown[] = []): Promise<T[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    return (await client.query<T>(statement, values)).rows;
  } finally {
    await client.end();
  }
}

async function counts(databaseUrl: string): Promise<object | undefined> {
  const tables = ["event", "delivery", "attempt", "endpoint", "api_key", "audit_row", "workspace", "secret_version"];
  const columns = tables.map((table) => `(select count(*)::int from ${table}) as ${table}`);
  return (await on(databaseUrl, `select ${columns.join(", ")}`))[0];
}

test("a backup of several machines is complete on one machine and on several", async () => {
  const file = await backUp("still.tar");
  const before = await counts(url);
  await expect(restore(file, url)).rejects.toThrow(/Restore into a new database/);
  const one = await plain("one");
  await restore(file, one);
  expect(await counts(one)).toEqual(before);
  const several = await createCluster(servers, "several");
  await restore(file, several);
  await distribute(several, { tell: () => undefined });
  expect(await counts(several)).toEqual(before);
  for (const databaseUrl of [one, several]) {
    const service = await startService({ env: { DATABASE_URL: databaseUrl, ...SHORT_LADDER }, on: first });
    const received = receiver.received.length;
    expect((await service.api("POST", "/v1/events/fire", { event: "order.created", data: {} })).status).toBe(202);
    await expect.poll(() => receiver.received.length).toBe(received + 1);
    expect((await service.api("GET", "/v1/audit/verify")).body).toMatchObject({ ok: true });
    await service.service.stop();
  }
});

test("a backup under load is of one moment over all machines", async () => {
  const service = await startService({ env: { DATABASE_URL: url, ...SHORT_LADDER }, on: first });
  const keys = [service.key];
  for (let n = 0; n < 4; n += 1)
    keys.push(await addWorkspace(async (text, values) => await on(url, text, values), newTag()));
  let isLoading = true;
  const statuses = new Set<number>();
  const load = keys.map(async (key) => {
    for (let n = 0; isLoading; n += 1) {
      // An endpoint writes its shard, and on all machines a row that it refers to.
      const body = { url: receiver.url, events: [`test.none${n}`] };
      statuses.add((await service.api("POST", "/v1/webhook-endpoints", body, { key })).status);
      const event = { event: "order.created", data: {} };
      statuses.add((await service.api("POST", "/v1/events/fire", event, { key })).status);
    }
  });
  try {
    for (const name of ["one", "two", "three"])
      await restore(await backUp(`load-${name}.tar`), await plain(`of_${name}`));
  } finally {
    isLoading = false;
    await Promise.all(load);
    await service.service.stop();
  }
  expect([...statuses].toSorted()).toEqual([201, 202]);
});
