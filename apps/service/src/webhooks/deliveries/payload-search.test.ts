import { afterAll, beforeAll, expect, test } from "vitest";
import { otherWorkspace } from "../../testing/keys.ts";
import { startService } from "../../testing/service.ts";
import { UNLIMITED } from "../../testing/subscription.ts";
import type { Parsed, TestService } from "../../testing/test-service.ts";

/** The number of events. They have the maximum size and take long to read. */
const EVENTS = 250;

let service: TestService;
let other: { readonly key: string };
beforeAll(async () => {
  service = await startService({ env: UNLIMITED });
  other = await otherWorkspace(service);
  await service.endpoint("http://127.0.0.1:9/", { events: ["big.one"], active: false });
  await service.fire("big.one", {});
  // Copies one event and its delivery, because firing so many would take longer than the test.
  await service.database.query(
    `with made as (insert into event select (jsonb_populate_record(e, jsonb_build_object(
        'id', uuid_floor(now() - n * interval '1 second'), 'data', $1::text))).* from event e, generate_series(1, $2) n
        where e.id = (select id from event where name = 'big.one') returning bucket, tag, id, name)
      insert into delivery (bucket, tag, id, event_id, event_name, endpoint_id, state, attempt_count)
        select bucket, tag, id, id, name, (select id from endpoint limit 1), 'failed', 6 from made`,
    [JSON.stringify({ list: Array.from({ length: 60_000 }, () => [1]), found: "yes" }), EVENTS],
  );
});
afterAll(async () => await service.close());

async function search(payload: string, cursor?: string): Promise<Parsed> {
  const more = cursor === undefined ? "" : `&cursor=${cursor}`;
  const { status, body } = await service.api("GET", `/v1/deliveries?limit=100&payload=${payload}${more}`);
  expect([payload, status]).toEqual([payload, 200]);
  return body;
}

test("calls of others are answered while large events are searched", async () => {
  const searches = Array.from({ length: 4 }, async () => await search("$.nowhere=1"));
  let answered = 0;
  let isSearching = true;
  const ended = Promise.all(searches).finally(() => {
    isSearching = false;
  });
  while (isSearching) {
    expect((await service.api("GET", "/v1/me", undefined, { key: other.key })).status).toBe(200);
    answered += 1;
  }
  await ended;
  // A search that does not pause lets only one or two calls through. How many more there are depends on the machine's other work, because
  // a search ends with its time.
  expect(answered).toBeGreaterThan(5);
});

test("pages that end early lead to every matching delivery once", async () => {
  const ids: string[] = [];
  let pages = 0;
  for (let cursor: string | null | undefined; cursor !== null; pages += 1) {
    const body = await search("$.found=yes", cursor);
    ids.push(...body.data.map(({ id }: Parsed) => id as string));
    cursor = body.next_cursor as string | null;
  }
  expect([ids.length, new Set(ids).size]).toEqual([EVENTS, EVENTS]);
  expect(pages).toBeGreaterThan(3);
});
