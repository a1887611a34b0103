import { afterAll, beforeAll, expect, test } from "vitest";
import { connectClient, ERAS, LEGACY, MODERN, send } from "../../testing/mcp.ts";
import { sendRaw } from "../../testing/raw-http.ts";
import { startService } from "../../testing/service.ts";
import type { ApiAnswer, TestService } from "../../testing/test-service.ts";

let service: TestService;

beforeAll(async () => {
  service = await startService();
});
afterAll(async () => await service.close());

/** Sends a body unchanged, as clients of the older versions do. */
async function post(body: unknown, headers: Record<string, string> = {}): Promise<ApiAnswer> {
  return await service.api("POST", "/mcp", body, { headers });
}

function initialize(protocolVersion: string, id: unknown = 0): object {
  const clientInfo = { name: "test", version: "1.0.0" };
  return { jsonrpc: "2.0", id, method: "initialize", params: { protocolVersion, capabilities: {}, clientInfo } };
}

test.each(ERAS)("the official client connects by %o, and lists the tools that every key has", async (era) => {
  const client = await connectClient(service, service.key, era);
  expect(client.getServerVersion()).toMatchObject({ name: "junction", title: "Junction" });
  const experimental = { events: { delivery: ["poll", "push", "webhook"] } };
  const events = { "io.modelcontextprotocol/events": {} };
  expect(client.getServerCapabilities()).toEqual(
    era === "legacy"
      ? { tools: {}, experimental, extensions: events, tasks: { cancel: {}, requests: { tools: { call: {} } } } }
      : { tools: {}, experimental, extensions: { ...events, "io.modelcontextprotocol/tasks": {} } },
  );
  expect(client.getInstructions()).toContain("junction_proposal_status");
  expect(client.getNegotiatedProtocolVersion()).toBe(era === "legacy" ? LEGACY : MODERN);
  const names = (await client.listTools()).tools.map(({ name }) => name);
  expect(names).toEqual(["junction_proposal_status", "junction_run_status", "get_recent_events"]);
});

test("an earlier protocol version is accepted, and an unknown one gets the newest", async () => {
  for (const version of ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"])
    expect((await post(initialize(version))).body["result"]["protocolVersion"]).toBe(version);
  for (const version of ["2026-07-28", "1999-01-01", "x"])
    expect((await post(initialize(version))).body["result"]["protocolVersion"]).toBe(LEGACY);
});

test("a session only names the client, a foreign one is ignored", async () => {
  const opened = await post(initialize(LEGACY), { "Mcp-Session-Id": "made-up" });
  expect(opened.headers.get("mcp-session-id")).toMatch(/^[0-9a-f-]{36}\./);
  const listed = await post({ jsonrpc: "2.0", id: "a", method: "tools/list" }, { "Mcp-Session-Id": "another" });
  expect(listed.body).toMatchObject({ id: "a", result: { tools: [{}, {}, {}] } });
});

test("an unsupported version is refused with the supported ones", async () => {
  const message = { jsonrpc: "2.0", id: 4, method: "tools/list", params: { _meta: metaOf("2099-01-01") } };
  const refused = await post(message, { "MCP-Protocol-Version": "2099-01-01", "Mcp-Method": "tools/list" });
  expect([refused.status, refused.body]).toMatchObject([
    400,
    { id: 4, error: { code: -32022, data: { supported: [MODERN], requested: "2099-01-01" } } },
  ]);
  const old = await post({ jsonrpc: "2.0", id: 4, method: "tools/list" }, { "MCP-Protocol-Version": "1999-01-01" });
  expect([old.status, old.body["error"]["message"]]).toEqual([
    400,
    expect.stringContaining("Unsupported protocol version"),
  ]);
});

function metaOf(version: string): object {
  return {
    "io.modelcontextprotocol/protocolVersion": version,
    "io.modelcontextprotocol/clientInfo": { name: "test", version: "1.0.0" },
    "io.modelcontextprotocol/clientCapabilities": {},
  };
}

test("a list may be cached by its client alone, and for no time", async () => {
  const { result } = (await send(service, "tools/list")).body;
  expect(result).toMatchObject({ resultType: "complete", ttlMs: 0, cacheScope: "private" });
  expect(result["_meta"]["io.modelcontextprotocol/serverInfo"]).toMatchObject({ name: "junction" });
});

test("headers that contradict the body are refused because a proxy may act on them", async () => {
  for (const headers of [
    { "Mcp-Name": "other" },
    { "Mcp-Method": "tools/list" },
    { "MCP-Protocol-Version": "2025-11-25" },
  ]) {
    const refused = await send(service, "tools/call", { name: "junction_run_status" }, { headers, id: "h" });
    expect([refused.status, refused.body]).toMatchObject([400, { jsonrpc: "2.0", id: "h", error: { code: -32020 } }]);
  }
});

test("a notification is accepted and has no effect", async () => {
  for (const method of ["notifications/initialized", "notifications/cancelled", "tools/call"]) {
    const params = { requestId: 1, name: "junction_run_status" };
    const answer = await post({ jsonrpc: "2.0", method, params });
    expect([method, answer.status, answer.text]).toEqual([method, 202, ""]);
  }
});

test("both kinds of protocol version report an unknown method", async () => {
  for (const method of ["resources/list", "prompts/get", "sampling/createMessage", "__proto__", "constructor", ""]) {
    const modern = await send(service, method);
    expect([method, modern.status, modern.body["error"]["code"]]).toEqual([method, 404, -32601]);
    const older = await post({ jsonrpc: "2.0", id: 1, method });
    expect([method, older.status, older.body["error"]["code"]]).toEqual([method, 200, -32601]);
  }
});

test("no stream opens: subscriptions are unknown methods, and GET and DELETE are 405", async () => {
  const refused = await send(service, "subscriptions/listen", { notifications: { toolsListChanged: true } });
  expect([refused.status, refused.body["error"]["code"]]).toEqual([404, -32601]);
  for (const method of ["GET", "DELETE", "PUT"]) {
    const answer = await service.api(method, "/mcp", undefined, { headers: { Accept: "text/event-stream" } });
    expect([method, answer.status, answer.headers.get("allow")]).toEqual([method, 405, "POST"]);
  }
});

test("every accepted type gets a JSON response", async () => {
  for (const accept of ["application/json", "*/*", "text/event-stream"]) {
    const answer = await post(initialize(LEGACY), { Accept: accept });
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "application/json; charset=utf-8"]);
  }
});

