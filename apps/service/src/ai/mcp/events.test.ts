import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { instant, uuidFloor } from "../../lib/lib.ts";
import { mintKey, otherWorkspace, setKey } from "../../testing/keys.ts";
import type { TestKey } from "../../testing/keys.ts";
import { META, send } from "../../testing/mcp.ts";
import { connected, consent } from "../../testing/oauth.ts";
import { joined } from "../../testing/people.ts";
import { startReceiver } from "../../testing/receiver.ts";
import type { Receiver } from "../../testing/receiver.ts";
import { startService } from "../../testing/service.ts";
import { UNLIMITED } from "../../testing/subscription.ts";
import type { ApiAnswer, Parsed, TestService } from "../../testing/test-service.ts";

let service: TestService;
let receiver: Receiver;
let ai: TestKey;
let subscriber: TestKey;

const SUBSCRIBE = "event_subscriptions:write";
const SECRET = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;

beforeAll(async () => {
  service = await startService({ env: UNLIMITED });
  receiver = await startReceiver();
  receiver.status(200);
  ai = await mintKey(service, { role: "ai", actor_type: "ai" });
  subscriber = await mintKey(service, { role: "ai", actor_type: "ai", scopes: ["events:read", SUBSCRIBE] });
});
afterAll(async () => {
  await service.close();
  await receiver.close();
});

let fired = 0;

/** Fires an event of a name that no other test uses. Returns the name. */
async function fire(name: string, data: unknown = {}, more: Record<string, unknown> = {}, key = service.key) {
  const answer = await service.api("POST", "/v1/events/fire", { event: name, data, ...more }, { key });
  expect(answer.status).toBe(202);
}

function freshName(): string {
  fired += 1;
  return `polled${fired}.happened`;
}

async function ask(method: string, params: Record<string, unknown>, key = ai.key): Promise<ApiAnswer> {
  return await send(service, method, params, { key });
}

async function poll(params: Record<string, unknown>, key = ai.key): Promise<Parsed> {
  return (await ask("events/poll", params, key)).body["result"];
}

async function start(key = ai.key): Promise<string> {
  return (await poll({}, key))["cursor"];
}

function namesOf(page: Parsed): string[] {
  return page["events"].map(({ name }: Parsed) => name);
}

describe("events/list", () => {
  test("returns the types of events with their schemas, page by page", async () => {
    const names: string[] = [];
    let cursor: string | undefined;
    do {
      const { result } = (await ask("events/list", cursor === undefined ? {} : { cursor })).body;
      names.push(...namesOf(result));
      cursor = result["nextCursor"];
      expect(result["events"][0]).toMatchObject({ payloadSchema: expect.any(Object), delivery: expect.any(Array) });
    } while (cursor !== undefined);
    expect(names).toEqual(expect.arrayContaining(["order.created", "webhook.endpoint.disabled"]));
  });
});

