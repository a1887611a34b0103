import { afterAll, beforeAll, expect, test } from "vitest";
import { newTag, systemClock } from "../../lib/lib.ts";
import { createDb } from "../../platform/db/db.ts";
import type { Db } from "../../platform/db/db.ts";
import type { Tag } from "../../lib/lib.ts";
import { cloneDatabase } from "../../testing/database.ts";
import type { TestDatabase } from "../../testing/database.ts";
import { createCounters } from "./counters.ts";
import { createCountsWriter } from "./usage.worker.ts";

const log = { warn: () => undefined };

let database: TestDatabase;
let db: Db;
beforeAll(async () => {
  database = await cloneDatabase();
  db = createDb({ url: database.url, poolSize: 1, log });
});
afterAll(async () => {
  await db.close();
  await database.drop();
});

test("counts by day are added up while only hours can be written", async () => {
  let isDown = true;
  let rows = 0;
  const soft: Db["soft"] = async (statement, values) => {
    if (statement.name === "usage_days_write") {
      // The length of a PostgreSQL array in binary form.
      rows = (values.at(-1) as Buffer).readInt32BE(12);
      if (isDown) throw new Error("the table is locked");
    }
    return await db.soft(statement, values);
  };
  const counters = createCounters({ clock: systemClock });
  const writer = createCountsWriter({ db: { ...db, soft }, clock: systemClock, counters, log });
  const tag = newTag();
  for (let flushes = 0; flushes < 3; flushes += 1) {
    counters.hearer.deliveriesMade?.([
      { tag, tenant: null },
      { tag, tenant: null },
    ]);
    await writer.stop();
  }
  isDown = false;
  counters.hearer.receiptWritten?.(tag, "ok", null);
  await writer.stop();
  expect(rows).toBe(2);
  const kept = await database.query("select kind, sum(count)::int as n from usage_day group by 1 order by 1");
  expect(kept).toEqual([
    { kind: "deliveries", n: 6 },
    { kind: "receipts", n: 1 },
  ]);
});

test("a refused count waits, and no other is counted twice", async () => {
  const counters = createCounters({ clock: systemClock });
  const writer = createCountsWriter({ db, clock: systemClock, counters, log });
  const [refused, ...healthy] = Array.from({ length: 20 }, () => newTag()) as [Tag, ...Tag[]];
  await database.query(`alter table usage_hour add constraint refused check (tag <> '${refused}')`);
  for (let flushes = 0; flushes < 5; flushes += 1) {
    for (const tag of [refused, ...healthy]) counters.hearer.receiptWritten?.(tag, "ok", null);
    await writer.stop();
  }
  const kept = async (table: string): Promise<unknown> =>
    await database.query(
      `select count(distinct tag)::int as tags, max(count)::int as most, min(count)::int as least from ${table} where tag <> '${refused}' and kind = 'receipts' and tag = any($1)`,
      [healthy],
    );
  expect(await kept("usage_hour")).toEqual([{ tags: 19, most: 5, least: 5 }]);
  expect(await kept("usage_day")).toEqual([{ tags: 19, most: 5, least: 5 }]);
  expect(writer.waiting()).toBe(1);
  await database.query("alter table usage_hour drop constraint refused");
  await writer.stop();
  expect(writer.waiting()).toBe(0);
  const mended = `select (select sum(count) from usage_hour where tag = '${refused}')::int as hours, (select sum(count) from usage_day where tag = '${refused}')::int as days`;
  expect(await database.query(mended)).toEqual([{ hours: 5, days: 5 }]);
});
