import pg from "pg";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { mintKey, otherWorkspace } from "../../testing/keys.ts";
import { makeContract } from "../../testing/mcp-contracts.ts";
import { callTool, META, send } from "../../testing/mcp.ts";
import { connected } from "../../testing/oauth.ts";
import { agentKey, callOperatorTool } from "../../testing/operator-tools.ts";
import { joined, signIn } from "../../testing/people.ts";
import { startReceiver } from "../../testing/receiver.ts";
import type { Receiver } from "../../testing/receiver.ts";
import { startService } from "../../testing/service.ts";
import { UNLIMITED } from "../../testing/subscription.ts";
import type { Parsed, TestService } from "../../testing/test-service.ts";

/** The AI history counts what writes no exchange: polls, reads, dry runs and refusals (contract, section 7). */

let service: TestService;
let receiver: Receiver;

beforeAll(async () => {
  [service, receiver] = await Promise.all([startService({ env: UNLIMITED }), startReceiver()]);
  receiver.answer((response) => response.writeHead(200, { "Content-Type": "application/json" }).end('{"done":true}'));
});
afterAll(async () => {
  await service.close();
  await receiver.close();
});

const mcpKey = async (more: Record<string, unknown> = {}) =>
  await mintKey(service, { name: "Support agent", role: "ai", actor_type: "ai", ...more });

/** Returns the entries that match a query, newest first. */
async function entries(query: string, key = service.key): Promise<Parsed[]> {
  const { status, body } = await service.api("GET", `/v1/ai-history?limit=100&${query}`, undefined, { key });
  expect(status).toBe(200);
  return body.data;
}

/** Returns of each entry what it counts. */
async function counted(query: string): Promise<unknown[]> {
  const found = await entries(query);
  return found.map((one) => [one.kind, one.tool_calls[0]?.name ?? null, one.status, one.error_code, one.count]);
}

function named(name: string, version = "1"): Record<string, unknown> {
  return { _meta: { ...META, "io.modelcontextprotocol/clientInfo": { name, version } } };
}

test("polls of a proposal are one entry with client, key and action", async () => {
  const key = await mcpKey();
  const { key: action } = await makeContract(service, { requires_confirmation: true, endpoint: receiver.url });
  const { proposal } = (await callTool(service, action, { note: "x" }, { key: key.key }))["structuredContent"];
  for (let n = 0; n < 5; n += 1)
    await callTool(service, "junction_proposal_status", { proposal_id: proposal.id }, { key: key.key });
  const [polls, call, ...others] = await entries(`key_id=${key.id}`);
  expect(others).toEqual([]);
  expect(polls).toMatchObject({
    source: "mcp",
    kind: "poll",
    client: "test 1.0.0",
    count: 5,
    status: "ok",
    actor: { type: "ai", display: "Support agent", key_id: key.id },
    target: { id: proposal.id, name: action },
    tool_calls: [{ name: "junction_proposal_status" }],
    results: [],
  });
  expect(polls.last_at >= polls.created_at).toBe(true);
  expect(call).toMatchObject({ kind: "call", count: 1, target: { id: action, name: "Send a note" } });
  expect((await service.api("GET", `/v1/ai-history/${polls.id}`)).body).toEqual(polls);
  // The request that led to the proposal is found by it, and its polls are not.
  expect((await entries(`proposal_id=${proposal.id}`)).map(({ id }) => id)).toEqual([call.id]);
});

test("events and tasks that a client polls are counted", async () => {
  const key = await mcpKey();
  for (let n = 0; n < 3; n += 1) await send(service, "events/poll", { events: ["a.b"] }, { key: key.key });
  await send(service, "tasks/get", { taskId: "prop_unknown" }, { key: key.key });
  expect(await counted(`key_id=${key.id}`)).toEqual([
    ["poll", "tasks/get", "refused", "invalid_params", 1],
    ["poll", "events/poll", "ok", null, 3],
  ]);
});

