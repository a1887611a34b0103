import { afterAll, beforeAll, expect, test } from "vitest";
import { startService } from "../../testing/service.ts";
import type { ApiAnswer, TestService } from "../../testing/test-service.ts";

let service: TestService;
const made: string[] = [];
let middle = "";

beforeAll(async () => {
  service = await startService();
  for (let at = 0; at < 25; at += 1) {
    if (at === 12) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      middle = new Date().toISOString();
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    const fired = await service.api("POST", "/v1/events/fire", {
      event: at % 5 === 0 ? "order.shipped" : "order.created",
      data: { at },
      subject: at % 2 === 0 ? "even" : "odd",
    });
    made.unshift(String(fired.body["id"]));
  }
});
afterAll(async () => await service.close());

async function list(query: string): Promise<ApiAnswer> {
  return await service.api("GET", `/v1/events${query}`);
}

function idsOf(answer: ApiAnswer): string[] {
  return (answer.body["data"] as { id: string }[]).map((event) => event.id);
}

/** Returns every id of a list, read page by page. */
async function walk(query: string): Promise<string[]> {
  const seen: string[] = [];
  let cursor = "";
  for (;;) {
    const page = await list(`${query}${cursor}`);
    expect(page.status).toBe(200);
    seen.push(...idsOf(page));
    if (page.body["has_more"] === false) return seen;
    cursor = `&cursor=${String(page.body["next_cursor"])}`;
  }
}

test("events are listed newest first, 20 without a limit", async () => {
  const first = await list("");
  expect(idsOf(first)).toEqual(made.slice(0, 20));
  expect([first.body["object"], first.body["has_more"]]).toEqual(["list", true]);
  const rest = await list(`?cursor=${String(first.body["next_cursor"])}`);
  expect([idsOf(rest), rest.body["has_more"], rest.body["next_cursor"]]).toEqual([made.slice(20), false, null]);
});

test("cursors walk the whole list once at any page size", async () => {
  for (const limit of [1, 7, 25, 100]) expect(await walk(`?limit=${limit}`)).toEqual(made);
});

test("a walk is stable while events arrive", async () => {
  const first = await list("?limit=10&subject=even");
  for (let at = 0; at < 3; at += 1)
    made.unshift(
      String((await service.api("POST", "/v1/events/fire", { event: "late", data: {}, subject: "even" })).body["id"]),
    );
  const second = await list(`?limit=10&subject=even&cursor=${String(first.body["next_cursor"])}`);
  expect([...idsOf(first), ...idsOf(second)]).toEqual(made.slice(3).filter((_id, at) => at % 2 === 0));
});

test("events are filtered by name, subject and time, alone and combined", async () => {
  const of = async (query: string): Promise<number> => (await walk(`?limit=100&${query}`)).length;
  expect(await of("event=order.shipped")).toBe(5);
  expect(await of("event=order.shipped&subject=even")).toBe(3);
  expect(await of("subject=odd")).toBe(12);
  expect(await of("event=nothing.such")).toBe(0);
  const zone = encodeURIComponent(middle);
  expect(await of(`created_before=${zone}`)).toBe(12);
  expect(await of(`created_after=${zone}&subject=odd`)).toBe(6);
  expect(await of(`created_after=${zone}&created_before=${zone}`)).toBe(0);
});

test("a cursor belongs to its filters in any order", async () => {
  const page = await list("?event=order.created&subject=even&limit=2");
  const cursor = String(page.body["next_cursor"]);
  expect((await list(`?subject=even&event=order.created&limit=5&cursor=${cursor}`)).status).toBe(200);
  for (const query of [
    "",
    "&event=order.created",
    "&event=order.created&subject=odd",
    "&event=order.created&subject=even&created_before=2030-01-01T00:00:00Z",
  ]) {
    const answer = await list(`?limit=2&cursor=${cursor}${query}`);
    expect([query, answer.status, answer.body["code"]]).toEqual([query, 400, "cursor_invalid"]);
  }
});

test("an invalid query is refused with 400", async () => {
  const cases: [string, string][] = [
    ["?limit=0", "query_invalid"],
    ["?limit=101", "query_invalid"],
    ["?limit=ten", "query_invalid"],
    ["?limit=1.5", "query_invalid"],
    ["?limit=", "query_invalid"],
    ["?limit=1&limit=2", "query_invalid"],
    ["?name=order.created", "query_invalid"],
    ["?Event=order.created", "query_invalid"],
    ["?created_after=yesterday", "query_invalid"],
    ["?created_after=2026-11-21", "query_invalid"],
    ["?cursor=nonsense", "cursor_invalid"],
    ["?cursor=", "cursor_invalid"],
  ];
  const outcomes = await Promise.all(cases.map(async ([query]) => [query, (await list(query)).body["code"]]));
  expect(outcomes).toEqual(cases);
});
