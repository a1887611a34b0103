import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makeSource } from "../../testing/inbound.ts";
import { startReceiver } from "../../testing/receiver.ts";
import { startService } from "../../testing/service.ts";
import { UNLIMITED } from "../../testing/subscription.ts";
import type { ApiAnswer, Parsed, TestService } from "../../testing/test-service.ts";

let service: TestService;
beforeAll(async () => {
  service = await startService({ env: UNLIMITED });
});
afterAll(async () => await service.close());

const NOWHERE = "http://127.0.0.1:9/tenants";
let names = 0;
const fresh = (): string => `tenants.test-${(names += 1)}`;
const pointers = ({ body }: ApiAnswer): string[] => body["errors"].map((one: { pointer: string }) => one.pointer);
const ids = ({ body }: ApiAnswer): string[] => body["data"].map((one: Parsed) => one["id"]);

async function endpoint(more: object): Promise<{ id: string; path: string }> {
  const made = await service.api("POST", "/v1/webhook-endpoints", { url: NOWHERE, ...more });
  if (made.status !== 201) throw new Error(made.text);
  return { id: made.body["id"], path: `/v1/webhook-endpoints/${made.body["id"]}` };
}

async function fire(more: object): Promise<Parsed> {
  const fired = await service.api("POST", "/v1/events/fire", { data: {}, ...more });
  if (fired.status !== 202) throw new Error(fired.text);
  return fired.body;
}

const takers = (fired: Parsed): string[] => fired["deliveries"].map((one: Parsed) => one["endpoint_id"]);

describe("an event of a tenant", () => {
  test("goes to the endpoints of its tenant and to those without", async () => {
    const event = `${fresh()}.x`;
    const prefix = `${event.slice(0, -2)}.*`;
    const odd = "a,b{}\"\\'%_|$~!";
    const own = await endpoint({ events: [event] });
    const a = await endpoint({ events: [event], tenant: "a" });
    const ab = await endpoint({ events: [prefix], tenant: "ab" });
    const everything = await endpoint({ events: ["*"], tenant: odd });
    const bodies = [{ tenant: "a" }, { tenant: "ab" }, { tenant: odd }, { tenant: "abc" }, {}];
    const { body } = await service.api("POST", "/v1/events/batch", {
      events: bodies.map((one) => ({ event, data: {}, ...one })),
    });
    expect(body["data"].map(takers)).toEqual([
      [own.id, a.id],
      [own.id, ab.id],
      [own.id, everything.id],
      [own.id],
      [own.id],
    ]);
    expect(takers(await fire({ event, tenant: "ab" }))).toEqual([own.id, ab.id]);
    expect(body["data"][0]["tenant"]).toBe("a");
    expect(body["data"][4]).not.toHaveProperty("tenant");
    await service.api("DELETE", everything.path);
  });

  test("shows its tenant, also after it was scheduled and fired again", async () => {
    const event = fresh();
    const fired = await fire({ event, tenant: "a" });
    expect((await service.api("GET", `/v1/events/${fired["id"]}`)).body["tenant"]).toBe("a");
    const again = await service.api("POST", `/v1/events/${fired["id"]}/refire`);
    expect(again.body["tenant"]).toBe("a");
    const soon = new Date(Date.now() + 1000).toISOString();
    const later = await fire({ event, tenant: "b", deliver_at: soon });
    expect(later).toMatchObject({ status: "scheduled", tenant: "b" });
    const b = await endpoint({ events: [event], tenant: "b" });
    const shown = await service.until(`/v1/events/${later["id"]}`, (body) => body["status"] === "accepted");
    expect([shown["tenant"], shown["deliveries"].map((one: Parsed) => one["endpoint_id"])]).toEqual(["b", [b.id]]);
    expect((await service.api("GET", `/v1/events/${(await fire({ event }))["id"]}`)).body["tenant"]).toBeNull();
  });

  test("is of the source's tenant if a source fires it", async () => {
    const event = fresh();
    const source = await makeSource(service, { event_name: event, tenant: "a", contact: "none" });
    const a = await endpoint({ events: [event], tenant: "a" });
    await endpoint({ events: [event], tenant: "b" });
    expect((await source.send("{}")).status).toBe(200);
    const { body: listed } = await service.api("GET", `/v1/events?event=${event}&tenant=a`);
    expect(listed["data"]).toHaveLength(1);
    const shown = await service.api("GET", `/v1/events/${listed["data"][0]["id"]}`);
    expect(shown.body["deliveries"].map((one: Parsed) => one["endpoint_id"])).toEqual([a.id]);
  });

  test("is transformed with its tenant, on the first attempt and after a claim", async () => {
    const receiver = await startReceiver();
    const transform = { kind: "template", body: { of: "${$.tenant}", note: "For ${$.tenant}" } };
    const event = fresh();
    for (const more of [{}, { rate_limit_per_second: 50 }])
      await endpoint({ url: receiver.url, events: [event], transform, ...more });
    await fire({ event, tenant: "acme" });
    const received = await receiver.count(2);
    expect(received.map((request) => JSON.parse(request.body) as object)).toEqual([
      { of: "acme", note: "For acme" },
      { of: "acme", note: "For acme" },
    ]);
    await receiver.close();
  });
});