test("an invalid message is refused and never causes an internal error", async () => {
  const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "junction_run_status" } };
  const bad = [
    [call, call],
    [],
    7,
    null,
    '"x"',
    {},
    { ...call, id: null },
    { ...call, id: 1.5 },
    { ...call, id: {} },
    { ...call, id: [1] },
    { ...call, jsonrpc: "1.0" },
    { ...call, jsonrpc: undefined },
    { ...call, method: 7 },
    { ...call, params: [] },
    { ...call, params: "x" },
    { ...call, params: { name: 7 } },
    { ...call, params: { name: "junction_run_status", arguments: [] } },
    { ...call, params: { name: "junction_run_status", arguments: "x" } },
    { ...call, params: { name: "junction_run_status", _meta: 7 } },
  ];
  for (const body of bad) {
    const answer = await post(body);
    const { error, result } = answer.body;
    expect([JSON.stringify(body), result, error?.["code"] < -32000]).toEqual([JSON.stringify(body), undefined, true]);
    expect([200, 400]).toContain(answer.status);
  }
});

test("a batch is refused because each call needs its own access check", async () => {
  const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "junction_run_status", arguments: {} } };
  const answer = await post([call, { ...call, id: 2 }]);
  expect([answer.status, answer.body]).toMatchObject([400, { id: null, error: { code: -32600 } }]);
});

test("a body that is not strict JSON is refused as everywhere", async () => {
  const deep = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${'{"a":'.repeat(10_000)}1${"}".repeat(10_000)}}`;
  const twice = '{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}';
  for (const body of ["{", deep, twice, '{"jsonrpc":"2.0","id":1,"method":"ping",}', "\ufeff{}"]) {
    const answer = await post(body);
    expect([body.slice(0, 50), answer.status, answer.body["code"]]).toEqual([body.slice(0, 50), 400, "malformed_json"]);
  }
  const huge = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping", params: { x: "x".repeat(256 * 1024) } });
  expect((await post(huge)).body).toMatchObject({ status: 413, code: "payload_too_large" });
  expect((await post({}, { "Content-Type": "text/plain" })).body).toMatchObject({ code: "unsupported_media_type" });
  const headers = { Authorization: `Bearer ${service.key}`, "Content-Type": "application/json" };
  const empty = await sendRaw(service.baseUrl, { method: "POST", path: "/mcp", headers });
  expect([empty.status, empty.body["code"]]).toEqual([400, "malformed_json"]);
});

test("concurrent requests with the same id each get their own response", async () => {
  const answers = await Promise.all(
    Array.from(
      { length: 20 },
      async (_, at) => await send(service, at % 2 === 0 ? "tools/list" : "server/discover", {}, { id: "same" }),
    ),
  );
  for (const [at, { body }] of answers.entries()) {
    expect(body["id"]).toBe("same");
    expect(Object.keys(body["result"])).toContain(at % 2 === 0 ? "tools" : "supportedVersions");
  }
});

test("names with a meaning in JavaScript have no effect", async () => {
  const body =
    '{"jsonrpc":"2.0","id":"__proto__","method":"tools/call","params":{"name":"__proto__","arguments":{"__proto__":{"isError":false}}}}';
  const answer = await post(body);
  expect(answer.body["id"]).toBe("__proto__");
  expect(answer.body["result"]).toMatchObject({ isError: true, structuredContent: { code: "action_unknown" } });
  const widened = await post(body.replace('"name"', '"__proto__":{"x":1},"name"'));
  expect(widened.body["error"]).toMatchObject({ code: -32602, data: { errors: [{ pointer: "/__proto__" }] } });
});
