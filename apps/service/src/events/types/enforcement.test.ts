import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { countRows, mintKey, otherWorkspace } from "../../testing/keys.ts";
import { startReceiver } from "../../testing/receiver.ts";
import type { Receiver } from "../../testing/receiver.ts";
import { startService } from "../../testing/service.ts";
import type { ApiAnswer, TestService } from "../../testing/test-service.ts";

let service: TestService;
let receiver: Receiver;
beforeAll(async () => {
  [service, receiver] = [await startService(), await startReceiver()];
});
afterAll(async () => await Promise.all([service.close(), receiver.close()]));

const TYPES = "/v1/event-types";
const schema = {
  type: "object",
  required: ["id"],
  properties: { id: { type: "string" }, total: { type: "integer", maximum: 9_007_199_254_740_992 } },
};

async function type(name: string, more: object): Promise<void> {
  const { status, text } = await service.api("POST", TYPES, { name, schema, ...more });
  expect([status, text]).toEqual([201, text]);
}

async function fire(body: unknown, headers: Record<string, string> = {}): Promise<ApiAnswer> {
  return await service.api("POST", "/v1/events/fire", body, { headers });
}

function pointers({ body }: ApiAnswer): string[] {
  return body.errors.map((one: { pointer: string; code: string }) => `${one.code} ${one.pointer}`);
}