test("each kind of refusal is an entry with its code", async () => {
  const { key: action } = await makeContract(service, { endpoint: receiver.url });
  const { key: closed } = await makeContract(service, { endpoint: receiver.url, roles: ["owner"] });
  const scoped = await mcpKey({ scopes: ["ops:read"] });
  const key = await mcpKey();
  await callTool(service, "junction_proposal_status", { proposal_id: 7 }, { key: key.key });
  await callTool(service, closed, { note: "x" }, { key: key.key });
  await callTool(service, action, { note: 7 }, { key: key.key });
  await callTool(service, "no.such", {}, { key: key.key });
  await send(service, "no/such", {}, { key: key.key });
  await send(service, "events/poll", { events: ["a.b"], more: 1 }, { key: key.key });
  expect((await counted(`key_id=${key.id}`)).toReversed()).toEqual([
    ["poll", "junction_proposal_status", "refused", "validation_failed", 1],
    ["call", closed, "refused", "role_not_allowed", 1],
    ["call", action, "refused", "validation_failed", 1],
    ["call", "no.such", "refused", "action_unknown", 1],
    ["call", "no/such", "refused", "method_not_found", 1],
    ["poll", "events/poll", "refused", "validation_failed", 1],
  ]);
  await callTool(service, action, { note: "x" }, { key: scoped.key });
  await callOperatorTool(service, scoped.key, "deliveries_write", { action: "replay", id: "dlv_1" });
  await callOperatorTool(service, scoped.key, "no_tool", {});
  expect((await counted(`key_id=${scoped.id}&error_code=scope_missing`)).toReversed()).toEqual([
    ["call", action, "refused", "scope_missing", 1],
    ["call", "deliveries_write.replay", "refused", "scope_missing", 1],
  ]);
  expect(await counted(`key_id=${scoped.id}&error_code=action_unknown`)).toEqual([
    ["call", "no_tool", "refused", "action_unknown", 1],
  ]);
});

test("calls beyond the limit are counted, however many there are", async () => {
  const tight = await startService({ on: service, env: { JUNCTION_RATE_LIMITS: '{"actions.run": 2}' } });
  onTestFinished(async () => await tight.close());
  const { key: action } = await makeContract(service, { endpoint: receiver.url });
  const key = await mcpKey();
  for (let n = 0; n < 12; n += 1) await callTool(tight, action, { note: "x" }, { key: key.key });
  const { body } = await tight.api("GET", `/v1/ai-history?key_id=${key.id}&error_code=rate_limited`);
  expect(body.data.map((one: Parsed) => [one.status, one.tool_calls[0].name, one.count])).toEqual([
    ["refused", action, 10],
  ]);
});

test("operator tools are counted, and a proposed write names its object", async () => {
  const { id } = await service.endpoint(receiver.url, { name: "Shop" });
  const key = await agentKey(service, ["ops:read", "ops:write"]);
  await callOperatorTool(service, key.key, "endpoints_read", { action: "get", id });
  await callOperatorTool(service, key.key, "endpoints_read", { action: "list" });
  await callOperatorTool(service, key.key, "endpoints_write", { action: "delete", id });
  await service.api("DELETE", `/v1/webhook-endpoints/${id}`);
  const found = (await entries(`key_id=${key.id}`)).toReversed();
  expect(found.map((one) => [one.tool_calls[0].name, one.target, one.results.length])).toEqual([
    ["endpoints_read.get", { id, name: "Shop" }, 0],
    ["endpoints_read.list", null, 0],
    ["meta.ops.endpoints_write.delete", { id, name: "Shop" }, 1],
  ]);
});

test("dry runs and polls are counted for AI keys on the API alone", async () => {
  const { key: action } = await makeContract(service, { endpoint: receiver.url, requires_confirmation: true });
  const { key: closed } = await makeContract(service, { endpoint: receiver.url, roles: ["owner"] });
  const [ai, program] = [await mcpKey(), await mintKey(service)];
  for (const { key } of [ai, program]) {
    const run = async (body: object): Promise<Parsed> =>
      (await service.api("POST", "/v1/actions/run", body, { key })).body;
    for (let n = 0; n < 2; n += 1) await run({ action, parameters: { note: "x" }, dry_run: true });
    await run({ action, parameters: { note: 7 }, dry_run: true });
    if (key === ai.key) await run({ action: closed, parameters: { note: "x" } });
    const { proposal } = await run({ action, parameters: { note: "x" } });
    for (let n = 0; n < 3; n += 1) await service.api("GET", `/v1/proposals/${proposal.id}`, undefined, { key });
  }
  expect((await counted(`key_id=${ai.id}`)).toReversed()).toEqual([
    ["dry_run", action, "ok", null, 2],
    ["dry_run", action, "refused", "validation_failed", 1],
    ["call", closed, "refused", "role_not_allowed", 1],
    ["call", action, "ok", null, 1],
    ["poll", "proposals.get", "ok", null, 3],
  ]);
  expect(await counted(`key_id=${program.id}`)).toEqual([]);
});

