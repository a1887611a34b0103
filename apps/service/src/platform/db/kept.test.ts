import { afterAll, beforeAll, expect, test } from "vitest";
import { deliveryLog } from "../../testing/delivery-log.ts";
import { ruleOn } from "../../testing/rules.ts";
import { startService } from "../../testing/service.ts";
import { SHORT_LADDER, subscribe } from "../../testing/subscription.ts";
import { createMaintenance } from "./db.ts";
import { KEPT } from "./kept.ts";
import type { TestService } from "../../testing/test-service.ts";

let service: TestService;
beforeAll(async () => {
  service = await startService({ env: SHORT_LADDER });
});
afterAll(async () => await service.close());

interface Table {
  readonly name: string;
  readonly partitioned: boolean;
}

const TABLES = `select relname as name, relkind = 'p' as partitioned from pg_class where relnamespace = 'public'::regnamespace
  and relkind in ('r', 'p') and not relispartition and relname <> 'schema_migration' order by 1`;

const kindOf = (name: string): string => KEPT[name as keyof typeof KEPT].kind;

test("every table of the database says how long its rows are kept", async () => {
  const tables = await service.database.query<Table>(TABLES);
  expect(tables.map(({ name }) => name)).toEqual(Object.keys(KEPT).toSorted());
  // Activities are a contact's own history. They are partitioned because of their size, and kept as long as the
  // contact.
  expect(
    tables.filter(({ name, partitioned }) => partitioned !== ["retention", "days"].includes(kindOf(name))),
  ).toEqual([{ name: "activity", partitioned: true }]);
});

test("after a year, only rows that an owner keeps remain of fired events", async () => {
  const log = deliveryLog(service);
  const [good, bad] = [await subscribe(service), await subscribe(service, { status: 500 })];
  await ruleOn(service, { on: ["order.created"] });
  await service.fire("order.created", { order: { id: "1" } });
  const [delivered, failed] = [await good.fire(), await bad.fire()];
  await log.in(delivered, "delivered");
  await log.in(failed, "failed");
  await service.api("POST", "/v1/replays", { delivery_ids: [failed] });
  await log.attempted(failed, 7);
  await expect
    .poll(
      async () => await service.database.query("select 1 from dispatch_stage where state in ('waiting', 'running')"),
    )
    .toEqual([]);
  const before = await counts();
  expect(before).toMatchObject({
    event: true,
    dispatch_stage: true,
    delivery: true,
    attempt: true,
    idempotency: true,
    replay_job: true,
  });

  const quiet = { info: () => undefined, warn: (fields: object) => expect(fields).toBeUndefined() };
  // Counts that the service keeps in memory are written some seconds later, and need a further round. On a busy machine, the
  // statements of one round, of each table and bucket, take most of a minute.
  await expect
    .poll(
      async () => {
        for (const { name } of await limited()) await age(name);
        // The database's clock cannot be set. A retention that ends three days in the future also drops today's rows.
        const maintenance = createMaintenance({ db: service.service.db, log: quiet, retentionDays: -3 });
        await maintenance.start();
        await maintenance.stop();
        return await counts();
      },
      { interval: 1000, timeout: 240_000 },
    )
    .toEqual({});
});

/** Returns the tables whose rows are kept for a limited time. */
async function limited(): Promise<Table[]> {
  const tables = await service.database.query<Table>(TABLES);
  return tables.filter(({ name }) => ["retention", "ended"].includes(kindOf(name)));
}

/** Returns those of the limited tables that hold a row. */
async function counts(): Promise<Record<string, true>> {
  const found: Record<string, true> = {};
  for (const { name } of await limited()) {
    const rows = await service.database.query(`select 1 from ${name} limit 1`);
    if (rows.length > 0) found[name] = true;
  }
  return found;
}

/** Makes the rows of a table more than a year old. */
async function age(name: string): Promise<void> {
  const columns = await service.database.query<{ column: string; type: string }>(
    `select attname as column, atttypid::regtype::text as type from pg_attribute where attrelid = $1::regclass and attnum > 0
      and not attisdropped and atttypid in ('timestamptz'::regtype, 'date'::regtype)`,
    [name],
  );
  const sets = columns.map(({ column, type }) => `${column} = (${column} - interval '500 days')::${type}`);
  if (sets.length > 0 && kindOf(name) === "ended")
    await service.database.query(`update ${name} set ${sets.join(", ")}`);
  if (name === "rate_window") await service.database.query("update rate_window set head = 0");
}
