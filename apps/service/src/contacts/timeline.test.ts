import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sql } from "../platform/db/db.ts";
import { createIdMaker, instant, systemClock } from "../lib/lib.ts";
import type { Uuid } from "../lib/lib.ts";
import { mintKey, scopeOf, uuidOf } from "../testing/keys.ts";
import { startService } from "../testing/service.ts";
import { UNLIMITED } from "../testing/subscription.ts";
import type { Scope } from "../accounts/accounts.ts";
import { ACTIVITY_KINDS, timelineQuery } from "./activity.store.ts";
import { FIRST, LAST, positionOf } from "./position.ts";
import type { ApiAnswer, Parsed, TestService } from "../testing/test-service.ts";

const ids = createIdMaker(systemClock);
let service: TestService;
let scope: Scope;
let people = 0;

beforeAll(async () => {
  service = await startService({ env: UNLIMITED });
  scope = await scopeOf(service, service.key);
});
afterAll(async () => await service.close());

async function contact(): Promise<{ id: string; email: string }> {
  people += 1;
  const made = await service.api("POST", "/v1/contacts", { email: `timeline-${people}@example.com` });
  return made.body;
}

async function note(id: string, body: Record<string, unknown>): Promise<ApiAnswer> {
  return await service.api("POST", `/v1/contacts/${id}/activities`, body);
}

async function summaries(id: string, query = ""): Promise<string[]> {
  const answer = await service.api("GET", `/v1/contacts/${id}/activities?${query}`);
  expect(answer).toMatchObject({ status: 200 });
  return answer.body["data"].map((row: Parsed) => row.summary);
}

describe("POST /v1/contacts/{id}/activities", () => {
  test("201: a note counts for the score", async () => {
    const { id } = await contact();
    const occurred_at = "2026-11-20T08:00:00.000Z";
    const made = await note(id, {
      summary: "Called: 🎉",
      event_type: "call",
      value: 10.5,
      score_delta: 2.5,
      occurred_at,
    });
    expect(made).toMatchObject({
      status: 201,
      body: {
        id: expect.stringMatching(/^act_/),
        object: "activity",
        contact_id: id,
        kind: "note",
        event_type: "call",
        summary: "Called: 🎉",
        value: 10.5,
        score_delta: 2.5,
        occurred_at,
        receipt_id: null,
        event_id: null,
        scope_kind: "workspace",
        environment: "live",
      },
    });
    const after = await service.api("GET", `/v1/contacts/${id}`);
    expect(after.body).toMatchObject({ score: 2.5, last_activity_at: occurred_at });
    await note(id, { summary: "Earlier", occurred_at: "2026-11-19T08:00:00.000Z" });
    expect((await service.api("GET", `/v1/contacts/${id}`)).body).toMatchObject({ last_activity_at: occurred_at });
  });

  test("a value keeps all of its digits in the response, timeline and export", async () => {
    const { id } = await contact();
    const path = `/v1/contacts/${id}/activities`;
    const values = ["12345678901234567890.12345678901234567890", "-0", "0.10", "1e400", "100"];
    for (const value of values) {
      const made = await service.api("POST", path, `{"summary":"${value}", "value": ${value} ,"score_delta":0.1}`);
      expect(made.text).toContain(`"value":${value},`);
      const named = `{"action":"contacts.activities.create","id":"${id}","summary":"named","value":${value}}`;
      expect((await service.api("POST", "/api/v1.php", named)).text).toContain(`"value":${value},`);
    }
    for (const where of [path, `/v1/contacts/${id}/export`]) {
      const { text } = await service.api("GET", where);
      const found = [...text.matchAll(/"value":([^,]+),/g)].map(([, value]) => value);
      expect(found.filter((value) => values.includes(value ?? ""))).toHaveLength(10);
    }
    expect((await service.api("GET", `/v1/contacts/${id}`)).body["score"]).toBe(0.5);
  });

  test("an omitted value is null", async () => {
    const { id } = await contact();
    expect((await note(id, { summary: "a" })).body["value"]).toBeNull();
    expect((await note(id, { summary: "a", value: null })).body["value"]).toBeNull();
  });

  test.each([
    ["no summary", {}],
    ["NUL in the summary", { summary: "a\u0000" }],
    ["a value as text", { summary: "a", value: "1.5" }],
    ["a time without a zone", { summary: "a", occurred_at: "2026-11-20T08:00:00" }],
    ["a kind of its own", { summary: "a", kind: "inbound" }],
  ])("422: %s", async (_what, body) => {
    const { id } = await contact();
    expect(await note(id, body)).toMatchObject({ status: 422, body: { code: "validation_failed" } });
  });

  test("422: a value longer than 200 characters", async () => {
    const { id } = await contact();
    const body = `{"summary":"a","value":0.${"1".repeat(200)}}`;
    const made = await service.api("POST", `/v1/contacts/${id}/activities`, body);
    expect([made.status, made.body.errors[0].pointer]).toEqual([422, "/value"]);
  });

  test("403: a viewer can read timelines but not write to them", async () => {
    const { id } = await contact();
    const { key } = await mintKey(service, { role: "viewer", actor_type: "service" });
    const path = `/v1/contacts/${id}/activities`;
    expect(await service.api("POST", path, { summary: "a" }, { key })).toMatchObject({ status: 403 });
    expect(await service.api("GET", path, undefined, { key })).toMatchObject({ status: 200 });
  });
});

