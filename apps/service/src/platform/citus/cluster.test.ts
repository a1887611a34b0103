import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bucketOf, newTag } from "../../lib/lib.ts";
import { createCluster, findCitus, startCitus } from "../../testing/citus.ts";
import type { CitusServers } from "../../testing/citus.ts";
import { addWorkspace, uuidOf } from "../../testing/keys.ts";
import { startReceiver } from "../../testing/receiver.ts";
import type { Receiver } from "../../testing/receiver.ts";
import { startService } from "../../testing/service.ts";
import { SHORT_LADDER } from "../../testing/subscription.ts";
import { MIGRATIONS_FOLDER } from "../../testing/template.ts";
import type { TestService } from "../../testing/test-service.ts";
import { distribute, migrate } from "../db/db.ts";
import { readLayout } from "./citus.ts";
import type { Layout, Shard } from "./citus.ts";

let servers: CitusServers;
let url: string;
let client: pg.Pool;
let service: TestService;
let receiver: Receiver;
let refusal: string;
let before: Readonly<Record<string, number>>;

/** A key of a workspace, with the bucket of its rows. */
interface Owner {
  readonly key: string;
  readonly bucket: number;
}

beforeAll(async () => {
  const binaries = findCitus();
  if (binaries === undefined) throw new Error("JUNCTION_CITUS names no PostgreSQL with Citus");
  servers = await startCitus(binaries);
  url = await createCluster(servers, "junction");
  client = new pg.Pool({ connectionString: url, max: 2 });
  // The machine that a test stops also ends the connections of this pool.
  client.on("error", () => undefined);
  await migrate(url, MIGRATIONS_FOLDER, { distributing: true });
  receiver = await startReceiver();
  const env = { DATABASE_URL: url, ...SHORT_LADDER };
  const plain = await startService({ env });
  await plain.endpoint(receiver.url);
  for (let n = 0; n < 5; n += 1) await plain.fire();
  await receiver.count(5);
  await plain.service.stop();
  before = await counts();
  refusal = await migrate(url, MIGRATIONS_FOLDER).then(
    () => "",
    (error: unknown) => String(error),
  );
  await distribute(url, { tell: () => undefined });
  await migrate(url, MIGRATIONS_FOLDER);
  service = await startService({ env, on: plain });
});
afterAll(async () => {
  await service.service.stop();
  await service.database.drop();
  await receiver.close();
  await client.end();
  await servers.stop();
});

async function counts(): Promise<Readonly<Record<string, number>>> {
  const { rows } = await client.query<{ events: number; deliveries: number; audited: number; keys: number }>(
    `select (select count(*)::int from event) as events, (select count(*)::int from delivery) as deliveries,
      (select count(*)::int from audit_row) as audited, (select count(*)::int from api_key) as keys`,
  );
  return rows[0] ?? {};
}

async function layout(): Promise<Layout> {
  const found = await readLayout(client);
  if (found === undefined) throw new Error("the database is not distributed");
  return found;
}

async function shardOf(bucket: number): Promise<Shard> {
  const shard = (await layout()).shards.find(({ buckets }) => buckets.includes(bucket));
  if (shard === undefined) throw new Error(`bucket ${bucket} has no shard`);
  return shard;
}

/** Adds a workspace whose rows are on the machine with this port. */
async function workspaceOn(port: number): Promise<Owner> {
  for (;;) {
    const tag = newTag();
    const shard = await shardOf(bucketOf(tag));
    if (shard.port !== port) continue;
    const key = await addWorkspace(async (text, values) => await client.query(text, values), tag);
    return { key, bucket: bucketOf(tag) };
  }
}

async function fireAs({ key }: Owner): Promise<{ readonly status: number; readonly id: string }> {
  const { status, body } = await service.api(
    "POST",
    "/v1/events/fire",
    { event: "order.created", data: { order: { id: "ord_1" } } },
    { key },
  );
  return { status, id: body["id"] };
}

test("a database with rows keeps all of them when it is distributed, and delivers", async () => {
  expect(refusal).toMatch(/not distributed\. Run `junction distribute --dry-run`/);
  expect(await counts()).toEqual(before);
  const { shards } = await layout();
  expect(new Set(shards.map(({ port }) => port)).size).toBe(2);
  const fired = await service.fire();
  await service.until(`/v1/events/${fired["id"]}`, (body) =>
    body["deliveries"].every((one: { state: string }) => one.state === "delivered"),
  );
  const verified = await service.api("GET", "/v1/audit/verify");
  expect(verified.body).toMatchObject({ ok: true });
});

