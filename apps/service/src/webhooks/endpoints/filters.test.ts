import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { mintKey, otherWorkspace, uuidOf } from "../../testing/keys.ts";
import { startService } from "../../testing/service.ts";
import { openStream } from "../../testing/stream.ts";
import { subscribe, UNLIMITED } from "../../testing/subscription.ts";
import type { ApiAnswer, Parsed, TestService } from "../../testing/test-service.ts";

let service: TestService;
beforeAll(async () => {
  service = await startService({ env: UNLIMITED });
});
afterAll(async () => await service.close());

const atLeast = (value: number): object => ({ field: "data.total", op: "gte", value });
const NOWHERE = "http://127.0.0.1:9/filtered";
const taken = (fired: Parsed): number => fired["deliveries"].length;
const pointers = ({ body }: ApiAnswer): string[] => body["errors"].map((one: { pointer: string }) => one.pointer);

async function fresh(more: object): Promise<{ id: string; path: string }> {
  const made = await service.api("POST", "/v1/webhook-endpoints", { url: NOWHERE, events: ["test.nothing"], ...more });
  if (made.status !== 201) throw new Error(made.text);
  return { id: made.body["id"], path: `/v1/webhook-endpoints/${made.body["id"]}` };
}

describe("an endpoint's filter", () => {
  test("is shown with all digits in every response", async () => {
    const filter = '{"all": [{"field":"$.data.id","op":"eq","value":9007199254740993.0}]}';
    const made = await service.api(
      "POST",
      "/v1/webhook-endpoints",
      `{"url":"${NOWHERE}","events":["test.nothing"],"filter":${filter}}`,
    );
    const path = `/v1/webhook-endpoints/${made.body["id"]}`;
    const answers = [
      made,
      await service.api("GET", path),
      await service.api("GET", "/v1/webhook-endpoints?with=stats"),
      await service.api("PATCH", path, { description: "other" }),
      await service.api("POST", `${path}/toggle`),
      await service.api("POST", `${path}/secret/regenerate`, {}),
    ];
    for (const { text, status } of answers)
      expect([status < 300, text]).toEqual([true, expect.stringContaining(filter)]);
    const general = await service.api(
      "POST",
      "/api/v1.php",
      `{"action":"webhook_endpoints.update","id":"${made.body["id"]}","filter":{"any":[{"field":"data.n","op":"gt","value":1.50}]}}`,
    );
    expect(general.text).toContain('"value":1.50}]}');
    expect((await service.api("PATCH", path, { filter: null })).body["filter"]).toBeNull();
  });

  test("selects among the events that the endpoint subscribes to", async () => {
    const { event, path } = await subscribe(service, { more: { filter: atLeast(100) } });
    const other = { event: "test.elsewhere", data: { total: 500 } };
    const totals = [99, 100, 101, "100", null];
    const bodies = [...totals.map((total) => ({ event, data: { total } })), { event, data: {} }, other];
    const { body } = await service.api("POST", "/v1/events/batch", { events: bodies });
    expect(body["data"].map(taken)).toEqual([0, 1, 1, 0, 0, 0, 0]);
    expect((await service.api("GET", path)).body["filter"]).toEqual(atLeast(100));
  });

  test("compares numbers by all of their digits", async () => {
    const { event, path } = await subscribe(service);
    const fire = async (id: string): Promise<number> =>
      taken((await service.api("POST", "/v1/events/fire", `{"event":"${event}","data":{"id":${id}}}`)).body);
    await service.api("PATCH", path, '{"filter":{"field":"data.id","op":"eq","value":9007199254740993}}');
    expect(await fire("9007199254740993")).toBe(1);
    expect(await fire("9007199254740992")).toBe(0);
    expect(await fire("9007199254740993.000")).toBe(1);
    await service.api("PATCH", path, '{"filter":{"field":"data.ids","op":"contains","value":9007199254740993}}');
    expect(taken(await service.fire(event, { ids: [1, 2] }))).toBe(0);
  });

  test("applies a change from the next event on", async () => {
    const { event, path } = await subscribe(service, { more: { filter: { any: [] } } });
    expect(taken(await service.fire(event))).toBe(0);
    await service.api("PATCH", path, { filter: { all: [] } });
    expect(taken(await service.fire(event))).toBe(1);
    await service.api("PATCH", path, { filter: { not: [{ all: [] }] } });
    expect(taken(await service.fire(event))).toBe(0);
    await service.api("PATCH", path, { filter: null });
    expect(taken(await service.fire(event))).toBe(1);
  });

  test("judges a missing member as rules do", async () => {
    const filters = [
      [{ field: "data.x", op: "ne", value: 1 }, 1],
      [{ field: "data.x", op: "eq", value: null }, 0],
      [{ field: "data.x.y[0]", op: "exists", value: false }, 1],
      [{ field: "event", op: "starts_with", value: "test." }, 1],
    ] as const;
    for (const [filter, count] of filters) {
      const { event } = await subscribe(service, { more: { filter } });
      expect([filter, taken(await service.fire(event, {}))]).toEqual([filter, count]);
    }
  });

  test("is judged at the time of a scheduled event", async () => {
    const { event, path, receiver } = await subscribe(service, { more: { filter: { any: [] } } });
    const at = new Date(Date.now() + 1500).toISOString();
    await service.api("POST", "/v1/events/fire", { event, data: { total: 7 }, deliver_at: at });
    await service.api("PATCH", path, { filter: atLeast(7) });
    await receiver.count(1);
  });

  test("decides whether the endpoint is among those that react to an event type", async () => {
    const big = await fresh({ events: ["order.created"], filter: { field: "data.order", op: "exists", value: true } });
    const none = await fresh({
      events: ["order.created"],
      filter: { field: "data.order", op: "exists", value: false },
    });
    const { body } = await service.api("GET", "/v1/event-types/order.created");
    const keys = body["reacts"].map(({ key }: Parsed) => key);
    expect([keys.includes(big.id), keys.includes(none.id)]).toEqual([true, false]);
    for (const { path } of [big, none]) await service.api("DELETE", path);
  });

  test("is part of the endpoint in the stream", async () => {
    const { path, endpoint } = await subscribe(service, { more: { filter: atLeast(3) } });
    const stream = await openStream(service, "?kinds=health");
    await service.api("PATCH", path, { active: false });
    const { data } = await stream.until(({ event, data: told }) => event === "health" && told["id"] === endpoint.id);
    expect(data["filter"]).toEqual(atLeast(3));
    stream.leave();
  });

  test("counts only what passes towards the most deliveries of a call", async () => {
    const { key } = await otherWorkspace(service);
    const api = async (path: string, body: object): Promise<ApiAnswer> =>
      await service.api("POST", path, body, { key });
    const made = await api("/v1/webhook-endpoints", { url: NOWHERE, events: ["many.*"], filter: atLeast(499) });
    await service.database.query(
      `insert into endpoint (bucket, tag, id, workspace_id, url, events, secret_sealed, headers, filter)
       select bucket, tag, gen_random_uuid(), workspace_id, url, events, secret_sealed, headers, filter || repeat(' ', n % 100)
       from endpoint, generate_series(1, 999) n where id = $1`,
      [uuidOf(made.body["id"])],
    );
    const events = Array.from({ length: 500 }, (_, total) => ({ event: "many.fired", data: { total } }));
    const { status, body } = await api("/v1/events/batch", { events });
    expect(status).toBe(202);
    expect(body["data"].map((one: Parsed) => taken(one) + (one["deliveries_omitted"] ?? 0))).toEqual([
      ...Array.from({ length: 499 }, () => 0),
      1000,
    ]);
    const tooMany = events.map((one) => ({ ...one, data: { total: 500 } }));
    expect((await api("/v1/events/batch", { events: tooMany })).status).toBe(422);
    await service.database.query("update endpoint set active = false where url = $1", [NOWHERE]);
  });

  test("does not concern replays of deliveries that exist", async () => {
    const { fire, path, receiver } = await subscribe(service);
    const delivery = await fire();
    await service.until(`/v1/deliveries/${delivery}`, ({ state }) => state === "delivered");
    await service.api("PATCH", path, { filter: { any: [] } });
    expect((await service.api("POST", `/v1/deliveries/${delivery}/replay`)).status).toBe(202);
    await receiver.count(2);
  });

  test("counts in the statistics what it kept from the endpoint", async () => {
    const { event, path } = await subscribe(service, { more: { filter: atLeast(10) } });
    const again = { event, data: { total: 1 } };
    const headers = { "Idempotency-Key": `filtered-${event}` };
    for (const _ of [1, 2]) await service.api("POST", "/v1/events/fire", again, { headers });
    await service.api("POST", "/v1/events/batch", { events: [again, again, { event, data: { total: 10 } }] });
    await service.until(`${path}/stats`, ({ filtered }) => filtered === 3);
    const listed = await service.api("GET", "/v1/webhook-endpoints?with=stats&limit=100");
    expect(listed.body["data"].find((one: Parsed) => path.endsWith(one["id"])).stats.filtered).toBe(3);
  });
});

