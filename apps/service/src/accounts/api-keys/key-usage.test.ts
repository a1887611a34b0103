import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { covers } from "../../../../../requirements/covers.ts";
import { mintKey, setKey } from "../../testing/keys.ts";
import type { TestKey } from "../../testing/keys.ts";
import { startService } from "../../testing/service.ts";
import type { Parsed, TestService } from "../../testing/test-service.ts";

let service: TestService;
const env = { JUNCTION_RATE_LIMITS: '{"events.fire": 5, "management.read": 100000, "management.write": 100000}' };
beforeAll(async () => {
  service = await startService({ env });
});
afterAll(async () => await service.close());

async function fire(key: TestKey, on = service): Promise<number> {
  return (await on.api("POST", "/v1/events/fire", { event: "a.b", data: {} }, { key: key.key })).status;
}

async function read(key: TestKey, on = service): Promise<number> {
  return (await on.api("GET", "/v1/events?limit=1", undefined, { key: key.key })).status;
}

/** Returns the day's calls of a key, once there are as many as expected. */
async function day(key: TestKey, total: number): Promise<Parsed> {
  const usage = await service.until(
    `/v1/keys/${key.id}/usage`,
    (body) => body["last_24_hours"].by_outcome.total >= total,
  );
  return usage["last_24_hours"];
}

covers("key.rate.usage-bar", "a key's calls are shown by outcome, operation and hour", async () => {
  const key = await mintKey(service);
  for (let call = 0; call < 7; call += 1) await fire(key);
  for (let call = 0; call < 3; call += 1) await read(key);
  await service.api("POST", "/v1/events/fire", {}, { key: key.key });
  await setKey(service, key, { role: "viewer" });
  await service.api("POST", "/v1/events/batch", { events: [] }, { key: key.key });
  const shown = await day(key, 12);
  expect(shown["by_outcome"]).toEqual({ total: 12, succeeded: 8, refused: 1, rate_limited: 3, failed: 0 });
  expect(shown["by_operation"]).toEqual([
    { operation: "events.fire", total: 8, succeeded: 5, refused: 0, rate_limited: 3, failed: 0 },
    { operation: "events.list", total: 3, succeeded: 3, refused: 0, rate_limited: 0, failed: 0 },
    { operation: "events.batch", total: 1, succeeded: 0, refused: 1, rate_limited: 0, failed: 0 },
  ]);
  const hours: { hour: string; total: number }[] = shown["by_hour"];
  expect([hours.length, hours.reduce((sum, one) => sum + one.total, 0)]).toEqual([24, 12]);
  expect(hours.map((one) => Date.parse(one.hour))).toEqual(
    hours.map((_, at) => Date.parse(shown["from"]) + at * 3_600_000),
  );
  expect(Date.parse(shown["to"]) - Date.parse(shown["from"])).toBeLessThanOrEqual(24 * 3_600_000);
});

test("calls with an invalid credential do not count as usage", async () => {
  const key = await mintKey(service);
  await read(key);
  const wrong = { "X-Service-Signature": "0".repeat(64), "X-Service-Timestamp": String(Math.floor(Date.now() / 1000)) };
  await service.api("GET", "/v1/events", undefined, { key: key.key, headers: wrong });
  const first = await service.until(`/v1/keys/${key.id}`, (body) => body["last_used_at"] !== null);
  await service.api("POST", `/v1/keys/${key.id}/revoke`);
  expect(await read(key)).toBe(401);
  const other = await mintKey(service);
  await read(other);
  // The later call is written, so an earlier one would be written too.
  await day(other, 1);
  expect((await day(key, 1))["by_outcome"]).toMatchObject({ total: 1 });
  expect((await service.api("GET", `/v1/keys/${key.id}`)).body["last_used_at"]).toBe(first["last_used_at"]);
});

