import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { instant } from "../lib/lib.ts";
import type { Clock } from "../lib/lib.ts";
import { mintKey } from "../testing/keys.ts";
import { CAPABLE, connectClient, ERAS, send } from "../testing/mcp.ts";
import { askToken, createToken, openPortal } from "../testing/mcp-tokens.ts";
import { callOperatorTool, OPERATOR_PATH } from "../testing/operator-tools.ts";
import { outcome } from "../testing/people.ts";
import { startService } from "../testing/service.ts";
import { UNLIMITED } from "../testing/subscription.ts";
import type { ApiAnswer, Parsed, TestService } from "../testing/test-service.ts";

let shiftMs = 0;
const clock: Clock = { now: () => instant(Date.now() + shiftMs), monotonicMs: () => performance.now() };
let service: TestService;
const hook = { url: "http://127.0.0.1:9/assistant", events: ["assistant.test"] };

beforeAll(async () => {
  service = await startService({ env: UNLIMITED, deps: { clock } });
  await service.api("POST", "/v1/event-types", { name: "assistant.test" });
});
beforeEach(async () => {
  shiftMs = 0;
  await service.database.query("delete from rate_window");
});
afterAll(async () => await service.close());

/** Returns the actions of each tool that has some. */
async function toolsOf(key: string): Promise<Record<string, string[]>> {
  const answer = await send(service, "tools/list", {}, { key, path: OPERATOR_PATH });
  const tools: Parsed[] = answer.body["result"]["tools"];
  const actions = tools.map(({ name, inputSchema }) => [name, inputSchema.properties.action?.enum]);
  return Object.fromEntries(actions.filter(([, names]) => names !== undefined));
}

async function approve({ id, params_hash: hash }: Parsed): Promise<ApiAnswer> {
  return await service.api("POST", `/v1/proposals/${id}/approve`, { params_hash: hash });
}

async function endpointOf(tenant: string): Promise<string> {
  return (await service.api("POST", "/v1/webhook-endpoints", { ...hook, tenant })).body["id"];
}

test("a customer creates a token, and its client works for this customer", async () => {
  const [own, foreign] = [await endpointOf("acme"), await endpointOf("umbrella")];
  const portal = await openPortal(service);
  const made = await createToken(service, portal.key, { expires_in_seconds: 7200 });
  expect(made).toMatchObject({
    object: "mcp_token",
    id: expect.stringMatching(/^key_/),
    name: "Claude",
    tenant: "acme",
    state: "active",
    token: expect.stringMatching(/^jn_live_/),
    url: `${service.baseUrl}/mcp?toolset=operator`,
  });
  expect(Date.parse(made["expires_at"]) - Date.now()).toBeGreaterThan(7_000_000);
  const listed = await callOperatorTool(service, made["token"], "endpoints_read", { action: "list" });
  const ids = listed["structuredContent"].data.map(({ id }: Parsed) => id);
  expect([ids.includes(own), ids.includes(foreign)]).toEqual([true, false]);
});

test("the official client lists and calls the tools with a token", async () => {
  const { token } = await createToken(service, (await openPortal(service, { tenant: "clients" })).key);
  for (const era of ERAS) {
    const client = await connectClient(service, token, era, OPERATOR_PATH);
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain("deliveries_read");
    const answer = await client.callTool({ name: "endpoints_read", arguments: { action: "list" } });
    expect(answer.isError).toBe(false);
  }
});

test("the tools of a token are those of its capabilities", async () => {
  const portal = await openPortal(service, { tenant: "narrow" });
  const tools = async (...capabilities: string[]): Promise<Record<string, string[]>> =>
    await toolsOf((await createToken(service, portal.key, { capabilities }))["token"]);
  expect(await tools("deliveries")).toEqual({
    deliveries_read: ["list", "get", "attempts"],
    endpoints_read: ["list", "get"],
    events_read: ["get"],
  });
  expect(await tools("event_types")).toEqual({ events_read: ["types", "type"] });
  expect(await tools("endpoints")).toEqual({
    endpoints_read: ["list", "get", "stats"],
    endpoints_write: ["create", "update", "toggle", "delete"],
  });
  expect(await tools("replay", "secrets", "filters")).toEqual({
    deliveries_read: ["list", "get", "attempts"],
    deliveries_write: ["replay", "cancel", "replay_failed"],
    endpoints_read: ["list", "get", "explain"],
    endpoints_write: ["update", "rotate_secret"],
    events_read: ["get"],
  });
});

