import { afterAll, beforeAll, expect, test } from "vitest";
import { covers } from "../../../../../requirements/covers.ts";
import { startReceiver } from "../../testing/receiver.ts";
import { startService } from "../../testing/service.ts";
import type { TestService } from "../../testing/test-service.ts";

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => await service.close());

async function fire(body: unknown) {
  return await service.api("POST", "/v1/events/fire", body);
}

covers(
  ["fire.api.post", "openapi.path.prefix", "openapi.body.json"],
  "firing an event returns 202 with the event, its subscribers and its deliveries",
  async () => {
    const before = Date.now();
    const { id } = await service.endpoint("http://127.0.0.1:9/", { events: ["order.created"] });
    const fired = await fire({ event: "order.created", data: { order: { id: "ord_1" } } });
    expect([fired.status, fired.headers.get("content-type")]).toEqual([202, "application/json; charset=utf-8"]);
    expect(fired.body).toEqual({
      id: expect.stringMatching(/^evt_[0-9a-hjkmnp-tv-z]{34}$/),
      object: "event",
      event: "order.created",
      canonical: true,
      occurred_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      status: "accepted",
      subscribers: [{ kind: "webhook", key: id, priority: 60 }],
      deliveries: [{ id: expect.stringMatching(/^dlv_/), endpoint_id: id, state: "pending" }],
    });
    expect(Math.abs(Date.parse(fired.body["occurred_at"]) - before)).toBeLessThan(60_000);
    await service.api("DELETE", `/v1/webhook-endpoints/${id}`);
  },
);

covers("fire.name.canonical", "every canonical name can be fired", async () => {
  const types = (await service.api("GET", "/v1/event-types")).body["data"] as {
    name: string;
    canonical: boolean;
    example: object;
  }[];
  const canonical = types.filter((type) => type.canonical);
  for (const { name, example } of canonical) {
    const fired = await fire({ event: name, data: example });
    expect([name, fired.status, fired.body["canonical"]]).toEqual([name, 202, true]);
  }
});

covers("fire.name.custom", "a well-formed name that is not in the catalog is a custom event", async () => {
  for (const name of [
    "shop.cart_abandoned",
    "X",
    "9lives",
    "a:b-c.d_e",
    "Order.Created",
    "a".repeat(128),
    "billing.invoice.v2",
    "a--b::c",
  ]) {
    const fired = await fire({ event: name, data: {} });
    expect([name, fired.status, fired.body["event"], fired.body["canonical"]]).toEqual([name, 202, name, false]);
  }
});

covers("fire.name.custom", "a name that is not well formed is refused at /event", async () => {
  const names = [
    "",
    ".a",
    "-a",
    "_a",
    "a.",
    "a..b",
    "a b",
    "a/b",
    "é",
    "a\n",
    "a\u0000",
    "a".repeat(129),
    "*",
    "a.*",
    "😀",
    ":a",
  ];
  for (const name of names) {
    const refused = await fire({ event: name, data: {} });
    expect([name, refused.status, refused.body["errors"]?.[0]?.pointer]).toEqual([name, 422, "/event"]);
  }
});

covers(
  ["fire.catalog.count", "fire.catalog.domains"],
  "the service publishes 52 canonical events of six domains and its system events",
  async () => {
    const { body } = await service.api("GET", "/v1/event-types");
    const types = body["data"] as {
      name: string;
      domain: string;
      canonical: boolean;
      system: boolean;
      schema: object;
    }[];
    const canonical = types.filter((type) => type.canonical);
    expect(canonical).toHaveLength(52);
    expect(new Set(canonical.map((type) => type.name)).size).toBe(52);
    expect([...new Set(canonical.map((type) => type.domain))].toSorted()).toEqual([
      "analytics",
      "billing",
      "commerce",
      "crm",
      "security",
      "support",
    ]);
    expect(types.filter((type) => !type.canonical).every((type) => type.system && type.domain === "system")).toBe(true);
    expect(types.filter((type) => type.system && type.canonical)).toEqual([]);
    expect([body["object"], body["has_more"], body["next_cursor"]]).toEqual(["list", false, null]);
  },
);

covers("fire.catalog.named", "a canonical event type is read by name, with schema and example", async () => {
  const type = await service.api("GET", "/v1/event-types/invoice.paid");
  expect(type.body).toMatchObject({
    object: "event_type",
    name: "invoice.paid",
    domain: "billing",
    canonical: true,
    system: false,
    schema: { type: "object" },
    reacts: [{ kind: "projection", key: "contacts", priority: 10 }],
  });
  expect(type.body["example"]).toBeTypeOf("object");
  const custom = await service.api("GET", "/v1/event-types/shop.cart_abandoned");
  expect([custom.status, custom.body["code"]]).toEqual([404, "not_found"]);
});

