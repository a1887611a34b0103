import { afterAll, beforeAll, expect, test } from "vitest";
import { isRecord } from "../../lib/lib.ts";
import { mintKey } from "../../testing/keys.ts";
import { CAPABLE, META, send } from "../../testing/mcp.ts";
import { startService } from "../../testing/service.ts";
import { UNLIMITED } from "../../testing/subscription.ts";
import type { ApiAnswer, TestService } from "../../testing/test-service.ts";

let service: TestService;
let key: string;

beforeAll(async () => {
  service = await startService({ env: UNLIMITED });
  const scopes = ["events:read", "event_subscriptions:write", "actions:write", "proposals:read", "runs:read"];
  ({ key } = await mintKey(service, { role: "ai", actor_type: "ai", scopes }));
});
afterAll(async () => await service.close());

const SECRET = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
const delivery = { mode: "webhook", url: "http://127.0.0.1:9/", secret: SECRET };
const filter = { field: "data.a", op: "eq", value: 1 };

/** A message of each method that is understood. */
const METHODS: Readonly<Record<string, Record<string, unknown>>> = {
  "tools/list": {},
  "tools/call": { name: "junction_run_status", arguments: { run_id: "run_x" } },
  "tasks/get": { taskId: "x" },
  "tasks/update": { taskId: "x" },
  "tasks/cancel": { taskId: "x" },
  "events/list": {},
  "events/poll": { events: ["a.b"], filter },
  "events/stream": { events: ["a.b"], filter, maxSeconds: 1 },
  "events/subscribe": { events: ["a.b"], filter, delivery },
  "events/unsubscribe": { subscriptionId: "ep_x" },
};

/** The objects that are open: what a proxy adds, and what the protocol lets a client say about itself. */
const OPEN: ReadonlySet<string> = new Set(["_meta"]);

interface Changed {
  readonly path: string;
  readonly params: Record<string, unknown>;
}

/** Returns a value with an unknown member, once for each of its objects. */
function withUnknown(value: Record<string, unknown>, path = ""): Changed[] {
  const here = { path: `${path}/unheard_of`, params: { ...value, unheard_of: ["x"] } };
  const below = Object.entries(value).flatMap(([name, member]) =>
    isRecord(member) && !OPEN.has(name)
      ? withUnknown(member, `${path}/${name}`).map((one) => ({ ...one, params: { ...value, [name]: one.params } }))
      : [],
  );
  return [here, ...below];
}

function isRefused({ status, body }: ApiAnswer): boolean {
  const { error, result } = body;
  if (status >= 400 && status < 500) return true;
  return error === undefined ? result?.structuredContent?.status === 422 : error.code === -32602;
}

test.each(Object.entries(METHODS))(
  "an unknown member of %s is refused at every level, by name",
  async (method, params) => {
    for (const { path, params: changed } of withUnknown(params)) {
      const answer = await send(service, method, changed, { key });
      expect([path, answer.text, isRefused(answer)]).toEqual([path, expect.stringContaining("unheard_of"), true]);
    }
    expect(await endpoints()).toBe(0);
  },
);

test("a subscription or a poll of another dialect is refused, and never selects everything", async () => {
  const others = [
    { types: ["order.created"] },
    { type: "order.created" },
    { name: "order.created", events: ["order.created"] },
    { name: "order.created", arguments: { id: "x" } },
    { filter: { types: ["order.created"] } },
    { filter: { events: ["order.created"] } },
    { filters: { name: "order.created" } },
    { filter: "order.created" },
    { filter: [] },
    { filter: {} },
    { events: [] },
    { events: "order.created" },
    { events: { name: "order.created" } },
    { events: [""] },
    { events: ["order.created", 7] },
    { events: [{ name: "order.created" }] },
    { event: "order.created" },
    { topics: ["order.created"] },
    { tenants: ["acme"] },
    { tenant_id: "acme" },
    { tenant: ["acme"] },
    { tenant: "" },
    { subscription: { events: ["order.created"] } },
  ];
  for (const other of others) {
    for (const [method, more] of [
      ["events/subscribe", { delivery }],
      ["events/poll", {}],
      ["events/stream", {}],
    ] as const) {
      const answer = await send(service, method, { ...more, ...other }, { key });
      expect([method, other, answer.status, answer.body["error"]?.code]).toEqual([method, other, 200, -32602]);
    }
  }
  expect(await endpoints()).toBe(0);
});

test("params and arguments of another type are refused, in both versions of the protocol", async () => {
  for (const method of Object.keys(METHODS)) {
    for (const params of [[], "x", 7]) {
      for (const version of ["2026-07-28", "2025-11-25"]) {
        const headers = { "MCP-Protocol-Version": version, "Mcp-Method": method };
        const answer = await service.api("POST", "/mcp", { jsonrpc: "2.0", id: 1, method, params }, { key, headers });
        expect([method, params, answer.status >= 400 || answer.body["error"] !== undefined]).toEqual([
          method,
          params,
          true,
        ]);
      }
    }
  }
  for (const given of [[], "x", 7]) {
    const answer = await send(service, "tools/call", { name: "junction_run_status", arguments: given }, { key });
    expect([given, answer.body["result"]]).toEqual([given, undefined]);
  }
  for (const cursor of [7, {}, []]) {
    for (const method of ["tools/list", "events/list"])
      expect([cursor, (await send(service, method, { cursor }, { key })).body["result"]]).toEqual([cursor, undefined]);
  }
});

test("members of `_meta` and of a client's description of itself are not refused", async () => {
  const info = { name: "x", version: "1", title: "X", websiteUrl: "https://x.example", icons: [], unheard_of: 1 };
  for (const meta of [META, CAPABLE]) {
    const _meta = { ...meta, progressToken: 1, "com.example/trace": "t", "io.modelcontextprotocol/clientInfo": info };
    expect((await send(service, "tools/list", { _meta }, { key })).body["result"]).toBeDefined();
  }
});

async function endpoints(): Promise<number> {
  return (await service.api("GET", "/v1/webhook-endpoints")).body["data"].length;
}
