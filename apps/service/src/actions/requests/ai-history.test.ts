import { afterAll, beforeAll, expect, test } from "vitest";
import { actionOn, confirmedActionOn, runOf } from "../../testing/actions.ts";
import { mintKey } from "../../testing/keys.ts";
import { callTool } from "../../testing/mcp.ts";
import { startReceiver } from "../../testing/receiver.ts";
import type { Receiver } from "../../testing/receiver.ts";
import { startService } from "../../testing/service.ts";
import { UNLIMITED } from "../../testing/subscription.ts";
import type { Parsed, TestService } from "../../testing/test-service.ts";

/** The AI history keeps each action call of an AI key or an MCP client, with its outcome (contract, section 7). */

let service: TestService;
let receiver: Receiver;
let aiKey: string;

beforeAll(async () => {
  [service, receiver] = await Promise.all([startService({ env: UNLIMITED }), startReceiver()]);
  receiver.answer((response) => response.writeHead(200, { "Content-Type": "application/json" }).end('{"done":true}'));
  aiKey = (await mintKey(service, { actor_type: "ai", role: "ai" })).key;
});
afterAll(async () => {
  await service.close();
  await receiver.close();
});

const forAi = {
  surface: ["api", "mcp"],
  roles: ["owner", "admin", "developer", "ai"],
  params: { order: { type: "string", max: 50 }, pin: { type: "string", max: 50, sensitive: true } },
};

/** Returns the exchanges about an action, newest first. */
async function exchanges(action: string, query = ""): Promise<Parsed[]> {
  const { status, body } = await service.api("GET", `/v1/ai-history?limit=100${query}`);
  expect(status).toBe(200);
  return body.data.filter((one: Parsed) => one.tool_calls[0]?.name === action);
}

function results(exchange: Parsed): unknown[] {
  return exchange.results.map((one: Parsed) => [one.status, one.result, one.error_code]);
}

test.each(["anything", "evt_"])("the history of %s, which is not an event, is not found", async (id) => {
  const { status, body } = await service.api("GET", `/v1/ai-history?event_id=${id}`);
  expect([status, body.code]).toEqual([404, "not_found"]);
});

test("a run by an AI key is recorded with prompt, call and result", async () => {
  const action = await actionOn(service, receiver, forAi);
  const parameters = { order: "10482", pin: "4711-secret" };
  const run = await runOf(service, action, { parameters, prompt: "Refund order 10482" }, { key: aiKey });
  expect(run.status).toBe(200);
  const [exchange, ...others] = await exchanges(action);
  expect(others).toEqual([]);
  expect(exchange).toMatchObject({
    object: "ai_exchange",
    source: "api",
    trigger: "api",
    actor: { type: "ai" },
    prompt: "Refund order 10482",
    status: "ok",
    error_code: null,
    request_id: run.headers.get("x-service-request-id"),
    tool_calls: [{ name: action, arguments: { order: "10482", pin: "[redacted]" } }],
    results: [{ action, run_id: run.body.id, proposal_id: null, status: "executed", result: { done: true } }],
  });
  expect(JSON.stringify(exchange)).not.toContain("4711");
});

test("a call of an MCP client is recorded for every kind of key", async () => {
  const action = await actionOn(service, receiver, forAi);
  for (const key of [aiKey, service.key]) await callTool(service, action, { order: "1", pin: "2" }, { key });
  const found = await exchanges(action, "&source=mcp");
  expect(found.map((one) => [one.source, one.status, results(one)])).toEqual([
    ["mcp", "ok", [["executed", { done: true }, null]]],
    ["mcp", "ok", [["executed", { done: true }, null]]],
  ]);
  expect(await exchanges(action, "&source=api")).toEqual([]);
});

test("the outcome of a proposal is added when it ends", async () => {
  const action = await confirmedActionOn(service, receiver, forAi);
  const propose = async (): Promise<Parsed> =>
    (await runOf(service, action, { parameters: { order: "1", pin: "2" } }, { key: aiKey })).body.proposal;
  const latest = async (): Promise<unknown[]> => {
    const [exchange] = await exchanges(action);
    return results(exchange);
  };
  const proposed = ["proposed", null, null];
  const approved = await propose();
  expect(await latest()).toEqual([proposed]);
  await service.api("POST", `/v1/proposals/${approved.id}/approve`, { params_hash: approved.params_hash });
  expect(await latest()).toEqual([proposed, ["executed", { done: true }, null]]);
  const rejected = await propose();
  await service.api("POST", `/v1/proposals/${rejected.id}/reject`, { reason: "Too much" });
  expect(await latest()).toEqual([proposed, ["rejected", { reason: "Too much" }, null]]);
  const cancelled = await propose();
  await service.api("POST", `/v1/proposals/${cancelled.id}/cancel`, undefined, { key: aiKey });
  expect(await latest()).toEqual([proposed, ["cancelled", null, null]]);
  const edited = await propose();
  const next = await service.api("PATCH", `/v1/proposals/${edited.id}`, { parameters: { order: "2", pin: "2" } });
  const { id, params_hash } = next.body;
  await service.api("POST", `/v1/proposals/${id}/approve`, { params_hash });
  expect(await latest()).toEqual([proposed, ["superseded", null, null], proposed, ["executed", { done: true }, null]]);
});

