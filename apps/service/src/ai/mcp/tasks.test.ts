import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { mintKey, otherWorkspace } from "../../testing/keys.ts";
import type { TestKey } from "../../testing/keys.ts";
import { makeContract } from "../../testing/mcp-contracts.ts";
import { CAPABLE, connectClient, LEGACY, META, send } from "../../testing/mcp.ts";
import { connected } from "../../testing/oauth.ts";
import { joined, signIn } from "../../testing/people.ts";
import type { TestPerson } from "../../testing/people.ts";
import { startReceiver } from "../../testing/receiver.ts";
import type { Receiver } from "../../testing/receiver.ts";
import { startService } from "../../testing/service.ts";
import { UNLIMITED } from "../../testing/subscription.ts";
import type { ApiAnswer, Parsed, TestService } from "../../testing/test-service.ts";

let service: TestService;
let second: TestService;
let backend: Receiver;
let person: TestPerson;
let ai: TestKey;

beforeAll(async () => {
  service = await startService({ env: UNLIMITED });
  second = await startService({ env: UNLIMITED, on: service });
  backend = await startReceiver();
  person = await signIn(service);
  ai = await mintKey(service, { role: "ai", actor_type: "ai" });
});
afterAll(async () => {
  await second.service.stop();
  await service.close();
  await backend.close();
});

const NOTE = { note: "hello" };
const TASKS = "io.modelcontextprotocol/tasks";
async function waiting(more: Record<string, unknown> = {}): Promise<string> {
  backend.answer((response) => response.writeHead(200, { "Content-Type": "application/json" }).end('{"sent":true}'));
  const made = await makeContract(service, { endpoint: backend.url, requires_confirmation: true, ...more });
  return made["key"];
}

/** Calls a tool as a client that knows the extension for tasks. */
async function callAsTask(name: string, key = ai.key): Promise<ApiAnswer> {
  return await send(service, "tools/call", { name, arguments: NOTE, _meta: CAPABLE }, { key });
}

async function taskOf(name: string, key = ai.key): Promise<Parsed> {
  return (await callAsTask(name, key)).body["result"];
}

async function ask(method: string, taskId: string, key = ai.key, node = service): Promise<ApiAnswer> {
  return await send(node, method, { taskId }, { key });
}

async function get(taskId: string, key = ai.key): Promise<Parsed> {
  return (await ask("tasks/get", taskId, key)).body["result"];
}

async function decide(taskId: string, how: "approve" | "reject", more: Record<string, unknown> = {}): Promise<void> {
  const { body } = await service.api("GET", `/v1/proposals/${taskId}`);
  const input = how === "approve" ? { params_hash: body["params_hash"], ...more } : more;
  const answer = await person.call("POST", `/v1/proposals/${taskId}/${how}`, input);
  expect(answer.status).toBe(200);
}

/** Sends a message of protocol version 2025-11-25. */
async function legacy(method: string, params: Record<string, unknown>, key = ai.key): Promise<ApiAnswer> {
  const headers = { "MCP-Protocol-Version": LEGACY };
  return await service.api("POST", "/mcp", { jsonrpc: "2.0", id: 1, method, params }, { key, headers });
}

