import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bucketOf, newTag } from "../../lib/lib.ts";
import type { Tag } from "../../lib/lib.ts";
import { databaseAt, findCitus, joinCluster, runOn, startCitus } from "../../testing/citus.ts";
import type { CitusServers } from "../../testing/citus.ts";
import { addWorkspace } from "../../testing/keys.ts";
import { startService } from "../../testing/service.ts";
import { openStream } from "../../testing/stream.ts";
import { UNLIMITED } from "../../testing/subscription.ts";
import { MIGRATIONS_FOLDER } from "../../testing/template.ts";
import type { ApiAnswer, TestService } from "../../testing/test-service.ts";
import { distribute, migrate, planDistribution } from "../db/db.ts";
import { readLayout } from "./citus.ts";

/** A database that is older than its Citus, as an operator has it. */
let servers: CitusServers;
let url: string;
let client: pg.Pool;
let service: TestService;
let planned: string[];

interface Owner {
  readonly tag: Tag;
  readonly key: string;
}

beforeAll(async () => {
  const binaries = findCitus();
  if (binaries === undefined) throw new Error("JUNCTION_CITUS names no PostgreSQL with Citus");
  servers = await startCitus(binaries);
  url = databaseAt(servers.coordinator.url, "grown");
  await runOn(servers.coordinator.url, "create database grown template template0");
  await migrate(url, MIGRATIONS_FOLDER);
  for (const worker of servers.workers) await runOn(worker.url, "create database grown template template0");
  await joinCluster(servers, "grown");
  planned = (await planDistribution(url)).machines.flatMap(({ faults, warnings }) => [
    ...faults,
    ...warnings.filter((warning) => warning.includes("roles")),
  ]);
  await distribute(url, { tell: () => undefined });
  await migrate(url, MIGRATIONS_FOLDER);
  client = new pg.Pool({ connectionString: url, max: 2 });
  client.on("error", () => undefined);
  service = await startService({ env: { DATABASE_URL: url, ...UNLIMITED } });
});
afterAll(async () => {
  await service.close();
  await client.end();
  await servers.stop();
});

/** Adds a workspace whose rows are on this worker. */
async function workspaceOn(worker: number): Promise<Owner> {
  const port = Number(new URL(servers.workers[worker]?.url ?? "").port);
  const shards = (await readLayout(client))?.shards ?? [];
  for (;;) {
    const tag = newTag();
    const shard = shards.find(({ buckets }) => buckets.includes(bucketOf(tag)));
    if (shard?.port !== port) continue;
    return { tag, key: await addWorkspace(async (text, values) => await client.query(text, values), tag) };
  }
}

async function call(owner: Owner, method: string, path: string, body?: object): Promise<ApiAnswer> {
  return await service.api(method, path, body, { key: owner.key });
}

test("a database with rows gets its roles on the workers when it is distributed", async () => {
  expect(planned).toHaveLength(2);
  for (const line of planned) expect(line).toContain("`junction distribute` creates them");
  for (const { url: worker } of servers.workers) {
    const machine = new pg.Client({ connectionString: worker });
    await machine.connect();
    const { rows } = await machine.query(
      "select rolname from pg_roles where rolname like 'junction_%' and rolcanlogin",
    );
    expect(rows).toHaveLength(2);
    await machine.end();
  }
});

test("keys of several workspaces are created and rolled at once, without a deadlock", async () => {
  const owners = [await workspaceOn(0), await workspaceOn(1), await workspaceOn(0), await workspaceOn(1)];
  const statuses: number[] = [];
  await Promise.all(
    [...owners, ...owners].map(async (owner) => {
      for (let n = 0; n < 8; n += 1) {
        const made = await call(owner, "POST", "/v1/keys", { name: "k", permission_mode: "all" });
        const rolled = await call(owner, "POST", `/v1/keys/${String(made.body["id"])}/roll`, {});
        statuses.push(made.status, rolled.status);
      }
    }),
  );
  expect(statuses.filter((status) => status !== 201)).toEqual([]);
});

test("a worker that is down delays only its own log, counts and streams", async () => {
  const [lost, other] = [await workspaceOn(0), await workspaceOn(1)];
  const headers = (owner: Owner): Record<string, string> => ({ Authorization: `Bearer ${owner.key}` });
  const streams = [await openStream(service, "", headers(lost)), await openStream(service, "", headers(other))];
  const event = { event: "order.created", data: {} };
  for (const owner of [lost, other]) expect((await call(owner, "POST", "/v1/events/fire", event)).status).toBe(202);
  const [worker] = servers.workers;
  await worker?.crash();
  await expect.poll(async () => (await call(lost, "POST", "/v1/events/fire", event)).status).toBe(503);
  const calls: ApiAnswer[] = [];
  for (let n = 0; n < 12; n += 1) {
    calls.push(await call(other, "POST", "/v1/events/fire", event));
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
  expect(calls.map(({ status }) => status)).toEqual(calls.map(() => 202));
  const ids = calls.map(({ headers: sent }) => sent.get("x-service-request-id") ?? "");
  const logged = async (owner: Owner): Promise<string[]> =>
    (await call(owner, "GET", "/v1/requests?operation=events.fire&limit=100")).body["data"].map(
      ({ id }: { id: string }) => id,
    );
  await expect
    .poll(async () => {
      const seen = await logged(other);
      return ids.filter((id) => !seen.includes(id));
    })
    .toEqual([]);
  const seen = await logged(other);
  expect(new Set(seen).size).toBe(seen.length);
  await worker?.restart();
  await expect
    .poll(async () => (await call(lost, "POST", "/v1/events/fire", event)).status, { timeout: 30_000 })
    .toBe(202);
  // Counts are written every 5 s.
  await new Promise((resolve) => setTimeout(resolve, 12_000));
  const events = async (owner: Owner): Promise<number> =>
    (await call(owner, "GET", "/v1/usage/series?hours=2")).body["data"].reduce(
      (sum: number, hour: { events: number }) => sum + hour.events,
      0,
    );
  expect([await events(lost), await events(other)]).toEqual([2, 13]);
  for (const stream of streams) stream.leave();
});