test("no accepted event is lost while its shard moves to another machine", async () => {
  const owner = await workspaceOn((await layout()).shards[0]?.port ?? 0);
  const endpoint = await service.api(
    "POST",
    "/v1/webhook-endpoints",
    { url: receiver.url, events: ["*"] },
    { key: owner.key },
  );
  expect(endpoint.status).toBe(201);
  const from = await shardOf(owner.bucket);
  const to = (await layout()).shards.find(({ port }) => port !== from.port);
  const accepted: string[] = [];
  const refused: number[] = [];
  let isMoving = true;
  const load = Array.from({ length: 4 }, async () => {
    while (isMoving) {
      const { status, id } = await fireAs(owner);
      if (status === 202) accepted.push(id);
      else refused.push(status);
    }
  });
  try {
    await client.query("select citus_move_shard_placement($1, $2, $3, $4, $5, 'auto')", [
      from.id,
      from.host,
      from.port,
      to?.host,
      to?.port,
    ]);
    const moved = accepted.length;
    await expect.poll(() => accepted.length).toBeGreaterThan(moved + 20);
  } finally {
    isMoving = false;
    await Promise.all(load);
  }
  expect((await shardOf(owner.bucket)).port).toBe(to?.port);
  expect(refused.filter((status) => status !== 503)).toEqual([]);
  const { rows } = await client.query<{ id: string }>(
    "select id from event where bucket = $1 and name = 'order.created'",
    [owner.bucket],
  );
  const stored = new Set(rows.map(({ id }) => id));
  expect(accepted.filter((id) => !stored.has(uuidOf(id)))).toEqual([]);
  // A commit whose answer is late is refused with 503, because its end is not known.
  expect(stored.size).toBeLessThanOrEqual(accepted.length + refused.length);
  const sent = (): string[] => receiver.received.map(({ body }) => JSON.parse(body).id as string);
  await expect.poll(() => accepted.filter((id) => !sent().includes(id)), { timeout: 180_000 }).toEqual([]);
});

test("a machine that is down refuses only its own buckets, until it returns", async () => {
  const [first, second] = servers.workers;
  if (first === undefined || second === undefined) throw new Error("there are not two workers");
  const lost = await workspaceOn(Number(new URL(first.url).port));
  const other = await workspaceOn(Number(new URL(second.url).port));
  for (const owner of [lost, other]) expect((await fireAs(owner)).status).toBe(202);
  await first.crash();
  await expect.poll(async () => (await fireAs(lost)).status).toBe(503);
  for (let n = 0; n < 10; n += 1) expect((await fireAs(other)).status).toBe(202);
  // A node that starts now serves the other machine's workspaces too.
  const late = await startService({ env: { DATABASE_URL: url, ...SHORT_LADDER }, on: service });
  const event = { event: "order.created", data: {} };
  expect((await late.api("POST", "/v1/events/fire", event, { key: other.key })).status).toBe(202);
  expect((await late.api("POST", "/v1/events/fire", event, { key: lost.key })).status).toBe(503);
  await late.service.stop();
  await first.restart();
  await expect.poll(async () => (await fireAs(lost)).status).toBe(202);
});

test("a shard refuses a row of another shard's bucket", async () => {
  const { shards } = await layout();
  const [here, elsewhere] = shards;
  const { db } = service.service;
  const writing = db.at(
    here?.buckets[0] ?? 0,
    async () =>
      await db.query
        .insertInto("connector_value")
        .values({ bucket: elsewhere?.buckets[0] ?? 0, tag: newTag(), key: "k", name: "n", value: "", bytes: 0 })
        .execute(),
  );
  await expect(writing).rejects.toThrow(/own_bucket|row-level security/);
});

test("a start is refused when a tenant would see another one's rows", async () => {
  const [shard] = (await layout()).shards;
  if (shard === undefined) throw new Error("there is no shard");
  const machine = new pg.Client({ connectionString: url.replace(/:\d+\//, `:${shard.port}/`) });
  await machine.connect();
  try {
    const { rows } = await machine.query<{ own: string }>(`select at_${shard.id}.own_table('connector_value') as own`);
    await machine.query(`set citus.enable_ddl_propagation to off`);
    await machine.query(`create policy hole on ${rows[0]?.own} to junction_tenant using (true)`);
    await expect(migrate(url, MIGRATIONS_FOLDER)).rejects.toThrow(/Row-level security does not hold/);
    await machine.query(`drop policy hole on ${rows[0]?.own}`);
    await migrate(url, MIGRATIONS_FOLDER);
  } finally {
    await machine.end();
  }
});
