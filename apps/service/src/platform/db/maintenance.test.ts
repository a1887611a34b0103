import { afterAll, beforeAll, expect, test } from "vitest";
import { mintKey } from "../../testing/keys.ts";
import { startService } from "../../testing/service.ts";
import { createMaintenance } from "./db.ts";
import type { TestService } from "../../testing/test-service.ts";

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

test("a key's usage is kept for 30 days, in every shard", async () => {
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

test("a shorter retention of a workspace deletes its older logs in both environments", async () => {
  await service.database.query(`insert into workspace (id, tag, bucket, name, settings) values
    (gen_random_uuid(), 'ownshrt0', 7, 'Shorter', '{"retention_days": 5}'), (gen_random_uuid(), 'ownlong0', 7, 'As the installation', '{}'),
    (gen_random_uuid(), 'ownequa0', 7, 'The same', '{"retention_days": 30}')`);
  // The old rows are more than one statement deletes.
  await service.database.query(`insert into event (bucket, tag, id, name, canonical, data, occurred_at)
    select 7, tag, (left(uuid_floor(now() - age * interval '1 day')::text, 24) || lpad(to_hex(n), 12, '0'))::uuid, 'a.b', false, '{}', now()
    from unnest('{ownshrt0,ownshrt1,ownlong0,ownequa0}'::text[]) tag, unnest('{1, 4, 6, 20}'::int[]) age, generate_series(1, case when tag like 'ownshrt_' and age > 5 then 12000 else 10 end) n`);
  await service.database
    .query(`insert into delivery (bucket, tag, id, event_id, event_name, endpoint_id, state, attempt_count)
    select 7, tag, id, id, 'a.b', id, 'delivered', 1 from event where bucket = 7`);
  await service.database
    .query(`insert into attempt (bucket, tag, delivery_id, number, id, trigger, started_at, latency, response_truncated, request_timestamp)
    select 7, tag, id, number, id, 'ladder', now(), '{}', false, 0 from event, generate_series(1, 3) number where bucket = 7`);
  await service.database
    .query(`insert into ai_activity (bucket, tag, id, workspace_id, source, kind, actor, status, at, last_at, count)
    select 7, tag, uuid_floor(at), gen_random_uuid(), 'mcp', 'poll', '{}', 'ok', at, now(), 1
    from unnest('{ownshrt0,ownshrt1,ownlong0,ownequa0}'::text[]) tag,
      (select now() - age * interval '1 day' - n * interval '1 second' from unnest('{1, 4, 6, 20}'::int[]) age, generate_series(1, 10) n) t (at)`);
  await tidy();
  for (const [table, id, each] of [
    ["event", "id", 1],
    ["delivery", "id", 1],
    ["attempt", "delivery_id", 3],
    ["ai_activity", "id", 1],
  ] as const) {
    const left = await service.database.query(
      `select tag, count(*)::int as n, bool_and(${id} > uuid_floor(now() - interval '5 days')) as is_young from ${table} where bucket = 7 group by 1 order by 1`,
    );
    expect([table, left]).toEqual([
      table,
      [
        { tag: "ownequa0", n: 40 * each, is_young: false },
        { tag: "ownlong0", n: 40 * each, is_young: false },
        { tag: "ownshrt0", n: 20 * each, is_young: true },
        { tag: "ownshrt1", n: 20 * each, is_young: true },
      ],
    ]);
  }
});

test("maintenance deletes windows without calls and keeps every call that counts", async () => {
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

test("calls succeed while maintenance deletes rate windows around them", async () => {
  const keys = await Promise.all(Array.from({ length: 10 }, async () => await mintKey(service)));
  const statuses: number[] = [];
  for (let round = 0; round < 10; round += 1) {
    const calls = keys.map(async ({ key }) => (await service.api("GET", "/v1/events", undefined, { key })).status);
    const [answers] = await Promise.all([Promise.all(calls), tidy(), tidy()]);
    statuses.push(...answers);
    // The next round's calls then coincide with the deletion of the windows that they use.
    await service.database.query("update rate_window set head = head - 1000");
  }
  expect(new Set(statuses)).toEqual(new Set([200]));
});