test("a key shows when and from where it was last used", async () => {
  const proxied = await startService({ env: { ...env, JUNCTION_TRUST_PROXIES: "127.0.0.1" }, on: service });
  const key = await mintKey(service);
  expect((await service.api("GET", `/v1/keys/${key.id}`)).body).toMatchObject({
    last_used_at: null,
    last_used_ip: null,
  });
  const startedAt = Date.now();
  await read(key);
  const first = await service.until(`/v1/keys/${key.id}`, (body) => body["last_used_at"] !== null);
  expect(first["last_used_ip"]).toBe("127.0.0.1");
  expect(Date.parse(first["last_used_at"])).toBeGreaterThanOrEqual(startedAt - 1);
  await proxied.api("GET", "/v1/events", undefined, { key: key.key, headers: { "X-Forwarded-For": "203.0.113.9" } });
  const second = await service.until(`/v1/keys/${key.id}`, (body) => body["last_used_ip"] === "203.0.113.9");
  expect(Date.parse(second["last_used_at"])).toBeGreaterThanOrEqual(Date.parse(first["last_used_at"]));
  await proxied.close();
});

covers("key.rate.usage-bar", "the counts of all nodes add up, and a stopping node writes its counts", async () => {
  const [first, second] = await Promise.all([startService({ env, on: service }), startService({ env, on: service })]);
  const keys = await Promise.all([mintKey(service), mintKey(service), mintKey(service)]);
  await Promise.all(
    [first, second, service].flatMap((node) =>
      keys.flatMap((key) => Array.from({ length: 10 }, async () => await read(key, node))),
    ),
  );
  await Promise.all([first.close(), second.close()]);
  for (const key of keys) {
    const shown = await day(key, 30);
    expect(shown["by_outcome"]).toMatchObject({ total: 30, succeeded: 30 });
  }
});

covers("key.rate.usage-bar", "usage follows the lineage: a rolled key continues the count", async () => {
  const key = await mintKey(service);
  await read(key);
  const rolled = await service.api("POST", `/v1/keys/${key.id}/roll`, { overlap_seconds: 60 });
  await read({ ...key, key: rolled.body["key"] });
  await day(key, 2);
  const next = await service.api("GET", `/v1/keys/${String(rolled.body["id"])}/usage`);
  expect(next.body).toMatchObject({ last_24_hours: { by_outcome: { total: 2 } }, hour: { used: 2 } });
});

test("no call waits for its count, and a failed write is repeated later", async () => {
  const key = await mintKey(service);
  const client = new pg.Client({ connectionString: service.database.url });
  await client.connect();
  await client.query("begin");
  await client.query("lock table key_usage in access exclusive mode");
  await client.query("select 1 from api_key where id = $1 for update", [key.uuid]);
  for (let call = 0; call < 5; call += 1) expect([await fire(key), await read(key)]).toEqual([202, 200]);
  await client.query("alter table key_usage rename to key_usage_away");
  await client.query("commit");
  for (let call = 0; call < 5; call += 1) expect(await read(key)).toBe(200);
  // Longer than the service keeps counts in memory, so that it has tried.
  await new Promise((resolve) => setTimeout(resolve, 2500));
  await client.query("alter table key_usage_away rename to key_usage");
  await client.end();
  expect((await day(key, 15))["by_outcome"]).toMatchObject({ total: 15, succeeded: 15 });
});

test("only calls of the last day are summed up", async () => {
  const key = await mintKey(service);
  await read(key);
  await day(key, 1);
  await service.database.query(
    `insert into key_usage select bucket, tag, lineage_id, hour - interval '23 hours', operation, outcome, 10 from key_usage where lineage_id = $1
     union all select bucket, tag, lineage_id, hour - interval '24 hours', operation, outcome, 100 from key_usage where lineage_id = $1`,
    [key.uuid],
  );
  const shown = await day(key, 11);
  expect([shown["by_outcome"].total, shown["by_hour"][0].total, shown["by_hour"][23].total]).toEqual([11, 10, 1]);
});
