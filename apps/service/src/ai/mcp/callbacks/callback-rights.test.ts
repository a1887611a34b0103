import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { EventsClient, RpcResponse } from "../../../../../../conformance/mcp-events-client.ts";
import { parseId } from "../../../lib/lib.ts";
import { mintKey, otherWorkspace, setKey } from "../../../testing/keys.ts";
import { callbackTests, OTHER_SECRET, SUBSCRIBER_SCOPES } from "../../../testing/mcp-callbacks.ts";
import { connected } from "../../../testing/oauth.ts";
import { joined } from "../../../testing/people.ts";
import { startService } from "../../../testing/service.ts";
import { SHORT_LADDER } from "../../../testing/subscription.ts";
import type { Parsed, TestService } from "../../../testing/test-service.ts";

/** The events that a client sees, and the end of its right. */

let service: TestService;

beforeAll(async () => {
  service = await startService({ env: SHORT_LADDER });
});
afterAll(async () => await service.close());

const tests = callbackTests(() => service);

describe("get_recent_events", () => {
  test("returns the events of the caller's own subscriptions, newest first", async () => {
    const schema = { type: "object", properties: { n: { type: "integer" } } };
    const [name, another] = [await tests.typed(schema), await tests.typed()];
    const { result } = await tests.client.subscribe(name, { n: 2 });
    await tests.client.subscribe(name);
    await tests.client.subscribe(another);
    for (const n of [1, 2, 3]) await tests.fire(name, { n });
    await tests.fire(another);
    await tests.client.count(5);
    await expect
      .poll(async () => (await tests.recent({ limit: 50 })).map((one: Parsed) => one.delivery.state))
      .toEqual(Array.from({ length: 5 }, () => "delivered"));
    expect((await tests.recent({ event_name: name, limit: 1 })).map(({ data }: Parsed) => data)).toEqual([{ n: 3 }]);
    const chosen = await tests.recent({ event_name: name, arguments: { n: 2.0 } });
    expect(chosen).toMatchObject([{ data: { n: 2 }, delivery: { subscription_id: result?.["id"], attempt_count: 1 } }]);
    expect(await tests.recent({ arguments: {} })).toHaveLength(4);
    const stranger = await tests.open({ token: (await tests.subscriber()).key });
    expect(await tests.recent({}, stranger)).toEqual([]);
    await tests.client.unsubscribe(another);
    expect(await tests.recent({ event_name: another })).toEqual([]);
  });

  test("refuses unknown members, and is absent without the right to read events", async () => {
    for (const [given, pointer] of [
      [{ unheard: 1 }, "/unheard"],
      [{ limit: 51 }, "/limit"],
      [{ limit: "5" }, "/limit"],
      [{ event_id: "dlv_x" }, "/event_id"],
      [{ event_name: 7 }, "/event_name"],
      [{ arguments: [] }, "/arguments"],
    ] as const) {
      const { result } = await tests.client.ask("tools/call", { name: "get_recent_events", arguments: given });
      expect([given, result?.["isError"], JSON.stringify(result)]).toEqual([
        given,
        true,
        expect.stringContaining(pointer),
      ]);
    }
    const writer = await mintKey(service, { role: "ai", actor_type: "ai", scopes: ["actions:write"] });
    const names = async (by: EventsClient): Promise<string[]> =>
      ((await by.ask("tools/list")).body["result"] as Parsed)["tools"].map((one: Parsed) => one["name"]);
    expect(await names(tests.client)).toContain("get_recent_events");
    expect(await names(await tests.open({ token: writer.key }))).not.toContain("get_recent_events");
  });
});

