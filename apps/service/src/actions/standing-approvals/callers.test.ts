import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runOf } from "../../testing/actions.ts";
import { absentId, mintKey, otherWorkspace, scopeOf } from "../../testing/keys.ts";
import type { TestKey } from "../../testing/keys.ts";
import { joined, outcome, tokenOf } from "../../testing/people.ts";
import type { TestPerson } from "../../testing/people.ts";
import { standingArgs } from "../../testing/standing-approval-calls.ts";
import { startStandingWorld } from "../../testing/standing-approvals.ts";
import type { StandingWorld } from "../../testing/standing-approvals.ts";
import type { Parsed, TestService } from "../../testing/test-service.ts";

/** The rights to write, end and read standing approvals, and the callers that they cover. */

let service: TestService;
let owner: TestPerson;
let agent: TestKey;
let world: StandingWorld;

beforeAll(async () => {
  world = await startStandingWorld();
  ({ service, owner, agent } = world);
});
afterAll(async () => await world.close());

describe("only the named callers", () => {
  test("count, not the key of another agent or a person", async () => {
    const action = await world.actionFor();
    await world.written(action);
    const other = await mintKey(service, { actor_type: "ai", role: "ai" });
    for (const key of [other.key, service.key])
      expect(await world.asked(action, { amount: 5 }, key)).toBe("pending_confirmation");
  });

  test("stay covered when their key is rolled", async () => {
    const action = await world.actionFor();
    const made = await mintKey(service, { actor_type: "ai", role: "ai" });
    await world.written(action, { agents: [{ type: "key", id: made.id }] });
    const rolled = await service.api("POST", `/v1/keys/${made.id}/roll`, { overlap_seconds: 0 });
    expect(await world.asked(action, { amount: 5 }, rolled.body["key"])).toBe("executed");
  });

  test("can be the AI keys of a member", async () => {
    const action = await world.actionFor();
    await world.written(action, { agents: [{ type: "member", id: owner.memberId }] });
    const made = await owner.call("POST", "/v1/keys", {
      name: "mine",
      actor_type: "ai",
      role: "ai",
      permission_mode: "all",
    });
    expect(await world.asked(action, { amount: 5 }, made.body.key)).toBe("executed");
    const admin = await joined(service, "admin");
    const others = await admin.call("POST", "/v1/keys", {
      name: "theirs",
      actor_type: "ai",
      role: "ai",
      permission_mode: "all",
    });
    expect(await world.asked(action, { amount: 5 }, others.body.key)).toBe("pending_confirmation");
  });

  test("are none once the member has left, although the key stays", async () => {
    const action = await world.actionFor();
    const admin = await joined(service, "admin");
    await world.written(action, { agents: [{ type: "member", id: admin.memberId }] });
    const body = { name: "left", actor_type: "ai", role: "ai", permission_mode: "all" };
    const made = await admin.call("POST", "/v1/keys", body);
    expect(await world.asked(action, { amount: 5 }, made.body.key)).toBe("executed");
    await owner.call("DELETE", `/v1/members/${admin.memberId}`);
    expect(await world.asked(action, { amount: 5 }, made.body.key)).toBe("pending_confirmation");
  });

  test("wait for people if they claim the surface of the assistant", async () => {
    const action = await world.actionFor({ surface: ["api", "assistant"] });
    await world.written(action);
    const call = { parameters: { amount: 5 }, surface: "assistant" };
    expect((await runOf(service, action, call, { key: agent.key })).body["status"]).toBe("pending_confirmation");
    expect(await world.asked(action, { amount: 5 })).toBe("executed");
  });

  test("are keys and members of the same workspace and environment, not keys of people", async () => {
    const action = await world.actionFor();
    const foreign = await otherWorkspace(service);
    const sandbox = await scopeOf(service, service.sandboxKey);
    const person = await mintKey(service, { actor_type: "user" });
    const refusal = async (agents: object[]): Promise<string> => outcome(await world.write(action, { agents }));
    expect(await refusal([{ type: "key", id: foreign.id("key") }])).toBe("403 workspace_mismatch");
    expect(await refusal([{ type: "key", id: absentId(sandbox, "key") }])).toBe("403 environment_mismatch");
    const agents = [
      { type: "key", id: person.id },
      { type: "member", id: "mem_1" },
    ];
    const { status, body } = await world.write(action, { agents });
    expect([status, body["errors"].map((one: Parsed) => one.pointer)]).toEqual([422, ["/agents/0/id", "/agents/1/id"]]);
  });
});

describe("the writer", () => {
  test("is an owner in a session, not a key and no other role", async () => {
    const action = await world.actionFor();
    const byKey = await service.api("POST", "/v1/standing-approvals", standingArgs(action, agent.id));
    expect(outcome(byKey)).toBe("403 surface_not_allowed");
    for (const role of ["admin", "developer"])
      expect(outcome(await world.write(action, {}, await joined(service, role)))).toBe("403 role_not_allowed");
    const byAi = await service.api("POST", "/v1/standing-approvals", standingArgs(action, agent.id), {
      key: agent.key,
    });
    expect(outcome(byAi)).toBe("403 role_not_allowed");
  });

  test.each([
    ["has taken the account back approves nothing in advance", {}, "pending_confirmation"],
    ["keeps keys when taking the account back still approves", { keep_keys: true }, "executed"],
  ])("who %s", async (_what, more, expected) => {
    const action = await world.actionFor();
    const second = await joined(service, "owner");
    const made = await world.write(action, {}, second);
    expect(await world.asked(action, { amount: 5 })).toBe("executed");
    const link = (await owner.call("POST", `/v1/members/${second.memberId}/reset-link`, {})).body["reset_url"];
    const reset = { token: tokenOf(link), password: "an even longer password", ...more };
    expect((await service.api("POST", "/v1/auth/reset", reset, { key: null })).status).toBe(204);
    expect(await world.asked(action, { amount: 5 })).toBe(expected);
    const state = expected === "executed" ? "active" : "ended";
    expect(await world.shown(made.body)).toMatchObject({ state });
  });

  test.each(["demoted", "removed"])("who is %s no longer approves the next call", async (how) => {
    const action = await world.actionFor();
    const second = await joined(service, "owner");
    const made = await world.write(action, {}, second);
    expect(await world.asked(action, { amount: 5 })).toBe("executed");
    const path = `/v1/members/${second.memberId}`;
    if (how === "removed") await owner.call("DELETE", path);
    else await owner.call("PATCH", path, { role: "admin" });
    expect(await world.asked(action, { amount: 5 })).toBe("pending_confirmation");
    expect(await world.shown(made.body)).toMatchObject({ state: "ended", end_reason: "writer_not_owner" });
    if (how === "demoted") await owner.call("PATCH", path, { role: "owner" });
    expect(await world.asked(action, { amount: 5 })).toBe("pending_confirmation");
  });
});

test("an AI cannot read standing approvals, and no other workspace can", async () => {
  const standing = await world.written(await world.actionFor());
  const path = `/v1/standing-approvals/${standing.id}`;
  expect(outcome(await service.api("GET", path, undefined, { key: agent.key }))).toBe("403 role_not_allowed");
  const foreign = await otherWorkspace(service);
  expect(outcome(await service.api("GET", path, undefined, { key: foreign.key }))).toBe("403 workspace_mismatch");
  expect(outcome(await service.api("GET", path, undefined, { key: service.sandboxKey }))).toBe(
    "403 environment_mismatch",
  );
});
