import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect } from "vitest";
import { covers } from "../../../../../requirements/covers.ts";
import { countRows, mintKey } from "../../testing/keys.ts";
import { startService } from "../../testing/service.ts";
import type { TestService } from "../../testing/test-service.ts";

let service: TestService;
beforeAll(async () => {
  service = await startService({ env: { JUNCTION_RATE_LIMITS: '{"events.fire":50}' } });
});
afterAll(async () => await service.close());

function events(count: number): { event: string; data: object }[] {
  return Array.from({ length: count }, (_, at) => ({ event: `batch.n${at}`, data: { at } }));
}

covers("fire.api.post", "a batch fires its events in order and responds for each like fire", async () => {
  const { id } = await service.endpoint("http://127.0.0.1:9/", { events: ["batch.n1"] });
  const fired = await service.api("POST", "/v1/events/batch", { events: events(3) });
  expect([fired.status, fired.body["object"]]).toEqual([202, "list"]);
  const data = fired.body["data"] as Record<string, unknown>[];
  expect(data.map((event) => event["event"])).toEqual(["batch.n0", "batch.n1", "batch.n2"]);
  expect(data.map((event) => event["id"])).toEqual(data.map((event) => event["id"]).toSorted());
  expect(data[1]).toMatchObject({
    object: "event",
    status: "accepted",
    deliveries: [{ endpoint_id: id, state: "pending" }],
  });
  expect([data[0]?.["deliveries"], data[2]?.["deliveries"]]).toEqual([[], []]);
});

covers("fire.api.post", "a batch accepts 500 events, but not 501 or none", async () => {
  const before = await countRows(service, "event");
  const full = await service.api("POST", "/v1/events/batch", { events: events(500) });
  expect([full.status, full.body["data"].length]).toEqual([202, 500]);
  expect((await countRows(service, "event")) - before).toBe(500);
  for (const count of [501, 0]) {
    const refused = await service.api("POST", "/v1/events/batch", { events: events(count) });
    expect([refused.status, refused.body["errors"][0].pointer]).toEqual([422, "/events"]);
  }
  expect((await countRows(service, "event")) - before).toBe(500);
});

covers("fire.api.post", "one invalid event refuses the whole batch at its place", async () => {
  const before = await countRows(service, "event");
  const bad: [Record<string, unknown>, string][] = [
    [{ event: "a..b", data: {} }, "/events/2/event"],
    [{ event: "ok", data: [] }, "/events/2/data"],
    [{ event: "ok" }, "/events/2/data"],
    [{ event: "ok", data: {}, occurred_at: "noon" }, "/events/2/occurred_at"],
    [{ event: "ok", data: {}, extra: 1 }, "/events/2/extra"],
  ];
  for (const [event, pointer] of bad) {
    const refused = await service.api("POST", "/v1/events/batch", { events: events(5).with(2, event as never) });
    expect([pointer, refused.status, refused.body["errors"].map((one: { pointer: string }) => one.pointer)]).toEqual([
      pointer,
      422,
      [pointer],
    ]);
  }
  const two = await service.api("POST", "/v1/events/batch", {
    events: [{ event: "", data: {} }, ...events(1), { event: ".", data: {} }],
  });
  expect(two.status).toBe(422);
  expect(await countRows(service, "event")).toBe(before);
});

covers("idempotency.op.events-fire", "a repeated batch gets the same bytes and fires nothing", async () => {
  const headers = { "Idempotency-Key": randomUUID() };
  const body = { events: events(10) };
  const copies = await Promise.all(
    Array.from({ length: 10 }, async () => await service.api("POST", "/v1/events/batch", body, { headers })),
  );
  expect(new Set(copies.map((answer) => `${answer.status} ${answer.text}`)).size).toBe(1);
  const ids = copies[0]?.body["data"].map((event: { id: string }) => event.id) as string[];
  expect(new Set(ids).size).toBe(10);
  const listed = await service.api("GET", "/v1/events?event=batch.n9&limit=100");
  expect(listed.body["data"].filter((event: { id: string }) => ids.includes(event.id))).toHaveLength(1);
});

covers("limit.rate.events-fire", "a batch counts as one call of firing", async () => {
  const key = await mintKey(service);
  const first = await service.api("POST", "/v1/events/batch", { events: events(20) }, { key: key.key });
  const second = await service.api("POST", "/v1/events/fire", { event: "a", data: {} }, { key: key.key });
  expect([first, second].map((answer) => answer.headers.get("x-service-ratelimit-remaining"))).toEqual(["49", "48"]);
});

covers("fire.api.post", "the data of each event in a batch is kept byte for byte", async () => {
  const texts = ['{"n":12345678901234567890}', '{ "b":1, "a":2 }', '{"s":"\\u0000"}'];
  const body = `{"events":[${texts.map((text) => `{"data":${text},"event":"exact"}`).join(",")}]}`;
  const fired = await service.api("POST", "/v1/events/batch", body);
  for (const [at, event] of (fired.body["data"] as { id: string }[]).entries())
    expect((await service.api("GET", `/v1/events/${event.id}`)).text).toContain(`"data":${texts[at] ?? ""}}`);
});