describe("a call that waits for a person", () => {
  test("is a working task on every node for clients that declare tasks", async () => {
    const answer = await callAsTask(await waiting());
    const task = answer.body["result"];
    expect(task).toMatchObject({
      resultType: "task",
      taskId: expect.stringMatching(/^prop_/),
      status: "working",
      statusMessage: expect.stringContaining("/approvals/prop_"),
      pollIntervalMs: 5000,
      ttlMs: expect.any(Number),
    });
    expect(answer.text.match(/"resultType"/g)).toHaveLength(1);
    for (const node of [service, second]) {
      const got = (await ask("tasks/get", task["taskId"], ai.key, node)).body["result"];
      expect(got).toMatchObject({ resultType: "complete", taskId: task["taskId"], status: "working" });
    }
    expect(backend.received).toEqual([]);
  });

  test("completes with the tool's result after the approval", async () => {
    const { taskId } = await taskOf(await waiting());
    await decide(taskId, "approve");
    await expect.poll(async () => (await get(taskId))["status"]).toBe("completed");
    expect(await get(taskId)).toMatchObject({
      result: { isError: false, structuredContent: { object: "run", status: "executed", result: { sent: true } } },
    });
  });

  test("completes with an error if the backend fails", async () => {
    const { taskId } = await taskOf(await waiting());
    backend.status(500);
    await decide(taskId, "approve");
    await expect.poll(async () => (await get(taskId))["status"]).toBe("completed");
    const { result } = await get(taskId);
    expect(result).toMatchObject({ isError: true, structuredContent: { status: "failed" } });
    expect(result["content"][0]["text"]).toMatch(/^action_endpoint_failed: /);
  });

  test("is cancelled by a rejection, with its reason, and by its expiry", async () => {
    const rejected = await taskOf(await waiting());
    await decide(rejected["taskId"], "reject", { reason: "Not this week." });
    expect(await get(rejected["taskId"])).toMatchObject({
      status: "cancelled",
      statusMessage: expect.stringContaining("Not this week."),
    });
    const { taskId } = await taskOf(await waiting({ approval: { expires_in_seconds: 60 } }));
    await service.database.query("update action_proposal set expires_at = now() where state = 'proposed'");
    expect(await get(taskId)).toMatchObject({ status: "cancelled", statusMessage: expect.stringContaining("in time") });
  });

  test("follows the edit of a person to its result", async () => {
    const { taskId } = await taskOf(await waiting());
    const edited = await person.call("PATCH", `/v1/proposals/${taskId}`, { parameters: { note: "edited" } });
    expect(edited.status).toBe(200);
    expect(await get(taskId)).toMatchObject({ status: "working" });
    await decide(edited.body["id"], "approve");
    await expect.poll(async () => (await get(taskId))["status"]).toBe("completed");
  });

  test("stays a result for a client that declares no tasks", async () => {
    const name = await waiting();
    const answer = await send(service, "tools/call", { name, arguments: NOTE, task: { ttl: 1 } }, { key: ai.key });
    expect(answer.body["result"]).toMatchObject({
      resultType: "complete",
      structuredContent: { status: "pending_confirmation" },
    });
  });
});

describe("tasks/cancel", () => {
  test("cancels the proposal, and only acknowledges a task that has ended", async () => {
    const { taskId } = await taskOf(await waiting());
    for (let time = 0; time < 2; time += 1) {
      const { result } = (await ask("tasks/cancel", taskId)).body;
      expect(result).toMatchObject({ resultType: "complete" });
      expect(result).not.toHaveProperty("taskId");
    }
    expect(await get(taskId)).toMatchObject({ status: "cancelled" });
    expect((await service.api("GET", `/v1/proposals/${taskId}`)).body).toMatchObject({ state: "cancelled" });
  });

  test("needs the right to run actions, and no list that blocks it", async () => {
    const reader = await mintKey(service, { role: "ai", actor_type: "ai", scopes: ["proposals:read"] });
    const blocked = await mintKey(service, {
      role: "ai",
      actor_type: "ai",
      permission_mode: "restricted",
      blocked_actions: ["proposals.cancel"],
    });
    const { taskId } = await taskOf(await waiting());
    for (const [{ key }, code] of [
      [reader, "scope_missing"],
      [blocked, "action_blocked"],
    ] as const)
      expect((await ask("tasks/cancel", taskId, key)).body).toMatchObject({ status: 403, code });
    expect(await get(taskId)).toMatchObject({ status: "working" });
  });
});

test("an answer to a task is acknowledged and approves nothing", async () => {
  const { taskId } = await taskOf(await waiting());
  const inputResponses = { approve: { action: "accept", content: { confirmed: true } } };
  const answer = await send(service, "tasks/update", { taskId, inputResponses }, { key: ai.key });
  expect(answer.body["result"]).toMatchObject({ resultType: "complete" });
  expect(await get(taskId)).toMatchObject({ status: "working" });
  expect((await service.api("GET", `/v1/proposals/${taskId}`)).body).toMatchObject({ approvals: [] });
});

test("tasks of other keys, workspaces and environments, and the API's proposals, are unknown", async () => {
  const name = await waiting();
  const { taskId } = await taskOf(name);
  const another = await mintKey(service, { role: "ai", actor_type: "ai" });
  const other = await otherWorkspace(service);
  const ofApi = await service.api("POST", "/v1/actions/run", { action: name, parameters: NOTE }, { key: ai.key });
  const cases: [string, string][] = [
    [taskId, another.key],
    [taskId, service.key],
    [taskId, service.sandboxKey],
    [taskId, other.key],
    [ofApi.body["proposal"]["id"], ai.key],
    [other.id("prop"), ai.key],
    ["prop_1", ai.key],
    ["", ai.key],
    ["\u0000", ai.key],
  ];
  for (const [id, key] of cases) {
    for (const method of ["tasks/get", "tasks/update", "tasks/cancel"]) {
      const headers = {
        "Mcp-Name": /^[\x21-\x7e]+$/.test(id) ? id : `=?base64?${Buffer.from(id).toString("base64")}?=`,
      };
      const answer = await send(service, method, { taskId: id }, { key, headers });
      expect([id, method, answer.status, answer.body["error"]?.["code"]]).toEqual([id, method, 200, -32602]);
    }
  }
  expect(await get(taskId)).toMatchObject({ status: "working" });
});