describe("refuse", () => {
  test("a leap second is a time and counts as the second after it", async () => {
    const times = { type: "object", properties: { at: { format: "date-time" }, of_day: { format: "time" } } };
    await type("refused.times", { schema: times, enforcement: "refuse" });
    const event = "refused.times";
    const data = { at: "1998-12-31T15:59:60.123-08:00", of_day: "01:29:60+01:30" };
    const { status, body } = await fire({ event, data, occurred_at: "2016-12-31T23:59:60.5Z" });
    expect([status, body.occurred_at]).toEqual([202, "2017-01-01T00:00:00.500Z"]);
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
    const later = await fire({ event, data: {}, deliver_at: `${tomorrow}T23:59:60Z` });
    expect([later.status, Date.parse(later.body.deliver_at)]).toEqual([202, Date.parse(tomorrow) + 86_400_000]);
    const wrong = await fire({ event, data: { at: "1998-12-31T22:59:60Z", of_day: "23:59:60-01:00" } });
    expect(pointers(wrong)).toEqual(["format /data/at", "format /data/of_day"]);
    for (const occurred_at of ["2016-12-31T22:59:60Z", "2016-12-31T24:00:00Z"])
      expect(pointers(await fire({ event, data: {}, occurred_at }))).toEqual(["format /occurred_at"]);
  });

  test("a mismatch is refused with every pointer, and nothing is stored", async () => {
    await type("refused.one", { enforcement: "refuse" });
    const before = await Promise.all(["event", "idempotency"].map(async (table) => await countRows(service, table)));
    const answer = await fire('{"event":"refused.one","data":{"total":9007199254740993}}');
    expect([answer.status, answer.body.code, ...pointers(answer)]).toEqual([
      422,
      "event_data_invalid",
      "required /data/id",
      "maximum /data/total",
    ]);
    const after = await Promise.all(["event", "idempotency"].map(async (table) => await countRows(service, table)));
    expect(after).toEqual(before);
    const good = '{"id":"a", "total":9007199254740992.0}';
    const { body } = await fire(`{"event":"refused.one","data":${good}}`);
    const stored = await service.api("GET", `/v1/events/${body.id}`);
    expect(stored.text).toContain(`"data":${good}`);
    expect(stored.body).toMatchObject({ version: 1, schema_errors: [] });
  });

  test("one bad event refuses its whole batch, and no other call", async () => {
    await type("refused.batch", { enforcement: "refuse" });
    const [good, bad] = [
      { event: "refused.batch", data: { id: "a" } },
      { event: "refused.batch", data: { id: 1 } },
    ];
    const calls = await Promise.all([
      service.api("POST", "/v1/events/batch", { events: [good, bad, good, bad] }),
      fire(good),
      fire(bad),
      service.api("POST", "/v1/events/batch", { events: [good, good] }),
    ]);
    expect(calls.map(({ status }) => status)).toEqual([422, 202, 422, 202]);
    expect(calls[0] === undefined ? [] : pointers(calls[0])).toEqual([
      "type /events/1/data/id",
      "type /events/3/data/id",
    ]);
    const { data } = (await service.api("GET", "/v1/events?event=refused.batch")).body;
    expect(data).toHaveLength(3);
  });

  test("a repeated call gets its first answer after the type became stricter", async () => {
    await type("refused.later", {});
    const event = { event: "refused.later", data: {} };
    const first = await fire(event, { "Idempotency-Key": "later" });
    await service.api("PATCH", `${TYPES}/refused.later`, { enforcement: "refuse" });
    const again = await fire(event, { "Idempotency-Key": "later" });
    expect([first.status, again.status, again.body.id]).toEqual([202, 202, first.body.id]);
    expect(again.headers.get("Idempotent-Replayed")).toBe("true");
    expect((await fire(event)).status).toBe(422);
    const refired = await service.api("POST", `/v1/events/${first.body.id}/refire`);
    expect([refired.status, refired.body.code]).toEqual([422, "event_data_invalid"]);
    await service.api("DELETE", `${TYPES}/refused.later`);
    expect((await fire(event)).status).toBe(202);
  });

  test("a scheduled event is compared when it is accepted", async () => {
    await type("refused.scheduled", { enforcement: "refuse" });
    const deliver_at = new Date(Date.now() + 3_600_000).toISOString();
    const bad = { event: "refused.scheduled", data: { id: 1 }, deliver_at };
    const batch = { events: [{ event: "other.one", data: {} }, bad] };
    const answer = await service.api("POST", "/v1/events/batch", batch);
    expect([answer.status, ...pointers(answer)]).toEqual([422, "type /events/1/data/id"]);
    expect((await service.api("GET", "/v1/events?event=other.one")).body.data).toEqual([]);
    expect((await fire({ ...bad, data: { id: "a" } })).status).toBe(202);
  });

  test("an event that became invalid while it was scheduled is fired with its faults", async () => {
    await type("late.check", {});
    const deliver_at = new Date(Date.now() + 1500).toISOString();
    expect((await fire({ event: "late.check", data: {}, deliver_at })).status).toBe(202);
    await service.api("PATCH", `${TYPES}/late.check`, { enforcement: "refuse" });
    const { data } = await service.until("/v1/events?event=late.check", (body) => body.data.length > 0);
    expect(data[0].schema_errors).toMatchObject([{ pointer: "/data/id", code: "required" }]);
  });

  test("an event of a rule is never refused", async () => {
    await type("by.rule", { enforcement: "refuse" });
    await service.api("POST", "/v1/rules", {
      name: "Fires a bad event",
      on: ["rule.trigger"],
      then: [{ type: "fire_event", event: "by.rule", data: { id: 1 } }],
    });
    await service.fire("rule.trigger", {});
    const { data } = await service.until("/v1/events?event=by.rule", (body) => body.data.length > 0);
    expect(data[0].schema_errors).toMatchObject([{ pointer: "/data/id", code: "type" }]);
  });

  test("a canonical type is enforced when the workspace wants it", async () => {
    const bad = { event: "invoice.paid", data: { invoice: 1 } };
    expect((await fire(bad)).status).toBe(202);
    await service.api("PATCH", `${TYPES}/invoice.paid`, { enforcement: "refuse" });
    expect(pointers(await fire(bad))).toEqual(["type /data/invoice"]);
    const { example } = (await service.api("GET", `${TYPES}/invoice.paid`)).body;
    expect((await fire({ event: "invoice.paid", data: example })).status).toBe(202);
    await service.api("PATCH", `${TYPES}/invoice.paid`, { enforcement: "off" });
    expect((await fire(bad)).status).toBe(202);
  });

  test("enforcement that is switched on during many calls is exact from its answer on", async () => {
    await type("switched.on", {});
    const bad = { event: "switched.on", data: {} };
    const early = Array.from({ length: 20 }, async () => await fire(bad));
    await service.api("PATCH", `${TYPES}/switched.on`, { enforcement: "refuse" });
    const late = await Promise.all(Array.from({ length: 20 }, async () => await fire(bad)));
    expect(new Set(late.map(({ status }) => status))).toEqual(new Set([422]));
    const accepted = (await Promise.all(early)).filter(({ status }) => status === 202).length;
    expect((await service.api("GET", "/v1/events?event=switched.on&limit=100")).body.data).toHaveLength(accepted);
  });
});

