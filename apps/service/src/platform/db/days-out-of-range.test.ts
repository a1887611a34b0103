import { afterAll, beforeAll, expect, test } from "vitest";
import { instant } from "../../lib/lib.ts";
import type { Clock } from "../../lib/lib.ts";
import { startService } from "../../testing/service.ts";
import { subscribe, UNLIMITED } from "../../testing/subscription.ts";
import { createMaintenance } from "./db.ts";
import type { TestService } from "../../testing/test-service.ts";

const DAY_MS = 86_400_000;
const EMPTY = "select c.relname as name from pg_class c where c.relispartition and c.relname ~ '_default$' order by 1";

let service: TestService;
beforeAll(async () => {
  service = await startService({ env: UNLIMITED });
});
afterAll(async () => await service.close());

/** Returns a clock that differs from the system's by `days`. */
function offBy(days: number): Clock {
  return { now: () => instant(Date.now() + days * DAY_MS), monotonicMs: () => performance.now() };
}

async function tidy(): Promise<string[]> {
  const warned: string[] = [];
  const log = { info: () => undefined, warn: (fields: object) => void warned.push(JSON.stringify(fields)) };
  const maintenance = createMaintenance({ db: service.service.db, log, retentionDays: 30 });
  await maintenance.start();
  await maintenance.stop();
  return warned;
}

/** Returns the default partitions that hold rows. */
async function strays(): Promise<string[]> {
  const tables = await service.database.query<{ name: string }>(EMPTY);
  const found = await Promise.all(
    tables.map(async ({ name }) =>
      (await service.database.query(`select 1 from ${name} limit 1`)).length > 0 ? [name] : [],
    ),
  );
  return found.flat();
}

test.each([4, 10, -4, -10])(
  "a node whose clock is %s days off delivers, finds and maintains its events",
  async (days) => {
    const node = await startService({ on: service, env: UNLIMITED, deps: { clock: offBy(days) } });
    const { fire, event, receiver } = await subscribe(node);
    const delivery = await fire();
    await receiver.count(1);
    await node.until(`/v1/deliveries/${delivery}`, (body) => body["state"] === "delivered");
    await node.close();
    expect(await strays()).toEqual(expect.arrayContaining(["attempt_default", "delivery_default", "event_default"]));

    expect(await tidy()).toEqual([]);
    expect(await strays()).toEqual([]);
    const [{ id }] = (await service.api("GET", `/v1/events?event=${event}`)).body.data;
    const found = (await service.api("GET", `/v1/events/${id}`)).body;
    expect(found.deliveries).toMatchObject([{ id: delivery, state: "delivered" }]);
    expect((await service.api("GET", `/v1/deliveries/${delivery}/attempts`)).body.data).toHaveLength(1);
    const again = await startService({ on: service, env: UNLIMITED });
    expect(await tidy()).toEqual([]);
    await again.close();
  },
);

test("a row too late for its partition is dropped with its day", async () => {
  await service.database.query(`insert into event (bucket, tag, id, name, canonical, data, occurred_at)
    select 7, 'straysss', uuid_floor(now() - age * interval '1 day'), 'a.b', false, '{}', now() from unnest('{3, 20, 90}'::int[]) age`);
  expect(await tidy()).toEqual([]);
  const left = await service.database.query("select 1 from event where tag = 'straysss'");
  expect(left).toHaveLength(2);
  expect(await strays()).toEqual([]);
});

test("an activity of a month that has no partition is moved into one", async () => {
  await service.database
    .query(`insert into activity select (jsonb_populate_record(null::activity, jsonb_build_object('bucket', 7, 'tag', 'straysss',
    'id', uuid_floor(now() + interval '100 days'), 'contact_id', gen_random_uuid(), 'kind', 'event', 'event_type', 'a.b', 'summary', 'a', 'position', gen_random_uuid(),
    'score_delta', 0, 'occurred_at', now()))).*`);
  expect(await tidy()).toEqual([]);
  expect(await strays()).toEqual([]);
});

test("a failing maintenance task does not stop the others or a start", async () => {
  await service.database.query("alter function ensure_activity_months(int) rename to gone");
  await service.database.query(
    "insert into key_usage select 3, 'straysss', gen_random_uuid(), now() - interval '31 days', 'events.fire', 'succeeded', 1",
  );
  const warned = await tidy();
  expect(warned).toEqual([expect.stringContaining("months of activity")]);
  expect(await service.database.query("select 1 from key_usage where tag = 'straysss'")).toEqual([]);
  await service.database.query("alter function gone(int) rename to ensure_activity_months");
});

test("a new partition is stored as its table's default partition", async () => {
  await service.database.query("select ensure_partitions('dispatch_stage', 12)");
  const stored = await service.database.query(
    "select distinct reloptions from pg_inherits join pg_class c on c.oid = inhrelid where inhparent = 'dispatch_stage'::regclass",
  );
  expect(stored).toEqual([{ reloptions: ["fillfactor=50"] }]);
});