describe("GET /v1/contacts/{id}/activities", () => {
  test("activities are listed by when they happened, latest first, in any order of arrival", async () => {
    const { id } = await contact();
    for (const hour of ["09", "07", "11", "08"])
      await note(id, { summary: hour, occurred_at: `2026-11-20T${hour}:00:00Z` });
    expect(await summaries(id)).toEqual(["11", "09", "08", "07"]);
    await note(id, { summary: "1965", occurred_at: "1965-01-01T00:00:00Z" });
    expect((await summaries(id)).at(-1)).toBe("1965");
  });

  test("pages stay complete while activities arrive, even within one instant", async () => {
    const { id } = await contact();
    for (let i = 0; i < 7; i += 1) await note(id, { summary: String(i), occurred_at: "2026-11-20T09:00:00Z" });
    const seen: string[] = [];
    let cursor = "";
    for (let page = 0; page < 4; page += 1) {
      const { body } = await service.api("GET", `/v1/contacts/${id}/activities?limit=2${cursor}`);
      seen.push(...body["data"].map((row: Parsed) => row.summary));
      cursor = `&cursor=${body["next_cursor"]}`;
      expect(body["has_more"]).toBe(page < 3);
      await note(id, { summary: "new", occurred_at: "2026-11-20T10:00:00Z" });
    }
    expect(seen).toEqual(["6", "5", "4", "3", "2", "1", "0"]);
  });

  test("activities are filtered by kind and by when they happened", async () => {
    const { id, email } = await contact();
    const occurredAt = instant(Date.UTC(2026, 10, 20, 12));
    const { db, contacts } = service.service;
    const arrive = async (): Promise<unknown> =>
      await db.transaction(
        async (tx) =>
          await contacts.arrive(tx, [
            {
              scope,
              email,
              name: null,
              activity: {
                id: ids.uuid(),
                kind: "inbound",
                eventType: "payment.succeeded",
                summary: "paid",
                value: "49.00",
                scoreDelta: 1,
                occurredAt,
                receiptId: ids.uuid(),
              },
            },
          ]),
      );
    await db.at(scope.bucket, arrive);
    await note(id, { summary: "before", occurred_at: "2026-11-20T11:00:00Z" });
    await note(id, { summary: "after", occurred_at: "2026-11-20T13:00:00Z" });
    expect(await summaries(id)).toEqual(["after", "paid", "before"]);
    expect(await summaries(id, "kind=inbound")).toEqual(["paid"]);
    expect(await summaries(id, "kind=note")).toEqual(["after", "before"]);
    expect(await summaries(id, "occurred_after=2026-11-20T12:00:00Z")).toEqual(["after", "paid"]);
    expect(await summaries(id, "occurred_before=2026-11-20T12:00:00Z")).toEqual(["before"]);
    const paid = await service.api("GET", `/v1/contacts/${id}/activities?kind=inbound`);
    expect(paid.body["data"][0]).toMatchObject({ value: 49, receipt_id: expect.stringMatching(/^rcp_/) });
  });

  test("400: an unknown kind, an invalid time, and a cursor of another contact", async () => {
    const [mine, theirs] = [await contact(), await contact()];
    await note(theirs.id, { summary: "1" });
    await note(theirs.id, { summary: "2" });
    const { body } = await service.api("GET", `/v1/contacts/${theirs.id}/activities?limit=1`);
    for (const [query, code] of [
      ["kind=rumour", "query_invalid"],
      ["occurred_after=now", "query_invalid"],
      [`limit=1&cursor=${body["next_cursor"]}`, "cursor_invalid"],
    ])
      expect(await service.api("GET", `/v1/contacts/${mine.id}/activities?${query}`)).toMatchObject({
        status: 400,
        body: { code },
      });
  });
});

