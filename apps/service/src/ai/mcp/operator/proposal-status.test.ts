import { afterAll, beforeAll, expect, test } from "vitest";
import { confirmedActionOn } from "../../../testing/actions.ts";
import { otherWorkspace } from "../../../testing/keys.ts";
import { callTool, CAPABLE, send } from "../../../testing/mcp.ts";
import { agentKey, callOperatorTool, OPERATOR_PATH } from "../../../testing/operator-tools.ts";
import { startService } from "../../../testing/service.ts";
import { UNLIMITED } from "../../../testing/subscription.ts";
import type { Parsed, TestService } from "../../../testing/test-service.ts";

let service: TestService;
beforeAll(async () => {
  service = await startService({ env: UNLIMITED });
});
afterAll(async () => await service.close());

const agent = async (more: Record<string, unknown> = {}): Promise<string> =>
  (await agentKey(service, ["ops:write"], more)).key;

/** Returns the result of a write in live, and the tool that its words name for the status. */
async function asked(key: string, args: Record<string, unknown>): Promise<{ proposal: Parsed; tool: string }> {
  const { content, structuredContent } = await callOperatorTool(service, key, "endpoints_write", args);
  const [, tool = ""] = /Call (\w+) with proposal_id/.exec(content[0].text) ?? [];
  return { proposal: structuredContent.proposal, tool };
}

const endpoint = async (more: Record<string, unknown> = {}): Promise<string> =>
  (await service.endpoint("http://127.0.0.1:9/", more)).id;
const status = async (key: string, tool: string, id: string): Promise<Parsed> =>
  (await callOperatorTool(service, key, tool, { proposal_id: id }))["structuredContent"];
const decide = async ({ id, params_hash: hash }: Parsed, how: "approve" | "reject", body = {}): Promise<void> => {
  const sent = how === "approve" ? { params_hash: hash } : body;
  expect((await service.api("POST", `/v1/proposals/${id}/${how}`, sent)).status).toBe(200);
};

test("the tool that a proposed write names follows it to its end", async () => {
  const key = await agent();
  const id = await endpoint();
  const { proposal, tool } = await asked(key, { action: "toggle", id });
  const { tools } = (await send(service, "tools/list", {}, { key, path: OPERATOR_PATH })).body["result"];
  const listed = tools.find(({ name }: Parsed) => name === tool);
  expect(listed).toMatchObject({ annotations: { readOnlyHint: true }, inputSchema: { required: ["proposal_id"] } });
  expect(await status(key, tool, proposal.id)).toEqual({
    id: proposal.id,
    object: "proposal",
    action: "meta.ops.endpoints_write.toggle",
    state: "proposed",
    approve_url: proposal.approve_url,
    expires_at: proposal.expires_at,
    reason: null,
    run: null,
  });
  await decide(proposal, "approve");
  const ended = await status(key, tool, proposal.id);
  expect([ended.state, ended.run.status, ended.run.error]).toEqual(["executed", "executed", null]);
  expect(ended.run.result).toMatchObject({ id, active: false });
  expect(Object.keys(ended.run)).toEqual(["id", "status", "error", "result"]);
});

test("a rejection has its reason, and a failed run its error", async () => {
  const key = await agent();
  const id = await endpoint();
  const [rejected, failed] = [await asked(key, { action: "delete", id }), await asked(key, { action: "toggle", id })];
  await decide(rejected.proposal, "reject", { reason: "This one stays." });
  expect(await status(key, rejected.tool, rejected.proposal.id)).toMatchObject({
    state: "rejected",
    reason: "This one stays.",
    run: null,
  });
  await service.api("DELETE", `/v1/webhook-endpoints/${id}`);
  await service.api("POST", `/v1/proposals/${failed.proposal.id}/approve`, {
    params_hash: failed.proposal.params_hash,
  });
  const { state, run } = await status(key, failed.tool, failed.proposal.id);
  expect([state, run.status, run.error.code]).toEqual(["failed", "failed", "not_found"]);
});

test("the arguments of a write are not part of it", async () => {
  const key = await agent();
  const fire = { action: "fire", event: "order.large", data: { text: "x".repeat(100_000) } };
  const { content, structuredContent } = await callOperatorTool(service, key, "events_write", fire);
  expect(content).toHaveLength(2);
  await decide(structuredContent.proposal, "approve");
  const found = await status(key, "junction_proposal_status", structuredContent.proposal.id);
  expect(found.state).toBe("executed");
  expect(JSON.stringify(found).length).toBeLessThan(3000);
});

test("only the caller's own writes are found", async () => {
  const key = await agent();
  const { proposal, tool } = await asked(key, { action: "toggle", id: await endpoint() });
  const code = async (by: string, id: string): Promise<string> => (await status(by, tool, id)).code;
  expect(await code(await agent(), proposal.id)).toBe("not_found");
  const other = await otherWorkspace(service);
  const spec = { name: "x", permission_mode: "all", role: "ai", actor_type: "ai", scopes: ["ops:write"] };
  const foreign = await service.api("POST", "/v1/keys", spec, { key: other.key });
  expect(await code(foreign.body["key"], proposal.id)).toBe("not_found");
  expect(await code(key, "prop_x")).toBe("not_found");
  // The proposals of actions are followed with the plain tools.
  const both = await agent({ scopes: ["ops:write", "actions:write"] });
  const action = await confirmedActionOn(service, { url: "http://127.0.0.1:9/" }, { surface: ["mcp"] });
  const own = await callTool(service, action.replaceAll(".", "_"), { order: "ord_1" }, { key: both });
  expect(await code(both, own["structuredContent"].proposal.id)).toBe("not_found");
  expect(await code((await agentKey(service, ["proposals:read"])).key, proposal.id)).toBe("scope_missing");
  const { structuredContent: wrong } = await callOperatorTool(service, key, tool, { id: proposal.id });
  expect(wrong.errors.map(({ pointer }: Parsed) => pointer)).toEqual(["/id", "/proposal_id"]);
});

test("a tenant's key follows and withdraws its own writes", async () => {
  const more = { tenant: "acme", role: "developer", actor_type: "service" };
  const [key, other] = [await agent(more), await agent({ ...more, tenant: "umbrella" })];
  const id = await endpoint({ tenant: "acme" });
  const { proposal, tool } = await asked(key, { action: "toggle", id });
  expect((await status(key, tool, proposal.id)).state).toBe("proposed");
  expect((await status(other, tool, proposal.id)).code).toBe("not_found");
  const params = { _meta: CAPABLE, name: "endpoints_write", arguments: { action: "toggle", id } };
  const { taskId } = (await send(service, "tools/call", params, { key, path: OPERATOR_PATH })).body["result"];
  const follow = async (method: string): Promise<Parsed> =>
    (await send(service, method, { taskId }, { key, path: OPERATOR_PATH })).body["result"];
  expect((await follow("tasks/get"))["status"]).toBe("working");
  await follow("tasks/cancel");
  expect((await follow("tasks/get"))["status"]).toBe("cancelled");
  expect((await status(key, tool, taskId)).state).toBe("cancelled");
});
