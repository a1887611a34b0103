import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { mintKey } from "../../testing/keys.ts";
import { invite, joined, outcome, signIn, tokenOf } from "../../testing/people.ts";
import type { TestPerson } from "../../testing/people.ts";
import { startService } from "../../testing/service.ts";
import type { ApiAnswer, TestService } from "../../testing/test-service.ts";

/**
 * The tests name the findings of a security review by their numbers. Each gave a caller more access than its current
 * rights.
 */
let service: TestService;
let owner: TestPerson;

beforeAll(async () => {
  service = await startService({ env: { JUNCTION_RATE_LIMITS: '{"management.write":5000}' } });
  owner = await signIn(service);
});
afterAll(async () => await service.close());

async function as(key: string | null, method: string, path: string, body?: unknown): Promise<ApiAnswer> {
  return await service.api(method, path, body, { key });
}

/** Creates another workspace of the owner. Returns its owner's key. */
async function workspace(name: string): Promise<{ id: string; key: string }> {
  const { body } = await service.api("POST", "/v1/workspaces", { name });
  return { id: body["workspace_id"], key: body["api_key"] };
}

/** Creates a workspace whose owner is another person, who owns no other workspace. */
async function strangersWorkspace(): Promise<{ id: string; key: string; owner: TestPerson }> {
  const made = await workspace("Corp");
  const stranger = await joined(service, "owner", made.key);
  const headers = { "X-Service-Workspace": made.id };
  const { body } = await stranger.call(
    "POST",
    "/v1/keys",
    { name: "k", permission_mode: "all", actor_type: "user" },
    headers,
  );
  const [first] = (await stranger.call("GET", "/v1/members", undefined, headers)).body["data"].filter(
    (member: { email: string }) => member.email === owner.email,
  );
  expect((await stranger.call("DELETE", `/v1/members/${first.id}`, undefined, headers)).status).toBe(204);
  return { id: made.id, key: body["key"], owner: stranger };
}

describe("1: a sandbox credential changes nothing that live and sandbox share", () => {
  const calls = [
    ["POST", "/v1/members/invitations", { email: "x@example.com", role: "admin" }],
    ["DELETE", "/v1/members/invitations/x", undefined],
    ["PATCH", "/v1/members/:member", { role: "viewer" }],
    ["DELETE", "/v1/members/:member", undefined],
    ["PATCH", "/v1/workspaces/current", { settings: { retention_days: 1, solo_approval: true } }],
    ["PATCH", "/v1/assistant", { base_url: "https://8.8.8.8/v1" }],
  ] as const;

  test.each(calls)("%s %s", async (method, path, body) => {
    const member = await joined(service, "viewer");
    const at = path.replace(":member", member.memberId);
    const made = await service.service.workspaces.operatorsSandboxKey("CI");
    expect(outcome(await as(String(made?.sandbox_key), method, at, body))).toBe("403 environment_mismatch");
    // A person in the sandbox environment is refused too.
    const seen = await owner.call(method, at, body, { "X-Service-Environment": "sandbox" });
    expect(outcome(seen)).toBe("403 environment_mismatch");
  });
});

describe("2: a reset link is judged again when it is used", () => {
  async function linkFor(person: TestPerson): Promise<string> {
    const made = await owner.call("POST", `/v1/members/${person.memberId}/reset-link`, { clear_totp: true });
    expect(made.status).toBe(201);
    return tokenOf(made.body["reset_url"]);
  }

  async function use(token: string): Promise<string> {
    return outcome(await as(null, "POST", "/v1/auth/reset", { token, password: "another long password" }));
  }

  test("it opens no workspace that the person joined since", async () => {
    const [person, corp] = [await joined(service, "developer"), await strangersWorkspace()];
    const token = await linkFor(person);
    const accepted = await as(null, "POST", "/v1/members/accept", {
      token: await invite(service, person.email, "admin", corp.key),
      name: "P",
      password: person.password,
    });
    expect(accepted.status).toBe(201);
    expect(await use(token)).toBe("401 reset_link_invalid");
    expect((await signIn(service, { email: person.email, password: person.password })).answer.status).toBe(200);
    // The link stays invalid when the person leaves again.
    expect(await use(token)).toBe("401 reset_link_invalid");
  });

  test("it ends with its maker's role, membership and key", async () => {
    for (const end of ["role", "membership", "key"] as const) {
      const [person, maker] = [await joined(service, "developer"), await joined(service, "owner")];
      const { body: key } = await maker.call("POST", "/v1/keys", {
        name: "k",
        permission_mode: "all",
        actor_type: "user",
      });
      const made = await as(key["key"], "POST", `/v1/members/${person.memberId}/reset-link`, {});
      const token = tokenOf(made.body["reset_url"]);
      if (end === "role") await owner.call("PATCH", `/v1/members/${maker.memberId}`, { role: "admin" });
      if (end === "membership") await owner.call("DELETE", `/v1/members/${maker.memberId}`);
      if (end === "key") await maker.call("POST", `/v1/keys/${String(key["id"])}/revoke`);
      expect([end, await use(token)]).toEqual([end, "401 reset_link_invalid"]);
    }
  });

  test("an operator's link, and one whose maker may still make it, open", async () => {
    const person = await joined(service, "developer");
    expect(await use(await linkFor(person))).toBe("204");
    const operators = await service.service.people.resetLink(person.email, false);
    expect(await use(tokenOf(operators.reset_url))).toBe("204");
  });
});