describe("warn", () => {
  test("the event is accepted, delivered and shows its faults", async () => {
    await type("warned.one", { enforcement: "warn" });
    await service.endpoint(receiver.url, { events: ["warned.one"] });
    const answer = await fire({ event: "warned.one", data: { total: "1" } });
    const faults = [
      { pointer: "/data/id", code: "required", message: "is required" },
      { pointer: "/data/total", code: "type", message: "must be integer" },
    ];
    expect([answer.status, answer.body.schema_errors]).toEqual([202, faults]);
    expect((await service.api("GET", `/v1/events/${answer.body.id}`)).body.schema_errors).toEqual(faults);
    expect(
      (await service.until(`/v1/deliveries/${answer.body.deliveries[0].id}`, (one) => one.state === "delivered")).state,
    ).toBe("delivered");
    const many = await fire({ event: "warned.one", data: Object.fromEntries([["id", 1]]) });
    expect(many.body.schema_errors).toHaveLength(1);
    const shown = await service.until(`${TYPES}/warned.one`, (one) => one.violations_24h.warned === 2, 15_000);
    expect(shown).toMatchObject({ last_seen_at: expect.any(String), sample: { data: { id: 1 } } });
  });
});

describe("versions of events", () => {
  test("the caller can name an earlier version, which is then the one that counts", async () => {
    await type("versioned.one", { enforcement: "refuse" });
    const next = { type: "object", required: ["number"] };
    await service.api("POST", `${TYPES}/versioned.one/versions`, { schema: next });
    const of = async (data: object, version?: number) => await fire({ event: "versioned.one", data, version });
    const [old, now] = [await of({ id: "a" }, 1), await of({ number: 1 })];
    expect([old.status, now.status, (await of({ id: "a" })).status, (await of({ number: 1 }, 1)).status]).toEqual([
      202, 202, 422, 422,
    ]);
    expect((await service.api("GET", `/v1/events/${old.body.id}`)).body.version).toBe(1);
    expect((await service.api("GET", `/v1/events/${now.body.id}`)).body.version).toBe(2);
    const unknown = await of({ number: 1 }, 3);
    expect([unknown.status, ...pointers(unknown)]).toEqual([422, "version /version"]);
    const untyped = await fire({ event: "no.type", data: {}, version: 1 });
    expect(pointers(untyped)).toEqual(["version /version"]);
  });
});

