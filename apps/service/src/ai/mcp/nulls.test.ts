import { afterAll, beforeAll, expect, test } from "vitest";
import { mintKey } from "../../testing/keys.ts";
import { makeContract } from "../../testing/mcp-contracts.ts";
import { callTool, LEGACY, META, send } from "../../testing/mcp.ts";
import { startReceiver } from "../../testing/receiver.ts";
import type { Receiver } from "../../testing/receiver.ts";
import { startService } from "../../testing/service.ts";
import { UNLIMITED } from "../../testing/subscription.ts";
import type { ApiAnswer, TestService } from "../../testing/test-service.ts";

/** Clients whose language has no absent members write null in place of them. */

let service: TestService;
let backend: Receiver;
let key: string;

beforeAll(async () => {
  service = await startService({ env: UNLIMITED });
  backend = await startReceiver();
  backend.answer((response) => response.writeHead(200, { "Content-Type": "application/json" }).end('{"done":true}'));
  const scopes = ["events:read", "event_subscriptions:write", "actions:write", "proposals:read", "runs:read"];
  ({ key } = await mintKey(service, { role: "ai", actor_type: "ai", scopes }));
});
afterAll(async () => {
  await service.close();
  await backend.close();
});

const SECRET = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
const NAME = "junction_proposal_status";

/** Params of each method, and the same with null where the protocol lets a member be absent. */
const METHODS: readonly (readonly [string, Record<string, unknown>, Record<string, unknown>])[] = [
  ["server/discover", {}, { unheard_of: null }],
  ["tools/list", {}, { cursor: null }],
  ["tools/call", { name: NAME }, { name: NAME, arguments: null, task: null, inputResponses: null, requestState: null }],
  ["tools/call", { name: NAME }, { name: NAME, arguments: { proposal_id: null } }],
  ["tasks/get", { taskId: "x" }, { taskId: "x", cursor: null }],
  ["tasks/update", { taskId: "x" }, { taskId: "x", inputResponses: null, requestState: null }],
  ["tasks/cancel", { taskId: "x" }, { taskId: "x", reason: null }],
  ["events/list", {}, { cursor: null }],
  ["events/poll", {}, { events: null, filter: null, tenant: null, limit: null }],
  ["events/unsubscribe", { subscriptionId: "ep_x" }, { subscriptionId: "ep_x", delivery: null }],
];

function heart({ status, body }: ApiAnswer): unknown {
  const { result, error } = body;
  const { problem: _problem, ...told } = { ...result, ...error };
  // The positions of events and the ids of requests differ between any two answers.
  const words = JSON.stringify(told).replaceAll(/req_\w+|"(cursor|nextCursor)":"[^"]*"/g, "");
  return [status, words.replaceAll(/\\?"request_id\\?":\\?"[^"\\]*/g, "")];
}

test.each(METHODS)("in %s, null is as an absent member", async (method, absent, nulls) => {
  const expected = heart(await send(service, method, absent, { key }));
  expect(heart(await send(service, method, nulls, { key }))).toEqual(expected);
});

test("null is as absent in the description and capabilities of a client", async () => {
  const metas = [
    { progressToken: null, "com.example/trace": null },
    { "io.modelcontextprotocol/clientInfo": null },
    { "io.modelcontextprotocol/clientInfo": { name: "x", version: "1", title: null, icons: null } },
    { "io.modelcontextprotocol/clientCapabilities": null },
    { "io.modelcontextprotocol/clientCapabilities": { roots: null, sampling: { tools: null }, extensions: null } },
  ];
  for (const meta of metas) {
    const answer = await send(service, "tools/list", { _meta: { ...META, ...meta } }, { key });
    expect([meta, answer.status, answer.body["result"]?.tools.length > 0]).toEqual([meta, 200, true]);
  }
});

test.each([LEGACY, "2025-06-18", "2025-03-26", "2024-11-05"])(
  "a client of %s can send null for its params and its capabilities",
  async (version) => {
    const ask = async (method: string, params: unknown): Promise<ApiAnswer> =>
      await service.api(
        "POST",
        "/mcp",
        { jsonrpc: "2.0", ...(method.startsWith("notifications") ? {} : { id: 1 }), method, params },
        { key, headers: { "MCP-Protocol-Version": version } },
      );
    const clientInfo = { name: "x", version: "1", title: null };
    for (const capabilities of [null, { roots: null, sampling: null, experimental: null }]) {
      const opened = await ask("initialize", { protocolVersion: version, capabilities, clientInfo, _meta: null });
      expect(opened.body["result"]).toMatchObject({ protocolVersion: version });
    }
    expect((await ask("notifications/initialized", null)).status).toBe(202);
    expect((await ask("ping", null)).body["result"]).toEqual({});
    expect((await ask("tools/list", null)).body["result"].tools.length).toBeGreaterThan(0);
    const called = await ask("tools/call", { name: NAME, arguments: null, _meta: null });
    expect(called.body["result"]).toMatchObject({ isError: true, structuredContent: { code: "validation_failed" } });
  },
);

test("an argument that is null is omitted, or required by name", async () => {
  const params = { count: { type: "int", required: true }, note: { type: "string", required: false } };
  const { key: action } = await makeContract(service, { endpoint: backend.url, params });
  const tool = String(action).replaceAll(".", "_");
  const ran = await callTool(service, tool, { count: 3, note: null });
  expect(ran).toMatchObject({ isError: false });
  const sent = JSON.parse(String(backend.received.at(-1)?.body));
  expect(sent.parameters).toEqual({ count: 3 });
  const refused = await callTool(service, tool, { count: null });
  expect(refused["content"][0].text).toContain("/count is required");
});

test("a condition with null and the answers of people are kept as they are", async () => {
  const filter = { field: "data.a", op: "eq", value: null };
  const answer = await send(service, "events/poll", { events: ["a.b"], filter }, { key });
  expect(answer.body["result"]).toBeDefined();
  const delivery = { mode: "webhook", url: "http://127.0.0.1:9/", secret: SECRET };
  const refused = await send(service, "events/subscribe", { delivery: { ...delivery, url: null } }, { key });
  expect(refused.body["error"]).toMatchObject({ code: -32602 });
});

test("a value of another type is refused with its pointer, in words of ours", async () => {
  const faults = [
    ["tools/call", { name: NAME, arguments: "x" }, "/arguments", "must be an object"],
    ["tools/call", { name: NAME, arguments: [null] }, "/arguments", "must be an object"],
    ["tools/call", { name: null }, "/name", "is required"],
    ["tools/call", { name: 7 }, "/name", "must be a string"],
    ["tools/list", { cursor: 7 }, "/cursor", "must be a string"],
  ] as const;
  for (const [method, params, pointer, message] of faults) {
    const { text, body } = await send(service, method, params, { key });
    expect(body["error"]).toMatchObject({ code: -32602, data: { errors: [{ pointer, message }] } });
    expect(text).not.toMatch(/Invalid input|received|expected|\\n/);
  }
  const meta = { ...META, "io.modelcontextprotocol/clientInfo": { name: 7, version: "1" } };
  const { text, body } = await send(service, "tools/list", { _meta: meta }, { key });
  expect(body["error"]).toMatchObject({ code: -32602 });
  expect(text).not.toMatch(/Invalid input|received/);
});