describe("4: people are made by people", () => {
  const invitation = { email: "ghost@example.com", role: "viewer" };

  test("service and AI keys cannot invite, change, remove or reset members", async () => {
    const member = await joined(service, "viewer");
    for (const spec of [{ role: "admin" }, { role: "ai" }]) {
      const { key } = await mintKey(service, spec);
      for (const [method, path, body] of [
        ["POST", "/v1/members/invitations", invitation],
        ["PATCH", `/v1/members/${member.memberId}`, { role: "developer" }],
        ["DELETE", `/v1/members/${member.memberId}`, undefined],
        ["POST", `/v1/members/${member.memberId}/reset-link`, {}],
      ] as const)
        expect([spec, path, outcome(await as(key, method, path, body))]).toEqual([spec, path, "403 role_not_allowed"]);
    }
  });

  test("a person's key limited by expiry, address, scope or list cannot invite", async () => {
    const limits = [
      { expires_at: new Date(Date.now() + 3_600_000).toISOString() },
      { ip_allowlist: ["127.0.0.0/8"] },
      { scopes: ["members:write"] },
      { permission_mode: "restricted", blocked_actions: ["events.fire"] },
    ];
    for (const limit of limits) {
      const { key } = await mintKey(service, { actor_type: "user", ...limit });
      expect([limit, outcome(await as(key, "POST", "/v1/members/invitations", invitation))]).toEqual([
        limit,
        "403 action_blocked",
      ]);
    }
    const { key } = await mintKey(service, { actor_type: "user" });
    expect((await as(key, "POST", "/v1/members/invitations", invitation)).status).toBe(201);
  });

  test("an invitation ends with the inviter's role, membership and key", async () => {
    for (const end of ["role", "membership", "key"] as const) {
      const maker = await joined(service, "admin");
      const { body: key } = await maker.call("POST", "/v1/keys", {
        name: "k",
        permission_mode: "all",
        actor_type: "user",
      });
      const email = `late-${end}@example.com`;
      const token = await invite(service, email, "admin", key["key"]);
      if (end === "role") await owner.call("PATCH", `/v1/members/${maker.memberId}`, { role: "viewer" });
      if (end === "membership") await owner.call("DELETE", `/v1/members/${maker.memberId}`);
      if (end === "key") await maker.call("POST", `/v1/keys/${String(key["id"])}/revoke`);
      const taken = await as(null, "POST", "/v1/members/accept", {
        token,
        name: "N",
        password: "a long enough password",
      });
      expect([end, outcome(taken)]).toEqual([end, "401 invitation_invalid"]);
    }
  });
});

describe("11: an operator permission that is taken from a person is taken from their keys", () => {
  test("at the next request", async () => {
    const person = await joined(service, "admin");
    await owner.call("PATCH", `/v1/members/${person.memberId}`, { permissions: ["refunds", "payouts"] });
    const { body } = await person.call("POST", "/v1/keys", { name: "k", permission_mode: "all", actor_type: "user" });
    const permissions = async (): Promise<unknown> => (await as(body["key"], "GET", "/v1/me")).body["permissions"];
    const held = async (permission: string): Promise<string> => {
      const contract = {
        key: `held.${permission}_${String(Date.now())}`,
        label: "X",
        surface: ["api"],
        roles: ["admin"],
        requires_confirmation: false,
        audit: true,
        params: {},
        endpoint: "http://127.0.0.1:9/",
        permission,
      };
      expect((await service.api("POST", "/v1/action-contracts", contract)).status).toBe(201);
      const run = { action: contract.key, parameters: {}, dry_run: true };
      return outcome(await as(body["key"], "POST", "/v1/actions/run", run));
    };
    expect([await held("refunds"), await held("payouts")]).toEqual(["200", "200"]);
    await owner.call("PATCH", `/v1/members/${person.memberId}`, { permissions: ["payouts"] });
    expect([await held("refunds"), await held("payouts")]).toEqual(["403 permission_required", "200"]);
    expect(await permissions()).toBeDefined();
  });
});
