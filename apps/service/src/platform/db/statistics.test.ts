import { afterAll, beforeAll, expect, test } from "vitest";
import { startService } from "../../testing/service.ts";
import type { TestService } from "../../testing/test-service.ts";
import { createStatistics } from "./db.ts";

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => await service.close());

async function rowsKnown(table: string): Promise<number> {
  const [row] = await service.database.query<{ n: number }>(
    "select reltuples::int as n from pg_class where relname = $1",
    [table],
  );
  return row?.n ?? 0;
}

test("a table that has grown fast gets new statistics within seconds", async () => {
  await service.database.query(
    `with grown as (insert into idempotency (bucket, tag, lineage_id, key, request_hash, status)
      select 7, 'grown000', gen_random_uuid(), n::text, '\\x00', 202 from generate_series(1, 3000) n)
    select pg_stat_force_next_flush()`,
  );
  const tables: string[] = [];
  const statistics = createStatistics({
    db: service.service.db,
    log: { debug: (fields) => void tables.push(...(fields as { tables: string[] }).tables), warn: () => undefined },
  });
  statistics.start();
  try {
    await expect.poll(() => tables, { timeout: 20_000 }).toContain("idempotency");
  } finally {
    await statistics.stop();
  }
  expect(await rowsKnown("idempotency")).toBeGreaterThan(2500);
});
