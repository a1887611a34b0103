import { afterAll, beforeAll, expect, test } from "vitest";
import { contractArgs } from "../../testing/contracts.ts";
import { mintKey } from "../../testing/keys.ts";
import { makeContract } from "../../testing/mcp-contracts.ts";
import { callTool, connectClient, send } from "../../testing/mcp.ts";
import { startReceiver } from "../../testing/receiver.ts";
import type { Receiver } from "../../testing/receiver.ts";
import { startService } from "../../testing/service.ts";
import { UNLIMITED } from "../../testing/subscription.ts";
import type { Parsed, TestService } from "../../testing/test-service.ts";

let service: TestService;
let backend: Receiver;

/** Keys that differ in one separator or word, and keys that are too long for a model. */
const LONG = `orders.${"very_long_name_".repeat(6)}`;
const KEYS = [
  "a.b_c",
  "a.b.c_d.e",
  "a__b.c",
  "a.b__c",
  `${LONG}one`,
  `${LONG}two`,
  `${LONG.replaceAll("_", ".x")}one`,
  `a.${"b".repeat(126)}`,
  `a.${"b".repeat(46)}`,
  `a.${"b".repeat(47)}`,
];
const NOTE = { note: "hello" };

beforeAll(async () => {
  service = await startService({ env: UNLIMITED });
  backend = await startReceiver();
  backend.answer((response) => response.writeHead(200, { "Content-Type": "application/json" }).end('{"sent":true}'));
  for (const key of KEYS) await makeContract(service, { key, label: key, endpoint: backend.url });
});

afterAll(async () => {
  await service.close();
  await backend.close();
});

/** Returns every tool's name by its title, which is the contract's key here. */
async function names(): Promise<Map<string, string>> {
  const { tools } = (await send(service, "tools/list")).body["result"] as { tools: Parsed[] };
  return new Map(tools.map(({ title, name }) => [title, name]));
}

test("every tool has a unique name that Claude Desktop, Copilot and Codex accept", async () => {
  const all = [...(await names()).values()];
  expect(all).toHaveLength(KEYS.length + 3);
  expect(new Set(all).size).toBe(all.length);
  expect(all.filter((name) => !/^[a-zA-Z0-9_-]{1,64}$/.test(name))).toEqual([]);
  expect(all.filter((name) => `mcp__junction__${name}`.length > 64)).toEqual([]);
});

test("a tool's name stays the same when contracts are added and after a restart", async () => {
  const before = await names();
  for (const key of ["a.b.c_x", `${LONG}three`])
    await makeContract(service, { key, endpoint: backend.url, label: "x" });
  expect(await names()).toEqual(new Map([...before, ["x", expect.anything()]]));
  expect(before.get("a.b_c")).toBe("a_b_c");
  expect(before.get(`a.${"b".repeat(46)}`)).toBe(`a_${"b".repeat(46)}`);
  const second = await startService({ env: UNLIMITED, on: service });
  const result = await callTool(second, before.get(`${LONG}one`) ?? "", NOTE);
  expect(result["structuredContent"]).toMatchObject({ status: "executed", action: `${LONG}one` });
  await second.close();
});

test("a call by tool name or contract key runs only that contract", async () => {
  const offered = await names();
  for (const key of KEYS)
    for (const name of [key, offered.get(key) ?? ""]) {
      const result = await callTool(service, name, NOTE);
      expect([name, result["structuredContent"]["action"]]).toEqual([name, key]);
      expect(JSON.parse(backend.received.at(-1)?.body ?? "{}")).toMatchObject({ action: key });
    }
  const client = await connectClient(service);
  expect(await client.callTool({ name: "a_b_c", arguments: NOTE })).toMatchObject({
    structuredContent: { action: "a.b_c", status: "executed" },
  });
});

test("a contract is refused when its tool name is already taken [contract, section 7]", async () => {
  for (const key of ["a_b.c", "a.b.c", "junction.proposal_status", "junction.run.status", "get.recent_events"]) {
    const refused = await service.api("POST", "/v1/action-contracts", contractArgs({ key }));
    expect([key, refused.status, refused.body["code"], refused.body["reason"]]).toEqual([
      key,
      409,
      "conflict",
      "tool_name_taken",
    ]);
  }
  const twins = ["x.y_z", "x_y.z", "x.y.z"];
  const made = await Promise.all(
    twins.map(async (key) => await service.api("POST", "/v1/action-contracts", contractArgs({ key }))),
  );
  expect(made.map(({ status }) => status).toSorted()).toEqual([201, 409, 409]);
  const winner = twins[made.findIndex(({ status }) => status === 201)] ?? "";
  expect((await service.api("DELETE", `/v1/action-contracts/${winner}`)).status).toBe(204);
  const free = twins.find((key) => key !== winner);
  expect((await service.api("POST", "/v1/action-contracts", contractArgs({ key: free }))).status).toBe(201);
});

test("a block list for a contract blocks each of its names", async () => {
  const offered = await names();
  for (const blocked of ["a.b_c", `${LONG}one`]) {
    const restricted = { permission_mode: "restricted", blocked_actions: [blocked] };
    const { key } = await mintKey(service, restricted);
    const before = backend.received.length;
    for (const name of [blocked, offered.get(blocked) ?? ""]) {
      const result = await callTool(service, name, NOTE, { key });
      expect([name, result["structuredContent"]["code"]]).toEqual([name, "action_blocked"]);
    }
    expect(backend.received).toHaveLength(before);
    const open = await callTool(service, "a__b_c", NOTE, { key });
    expect(open["structuredContent"]).toMatchObject({ action: "a__b.c", status: "executed" });
  }
});

test("a contract's roles apply to each of its names", async () => {
  const own = await makeContract(service, { key: `${LONG}owners`, roles: ["owner"], endpoint: backend.url });
  const offered = (await names()).get("Send a note") ?? "";
  const { key } = await mintKey(service, { role: "developer" });
  for (const name of [own.key, offered]) {
    const result = await callTool(service, name, NOTE, { key });
    expect([name, result["structuredContent"]["code"]]).toEqual([name, "role_not_allowed"]);
  }
});

test("a name without a contract is an unknown action", async () => {
  const made = `${"a".repeat(30)}_0${"0".repeat(16)}`;
  for (const name of ["a", "a_", "_", "a_b", "a-b_c", "a.b-c", "a-b.c_x", "%", made]) {
    const result = await callTool(service, name, NOTE);
    expect([name, result["structuredContent"]["code"]]).toEqual([name, "action_unknown"]);
  }
});