interface Plan {
  readonly "Node Type": string;
  readonly "Relation Name"?: string;
  readonly "Shared Hit Blocks": number;
  readonly "Shared Read Blocks": number;
  readonly Plans?: readonly Plan[];
}

test("a timeline's page costs the same with a million activities as with few", async () => {
  const few = await contact();
  for (let i = 0; i < 30; i += 1) await note(few.id, { summary: String(i) });
  const many = await contact();
  // The rows need not survive a crash, and unlogged tables halve the time to write a million of them.
  await service.database.query(
    `do $$ declare child text; begin
       for child in select inhrelid::regclass from pg_inherits where inhparent = 'activity'::regclass loop
         execute format('alter table %s set unlogged', child);
       end loop; end $$`,
  );
  // The ids span the months that have partitions, so that every partition is part of every page.
  await service.database.query(
    `insert into activity (bucket, tag, id, contact_id, kind, event_type, summary, score_delta, occurred_at, position)
       select $1, $2, spot, $3, k, 'seen', 'Seen', 0, t, spot
       from (select t, k, (left(uuid_floor(t)::text, 13) || '-7000-8000-' || lpad(to_hex(i), 12, '0'))::uuid as spot
         from (select i, now() - i * interval '2 seconds' as t, ($4::text[])[1 + i % 4] as k from generate_series(1, 1000000) i) s) s`,
    [scope.bucket, scope.tag, uuidOf(many.id), ACTIVITY_KINDS],
  );
  await service.database.query("analyze activity");
  const baseline = await pagesTouched(uuidOf(few.id), LAST);
  const newest = await pagesTouched(uuidOf(many.id), LAST);
  const deep = await pagesTouched(
    uuidOf(many.id),
    positionOf(instant(systemClock.now() - 1_900_000_000), "00000000-0000-7000-8000-000000000000" as Uuid),
  );
  // The difference is the depth of the B-tree and the rows themselves. It does not grow with the length of the
  // timeline.
  expect(newest - baseline).toBeLessThan(50);
  expect(deep - baseline).toBeLessThan(50);
});

/** Returns the number of database pages that a page of 20 reads. Activities must be read only through the index. */
async function pagesTouched(contactId: Uuid, to: Uuid): Promise<number> {
  const filter = { kinds: ACTIVITY_KINDS, from: FIRST, to };
  const { db } = service.service;
  const explained = sql<{
    "QUERY PLAN": [{ Plan: Plan }];
  }>`explain (analyze, buffers, format json) ${timelineQuery(scope, [contactId], { filter, limit: 21 })}`;
  // The query runs as in a request, under row-level security.
  const { rows } = await db.within(scope, async () => await explained.execute(db.query));
  const plan = rows[0]?.["QUERY PLAN"][0].Plan;
  if (plan === undefined) throw new Error("no plan");
  const reads = nodesOf(plan).filter((node) => node["Relation Name"]?.startsWith("activity") === true);
  expect(new Set(reads.map((node) => node["Node Type"]))).toEqual(new Set(["Index Scan"]));
  return plan["Shared Hit Blocks"] + plan["Shared Read Blocks"];
}

function nodesOf(plan: Plan): Plan[] {
  return [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];
}