test("refusals are recorded with their code and without sensitive parameters", async () => {
  const action = await actionOn(service, receiver, forAi);
  const closed = await actionOn(service, receiver, { ...forAi, roles: ["owner"] });
  const refuse = async (name: string, body: Record<string, unknown>): Promise<string> =>
    String((await runOf(service, name, body, { key: aiKey })).body.code);
  expect(await refuse(action, { parameters: { order: 5, pin: "4711", half: "\ud800" } })).toBe("validation_failed");
  expect(await refuse(closed, {})).toBe("role_not_allowed");
  expect(await refuse("no.such_action", { parameters: { a: "b" } })).toBe("action_unknown");
  const kept = await Promise.all([action, closed, "no.such_action"].map(async (name) => await exchanges(name)));
  expect(kept.map((all) => all.map((one) => [one.source, one.status, one.error_code, one.results]))).toEqual([
    [["api", "refused", "validation_failed", []]],
    [["api", "refused", "role_not_allowed", []]],
    [["api", "refused", "action_unknown", []]],
  ]);
  expect(kept.map(([one]) => one.actor.display)).toEqual(["test", "test", "test"]);
  expect(JSON.stringify(kept)).not.toContain("4711");
  const odd = await callTool(service, "no\u0000such\ud800", {}, { key: aiKey, headers: { "Mcp-Name": "x" } }).catch(
    String,
  );
  expect(JSON.stringify(odd)).not.toContain("internal_error");
});

test("a failed run and its repeat are one exchange with the failure", async () => {
  const action = await actionOn(service, receiver, forAi);
  receiver.status(500);
  const headers = { "Idempotency-Key": `once-${action}` };
  const body = { action, parameters: { order: "1", pin: "2" } };
  for (let time = 0; time < 2; time += 1)
    expect((await service.api("POST", "/v1/actions/run", body, { key: aiKey, headers })).status).toBe(502);
  const found = await exchanges(action);
  expect(found.map(results)).toEqual([[["failed", null, "action_endpoint_failed"]]]);
});

test("runs of people and services are not recorded", async () => {
  const action = await confirmedActionOn(service, receiver, forAi);
  receiver.status(200);
  await runOf(service, action, { parameters: { order: "1", pin: "2" }, confirmed: true });
  expect(await exchanges(action)).toEqual([]);
});

test("the history is found by key, proposal and run, and names the client", async () => {
  const action = await confirmedActionOn(service, receiver, forAi);
  receiver.answer((response) => response.writeHead(200, { "Content-Type": "application/json" }).end('{"done":true}'));
  const other = await mintKey(service, { actor_type: "ai", role: "ai" });
  const found = await callTool(service, action, { order: "1" }, { key: other.key });
  await runOf(service, action, { parameters: { order: "2" } }, { key: aiKey });
  const { id, params_hash: hash } = found.structuredContent.proposal;
  const { body } = await service.api("POST", `/v1/proposals/${id}/approve`, { params_hash: hash });
  const [first, ...rest] = await exchanges(action, `&key_id=${other.id}`);
  expect(rest).toEqual([]);
  expect(first).toMatchObject({ source: "mcp", client: "test 1.0.0", actor: { key_id: other.id } });
  expect(results(first).length).toBe(2);
  for (const query of [`&proposal_id=${id}`, `&run_id=${body["run_id"]}`])
    expect((await exchanges(action, query)).map((one) => one.id)).toEqual([first.id]);
  const [latest] = await exchanges(action);
  expect([latest.client, latest.source]).toEqual([null, "api"]);
});

test("an edited proposal and a run without a proposal lead to their exchange", async () => {
  const action = await confirmedActionOn(service, receiver, forAi);
  const asked = await runOf(service, action, { parameters: { order: "1" } }, { key: aiKey });
  const before = asked.body["proposal"].id;
  const next = (await service.api("PATCH", `/v1/proposals/${before}`, { parameters: { order: "2" } })).body;
  const [exchange] = await exchanges(action, `&proposal_id=${next["id"]}`);
  expect(exchange.results.map((one: Parsed) => one.proposal_id)).toEqual([before, before, next["id"]]);
  const direct = await actionOn(service, receiver, forAi);
  const run = await runOf(service, direct, { parameters: { order: "1" } }, { key: aiKey });
  expect((await exchanges(direct, `&run_id=${run.body["id"]}`)).length).toBe(1);
});

test.each(["key_id", "proposal_id", "run_id"])("text that is not an id in %s is not found", async (name) => {
  const { status, body } = await service.api("GET", `/v1/ai-history?${name}=evt_1`);
  expect([status, body.code]).toEqual([404, "not_found"]);
});