describe("pinned versions", () => {
  test("an endpoint gets only the versions that it pins, and can ask why", async () => {
    await type("pinned.one", {});
    await service.api("POST", `${TYPES}/pinned.one/versions`, { schema: {} });
    const pin = { events: ["pinned.*", "order.paid"], event_versions: { "pinned.one": 1, "order.paid": 1 } };
    const given = async (event: string, of = path): Promise<boolean> =>
      (await service.api("POST", `${of}/explain`, { event, data: {} })).body["matched"];
    const old = await service.endpoint(receiver.url, pin);
    const path = `/v1/webhook-endpoints/${old.id}`;
    const all = await service.endpoint(receiver.url, { events: ["pinned.*", "order.paid"] });
    const of = async (body: object): Promise<string[]> => {
      const { body: answer } = await fire(body);
      return answer.deliveries.map((one: { endpoint_id: string }) => one.endpoint_id);
    };
    expect(await of({ event: "pinned.one", data: {} })).toEqual([all.id]);
    expect(await of({ event: "pinned.one", data: { id: "a" }, version: 1 })).toEqual([old.id, all.id]);
    expect(await of({ event: "pinned.other", data: {} })).toEqual([old.id, all.id]);
    expect(await of({ event: "order.paid", data: {} })).toEqual([old.id, all.id]);
    const [last] = (await service.api("GET", "/v1/events?event=pinned.one&limit=2")).body.data.slice(1);
    const { body } = await service.api("POST", `${path}/explain`, { event_id: last.id });
    expect(body).toMatchObject({ matched: false, checks: [{}, {}, {}, { check: "version", matched: false }, {}] });
    // An event that is only given is judged as it would be delivered: with the current version.
    expect([await given("pinned.one"), await given("pinned.other"), await given("order.paid")]).toEqual([
      false,
      true,
      true,
    ]);
    await service.api("PATCH", path, { event_versions: { "pinned.one": 2 } });
    expect([await given("pinned.one"), await of({ event: "pinned.one", data: { id: "b" } })]).toEqual([
      true,
      [old.id, all.id],
    ]);
    expect((await service.api("PATCH", path, { event_versions: null })).body.event_versions).toBeNull();
    expect(await of({ event: "pinned.one", data: {} })).toEqual([old.id, all.id]);
    const bad = await service.api("PATCH", path, { event_versions: { "a..b": 1 } });
    expect([bad.status, ...pointers(bad)]).toEqual([422, "event_name /event_versions/a..b"]);
  });

  test("a version that does not exist cannot be pinned", async () => {
    await type("pinned.short", {});
    await type("pinned.gone", {});
    await service.api("DELETE", `${TYPES}/pinned.gone`);
    const none = { "pinned.short": 2, "pinned.gone": 1, "order.paid": 2, "no.type": 1 };
    const body = { url: receiver.url, events: ["*"], event_versions: { ...none, "order.created": 1 } };
    const expected = Object.keys(none).map((name) => `version /event_versions/${name}`);
    const made = await service.api("POST", "/v1/webhook-endpoints", body);
    expect([made.status, pointers(made)]).toEqual([422, expected]);
    const { id } = await service.endpoint(receiver.url, { events: ["pinned.*"] });
    const changed = await service.api("PATCH", `/v1/webhook-endpoints/${id}`, { event_versions: none });
    expect([changed.status, pointers(changed)]).toEqual([422, expected]);
    const other = await otherWorkspace(service);
    const foreign = { ...body, event_versions: { "pinned.short": 1 } };
    expect((await service.api("POST", "/v1/webhook-endpoints", foreign, { key: other.key })).status).toBe(422);
  });

  test("a tenant's key cannot learn about types that are not shown to it", async () => {
    await type("pinned.hidden", { visibility: "private" });
    await type("pinned.shown", { visibility: "public" });
    const { key } = await mintKey(service, { tenant: "acme" });
    const pinned = async (name: string): Promise<ApiAnswer> =>
      await service.api(
        "POST",
        "/v1/webhook-endpoints",
        { url: receiver.url, events: [name], event_versions: { [name]: 1 } },
        { key },
      );
    expect((await pinned("pinned.shown")).status).toBe(201);
    const [hidden, none] = [await pinned("pinned.hidden"), await pinned("pinned.no_such")];
    expect([hidden.status, hidden.body["errors"][0].message]).toEqual([422, none.body["errors"][0].message]);
  });
});