describe("a write of a token in live", () => {
  test("waits for a person of the workspace, and then belongs to the customer", async () => {
    const portal = await openPortal(service, { tenant: "writes" });
    const { token } = await createToken(service, portal.key);
    const args = { action: "create", ...hook };
    const asked = await callOperatorTool(service, token, "endpoints_write", args);
    const { proposal } = asked["structuredContent"];
    expect(proposal.proposer).toMatchObject({ type: "ai", display: "MCP token of writes: Claude" });
    expect((await service.api("GET", "/v1/webhook-endpoints?tenant=writes")).body["data"]).toEqual([]);
    const answer = await approve(proposal);
    expect([answer.status, answer.body["run"]?.status]).toEqual([200, "executed"]);
    expect(answer.text).not.toContain("whsec_");
    const { id, tenant } = answer.body["run"].result;
    expect(tenant).toBe("writes");
    // The customer reads the secret in the portal.
    const secret = await service.api("GET", `/v1/webhook-endpoints/${id}/secret`, undefined, { key: portal.key });
    expect(secret.body["secret"]).toMatch(/^whsec_/);
    const audit = await service.api("GET", "/v1/audit?tenant=writes&limit=100");
    const actions = audit.body["data"].map(({ action }: Parsed) => action);
    expect(actions).toContain("mcp_tokens.create");
    expect(actions).toContain("webhook_endpoints.create");
    expect(audit.text).not.toContain(token);
  });

  test("is a task that its token alone follows and cancels", async () => {
    const endpoint = await endpointOf("tasks");
    const { token } = await createToken(service, (await openPortal(service, { tenant: "tasks" })).key);
    const neighbour = await createToken(service, (await openPortal(service, { tenant: "tasks2" })).key);
    const params = { _meta: CAPABLE, name: "endpoints_write", arguments: { action: "toggle", id: endpoint } };
    const { result } = (await send(service, "tools/call", params, { key: token, path: OPERATOR_PATH })).body;
    expect(result).toMatchObject({ resultType: "task", status: "working" });
    const follow = async (method: string, key: string): Promise<Parsed> =>
      (await send(service, method, { taskId: result.taskId }, { key, path: OPERATOR_PATH })).body;
    for (const method of ["tasks/get", "tasks/cancel"])
      expect((await follow(method, neighbour["token"]))["error"].message).toContain("Unknown task");
    expect((await follow("tasks/get", token))["result"].status).toBe("working");
    await follow("tasks/cancel", token);
    expect((await follow("tasks/get", token))["result"].status).toBe("cancelled");
  });
});

test("a write of a token in the sandbox is done at once", async () => {
  const portal = await openPortal(service, { tenant: "sandboxed", maker: service.sandboxKey });
  const { token } = await createToken(service, portal.key);
  expect(token).toMatch(/^jn_test_/);
  const made = await callOperatorTool(service, token, "endpoints_write", { action: "create", ...hook });
  expect(made["structuredContent"]).toMatchObject({ tenant: "sandboxed", environment: "sandbox" });
});