describe("a faulty filter is refused", () => {
  const leaf = { field: "data.a", op: "eq", value: 1 };
  let deep: object = leaf;
  for (let level = 0; level < 6; level += 1) deep = { all: [deep] };
  const faulty: readonly (readonly [string, unknown, string])[] = [
    ["of another type", "data.total > 5", "/filter"],
    ["a list", [], "/filter"],
    ["an unknown operator", { field: "data.a", op: "matches", value: ".*" }, "/filter/op"],
    ["the contact", { any: [{ field: "contact.score", op: "gt", value: 1 }] }, "/filter/any/0/field"],
    ["too deep", deep, "/filter/all/0/all/0/all/0/all/0/all/0/all"],
    ["too many leaves", { all: Array.from({ length: 101 }, () => leaf) }, "/filter/all"],
    ["too large", { field: "data.a", op: "in", value: Array.from({ length: 20 }, () => "x".repeat(1000)) }, "/filter"],
  ];
  test.for(faulty)("%s", async ([, filter, pointer]) => {
    const { path } = await fresh({});
    const answers = [
      await service.api("POST", "/v1/webhook-endpoints", { url: NOWHERE, events: ["x.y"], filter }),
      await service.api("PATCH", path, { filter }),
      await service.api("POST", `${path}/filter/preview`, { filter }),
    ];
    for (const answer of answers) {
      expect([answer.status, answer.body["code"]]).toEqual([422, "validation_failed"]);
      expect(pointers(answer)[0]).toMatch(new RegExp(`^${pointer}`));
    }
    expect((await service.api("GET", path)).body["filter"]).toBeNull();
  });

  test("more than two megabytes of different filters in an environment", async () => {
    const { key } = await otherWorkspace(service);
    const make = async (filter: object): Promise<ApiAnswer> =>
      await service.api("POST", "/v1/webhook-endpoints", { url: NOWHERE, events: ["x.y"], filter }, { key });
    const made = await make(leaf);
    await service.database.query(
      `insert into endpoint (bucket, tag, id, workspace_id, url, events, secret_sealed, headers, filter)
       select bucket, tag, gen_random_uuid(), workspace_id, url, events, secret_sealed, headers, '{"field":"event","op":"eq","value":"' || n || repeat('x', 16000) || '"}'
       from endpoint, generate_series(1, 131) n where id = $1`,
      [uuidOf(made.body["id"])],
    );
    const before = (await service.api("GET", "/v1/webhook-endpoints?limit=100", undefined, { key })).body["data"]
      .length;
    const refused = await make({ field: "event", op: "eq", value: "y".repeat(1000) });
    expect([refused.status, pointers(refused)]).toEqual([422, ["/filter"]]);
    expect(before).toBe(100);
    const path = `/v1/webhook-endpoints/${made.body["id"]}`;
    const grown = { any: Array.from({ length: 14 }, () => ({ ...leaf, value: "z".repeat(1000) })) };
    expect((await service.api("PATCH", path, { filter: grown }, { key })).status).toBe(422);
    expect((await service.api("GET", path, undefined, { key })).body["filter"]).toEqual(leaf);
  });
});