describe("an endpoint of a tenant", () => {
  test("keeps its tenant through all changes", async () => {
    const [event, other] = [fresh(), fresh()];
    const { id, path } = await endpoint({ events: [event], tenant: "a" });
    const own = await endpoint({ events: [event] });
    for (const [at, tenant] of [
      [path, "b"],
      [path, null],
      [own.path, "a"],
    ] as const) {
      const refused = await service.api("PATCH", at, { tenant, description: "moved" });
      expect([refused.status, pointers(refused)]).toEqual([422, ["/tenant"]]);
    }
    const changed = await service.api("PATCH", path, { tenant: "a", events: [other, `${event}.*`] });
    expect(changed.body).toMatchObject({ tenant: "a", events: [other, `${event}.*`], description: "" });
    await service.api("POST", `${path}/toggle`);
    await service.api("POST", `${path}/toggle`);
    expect(takers(await fire({ event: other, tenant: "a" }))).toEqual([id]);
    expect(takers(await fire({ event: `${event}.x`, tenant: "a" }))).toEqual([id]);
    expect(takers(await fire({ event: other, tenant: "b" }))).toEqual([]);
    expect(takers(await fire({ event: other }))).toEqual([]);
    expect(takers(await fire({ event, tenant: "a" }))).toEqual([own.id]);
  });

  test("is not found by the look-up of the previous version", async () => {
    const event = fresh();
    const { id } = await endpoint({ events: [event, "*"], tenant: "a" });
    const found = await service.database.query(
      "select id from endpoint where active and channel_id is null and endpoint_listens(tag, events) && array[tag || ' ' || $1, tag || ' *']",
      [event],
    );
    expect(found.map((row) => String(row["id"]))).not.toContain(id);
    expect(found).toEqual([]);
  });

  test("explains and previews events by their tenant", async () => {
    const event = fresh();
    const { path } = await endpoint({ events: [event], tenant: "a" });
    const ask = async (more: object): Promise<Parsed> => (await service.api("POST", `${path}/explain`, more)).body;
    const tenantOf = (body: Parsed): unknown =>
      body["checks"].find((one: { check: string }) => one.check === "tenant")["matched"];
    const mine = await fire({ event, tenant: "a" });
    const theirs = await fire({ event, tenant: "b" });
    for (const [asked, isMine] of [
      [{ event, tenant: "a" }, true],
      [{ event, tenant: "b" }, false],
      [{ event }, false],
      [{ event_id: mine["id"] }, true],
      [{ event_id: theirs["id"] }, false],
    ] as const) {
      const body = await ask(asked);
      expect([asked, body["matched"], tenantOf(body)]).toEqual([asked, isMine, isMine]);
    }
    const preview = await service.api("POST", `${path}/filter/preview`, { filter: null });
    expect(preview.body).toMatchObject({ subscribed: 1, matched: 1, events: [{ id: mine["id"] }] });
  });
});

test("a filter reads the tenant, which is null without one", async () => {
  const event = fresh();
  const made = async (value: string | null): Promise<string> =>
    (await endpoint({ events: [event], filter: { field: "tenant", op: "eq", value } })).id;
  const [acme, none] = [await made("acme"), await made(null)];
  expect(takers(await fire({ event, tenant: "acme" }))).toEqual([acme]);
  expect(takers(await fire({ event, tenant: "acm" }))).toEqual([]);
  expect(takers(await fire({ event }))).toEqual([none]);
});