test("methods for tasks need a client that declares the extension", async () => {
  const { taskId } = await taskOf(await waiting());
  for (const method of ["tasks/get", "tasks/update", "tasks/cancel"]) {
    const { status, body } = await send(service, method, { taskId, _meta: META }, { key: ai.key });
    const data = { requiredCapabilities: { extensions: { [TASKS]: {} } } };
    expect([status, body["error"]]).toMatchObject([400, { code: -32021, data }]);
  }
  expect(await get(taskId)).toMatchObject({ status: "working" });
});

test("a connected app reads its task until its connection ends", async () => {
  const member = await joined(service, "developer");
  const { access, keyId } = await connected(service, member);
  const { taskId } = await taskOf(await waiting(), access);
  expect(await get(taskId, access)).toMatchObject({ status: "working" });
  expect((await member.call("DELETE", `/v1/connected-apps/${keyId}`)).status).toBe(204);
  for (const method of ["tasks/get", "tasks/cancel"])
    expect((await ask(method, taskId, access)).body).toMatchObject({ status: 401, code: "key_revoked" });
});

describe("protocol version 2025-11-25", () => {
  test("has its own form of tasks, with a separate request for the result", async () => {
    const name = await waiting();
    const created = (await legacy("tools/call", { name, arguments: NOTE, task: { ttl: 1000 } })).body["result"];
    const { taskId } = created["task"];
    expect(created).toMatchObject({ task: { status: "working", ttl: expect.any(Number), pollInterval: 5000 } });
    const early = await legacy("tasks/result", { taskId });
    expect(early.body["error"]).toMatchObject({ code: -32602, message: expect.stringContaining("still working") });
    await decide(taskId, "approve");
    await expect.poll(async () => (await legacy("tasks/get", { taskId })).body["result"]["status"]).toBe("completed");
    expect((await legacy("tasks/result", { taskId })).body["result"]).toMatchObject({
      isError: false,
      structuredContent: { status: "executed" },
      _meta: { "io.modelcontextprotocol/related-task": { taskId } },
    });
    expect((await legacy("tasks/cancel", { taskId })).body["error"]).toMatchObject({ code: -32602 });
    expect((await legacy("tasks/list", {})).body["error"]).toMatchObject({ code: -32601 });
  });

  test("reports a failed call as failed, and a cancelled one as the task itself", async () => {
    const name = await waiting();
    const made = async (): Promise<string> =>
      (await legacy("tools/call", { name, arguments: NOTE, task: {} })).body["result"]["task"]["taskId"];
    const [failing, cancelled] = [await made(), await made()];
    backend.status(500);
    await decide(failing, "approve");
    await expect
      .poll(async () => (await legacy("tasks/get", { taskId: failing })).body["result"]["status"])
      .toBe("failed");
    const ended = (await legacy("tasks/cancel", { taskId: cancelled })).body["result"];
    expect(ended).toMatchObject({ taskId: cancelled, status: "cancelled" });
    expect((await legacy("tasks/result", { taskId: cancelled })).body["result"]).toMatchObject({ isError: true });
  });

  test("refuses tasks for tools that run at once, and reports refusals as errors", async () => {
    const direct = await makeContract(service, { endpoint: backend.url });
    for (const name of [direct["key"], "junction_run_status"]) {
      const answer = await legacy("tools/call", { name, arguments: NOTE, task: {} });
      expect(answer.body["error"]).toMatchObject({ code: -32601 });
    }
    const refused = await legacy("tools/call", { name: await waiting(), arguments: {}, task: {} });
    expect(refused.body["error"]).toMatchObject({ code: -32602, data: { code: "validation_failed" } });
  });

  test("is what the official client negotiates, with the capability for tasks", async () => {
    const client = await connectClient(service, ai.key, "legacy");
    const tasks = { cancel: {}, requests: { tools: { call: {} } } };
    expect(client.getServerCapabilities()).toMatchObject({ tools: {}, tasks });
    const tool = (await client.listTools()).tools.find(({ name }) => name.startsWith("notes_"));
    expect(tool).toMatchObject({ outputSchema: { type: "object" } });
  });
});
