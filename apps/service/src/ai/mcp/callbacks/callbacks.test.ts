import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { mintKey } from "../../../testing/keys.ts";
import { callbackTests, OTHER_SECRET } from "../../../testing/mcp-callbacks.ts";
import { startService } from "../../../testing/service.ts";
import { SHORT_LADDER } from "../../../testing/subscription.ts";
import type { Parsed, TestService } from "../../../testing/test-service.ts";

/** The client does what ChatGPT and the public bridges do. */

let service: TestService;

beforeAll(async () => {
  service = await startService({ env: SHORT_LADDER });
});
afterAll(async () => await service.close());

const tests = callbackTests(() => service);
const HOUR_MS = 3_600_000;
const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};
const HEADERS = {
  "Content-Type": "application/json",
  "MCP-Protocol-Version": "2026-07-28",
  "Mcp-Method": "events/subscribe",
};

describe("discovery", () => {
  test("the capability is where ChatGPT, SEP-3415 and the experimental clients look for it", async () => {
    const capabilities = {
      events: {},
      extensions: { "io.modelcontextprotocol/events": {} },
      experimental: { events: { delivery: ["poll", "push", "webhook"] } },
    };
    expect((await tests.client.ask("server/discover")).result).toMatchObject({ capabilities });
    const legacy = await tests.open({ protocol: "2025-11-25" });
    const clientInfo = { name: "x", version: "1" };
    const opened = await legacy.ask("initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo });
    expect(opened.result).toMatchObject({ capabilities });
  });

  test("events/list gives arguments by path, and requires nothing of data that is not enforced", async () => {
    const schema = {
      type: "object",
      required: ["total"],
      properties: {
        total: { type: "number", minimum: 0, description: "The price." },
        tenant: { type: "string" },
        by: {
          type: "object",
          required: ["id"],
          properties: { id: { type: ["string", "null"] }, roles: { type: "array" } },
        },
        a: {
          type: "object",
          properties: {
            b: {
              type: "object",
              properties: { c: { type: "boolean" }, d: { type: "object", properties: { e: { type: "string" } } } },
            },
          },
        },
      },
    };
    const [free, enforced] = [await tests.typed(schema), await tests.typed(schema, { enforcement: "refuse" })];
    const listed = new Map((await everyType()).map((one) => [one["name"], one]));
    const { inputSchema, payloadSchema, delivery } = listed.get(free);
    expect(delivery).toEqual(["webhook"]);
    expect(inputSchema).toEqual({
      type: "object",
      additionalProperties: false,
      properties: {
        total: { type: "number", description: "The price." },
        "data.tenant": { type: "string" },
        "by.id": { type: "string" },
        "a.b.c": { type: "boolean" },
        tenant: expect.objectContaining({ type: "string" }),
        subject: expect.objectContaining({ type: "string" }),
        filter: expect.objectContaining({ type: "object" }),
      },
    });
    expect(JSON.stringify(payloadSchema)).not.toMatch(/required|minimum/);
    expect(payloadSchema.properties.total).toEqual({ type: "number", description: "The price." });
    expect(listed.get(enforced).payloadSchema).toMatchObject(schema);
  });

  async function everyType(): Promise<Parsed[]> {
    const all: Parsed[] = [];
    for (let cursor: unknown; ;) {
      const { result } = await tests.client.ask("events/list", cursor === undefined ? {} : { cursor });
      all.push(...(result?.["events"] as Parsed[]));
      cursor = result?.["nextCursor"];
      if (cursor === undefined) return all;
    }
  }
});

describe("events/subscribe", () => {
  test("challenges the callback once, and then delivers signed events until the client unsubscribes", async () => {
    const name = await tests.typed();
    const made = await tests.client.subscribe(name);
    expect(made.result).toMatchObject({
      id: expect.stringMatching(/^sub_[0-9a-f]{40}$/),
      cursor: null,
      truncated: false,
    });
    expect(Date.parse(String(made.result?.["refreshBefore"])) - Date.now()).toBeGreaterThan(23 * HOUR_MS);
    await tests.client.subscribe(await tests.typed());
    expect(tests.client.challenges).toMatchObject([{ faults: [] }]);
    const id = await tests.fire(name, { n: 1 });
    const [got] = await tests.client.count(1);
    expect(got).toMatchObject({ faults: [], event: { eventId: id, name, data: { n: 1 }, cursor: null } });
    expect(got?.headers["x-mcp-subscription-id"]).toBe(made.result?.["id"]);
    expect((await tests.client.unsubscribe(name)).result).toMatchObject({ resultType: "complete" });
    expect((await tests.client.unsubscribe(name)).result).toMatchObject({ resultType: "complete" });
    expect((await tests.client.unsubscribe("never.heard")).result).toMatchObject({ resultType: "complete" });
    await tests.fire(name, { n: 2 });
    expect((await tests.client.subscribe(name)).result?.["id"]).toBe(made.result?.["id"]);
    await tests.fire(name, { n: 3 });
    expect((await tests.client.count(2)).map(({ event }) => (event["data"] as Parsed)["n"])).toEqual([1, 3]);
  });

  test("the digits of the data arrive as they were fired", async () => {
    const name = await tests.typed();
    await tests.client.subscribe(name);
    await service.api("POST", "/v1/events/fire", `{"event":"${name}","data":{"n":1.10,"big":12345678901234567890}}`, {
      headers: { "Content-Type": "application/json" },
    });
    const [got] = await tests.client.count(1);
    expect(got?.body).toContain('"data":{"n":1.10,"big":12345678901234567890}');
  });

  test("arguments select by the data, the tenant, the subject and a filter together", async () => {
    const schema = {
      type: "object",
      properties: { total: { type: "number" }, by: { type: "object", properties: { id: { type: "string" } } } },
    };
    const name = await tests.typed(schema);
    const filter = { field: "data.total", op: "gt", value: 10 };
    await tests.client.subscribe(name, { "by.id": "u1", tenant: "acme", subject: "order:1", filter });
    const data = { total: 20, by: { id: "u1" } };
    const about = { tenant: "acme", subject: "order:1" };
    for (const [body, more] of [
      [{ ...data, by: { id: "u2" } }, about],
      [{ ...data, total: 5 }, about],
      [data, { ...about, tenant: "other" }],
      [data, { ...about, subject: "order:2" }],
      [data, { tenant: "acme" }],
    ] as const)
      await tests.fire(name, body, more);
    const id = await tests.fire(name, data, about);
    const [first] = await tests.client.count(1);
    expect(first?.event["eventId"]).toBe(id);
    expect((await tests.endpoints()).find(({ wire }) => wire === "mcp")).toMatchObject({ tenant: null });
  });

  test("the same call in another order refreshes; other digits are another subscription", async () => {
    const name = await tests.typed({ type: "object", properties: { n: { type: "number" }, m: { type: "number" } } });
    const raw = async (args: string): Promise<unknown> => {
      const params = JSON.stringify({
        name,
        delivery: { mode: "webhook", url: tests.client.url, secret: OTHER_SECRET },
        _meta: META,
      });
      const answer = await service.api(
        "POST",
        "/mcp",
        `{"jsonrpc":"2.0","id":1,"method":"events/subscribe","params":${params.slice(0, -1)},"arguments":${args}}}`,
        { key: tests.key.key, headers: HEADERS },
      );
      return answer.body["result"]?.id;
    };
    const first = await raw('{"n":1,"m":2}');
    expect(await raw('{"m":2.0,"n":1,"tenant":null}')).toBe(first);
    const big = await raw('{"n":9007199254740992}');
    expect(await raw('{"n":9007199254740993}')).not.toBe(big);
    expect(new Set([await raw("{}"), await raw("null")]).size).toBe(1);
  });

  test("the time of a subscription is bounded and never refused as a number", async () => {
    const name = await tests.typed();
    for (const [ttlMs, hours] of [
      [1, 1],
      [-5, 1],
      [1e300, 720],
      [7_200_000.5, 2],
    ] as const) {
      const { result } = await tests.client.subscribe(name, undefined, { ttlMs });
      expect(Math.round((Date.parse(String(result?.["refreshBefore"])) - Date.now()) / HOUR_MS)).toBe(hours);
    }
    expect((await tests.client.subscribe(name, undefined, { ttlMs: "soon" })).error).toMatchObject({ code: -32602 });
  });

  test("clients whose language has only null subscribe, refresh and unsubscribe", async () => {
    const python = await tests.open({ absent: "null" });
    const name = await tests.typed();
    const made = await python.subscribe(name);
    expect((await python.subscribe(name)).result?.["id"]).toBe(made.result?.["id"]);
    expect(made.result?.["refreshBefore"]).toEqual(expect.any(String));
    expect((await python.unsubscribe(name)).result).toMatchObject({ resultType: "complete" });
  });

  test("the protocol versions with a handshake have the same methods", async () => {
    const legacy = await tests.open({ protocol: "2025-11-25" });
    const name = await tests.typed();
    expect((await legacy.subscribe(name)).result).toMatchObject({ id: expect.stringMatching(/^sub_/), cursor: null });
    await tests.fire(name);
    expect(await legacy.count(1)).toMatchObject([{ faults: [] }]);
  });
});

describe("what the service does not know", () => {
  test("is refused by name, never ignored, and stores nothing", async () => {
    const name = await tests.typed({ type: "object", properties: { n: { type: "integer" } } });
    const before = (await tests.endpoints()).length;
    const refused: readonly (readonly [unknown, unknown, string])[] = [
      [{ unheard: "x" }, {}, "/arguments/unheard"],
      [{ n: "1" }, {}, "/arguments/n"],
      [{ n: 1.5 }, {}, "/arguments/n"],
      [{ tenant: ".." }, {}, "/arguments/tenant"],
      [{ subject: 7 }, {}, "/arguments/subject"],
      [{ filter: { field: "contact.email", op: "eq", value: 1 } }, {}, "/arguments/filter/field"],
      [{ filter: { field: "subject", op: "eq", value: "x" } }, {}, "/arguments/filter/field"],
      [[], {}, "/arguments"],
      ["x", {}, "/arguments"],
      [undefined, { events: ["*"] }, "/events"],
      [undefined, { filter: {} }, "/filter"],
      [undefined, { expiresInSeconds: 60 }, "/expiresInSeconds"],
      [undefined, { delivery: { mode: "webhook", url: tests.client.url, secret: "whsec_short" } }, "/delivery/secret"],
      [undefined, { delivery: { mode: "webhook", url: tests.client.url } }, "/delivery/secret"],
      [undefined, { delivery: { mode: "webhook", url: "x", secret: OTHER_SECRET } }, "/delivery/url"],
      [undefined, { delivery: { mode: "pigeon", url: tests.client.url, secret: OTHER_SECRET } }, "/delivery/mode"],
      [
        undefined,
        { delivery: { mode: "webhook", url: tests.client.url, secret: OTHER_SECRET, headers: {} } },
        "/delivery/headers",
      ],
    ];
    for (const [given, more, pointer] of refused) {
      const { error } = await tests.client.subscribe(
        name,
        given as Record<string, unknown>,
        more as Record<string, unknown>,
      );
      expect([pointer, error?.code, (error?.data?.["errors"] as Parsed)?.[0].pointer]).toEqual([
        pointer,
        -32602,
        pointer,
      ]);
    }
    for (const unknown of ["order.*", "*", "never.heard", "ORDER.CREATED"])
      expect((await tests.client.subscribe(unknown)).error).toMatchObject({ code: -32011, data: { kind: "event" } });
    for (const [more, feature] of [
      [{ cursor: "abc" }, "cursor"],
      [{ delivery: { mode: "poll" } }, "delivery.mode"],
    ] as const)
      expect((await tests.client.subscribe(name, undefined, more)).error).toMatchObject({
        code: -32014,
        data: { feature },
      });
    expect((await tests.client.ask("events/subscribe", { delivery: {} })).error?.code).toBe(-32602);
    expect(
      (
        await tests.client.ask("events/unsubscribe", {
          name,
          delivery: { url: tests.client.url, secret: OTHER_SECRET },
        })
      ).error,
    ).toMatchObject({ code: -32602 });
    expect([(await tests.endpoints()).length, tests.client.challenges.length]).toEqual([before, 0]);
  });

  test("needs the scope by name, as the experimental form does", async () => {
    const name = await tests.typed();
    const all = await mintKey(service, { role: "ai", actor_type: "ai" });
    for (const token of [all.key, service.key]) {
      const other = await tests.open({ token });
      expect((await other.subscribe(name)).body).toMatchObject({ status: 403, code: "scope_missing" });
      expect(other.challenges).toEqual([]);
    }
  });
});