describe("the end of a right", () => {
  test("stops deliveries at once, for keys and for the member who connected an app", async () => {
    const name = await tests.typed();
    const person = await joined(service, "developer");
    const app = await connected(service, person, { scope: SUBSCRIBER_SCOPES.join(" ") });
    const theirs = await tests.open({ token: app.access });
    expect((await theirs.subscribe(name)).result).toBeDefined();
    await tests.client.subscribe(name);
    await setKey(service, tests.key, { revoked_at: new Date() });
    await service.database.query(
      `update member set role = 'viewer' where id = (select granted_by from api_key where id = '${String(parseId(app.keyId)?.uuid)}')`,
    );
    const watching = await tests.open({ token: (await tests.subscriber()).key });
    await watching.subscribe(name);
    await tests.fire(name);
    await watching.count(1);
    await expect
      .poll(async () =>
        (await service.api("GET", `/v1/deliveries?event=${name}`)).body["data"]
          .map(({ state }: Parsed) => state)
          .toSorted(),
      )
      .toEqual(["cancelled", "cancelled", "delivered"]);
    expect([tests.client.received, theirs.received]).toEqual([[], []]);
    await expect
      .poll(async () => (await tests.endpoints()).filter(({ events }) => events.includes(name)).length, {
        timeout: 30_000,
      })
      .toBe(1);
  }, 60_000);

  test("does not come with a roll of the key, whose subscriptions continue", async () => {
    const name = await tests.typed();
    const first = await tests.client.subscribe(name);
    const rolled = await service.api("POST", `/v1/keys/${tests.key.id}/roll`, {});
    expect(rolled.status).toBeLessThan(300);
    const again = await tests.open({ token: rolled.body["key"] });
    expect(await tests.recent({}, again)).toEqual([]);
    const delivery = { mode: "webhook", url: tests.client.url, secret: OTHER_SECRET };
    expect((await again.subscribe(name, undefined, { delivery })).result?.["id"]).toBe(first.result?.["id"]);
  });
});

describe("apart", () => {
  test("another workspace, environment and client see and end nothing", async () => {
    const name = await tests.typed();
    await tests.client.subscribe(name);
    const other = await otherWorkspace(service);
    const strangers = [(await tests.subscriber()).key, service.sandboxKey];
    for (const token of strangers) {
      const stranger = await tests.open({ token });
      const delivery = { mode: "webhook", url: tests.client.url };
      expect(await stranger.ask("events/unsubscribe", { name, delivery })).toMatchObject({
        result: { resultType: "complete" },
      });
      expect(await tests.recent({}, stranger)).toEqual([]);
    }
    expect((await service.api("POST", "/v1/events/fire", { event: name, data: {} }, { key: other.key })).status).toBe(
      202,
    );
    expect(
      (await service.api("POST", "/v1/events/fire", { event: name, data: {} }, { key: service.sandboxKey })).status,
    ).toBe(202);
    const id = await tests.fire(name);
    expect((await tests.client.count(1)).map(({ event }) => event["eventId"])).toEqual([id]);
  });

  test("people see, disable and delete a subscription, and change nothing that its client chose", async () => {
    const name = await tests.typed();
    const made = await tests.client.subscribe(name);
    const [{ id }] = (await tests.subscribedTo(name)) as [Parsed];
    const path = `/v1/webhook-endpoints/${id}`;
    for (const change of [
      { url: tests.client.url },
      { events: ["*"] },
      { filter: null },
      { wire: "service" },
      { transform: null },
    ])
      expect([change, (await service.api("PATCH", path, change)).status]).toEqual([change, 409]);
    expect((await service.api("POST", `${path}/secret/regenerate`, {})).status).toBe(409);
    expect((await service.api("PATCH", path, { active: false })).body).toMatchObject({ active: false, wire: "mcp" });
    expect((await tests.client.subscribe(name)).error).toMatchObject({ code: -32012 });
    expect((await service.api("PATCH", path, { active: true })).status).toBe(200);
    expect((await service.api("DELETE", path)).status).toBe(204);
    expect((await tests.client.subscribe(name)).result?.["id"]).toBe(made.result?.["id"]);
    const { text } = await service.api("GET", "/v1/audit?limit=100");
    expect(text).toContain("event_subscriptions.create");
  });

  test("a client has at most 100 subscriptions, also if it asks for many at once", async () => {
    const schema = { type: "object", properties: { n: { type: "integer" } } };
    const name = await tests.typed(schema);
    await tests.client.subscribe(name, { n: 0 });
    const some = async (from: number): Promise<RpcResponse[]> =>
      await Promise.all(
        Array.from({ length: 10 }, async (_, at) => await tests.client.subscribe(name, { n: from + at })),
      );
    for (let from = 1; from < 91; from += 10)
      expect((await some(from)).every(({ result }) => result !== undefined)).toBe(true);
    for (const n of [91, 92, 93, 94]) await tests.client.subscribe(name, { n });
    // Five places are left.
    const made = await some(95);
    expect(made.filter(({ result }) => result !== undefined)).toHaveLength(5);
    const refused = made.flatMap(({ error }) => (error === undefined ? [] : [error]));
    for (const error of refused)
      expect(error).toMatchObject({ code: -32013, data: { limit: "subscriptions", max: 100 } });
    expect((await tests.client.subscribe(name, { n: 0 })).result).toBeDefined();
  }, 60_000);
});
