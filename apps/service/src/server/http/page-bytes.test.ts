import { afterAll, beforeAll, expect, test } from "vitest";
import { startService } from "../../testing/service.ts";
import { UNLIMITED } from "../../testing/subscription.ts";
import type { Parsed, TestService } from "../../testing/test-service.ts";

/** Pages of lists end by bytes and by rows (contract, section 13). */

const PAGE_BYTES = 8 * 1024 * 1024;
const EVENTS = 30;
/** Events of sources from before the bound on their data, as hostile senders made them. */
const EVENT_BYTES = 1_500_000;

let service: TestService;
beforeAll(async () => {
  service = await startService({ env: { ...UNLIMITED, JUNCTION_ROLES: "api" } });
  await service.api("POST", "/v1/events/fire", { event: "big.happened", data: {} });
  await service.database.query(
    `insert into event (bucket, tag, id, name, canonical, data, occurred_at, tenant)
     select e.bucket, e.tag, (lpad(to_hex((extract(epoch from now() - interval '1 minute') * 1000)::bigint), 12, '0') ||
       substr(replace(gen_random_uuid()::text, '-', ''), 13))::uuid, e.name, false, '{"x":"' || repeat('a', $1) || '"}', now(), e.tenant
     from event e, generate_series(1, $2::int)`,
    [EVENT_BYTES, EVENTS],
  );
});
afterAll(async () => await service.close());

interface Walked {
  readonly ids: string[];
  readonly largest: number;
}

/** Reads all pages with the largest limit. */
async function walk(page: (cursor: string | null) => Promise<{ body: Parsed; text: string }>): Promise<Walked> {
  const ids: string[] = [];
  let largest = 0;
  let cursor: string | null = null;
  do {
    const { body, text } = await page(cursor);
    expect(body.has_more).toBe(body.next_cursor !== null);
    expect(body.data.length).toBeGreaterThan(0);
    largest = Math.max(largest, text.length);
    ids.push(...body.data.map(({ id }: Parsed) => id));
    cursor = body.next_cursor;
  } while (cursor !== null);
  return { ids, largest };
}

test("a list of large events ends each page at 8 MiB and misses none", async () => {
  const { ids, largest } = await walk(
    async (cursor) => await service.api("GET", `/v1/events?limit=100${cursor === null ? "" : `&cursor=${cursor}`}`),
  );
  expect(new Set(ids).size).toBe(EVENTS + 1);
  expect(ids).toHaveLength(EVENTS + 1);
  expect(largest).toBeLessThan(PAGE_BYTES * 1.05);
});

test("the general API's list ends its pages in the same way", async () => {
  const { ids, largest } = await walk(async (cursor) => {
    const answer = await service.api("POST", "/api/v1.php", {
      action: "events.list",
      limit: 100,
      ...(cursor === null ? {} : { cursor }),
    });
    return { body: answer.body.result ?? answer.body, text: answer.text };
  });
  expect(ids).toHaveLength(EVENTS + 1);
  expect(largest).toBeLessThan(PAGE_BYTES * 1.05);
});