describe("events/poll", () => {
  test("begins now, and then returns each selected event once with its digits", async () => {
    const name = freshName();
    await fire(name, { at: "before" });
    const begun = await poll({ events: [name] });
    expect(begun).toMatchObject({ events: [], hasMore: false });
    await service.api("POST", "/v1/events/fire", `{"event":"${name}","data":{"n":1.10}}`, {
      headers: { "Content-Type": "application/json" },
    });
    await fire("another.happened");
    const answer = await ask("events/poll", { events: [name], cursor: begun["cursor"] });
    expect(answer.text).toContain('"data":{"n":1.10}');
    const page = answer.body["result"];
    expect(page["events"]).toMatchObject([{ eventId: expect.stringMatching(/^evt_/), name }]);
    expect(await poll({ events: [name], cursor: page["cursor"] })).toMatchObject({ events: [] });
  });

  test("pages by its limit without a loss", async () => {
    const name = freshName();
    let cursor = await start();
    for (let n = 0; n < 5; n += 1) await fire(name, { n });
    const got: number[] = [];
    for (let more = true; more;) {
      const page = await poll({ events: [name], cursor, limit: 2 });
      got.push(...page["events"].map(({ data }: Parsed) => data["n"]));
      cursor = page["cursor"];
      more = page["hasMore"];
    }
    expect(got).toEqual([0, 1, 2, 3, 4]);
  });

  test("selects by patterns, a filter and a tenant", async () => {
    const name = freshName();
    const [prefix = ""] = name.split(".");
    const cursor = await start();
    await fire(name, { total: 5 }, { tenant: "acme" });
    await fire(name, { total: 50 }, { tenant: "acme" });
    await fire(`${prefix}.other.deep`, { total: 70 });
    const filter = { all: [{ field: "data.total", op: "gt", value: 10 }] };
    expect(namesOf(await poll({ events: [`${prefix}.*`], cursor }))).toHaveLength(3);
    expect((await poll({ events: [name], filter, cursor }))["events"]).toMatchObject([{ data: { total: 50 } }]);
    expect(namesOf(await poll({ events: [`${prefix}.*`], tenant: "acme", cursor }))).toEqual([name, name]);
  });

  test("skips no event of a transaction that ends after those of later events", async () => {
    const name = freshName();
    await fire(name, { n: 0 });
    const cursor = await start();
    let at = cursor;
    const got: unknown[] = [];
    const read = async (): Promise<number> => {
      const page = await poll({ events: [name], cursor: at });
      at = page["cursor"];
      return got.push(...page["events"].map(({ data }: Parsed) => data["n"]));
    };
    const writers = [new pg.Client(service.database.url), new pg.Client(service.database.url)] as const;
    for (const writer of writers) {
      await writer.connect();
      await writer.query("begin");
    }
    /** Writes an event whose id was made this long ago. */
    const write = async (writer: pg.Client, n: number, seconds: number): Promise<unknown> =>
      await writer.query(
        `insert into event (bucket, tag, id, name, canonical, data, occurred_at)
         select bucket, tag, overlay(uuid_floor(now() - $3 * interval '1 second')::text placing substr(gen_random_uuid()::text, 15) from 15)::uuid,
           name, canonical, $2, occurred_at from event where name = $1 limit 1`,
        [name, `{"n":${n}}`, seconds],
      );
    at = Buffer.from(uuidFloor(instant(Date.now() - 60_000)).replaceAll("-", ""), "hex").toString("base64url");
    // It is settled for those who ask only the clock, as soon as a second has passed.
    await write(writers[0], 1, 9.5);
    await write(writers[1], 2, 9.4);
    await writers[1].query("commit");
    await expect.poll(async () => (await read()) > 0 && got.includes(2)).toBe(true);
    const until = Date.now() + 3000;
    while (Date.now() < until) await read();
    await writers[0].query("commit");
    await expect.poll(async () => (await read()) > 0 && got.includes(1)).toBe(true);
    for (let n = 0; n < 3; n += 1) await read();
    expect(got.toSorted()).toEqual([0, 1, 2]);
    for (const writer of writers) await writer.end();
  });

  test("shows a scheduled event that is fired late once, also past its id", async () => {
    const name = freshName();
    const deliver_at = new Date(Date.now() + 3_600_000).toISOString();
    await fire(name, { n: "late" }, { deliver_at });
    await fire(name, { n: "early" });
    let cursor = await start();
    await fire(name, { n: "before" });
    const got: unknown[] = [];
    const read = async (): Promise<unknown[]> => {
      const page = await poll({ events: [name], cursor });
      cursor = page["cursor"];
      got.push(...page["events"].map(({ data }: Parsed) => data["n"]));
      return got;
    };
    await expect.poll(read).toEqual(["before"]);
    // No node ran at its time, ten minutes ago.
    await service.database.query(
      `update scheduled_event set due_at = now(),
         id = overlay(uuid_floor(now() - interval '10 minutes')::text placing substr(id::text, 15) from 15)::uuid where name = $1`,
      [name],
    );
    await expect.poll(read).toEqual(["before", "late"]);
    await fire(name, { n: "after" });
    await expect.poll(read).toEqual(["before", "late", "after"]);
    expect(await read()).toHaveLength(3);
  });

  test("shows another workspace and environment nothing", async () => {
    const name = freshName();
    const other = await otherWorkspace(service);
    const cursor = await start();
    await fire(name);
    for (const key of [other.key, service.sandboxKey])
      expect(await poll({ cursor, events: [name] }, key)).toMatchObject({ events: [] });
    expect(namesOf(await poll({ cursor, events: [name] }))).toEqual([name]);
  });

  test("reports invalid params as errors of the protocol, with pointers", async () => {
    for (const [params, pointer] of [
      [{ events: [] }, "/events"],
      [{ events: ["a..b"] }, "/events/0"],
      [{ limit: 0 }, "/limit"],
      [{ limit: 1.5 }, "/limit"],
      [{ cursor: 7 }, "/cursor"],
      [{ tenant: "\u0000" }, "/tenant"],
      [{ tenant: ".." }, "/tenant"],
      [{ filter: { field: "contact.email" } }, expect.stringMatching(/^\/filter/)],
    ] as const) {
      const { error } = (await ask("events/poll", params)).body;
      expect([params, error?.["code"], error?.["data"]["errors"]?.[0]["pointer"]]).toEqual([params, -32602, pointer]);
    }
    const id = "A".repeat(22);
    const wrong = [`${id}.x`, `${id}.1:2`, `${id}.1:1:.${id}`, `${id}.1:1:.${id}.1:1:.x`, `${id}..`, `.1:1:`];
    for (const cursor of ["x", "", "A".repeat(5000), "____", ...wrong])
      expect((await ask("events/poll", { cursor })).body["error"]).toMatchObject({ data: { code: "cursor_invalid" } });
  });

  test("needs the right to read events", async () => {
    const { key } = await mintKey(service, { role: "ai", actor_type: "ai", scopes: ["actions:write"] });
    for (const method of ["events/list", "events/poll", "events/stream"])
      expect((await ask(method, {}, key)).body).toMatchObject({ status: 403, code: "scope_missing" });
  });
});

