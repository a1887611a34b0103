import { afterAll, beforeAll, expect, test } from "vitest";
import { newTag, systemClock } from "../../lib/lib.ts";
import { createDb } from "../../platform/db/db.ts";
import type { Db } from "../../platform/db/db.ts";
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
  const writer = createCountsWriter({ db: { ...db, soft }, counters, log });
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