test("a caller without a valid credential writes nothing", async () => {
  const revoked = await mcpKey();
  await service.api("POST", `/v1/keys/${revoked.id}/revoke`);
  const before = await rows();
  for (const key of [null, "jct_live_unknown", revoked.key])
    for (let n = 0; n < 5; n += 1)
      await send(service, "tools/call", { name: `a.b${n}`, arguments: {}, ...named(`stranger ${n}`) }, { key });
  await entries("client=stranger");
  expect(await rows()).toBe(before);
});

/** Returns the number of stored rows, once all that is counted is written. */
async function rows(): Promise<number> {
  await service.service.audit.activityWorker.flush();
  const [{ n } = { n: 0 }] = await service.database.query<{ n: number }>(
    "select (select count(*) from ai_activity)::int + (select count(*) from ai_history)::int as n",
  );
  return n;
}

test("a client's name is bounded text without what people do not see", async () => {
  const key = await mcpKey();
  const name = `<img src=x onerror=alert(1)>\u202egpj.exe\u2066\u2028\u0000\u200b${"W".repeat(200_000)}`;
  const answer = await send(service, "events/poll", { events: ["a.b"], ...named(name) }, { key: key.key });
  expect(answer.status).toBe(200);
  const [{ client }] = await entries(`key_id=${key.id}`);
  expect(client).toBe(`<img src=x onerror=alert(1)>gpj.exe${"W".repeat(60)} 1`);
  expect(await entries(`key_id=${key.id}&client=${encodeURIComponent("<img src")}`)).toHaveLength(1);
  expect(await entries(`key_id=${key.id}&client=${encodeURIComponent("%img_")}`)).toEqual([]);
});

test("a connected app has its own name, or else its registered one", async () => {
  const app = await connected(service, await signIn(service), { scope: "events:read" });
  const { "io.modelcontextprotocol/clientInfo": _none, ...bare } = META;
  await send(service, "events/poll", { events: ["a.b"], _meta: bare }, { key: app.access });
  await send(service, "events/poll", { events: ["a.b"], ...named("Claude", "3") }, { key: app.access });
  const found = (await entries(`key_id=${app.keyId}`)).map((one) => [one.client, one.actor.display]);
  expect(found.toReversed()).toEqual([
    ["Test app", "Test app"],
    ["Claude 3", "Test app"],
  ]);
});

test("two hundred clients of one key that never call alike stay few rows", async () => {
  const key = await mcpKey();
  const before = await rows();
  for (let at = 0; at < 200; at += 20)
    await Promise.all(
      Array.from({ length: 20 }, async (_, n) => {
        const name = `no.such_${at + n}`;
        await send(service, "tasks/get", { taskId: name, ...capable(`client ${at + n}`) }, { key: key.key });
      }),
    );
  const found = await entries(`key_id=${key.id}`);
  expect(found.reduce((sum, one) => sum + Number(one.count), 0)).toBe(200);
  // On a slow machine, the minute of the first requests ends in between.
  expect(found.length).toBeLessThanOrEqual(62);
  expect((await rows()) - before).toBe(found.length);
  const several = found.filter((one) => one.count > 1);
  expect(several.map((one) => [one.client, one.target, one.tool_calls])).toEqual(several.map(() => [null, null, []]));
});

function capable(name: string): Record<string, unknown> {
  const capabilities = { extensions: { "io.modelcontextprotocol/tasks": {} } };
  const { _meta: meta } = named(name) as { _meta: object };
  return { _meta: { ...meta, "io.modelcontextprotocol/clientCapabilities": capabilities } };
}