describe("events/stream", () => {
  test("sends events as notifications and ends with its cursor", async () => {
    const name = freshName();
    const cursor = await start();
    await fire(name, { n: 1 });
    const answer = await streamed({ events: [name], cursor, maxSeconds: 1 });
    const [event, end] = answer;
    expect(event).toMatchObject({ method: "notifications/events/event", params: { name, data: { n: 1 } } });
    expect(end).toMatchObject({ id: 1, result: { cursor: expect.any(String) } });
    expect(await poll({ events: [name], cursor: end["result"]["cursor"] })).toMatchObject({ events: [] });
  });

  test("ends when the right ends, and a key can open five", async () => {
    const { id, key } = await mintKey(service, { role: "ai", actor_type: "ai" });
    const open: Response[] = [];
    for (let n = 0; n < 5; n += 1) open.push(await openStream({ maxSeconds: 600 }, key));
    expect((await ask("events/stream", {}, key)).body).toMatchObject({ status: 429, code: "too_many_streams" });
    expect(await metrics()).toMatch(/^junction_mcp_event_streams 5$/m);
    expect((await service.api("POST", `/v1/keys/${id}/revoke`)).status).toBe(200);
    for (const messages of await Promise.all(open.map(messagesOf)))
      expect(messages.at(-1)).toMatchObject({ error: { data: { code: "key_revoked" } } });
  });
});

async function metrics(): Promise<string> {
  return await (await fetch(`${service.baseUrl}/metrics`)).text();
}

/** Returns the messages of a stream after its end. */
async function streamed(params: Record<string, unknown>): Promise<Parsed[]> {
  return await messagesOf(await openStream(params));
}

/** Opens a stream. Returns when its headers have arrived. */
async function openStream(params: Record<string, unknown>, key = ai.key): Promise<Response> {
  const response = await fetch(`${service.baseUrl}/mcp`, {
    method: "POST",
    headers: {
      Authorization: `Bearer ${key}`,
      "Content-Type": "application/json",
      "MCP-Protocol-Version": "2026-07-28",
      "Mcp-Method": "events/stream",
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "events/stream", params: { ...params, _meta: META } }),
  });
  expect(response.headers.get("content-type")).toContain("text/event-stream");
  return response;
}

async function messagesOf(response: Response): Promise<Parsed[]> {
  const text = await response.text();
  return [...text.matchAll(/^data: (.*)$/gm)].map(([, json = ""]): Parsed => JSON.parse(json));
}