describe("explaining an endpoint", () => {
  const explain = async (path: string, asked: object | string): Promise<ApiAnswer> =>
    await service.api("POST", `${path}/explain`, asked);

  test("shows each check and each leaf", async () => {
    const { event, path } = await subscribe(service, { more: { filter: { any: [atLeast(5), atLeast(1000)] } } });
    const { body, text } = await explain(path, `{"event":"${event}","data":{"total":6.50}}`);
    expect(body).toMatchObject({
      matched: true,
      checks: [
        { check: "active", matched: true },
        { check: "tenant", matched: true },
        { check: "events", matched: true },
        { check: "version", matched: true },
        { check: "filter", matched: true, leaves: [{ path: "/any/0", found: true, truth: true }, { truth: false }] },
      ],
    });
    expect(text).toContain('"actual":6.50');
    await service.api("PATCH", path, { active: false, filter: null });
    expect((await explain(path, { event: "test.elsewhere" })).body).toEqual({
      matched: false,
      ladder_seconds: expect.any(Array) as unknown,
      checks: [
        { check: "active", matched: false },
        { check: "tenant", matched: true },
        { check: "events", matched: false },
        { check: "version", matched: true },
        { check: "filter", matched: true },
      ],
    });
  });

  test("judges past and scheduled events", async () => {
    const { event, path } = await subscribe(service, { more: { filter: atLeast(5) } });
    const small = await service.fire(event, { total: 4 });
    const large = await service.fire(event, { total: 5 });
    const at = new Date(Date.now() + 3_600_000).toISOString();
    const later = await service.api("POST", "/v1/events/fire", { event, data: { total: 6 }, deliver_at: at });
    const matched = async (id: string): Promise<boolean> => (await explain(path, { event_id: id })).body["matched"];
    expect(await matched(small["id"])).toBe(false);
    expect(await matched(large["id"])).toBe(true);
    expect(await matched(later.body["id"])).toBe(true);
  });

  test("keeps system events about an endpoint from itself", async () => {
    const { path, endpoint } = await subscribe(service, { more: { events: ["webhook.endpoint.disabled"] } });
    const asked = { event: "webhook.endpoint.disabled", data: {} };
    expect((await explain(path, asked)).body["matched"]).toBe(true);
    const [row] = await service.database.query<{ bucket: number; tag: string }>(
      "select bucket, tag from endpoint where id = $1",
      [uuidOf(endpoint.id)],
    );
    const fired = await service.fire("test.copied");
    await service.database.query("update event set name = $1, subject = $2 where tag = $3 and id = $4", [
      asked.event,
      endpoint.id,
      row?.tag,
      uuidOf(fired["id"]),
    ]);
    expect((await explain(path, { event_id: fired["id"] })).body["matched"]).toBe(false);
  });

  test("finds only events and endpoints of the caller's environment", async () => {
    const { path } = await fresh({});
    const sandbox = await service.api(
      "POST",
      "/v1/events/fire",
      { event: "test.sandbox", data: {} },
      { key: service.sandboxKey },
    );
    const other = await otherWorkspace(service);
    const theirs = await service.api("POST", "/v1/events/fire", { event: "test.x", data: {} }, { key: other.key });
    for (const id of [sandbox.body["id"], theirs.body["id"], (await otherWorkspace(service)).id("evt")])
      expect([403, 404]).toContain((await explain(path, { event_id: id })).status);
    for (const key of [service.sandboxKey, other.key])
      expect([403, 404]).toContain((await service.api("POST", `${path}/explain`, { event: "test.x" }, { key })).status);
    await service.api("DELETE", path);
    expect((await explain(path, { event: "test.x" })).status).toBe(404);
  });

  test("needs exactly one of a name and an id, and a valid name", async () => {
    const { path } = await fresh({});
    const { id } = await service.fire("test.nothing");
    for (const [asked, pointer] of [
      [{}, ""],
      [{ event: "test.x", event_id: id }, ""],
      [{ event: "a..b" }, "/event"],
      [{ event: "test.x", data: [] }, "/data"],
      [{ event_id: id, tenant: "acme" }, "/tenant"],
      [{ event: "test.x", tenant: "a b" }, "/tenant"],
    ] as const)
      expect([asked, pointers(await explain(path, asked))]).toEqual([asked, [pointer]]);
  });

  test("shows no past event to a key that may not read events", async () => {
    const { path } = await fresh({});
    const { id } = await service.fire("test.nothing");
    const { key } = await mintKey(service, { permission_mode: "restricted", blocked_actions: ["events.get"] });
    expect((await service.api("POST", `${path}/explain`, { event_id: id }, { key })).status).toBe(403);
    expect((await service.api("POST", `${path}/explain`, { event: "test.x" }, { key })).status).toBe(200);
  });
});

