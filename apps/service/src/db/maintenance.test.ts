import { afterAll, beforeAll, expect, test } from "vitest";
import { mintKey } from "../testing/keys.ts";
import { startService } from "../testing/service.ts";
import type { TestService } from "../testing/service.ts";
import { createMaintenance } from "./db.ts";

let service: TestService;
const log = { info: () => undefined, warn: () => undefined };

beforeAll(async () => {
  service = await startService();
});
afterAll(async () => await service.close());

async function tidy(): Promise<void> {
  const maintenance = createMaintenance({ db: service.service.db, log, retentionDays: 30 });
  await maintenance.start();
  await maintenance.stop();
}

test("a key's usage is kept for 30 days, in every bucket", async () => {
  await service.database.query(
    `insert into key_usage select bucket, 'sdsgn3ti', gen_random_uuid(), now() - days * interval '1 day', 'events.fire', 'succeeded', 1
     from generate_series(0, 63) bucket, unnest('{29, 31}'::int[]) days`,
  );
  await tidy();
  const rows = await service.database.query<{ old: boolean; n: number }>(
    "select hour < now() - interval '30 days' as old, count(*)::int as n from key_usage group by 1",
  );
  expect(rows).toEqual([{ old: false, n: 64 }]);
});

test("windows without a call are forgotten, and with them no call that counts", async () => {
  const [idle, busy] = [
    await mintKey(service, { rate_limit_per_hour: 2 }),
    await mintKey(service, { rate_limit_per_hour: 2 }),
  ];
  for (const { key } of [idle, busy]) await service.api("GET", "/v1/events", undefined, { key });
  await service.database.query(
    "update rate_window set head = head - 130 where subject = $1 or (subject = $2 and operation <> '*')",
    [idle.uuid, busy.uuid],
  );
  await tidy();
  const left = await service.database.query("select subject, operation from rate_window where subject = any($1)", [
    [idle.uuid, busy.uuid],
  ]);
  expect(left).toEqual([{ subject: busy.uuid, operation: "*" }]);
  const remaining = await Promise.all(
    [idle, busy].map(async ({ key }) =>
      (await service.api("GET", "/v1/events", undefined, { key })).headers.get("x-service-ratelimit-remaining"),
    ),
  );
  expect(remaining).toEqual(["1", "0"]);
});

test("calls go on while windows are forgotten around them", async () => {
  const keys = await Promise.all(Array.from({ length: 10 }, async () => await mintKey(service)));
  const statuses: number[] = [];
  for (let round = 0; round < 10; round += 1) {
    const calls = keys.map(async ({ key }) => (await service.api("GET", "/v1/events", undefined, { key })).status);
    const [answers] = await Promise.all([Promise.all(calls), tidy(), tidy()]);
    statuses.push(...answers);
    // So that the next round's calls meet the forgetting of the windows that they use.
    await service.database.query("update rate_window set head = head - 1000");
  }
  expect(new Set(statuses)).toEqual(new Set([200]));
});