describe("events/subscribe", () => {
  const delivery = (): Record<string, unknown> => ({ mode: "webhook", url: receiver.url, secret: SECRET });

  test("sends signed events to the client's address until it unsubscribes", async () => {
    const name = freshName();
    const before = receiver.received.length;
    const made = (await ask("events/subscribe", { events: [name], delivery: delivery() }, subscriber.key)).body[
      "result"
    ];
    expect(made).toMatchObject({ subscriptionId: expect.stringMatching(/^ep_/), endsAt: expect.any(String) });
    const shown = await service.api("GET", `/v1/webhook-endpoints/${made["subscriptionId"]}`);
    expect(shown.body).toMatchObject({ events: [name], description: expect.stringContaining("AI client") });
    expect(await metrics()).toMatch(/^junction_mcp_event_subscriptions [1-9]\d*$/m);
    await fire(name, { n: 1 });
    await expect.poll(() => receiver.received.length).toBe(before + 1);
    expect(receiver.received.at(-1)?.headers["webhook-signature"]).toMatch(/^v1,/);
    const end = { subscriptionId: made["subscriptionId"] };
    const another = await mintKey(service, { role: "ai", actor_type: "ai", scopes: ["events:read", SUBSCRIBE] });
    for (const [key, isEnded] of [
      [another.key, false],
      [subscriber.key, true],
      [subscriber.key, false],
    ] as const) {
      const { error, result } = (await ask("events/unsubscribe", end, key)).body;
      expect([result !== undefined, error?.["code"]]).toEqual([isEnded, isEnded ? undefined : -32602]);
    }
    expect((await service.api("GET", `/v1/webhook-endpoints/${made["subscriptionId"]}`)).status).toBe(404);
  });

  test("needs a scope that a person granted by name", async () => {
    const readers = await mintKey(service, { role: "ai", actor_type: "ai", scopes: ["events:read"] });
    const writers = await mintKey(service, { role: "ai", actor_type: "ai", scopes: [SUBSCRIBE] });
    for (const key of [ai.key, service.key, readers.key, writers.key])
      expect((await ask("events/subscribe", { events: [freshName()], delivery: delivery() }, key)).body).toMatchObject({
        status: 403,
        code: "scope_missing",
      });
  });

  test("is for the roles that may create endpoints, with any credential", async () => {
    const scopes = ["events:read", SUBSCRIBE];
    for (const [role, expected] of [
      ["viewer", "role_not_allowed"],
      ["operator", "role_not_allowed"],
      ["developer", undefined],
    ] as const) {
      const { key } = await mintKey(service, { role, actor_type: "service", scopes });
      const answer = await ask("events/subscribe", { events: [freshName()], delivery: delivery() }, key);
      expect([role, answer.body["code"]]).toEqual([role, expected]);
    }
    for (const blocked of ["webhook_endpoints.create", "webhook_endpoints.filter.*"]) {
      const rights = { permission_mode: "restricted", blocked_actions: [blocked] };
      const { key } = await mintKey(service, { role: "developer", actor_type: "service", scopes, ...rights });
      const filter = { field: "data.a", op: "eq", value: 1 };
      const answer = await ask("events/subscribe", { events: [freshName()], filter, delivery: delivery() }, key);
      expect([blocked, answer.body["code"]]).toEqual([blocked, "action_blocked"]);
    }
  });

  test("refuses unsafe addresses and secrets, and creates nothing", async () => {
    const list = async (): Promise<number> => (await service.api("GET", "/v1/webhook-endpoints")).body["data"].length;
    const before = await list();
    for (const [change, pointer] of [
      [{ mode: "push" }, "/delivery/mode"],
      [{ url: 7 }, "/delivery/url"],
      [{ secret: "whsec_short" }, "/delivery/secret"],
      [{ secret: undefined }, "/delivery/secret"],
    ] as const) {
      const params = { events: [freshName()], delivery: { ...delivery(), ...change } };
      const answer = await ask("events/subscribe", params, subscriber.key);
      expect(answer.body["error"]).toMatchObject({ code: -32602, data: { errors: [{ pointer }] } });
    }
    const blocked = { ...delivery(), url: "http://169.254.169.254/latest" };
    const params = { events: [freshName()], delivery: blocked };
    expect((await ask("events/subscribe", params, subscriber.key)).body["error"]).toMatchObject({
      data: { code: "url_blocked" },
    });
    expect(await list()).toBe(before);
  });

  test("ends with its time, its key or its app, with an audit entry", async () => {
    const person = await joined(service, "developer");
    const app = await connected(service, person, { scope: `events:read ${SUBSCRIBE}` });
    const short = await mintKey(service, { role: "ai", actor_type: "ai", scopes: ["events:read", SUBSCRIBE] });
    const make = async (key: string, more = {}): Promise<string> =>
      (await ask("events/subscribe", { events: [freshName()], delivery: delivery(), ...more }, key)).body["result"][
        "subscriptionId"
      ];
    const ids = [await make(app.access), await make(short.key), await make(subscriber.key, { expiresInSeconds: 1 })];
    await setKey(service, short, { revoked_at: new Date() });
    expect((await person.call("DELETE", `/v1/connected-apps/${app.keyId}`)).status).toBe(204);
    for (const id of ids)
      await expect
        .poll(async () => (await service.api("GET", `/v1/webhook-endpoints/${id}`)).status, { timeout: 30_000 })
        .toBe(404);
    const { text } = await service.api("GET", "/v1/audit?limit=100");
    expect(text).toContain("event_subscriptions.end");
    expect(text).not.toContain(SECRET);
  });

  test("is on the consent page, for roles that may create endpoints", async () => {
    const request = { scope: SUBSCRIBE };
    const [developer, viewer] = [await joined(service, "developer"), await joined(service, "viewer")];
    const { parameters } = await consent(service, developer, request);
    for (const [person, allowed] of [
      [developer, true],
      [viewer, false],
    ] as const) {
      const review = await person.call("POST", "/v1/connected-apps/review", parameters);
      expect(review.body["scopes"]).toMatchObject([
        { name: SUBSCRIBE, description: expect.stringContaining("web addresses that the app chooses"), allowed },
      ]);
    }
  });
});