test("entries are filtered by client, kind and outcome, page by page", async () => {
  const key = await mcpKey();
  const { key: action } = await makeContract(service, { endpoint: receiver.url });
  for (const [client, events] of [
    ["codex", ["a.b"]],
    ["codex", "wrong"],
    ["cursor", ["a.b"]],
  ] as const)
    await send(service, "events/poll", { events, ...named(client) }, { key: key.key });
  for (const note of ["x", "y"])
    await send(service, "tools/call", { name: action, arguments: { note }, ...named("codex") }, { key: key.key });
  const clients = async (query: string): Promise<string[]> =>
    (await entries(`key_id=${key.id}&${query}`)).map((one) => `${one.client} ${one.kind} ${one.status}`);
  expect(await clients("client=codex")).toEqual([
    "codex 1 call ok",
    "codex 1 call ok",
    "codex 1 poll refused",
    "codex 1 poll ok",
  ]);
  expect(await clients("kind=poll&status=ok")).toEqual(["cursor 1 poll ok", "codex 1 poll ok"]);
  expect(await clients("kind=call&client=codex%201")).toHaveLength(2);
  expect(await clients("kind=question")).toEqual([]);
  expect(await clients("source=api")).toEqual([]);
  const pages: Parsed[] = [];
  for (let cursor = ""; ;) {
    const { body } = await service.api("GET", `/v1/ai-history?limit=2&key_id=${key.id}${cursor}`);
    pages.push(...body.data);
    if (body.next_cursor === null) break;
    cursor = `&cursor=${body.next_cursor}`;
  }
  expect(pages.map(({ id }) => id)).toEqual((await entries(`key_id=${key.id}`)).map(({ id }) => id));
  expect(pages).toHaveLength(5);
});

test("another workspace, the sandbox and a tenant's key see none of them", async () => {
  const key = await mcpKey();
  await send(service, "events/poll", { events: ["a.b"], ...named("hidden") }, { key: key.key });
  const [{ id }] = await entries("client=hidden");
  const other = await otherWorkspace(service);
  await service.database.query("update api_key set role = 'owner' where name = 'Sandbox key'");
  for (const stranger of [other.key, service.sandboxKey]) {
    expect(await entries("client=hidden", stranger)).toEqual([]);
    const { status } = await service.api("GET", `/v1/ai-history/${id}`, undefined, { key: stranger });
    expect([403, 404]).toContain(status);
  }
  const tenants = await mintKey(service, { tenant: "acme" });
  const refused = await service.api("GET", "/v1/ai-history", undefined, { key: tenants.key });
  expect(refused.status).toBe(403);
  const viewer = await joined(service, "viewer");
  expect((await viewer.call("GET", "/v1/ai-history")).status).toBe(403);
});

test("texts of a client are redacted, and its arguments are not stored", async () => {
  const key = await mcpKey();
  const { secret } = await service.endpoint(receiver.url);
  await send(service, "tasks/get", { taskId: secret, ...capable(secret) }, { key: key.key });
  await callTool(service, "junction_proposal_status", { proposal_id: "x", note: "PAYLOAD-4711" }, { key: key.key });
  const stored = JSON.stringify(
    await service.database.query("select * from ai_activity where key_id = $1", [key.uuid]),
  );
  const shown = JSON.stringify(await entries(`key_id=${key.id}`));
  for (const text of [stored, shown]) {
    expect(text).not.toContain(secret);
    expect(text).not.toContain("4711");
  }
});

test("counts survive a database that is away for some seconds", async () => {
  const key = await mcpKey();
  const poll = async (): Promise<unknown> =>
    await send(service, "events/poll", { events: ["a.b"], ...named("patient") }, { key: key.key });
  await poll();
  await service.database.query(
    "alter table ai_activity add constraint refused check (client <> 'patient 1') not valid",
  );
  await service.service.audit.activityWorker.flush();
  await poll();
  await service.database.query("alter table ai_activity drop constraint refused");
  const found = await entries(`key_id=${key.id}`);
  expect(found.reduce((sum, one) => sum + Number(one.count), 0)).toBe(2);
});

test("a reader waits for counts that another reader writes", async () => {
  const key = await mcpKey();
  const client = new pg.Client({ connectionString: service.database.url });
  await client.connect();
  onTestFinished(async () => await client.end());
  await client.query("begin; lock table ai_activity in share mode");
  await send(service, "events/poll", { events: ["a.b"], ...named("slow") }, { key: key.key });
  const first = entries(`key_id=${key.id}`);
  await vi.waitFor(async () => {
    const waiting = "select from pg_locks where not granted and relation = 'ai_activity'::regclass";
    expect((await client.query(waiting)).rowCount).toBe(1);
  });
  const second = entries(`key_id=${key.id}`);
  await expect(Promise.race([second, new Promise((resolve) => setTimeout(resolve, 300, "waits"))])).resolves.toBe(
    "waits",
  );
  await client.query("commit");
  expect([await first, await second].map((found) => found.length)).toEqual([1, 1]);
});