test("a preview returns which of the last events a filter takes", async () => {
  const { key } = await otherWorkspace(service);
  const api = async (path: string, body: object): Promise<Parsed> =>
    (await service.api("POST", path, body, { key })).body;
  const made = await api("/v1/webhook-endpoints", { url: NOWHERE, events: ["order.*"], active: false });
  const path = `/v1/webhook-endpoints/${made["id"]}/filter/preview`;
  expect(await api(path, { filter: null })).toEqual({
    examined: 0,
    subscribed: 0,
    matched: 0,
    too_expensive: 0,
    events: [],
  });
  const events = Array.from({ length: 130 }, (_, at) => ({
    event: at % 2 === 0 ? "order.made" : "cart.made",
    data: { total: at },
  }));
  const fired = await api("/v1/events/batch", { events });
  const preview = await api(path, { filter: atLeast(120) });
  expect(preview).toMatchObject({ examined: 100, subscribed: 50, matched: 5 });
  const wanted = [128, 126, 124, 122, 120].map((at) => fired["data"][at].id);
  expect(preview["events"].map(({ id }: Parsed) => id).toSorted()).toEqual(wanted.toSorted());
  expect(await api(path, { filter: null })).toMatchObject({ matched: 50 });
  expect(
    (await service.api("GET", `/v1/webhook-endpoints/${made["id"]}`, undefined, { key })).body["filter"],
  ).toBeNull();
  expect((await service.api("POST", path, {}, { key })).status).toBe(422);
});
