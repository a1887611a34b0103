import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { confirmedActionOn, proposalOf } from "../../testing/actions.ts";
import { stepUpWith, withPasskey } from "../../testing/authenticator.ts";
import type { Authenticator } from "../../testing/authenticator.ts";
import { contractArgs } from "../../testing/contracts.ts";
import { mintKey } from "../../testing/keys.ts";
import { forgetTries, joined, outcome } from "../../testing/people.ts";
import type { TestPerson } from "../../testing/people.ts";
import { startReceiver } from "../../testing/receiver.ts";
import type { Receiver } from "../../testing/receiver.ts";
import { startService } from "../../testing/service.ts";
import { UNLIMITED } from "../../testing/subscription.ts";
import type { ApiAnswer, Parsed, TestService } from "../../testing/test-service.ts";

const HIGH = { risk: "high" };
let service: TestService;
let receiver: Receiver;
let owner: TestPerson;
let admin: TestPerson;
let key: Authenticator;
let ownerKey: Authenticator;
let agent: { readonly key: string };

beforeAll(async () => {
  [service, receiver] = await Promise.all([startService({ env: UNLIMITED }), startReceiver()]);
  receiver.status(200);
  [owner, admin] = [await joined(service, "owner"), await joined(service, "admin")];
  ({ key } = await withPasskey(service.baseUrl, admin));
  ({ key: ownerKey } = await withPasskey(service.baseUrl, owner));
  agent = await mintKey(service, { actor_type: "ai", role: "ai" });
});
beforeEach(async () => {
  await forgetTries(service);
  await setting({ require_step_up: true });
});
afterAll(async () => {
  await service.close();
  await receiver.close();
});

async function waiting(more: Record<string, unknown>): Promise<Parsed> {
  return await proposalOf(service, await confirmedActionOn(service, receiver, more), {}, { key: agent.key });
}

async function approve({ id, params_hash: hash }: Parsed): Promise<ApiAnswer> {
  return await admin.call("POST", `/v1/proposals/${String(id)}/approve`, { params_hash: hash });
}

/** Begins a step-up for proposals and proves it with the admin's passkey. */
async function stepUp(proposals: readonly Parsed[]): Promise<ApiAnswer> {
  const named = proposals.map(({ id, params_hash: hash }) => ({ id, params_hash: hash }));
  const begun = await admin.call("POST", "/v1/step-ups", { proposals: named });
  const assertion = key.get(begun.body.passkey_request);
  return await admin.call("POST", `/v1/step-ups/${String(begun.body.id)}/prove`, { assertion });
}

async function setting(settings: object): Promise<ApiAnswer> {
  return await owner.call("PATCH", "/v1/workspaces/current", { settings });
}

test("an owner turns the setting off, with a proof for exactly this change", async () => {
  const off = { settings: { require_step_up: false } };
  const stepUpFor = async (body: object): Promise<ApiAnswer> =>
    await stepUpWith(owner, ownerKey, { operation: "workspaces.update", body });
  expect(outcome(await setting(off.settings))).toBe("403 step_up_required");
  expect(outcome(await admin.call("PATCH", "/v1/workspaces/current", off))).toBe("403 role_not_allowed");
  expect((await stepUpFor({ settings: { require_step_up: false, solo_approval: true } })).status).toBe(200);
  expect(outcome(await setting(off.settings))).toBe("403 step_up_required");
  expect((await stepUpFor(off)).status).toBe(200);
  expect((await setting(off.settings)).status).toBe(200);
  expect((await setting({ require_step_up: true })).status).toBe(200);
  expect(outcome(await setting(off.settings))).toBe("403 step_up_required");
});

test("another guard of the workspace needs a proof too, while the setting is on", async () => {
  const settings = { solo_approval: true };
  expect(outcome(await setting(settings))).toBe("403 step_up_required");
  const byKey = await service.api("PATCH", "/v1/workspaces/current", { settings });
  expect(outcome(byKey)).toBe("403 surface_not_allowed");
  await stepUpWith(owner, ownerKey, { operation: "workspaces.update", body: { settings } });
  expect((await setting(settings)).status).toBe(200);
  expect((await setting({ solo_approval: false })).status).toBe(200);
});

test("an undo of high risk needs a proof for exactly this run", async () => {
  const undo = { endpoint: receiver.url };
  const [proposal, other] = [
    await waiting({ ...HIGH, reversible: true, undo }),
    await waiting({ ...HIGH, reversible: true, undo }),
  ];
  expect((await stepUp([proposal, other])).status).toBe(200);
  const [run, another] = [(await approve(proposal)).body.run.id, (await approve(other)).body.run.id];
  const undone = async (id: string): Promise<string> =>
    outcome(await admin.call("POST", `/v1/runs/${id}/undo`, undefined));
  expect(await undone(run)).toBe("403 step_up_required");
  expect(outcome(await service.api("POST", `/v1/runs/${String(run)}/undo`))).toBe("403 step_up_required");
  expect((await stepUpWith(admin, key, { operation: "runs.undo", id: run })).status).toBe(200);
  expect(await undone(another)).toBe("403 step_up_required");
  expect(await undone(run)).toBe("200");
});

test("a contract of high risk is loosened only with a proof", async () => {
  const action = await confirmedActionOn(service, receiver, HIGH);
  const path = `/v1/action-contracts/${action}`;
  const lower = { risk: "medium" };
  expect(outcome(await owner.call("PATCH", path, lower))).toBe("403 step_up_required");
  expect(outcome(await service.api("PATCH", path, lower))).toBe("403 step_up_required");
  const change = { operation: "action_contracts.update", id: action };
  await stepUpWith(owner, ownerKey, { ...change, body: { risk: "low" } });
  expect(outcome(await owner.call("PATCH", path, lower))).toBe("403 step_up_required");
  expect((await owner.call("PATCH", path, { label: "Another label" })).status).toBe(200);
  await stepUpWith(owner, ownerKey, { ...change, body: lower });
  expect((await owner.call("PATCH", path, lower)).status).toBe(200);
});

test("a deleted contract comes back with a lower risk only with a proof", async () => {
  const action = await confirmedActionOn(service, receiver, HIGH);
  const path = `/v1/action-contracts/${action}`;
  expect((await owner.call("DELETE", path)).status).toBe(204);
  const again = contractArgs({ key: action, endpoint: receiver.url, requires_confirmation: true, risk: "low" });
  expect(outcome(await owner.call("POST", "/v1/action-contracts", again))).toBe("403 step_up_required");
  const sandbox = { "X-Service-Environment": "sandbox" };
  expect((await owner.call("POST", "/v1/action-contracts", again, sandbox)).status).toBe(201);
  expect(outcome(await owner.call("POST", `${path}/promote`, {}))).toBe("403 step_up_required");
  await stepUpWith(owner, ownerKey, { operation: "action_contracts.promote", id: action, body: {} });
  expect((await owner.call("POST", `${path}/promote`, {})).status).toBe(200);
});