test("the workspace and the customer list and revoke the tokens, which are shown once", async () => {
  const portal = await openPortal(service, { tenant: "listed" });
  const [first, second] = [
    await createToken(service, portal.key, { name: "Claude" }),
    await createToken(service, service.key, { name: "Cursor", tenant: "listed", capabilities: ["deliveries"] }),
  ];
  await callOperatorTool(service, first["token"], "endpoints_read", { action: "list" });
  for (const key of [portal.key, service.key]) {
    const list = await service.api("GET", "/v1/mcp-tokens?tenant=listed", undefined, { key });
    expect(list.body["data"]).toMatchObject([
      { id: second["id"], name: "Cursor", capabilities: ["deliveries"], state: "active" },
      { id: first["id"], name: "Claude", state: "active" },
    ]);
    for (const { token } of [first, second]) expect(list.text).not.toContain(token);
  }
  const revoke = async (id: string, key: string): Promise<string> =>
    outcome(await service.api("POST", `/v1/mcp-tokens/${id}/revoke`, undefined, { key }));
  expect([await revoke(first["id"], service.key), await revoke(second["id"], portal.key)]).toEqual(["200", "200"]);
  const { body } = await service.api("GET", "/v1/mcp-tokens?tenant=listed");
  expect(body["data"].map(({ state }: Parsed) => state)).toEqual(["revoked", "revoked"]);
  for (const { token } of [first, second])
    expect(outcome(await send(service, "tools/list", {}, { key: token, path: OPERATOR_PATH }))).toBe("401 key_revoked");
  const rows = await service.database.query(
    "select row_to_json(k)::text as row from api_key k where actor_type = 'ai'",
  );
  expect(JSON.stringify(rows)).not.toContain(first["token"]);
  expect((await service.api("GET", "/v1/portal-sessions?tenant=listed")).body["data"]).toHaveLength(1);
});

test("a token is among the tenant's keys, which cannot change or roll it", async () => {
  const { id } = await createToken(service, service.key, { tenant: "keyed" });
  const { body } = await service.api("GET", "/v1/keys?tenant=keyed");
  expect(body["data"]).toMatchObject([{ id, name: "MCP token of keyed: Claude", actor_type: "ai", tenant: "keyed" }]);
  expect((await service.api("GET", "/v1/tenants/keyed")).body["keys"]).toBe(1);
  const change = { permission_mode: "all", scopes: null };
  expect(outcome(await service.api("PATCH", `/v1/keys/${id}`, change))).toBe("409 conflict");
  expect(outcome(await service.api("POST", `/v1/keys/${id}/roll`, {}))).toBe("409 conflict");
  expect(outcome(await service.api("POST", `/v1/keys/${id}/revoke`))).toBe("200");
  const { body: list } = await service.api("GET", "/v1/mcp-tokens?tenant=keyed");
  expect(list["data"]).toMatchObject([{ id, state: "revoked" }]);
});

test("a token outlasts its session, and ends at its own time", async () => {
  const portal = await openPortal(service, { tenant: "lasting", seconds: 60 });
  const { token } = await createToken(service, portal.key, { expires_in_seconds: 7200 });
  const isAlive = async (): Promise<string> =>
    outcome(await send(service, "tools/list", {}, { key: token, path: OPERATOR_PATH }));
  shiftMs = 7_100_000;
  expect([await isAlive(), outcome(await askToken(service, portal.key))]).toEqual(["200", "401 key_expired"]);
  shiftMs = 7_300_000;
  expect(await isAlive()).toBe("401 key_expired");
  const { body } = await service.api("GET", "/v1/mcp-tokens?tenant=lasting");
  expect(body["data"]).toMatchObject([{ state: "expired" }]);
});

test("a key with an expiry makes no token beyond it", async () => {
  const expires = new Date(Date.now() + 7_200_000).toISOString();
  const maker = await mintKey(service, { expires_at: expires });
  const made = await createToken(service, maker.key, { tenant: "limited", expires_in_seconds: 86_400 });
  expect(Date.parse(made["expires_at"])).toBeLessThanOrEqual(Date.parse(expires));
});

test("bad input is refused with the pointer of each fault", async () => {
  const cases: readonly (readonly [object, string])[] = [
    [{ tenant: undefined }, "/tenant"],
    [{ tenant: "a b" }, "/tenant"],
    [{ name: "" }, "/name"],
    [{ name: "\u200B" }, "/name"],
    [{ capabilities: [] }, "/capabilities"],
    [{ capabilities: ["mcp_tokens"] }, "/capabilities/0"],
    [{ capabilities: ["ops:write"] }, "/capabilities/0"],
    [{ expires_in_seconds: 3599 }, "/expires_in_seconds"],
    [{ expires_in_seconds: 7_776_001 }, "/expires_in_seconds"],
    [{ scopes: ["ops:write"] }, "/scopes"],
  ];
  for (const [spec, pointer] of cases) {
    const { status, body } = await askToken(service, service.key, { tenant: "bad", ...spec });
    expect([spec, status, body["errors"]?.[0]?.pointer]).toEqual([spec, 422, pointer]);
  }
});