test("lists are filtered by tenant", async () => {
  const event = fresh();
  const a = await endpoint({ events: [event], tenant: "list-a" });
  const ab = await endpoint({ events: [event], tenant: "list-ab" });
  await endpoint({ events: [event] });
  const [one, two] = [await fire({ event, tenant: "list-a" }), await fire({ event, tenant: "list-ab" })];
  const list = async (path: string): Promise<string[]> => ids(await service.api("GET", path));
  expect(await list("/v1/events?tenant=list-a")).toEqual([one["id"]]);
  expect(await list(`/v1/events?tenant=list-ab&event=${event}`)).toEqual([two["id"]]);
  expect(await list("/v1/webhook-endpoints?tenant=list-a")).toEqual([a.id]);
  expect(await list("/v1/webhook-endpoints?tenant=list-ab")).toEqual([ab.id]);
  const deliveryOf = (fired: Parsed, id: string): unknown =>
    fired["deliveries"].find((made: Parsed) => made["endpoint_id"] === id)["id"];
  expect(await list("/v1/deliveries?tenant=list-a")).toEqual([deliveryOf(one, a.id)]);
  const source = await makeSource(service, { tenant: "list-a" });
  await makeSource(service, { tenant: "list-ab" });
  expect(await list("/v1/inbound-endpoints?tenant=list-a")).toEqual([source.id]);
  await fire({ event, tenant: "list-a" });
  const page = await service.api("GET", "/v1/events?tenant=list-a&limit=1");
  const elsewhere = await service.api("GET", `/v1/events?tenant=list-ab&limit=1&cursor=${page.body["next_cursor"]}`);
  expect([elsewhere.status, elsewhere.body["code"]]).toEqual([400, "cursor_invalid"]);
});

test("a bulk replay of a tenant takes the deliveries of its endpoints alone", async () => {
  const receiver = await startReceiver();
  const event = fresh();
  await endpoint({ url: receiver.url, events: [event], tenant: "replay-a" });
  await endpoint({ url: receiver.url, events: [event], tenant: "replay-ab" });
  await endpoint({ url: receiver.url, events: [event] });
  await fire({ event, tenant: "replay-a" });
  await fire({ event, tenant: "replay-ab" });
  await receiver.count(4);
  const count = async (tenant: string): Promise<number> => {
    const filter = { tenant, state: "delivered", event };
    return (await service.api("POST", "/v1/replays", { filter, dry_run: true })).body["count"];
  };
  await expect.poll(async () => await count("replay-ab")).toBe(1);
  await expect.poll(async () => await count("replay-a")).toBe(1);
  expect(await count("replay")).toBe(0);
  await service.api("POST", "/v1/replays", { filter: { tenant: "replay-a", state: "delivered" } });
  await receiver.count(5);
  const sent = receiver.received.map((one) => String(one.headers["x-service-delivery"]));
  expect(new Set(sent).size).toBe(4);
  await receiver.close();
});

test.each(["", "a b", "a\tb", "é", "a\u0000", "x".repeat(129), 7, [], {}])(
  "the tenant %j is refused",
  async (tenant) => {
    const event = fresh();
    const answers = [
      await service.api("POST", "/v1/events/fire", { event, data: {}, tenant }),
      await service.api("POST", "/v1/events/batch", { events: [{ event, data: {}, tenant }] }),
      await service.api("POST", "/v1/webhook-endpoints", { url: NOWHERE, events: [event], tenant }),
      await service.api("POST", "/v1/inbound-endpoints", { tenant }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([422, 422, 422, 422]);
    expect(answers.map((answer) => pointers(answer)[0])).toEqual(["/tenant", "/events/0/tenant", "/tenant", "/tenant"]);
  },
);

test("a tenant has at most 128 visible characters", async () => {
  const tenant = "x".repeat(128);
  const event = fresh();
  const { id } = await endpoint({ events: [event], tenant });
  expect(takers(await fire({ event, tenant }))).toEqual([id]);
  const { status } = await service.api("GET", "/v1/events?tenant=a%20b");
  expect(status).toBe(400);
});