test("occurred_at is refused at its place when it is over a day ahead", async () => {
  const at = (ms: number): string => new Date(Date.now() + ms).toISOString();
  const [soon, late] = [at(86_300_000), at(86_500_000)];
  const one = { event: "order.created", data: {} };
  expect((await fire({ ...one, occurred_at: soon })).status).toBe(202);
  for (const occurred_at of [late, "9998-01-01T00:00:00Z"]) {
    const refused = await fire({ ...one, occurred_at });
    expect([refused.status, refused.body["errors"][0]]).toMatchObject([
      422,
      { pointer: "/occurred_at", code: "future" },
    ]);
  }
  const batch = await service.api("POST", "/v1/events/batch", { events: [one, { ...one, occurred_at: late }] });
  expect([batch.status, batch.body["errors"][0]]).toMatchObject([
    422,
    { pointer: "/events/1/occurred_at", code: "future" },
  ]);
  const { body } = await service.api("POST", "/v1/contacts", { email: "ahead@example.com" });
  const note = { summary: "S", occurred_at: late };
  const noted = await service.api("POST", `/v1/contacts/${String(body["id"])}/activities`, note);
  expect([noted.status, noted.body["errors"][0]]).toMatchObject([422, { pointer: "/occurred_at", code: "future" }]);
});

test("occurred_at is accepted in any zone and returned in UTC with milliseconds", async () => {
  const fired = await fire({ event: "order.created", data: {}, occurred_at: "2026-11-21T13:00:00.1234+05:30" });
  expect(fired.body["occurred_at"]).toBe("2026-11-21T07:30:00.123Z");
  const read = await service.api("GET", `/v1/events/${String(fired.body["id"])}`);
  expect(read.body["occurred_at"]).toBe("2026-11-21T07:30:00.123Z");
  expect(Math.abs(Date.parse(read.body["created_at"]) - Date.now())).toBeLessThan(60_000);
});

test("a value that is not a timestamp with a zone is refused", async () => {
  for (const occurred_at of ["2026-11-21", "2026-11-21T13:00:00", "2026-02-30T00:00:00Z", 1_763_701_200, "", null]) {
    const refused = await fire({ event: "order.created", data: {}, occurred_at });
    expect([occurred_at, refused.status, refused.body["errors"][0].pointer]).toEqual([
      occurred_at,
      422,
      "/occurred_at",
    ]);
  }
});

test("an event is read back with its data byte for byte", async () => {
  const data =
    '{"big":12345678901234567890, "zero":-0,"huge":1e400 ,"f":10.50,"__proto__":{"x":1},"s":"\\u0000\\u00e9 😀","b":1,"a":2,"e":{}}';
  const fired = await fire(`{"event":"order.created","data":${data},"subject":"ord_1"}`);
  expect(fired.status).toBe(202);
  const id = String(fired.body["id"]);
  const read = await service.api("GET", `/v1/events/${id}`);
  expect(read.text).toContain(`"data":${data}}`);
  expect(read.body).toMatchObject({
    id,
    subject: "ord_1",
    scope_kind: "workspace",
    environment: "live",
    stages: [],
    deliveries: [],
  });
  const listed = await service.api("GET", "/v1/events?subject=ord_1");
  expect(listed.text).toContain(`"data":${data}}`);
});

test("a refired event is a new one with the same name, data and subject", async () => {
  const data = '{"total":10.50}';
  const fired = await fire(
    `{"event":"order.created","data":${data},"subject":"ord_7","occurred_at":"2026-01-01T00:00:00Z"}`,
  );
  const again = await service.api("POST", `/v1/events/${String(fired.body["id"])}/refire`);
  expect([again.status, again.body["event"], again.body["status"]]).toEqual([202, "order.created", "accepted"]);
  expect(again.body["id"]).not.toBe(fired.body["id"]);
  const read = await service.api("GET", `/v1/events/${String(again.body["id"])}`);
  expect(read.text).toContain(`"data":${data}`);
  expect(read.body["subject"]).toBe("ord_7");
});

covers("gate.surface.classes", "an event shows its deliveries in their current state", async () => {
  const receiver = await startReceiver();
  try {
    const { id } = await service.endpoint(receiver.url, { events: ["order.shipped"] });
    const fired = await service.fire("order.shipped");
    await receiver.count(1);
    const read = await service.until(
      `/v1/events/${String(fired["id"])}`,
      (body) => body["deliveries"][0].state === "delivered",
    );
    expect(read["deliveries"]).toMatchObject([{ id: fired["deliveries"][0].id, endpoint_id: id, state: "delivered" }]);
  } finally {
    await receiver.close();
  }
});

covers("fire.api.post", "the event and its deliveries are committed before the 202 response", async () => {
  const { id } = await service.endpoint("http://127.0.0.1:9/", { events: ["committed"], active: true });
  for (let firing = 0; firing < 20; firing += 1) {
    const fired = await service.fire("committed");
    const [row] = await service.database.query<{ events: number; records: number }>(
      `select (select count(*)::int from event where name = 'committed') as events,
        (select count(*)::int from idempotency where status = 202) as records`,
    );
    expect(row?.events).toBe(firing + 1);
    expect(row?.records).toBeGreaterThanOrEqual(firing + 1);
    expect((await service.api("GET", `/v1/deliveries/${String(fired["deliveries"][0].id)}`)).status).toBe(200);
  }
  await service.api("DELETE", `/v1/webhook-endpoints/${id}`);
});
