import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { stepUpWith, withPasskey } from "../testing/authenticator.ts";
import { mintKey, otherWorkspace, setKey } from "../testing/keys.ts";
import type { TestKey } from "../testing/keys.ts";
import { joined, OWNER, outcome, signIn } from "../testing/people.ts";
import type { TestPerson } from "../testing/people.ts";
import { startService } from "../testing/service.ts";
import { UNLIMITED } from "../testing/subscription.ts";
import type { ApiAnswer, Parsed, TestService } from "../testing/test-service.ts";

let service: TestService;
let owner: TestPerson;
let admin: TestPerson;
let developer: TestPerson;

beforeAll(async () => {
  service = await startService({ env: UNLIMITED });
  owner = await signIn(service, OWNER);
  admin = await joined(service, "admin");
  developer = await joined(service, "developer");
});
beforeEach(async () => await setting({ require_approval_for_configuration: true }));
afterAll(async () => {
  await service.close();
});

const URL = "http://127.0.0.1:9/hook";
let made = 0;

async function setting(settings: Record<string, unknown>): Promise<void> {
  expect((await service.api("PATCH", "/v1/workspaces/current", { settings })).status).toBe(200);
}

/** Returns an endpoint of a configuration whose name no other one has. */
function endpoint(more: Record<string, unknown> = {}): { readonly name: string } {
  made += 1;
  return { name: `endpoint ${made}`, url: URL, events: ["order.*"], ...more } as { readonly name: string };
}

/** The caller of a request: a key, or a person in the console. */
type Caller = string | TestPerson;

async function call(who: Caller, path: string, body: unknown = {}): Promise<ApiAnswer> {
  return typeof who === "string"
    ? await service.api("POST", path, body, { key: who })
    : await who.call("POST", path, body);
}

async function planned(who: Caller, part: Record<string, unknown>, prune = false): Promise<Parsed> {
  const plan = await call(who, "/v1/configuration/plans", { configuration: { version: 1, ...part }, prune });
  if (plan.status !== 201) throw new Error(plan.text);
  return plan.body;
}

async function apply(who: Caller, { id }: Parsed): Promise<ApiAnswer> {
  return await call(who, `/v1/configuration/plans/${String(id)}/apply`);
}

/** Returns the proposal that an application became. */
async function proposed(who: Caller, part: Record<string, unknown>, prune = false): Promise<Parsed> {
  const answer = await apply(who, await planned(who, part, prune));
  expect([answer.status, answer.body["object"]]).toEqual([202, "proposal"]);
  return answer.body;
}

async function approve(who: Caller, { id, params_hash: hash }: Parsed): Promise<ApiAnswer> {
  return await call(who, `/v1/proposals/${String(id)}/approve`, { params_hash: hash });
}

/** Returns the state of the proposal after an approval, and the error of its run. */
async function end(answer: ApiAnswer): Promise<unknown[]> {
  const run = answer.body["run"];
  const { body } = await service.api("GET", `/v1/proposals/${String(run?.proposal_id)}`);
  return [body["state"], run?.error?.code];
}

async function exists(name: string): Promise<boolean> {
  const { body } = await service.api("GET", "/v1/configuration");
  return body["endpoints"].some((one: Parsed) => one.name === name);
}

describe("an application in live", () => {
  test("waits for another person, who sees what changes, and is made once", async () => {
    const kept = endpoint();
    const gone = endpoint();
    await approve(admin, await proposed(service.key, { endpoints: [kept, gone] }));
    const endpoints = [{ ...kept, description: "New" }, endpoint()];
    const plan = await planned(service.key, { endpoints, inboxes: [{ name: "waiting" }] }, true);
    const { status, body: proposal } = await apply(service.key, plan);
    expect(status).toBe(202);
    expect(proposal).toMatchObject({
      action: "meta.configuration.apply",
      state: "proposed",
      four_eyes: true,
      approver_roles: ["owner", "admin", "developer"],
      parameters: { plan_id: plan.id },
      preview: { count: 4, risk: "high", target_host: null },
    });
    expect(proposal.preview.fields.map(({ name, value }: Parsed) => [name, value])).toEqual([
      ["create", "1 inbox, 1 endpoint"],
      ["update", "1 endpoint"],
      ["delete", "1 endpoint"],
      ["create inbox", "waiting"],
      ["create endpoint", endpoints[1]?.name],
      ["update endpoint", `${kept.name}: /description "" -> "New"`],
      ["delete endpoint", `${gone.name}, with 0 pending deliveries`],
    ]);
    expect(await exists(gone.name)).toBe(true);
    const answer = await approve(admin, proposal);
    expect(answer.body["run"]).toMatchObject({ status: "executed", result: { plan_id: plan.id } });
    expect(await exists(gone.name)).toBe(false);
    const { body } = await service.api("GET", "/v1/audit?action=configuration.apply&limit=1");
    expect(body["data"][0]).toMatchObject({ params_redacted: { id: plan.id, proposal_id: proposal.id } });
    // Applied again, it is done.
    expect(await apply(service.key, plan)).toMatchObject({
      status: 200,
      body: { object: "configuration_application" },
    });
  });

  test("that is requested again is the same proposal, and another one after a rejection", async () => {
    const plan = await planned(service.key, { endpoints: [endpoint()] });
    const answers = await Promise.all(Array.from({ length: 10 }, async () => await apply(service.key, plan)));
    expect(new Set(answers.map(({ body }) => body["id"])).size).toBe(1);
    const first = answers[0]?.body;
    expect((await apply(developer, plan)).body["id"]).toBe(first.id);
    await call(admin, `/v1/proposals/${first.id}/reject`);
    const second = (await apply(service.key, plan)).body;
    expect([second["state"], second["id"] === first.id]).toEqual(["proposed", false]);
    expect(await end(await approve(admin, second))).toEqual(["executed", undefined]);
  });

  test("of a person in the console runs with that person's rights", async () => {
    const one = endpoint();
    const proposal = await proposed(developer, { endpoints: [one] });
    expect(proposal).toMatchObject({ surface: "console", proposer: { type: "user", id: developer.memberId } });
    expect(await end(await approve(admin, proposal))).toEqual(["executed", undefined]);
    expect(await exists(one.name)).toBe(true);
    const { body } = await service.api("GET", "/v1/audit?action=webhook_endpoints.create&limit=1");
    expect(body["data"][0]).toMatchObject({ actor: { type: "user", id: developer.memberId } });
  });

  test("with nothing to change, in the sandbox, or without the setting does not wait", async () => {
    const plan = await planned(service.key, { endpoints: [] });
    expect((await apply(service.key, plan)).status).toBe(200);
    const inSandbox = await planned(service.sandboxKey, { endpoints: [endpoint()] });
    expect((await apply(service.sandboxKey, inSandbox)).status).toBe(200);
    await setting({ require_approval_for_configuration: false });
    expect((await apply(service.key, await planned(service.key, { endpoints: [endpoint()] }))).status).toBe(200);
    const other = await otherWorkspace(service);
    expect((await apply(other.key, await planned(other.key, { endpoints: [endpoint()] }))).status).toBe(200);
  });

  test("shows a part of a large plan, and says how much is left out", async () => {
    const inboxes = Array.from({ length: 130 }, (_, at) => ({ name: `many-${at}` }));
    const { preview } = await proposed(service.key, { inboxes });
    expect([preview.count, preview.fields.length]).toEqual([130, 102]);
    expect(preview.fields.at(-1)).toMatchObject({ name: "more", value: "30 objects are not listed here." });
  });

  test("shows no value of a secret", async () => {
    await service.api("PUT", "/v1/secrets/crm", { value: "hunter2hunter2", hosts: ["127.0.0.1"] });
    const one = endpoint();
    await approve(admin, await proposed(service.key, { endpoints: [one] }));
    const proposal = await proposed(service.key, {
      endpoints: [{ ...one, headers: { "X-Token": { secret_ref: "crm" } } }],
    });
    expect(proposal.preview.fields.at(-1).value).toContain('-> {"stored":"crm"}');
    expect((await service.api("GET", `/v1/proposals/${proposal.id}`)).text).not.toContain("hunter2hunter2");
    expect(await end(await approve(admin, proposal))).toEqual(["executed", undefined]);
  });
});

describe("an approval of a configuration", () => {
  test("is refused for its requester, an AI and roles without the right", async () => {
    const proposal = await proposed(service.key, { endpoints: [endpoint()] });
    const ai = await mintKey(service, { actor_type: "ai", role: "ai" });
    const operator = await joined(service, "operator");
    expect(outcome(await approve(owner, proposal))).toBe("403 self_approval_forbidden");
    expect((await approve(ai.key, proposal)).status).toBe(403);
    expect(outcome(await approve(operator, proposal))).toBe("403 role_not_allowed");
    const settings = { time_zone: "Europe/Berlin", require_approval_for_configuration: true };
    const ofSettings = await proposed(service.key, { settings });
    expect(ofSettings.approver_roles).toEqual(["owner", "admin"]);
    expect(outcome(await approve(developer, ofSettings))).toBe("403 role_not_allowed");
  });

  test("needs a repeated proof where the workspace requires one", async () => {
    const { key } = await withPasskey(service.baseUrl, admin);
    const { key: ownersKey } = await withPasskey(service.baseUrl, owner);
    const proposal = await proposed(service.key, { endpoints: [endpoint()] });
    await setting({ require_step_up: true });
    expect(outcome(await approve(admin, proposal))).toBe("403 step_up_required");
    const named = { id: proposal.id, params_hash: proposal.params_hash };
    const begun = await admin.call("POST", "/v1/step-ups", { proposals: [named] });
    const assertion = key.get(begun.body["passkey_request"]);
    await admin.call("POST", `/v1/step-ups/${String(begun.body["id"])}/prove`, { assertion });
    expect(await end(await approve(admin, proposal))).toEqual(["executed", undefined]);
    const settings = { require_step_up: false };
    await stepUpWith(owner, ownersKey, { operation: "workspaces.update", body: { settings } });
    expect((await owner.call("PATCH", "/v1/workspaces/current", { settings })).status).toBe(200);
  });

  test("changes nothing if the workspace was changed since the request", async () => {
    const one = endpoint();
    await approve(admin, await proposed(service.key, { endpoints: [one] }));
    const more = endpoint();
    const proposal = await proposed(service.key, { endpoints: [{ ...one, description: "Planned" }, more] });
    const list = await service.api("GET", "/v1/webhook-endpoints?limit=100");
    const { id } = list.body["data"].find(({ name }: Parsed) => name === one.name);
    await service.api("PATCH", `/v1/webhook-endpoints/${id}`, { description: "By hand" });
    expect(await end(await approve(admin, proposal))).toEqual(["failed", "plan_stale"]);
    expect(await exists(more.name)).toBe(false);
    expect((await service.api("GET", `/v1/webhook-endpoints/${id}`)).body["description"]).toBe("By hand");
  });

  test("changes nothing if the requester has lost a right since", async () => {
    const keys: TestKey[] = [await mintKey(service), await mintKey(service), await mintKey(service)];
    const columns = [
      { permission_mode: "restricted", blocked_actions: ["webhook_endpoints.*"] },
      { permission_mode: "read_only" },
      { scopes: ["webhook_endpoints:write"] },
    ];
    const ends: unknown[] = [];
    const names: string[] = [];
    for (const [at, key] of keys.entries()) {
      const one = endpoint();
      names.push(one.name);
      const proposal = await proposed(key.key, { endpoints: [one] });
      await setKey(service, key, columns[at] ?? {});
      ends.push(await end(await approve(admin, proposal)));
    }
    expect(ends).toEqual([
      ["failed", "action_blocked"],
      ["failed", "key_read_only"],
      ["failed", "scope_missing"],
    ]);
    const demoted = await joined(service, "developer");
    const proposal = await proposed(demoted, { endpoints: [endpoint({ name: "demoted" })] });
    await service.api("PATCH", `/v1/members/${demoted.memberId}`, { role: "viewer" });
    expect(await end(await approve(admin, proposal))).toEqual(["failed", "role_not_allowed"]);
    for (const name of [...names, "demoted"]) expect(await exists(name)).toBe(false);
  });

  test("is void once the requester is gone, or the hash is another one", async () => {
    const key = await mintKey(service);
    const proposal = await proposed(key.key, { endpoints: [endpoint()] });
    expect(outcome(await approve(admin, { ...proposal, params_hash: "0".repeat(64) }))).toBe("409 proposal_changed");
    await service.api("POST", `/v1/keys/${key.id}/revoke`);
    expect(outcome(await approve(admin, proposal))).toBe("409 proposer_revoked");
  });

  test("counts once when people, and applications without the setting, race", async () => {
    const one = endpoint();
    const plan = await planned(service.key, { endpoints: [one] });
    const { body: proposal } = await apply(service.key, plan);
    await setting({ require_approval_for_configuration: false });
    const answers = await Promise.all([
      approve(admin, proposal),
      approve(developer, proposal),
      apply(service.key, plan),
      apply(service.key, plan),
    ]);
    expect(answers.slice(0, 2).filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.slice(2).map(({ status }) => status)).toEqual([200, 200]);
    const { body } = await service.api("GET", "/v1/webhook-endpoints?limit=100");
    expect(body["data"].filter(({ name }: Parsed) => name === one.name)).toHaveLength(1);
    expect((await service.api("GET", `/v1/proposals/${proposal["id"]}`)).body["state"]).toBe("executed");
  });

  test("of two plans for the same object makes the second one stale", async () => {
    const one = endpoint();
    await approve(admin, await proposed(service.key, { endpoints: [one] }));
    const proposals = [
      await proposed(service.key, { endpoints: [{ ...one, description: "First" }] }),
      await proposed(service.key, { endpoints: [{ ...one, description: "Second" }] }),
    ];
    const ends = await Promise.all(proposals.map(async (proposal) => await end(await approve(admin, proposal))));
    expect(ends.toSorted()).toEqual([
      ["executed", undefined],
      ["failed", "plan_stale"],
    ]);
  });

  test("keeps the plan as long as people can decide", async () => {
    const plan = await planned(service.key, { endpoints: [endpoint()] });
    const { body: proposal } = await apply(service.key, plan);
    await service.database.query("update configuration_plan set expires_at = expires_at - interval '23 hours'");
    expect(await end(await approve(admin, proposal))).toEqual(["executed", undefined]);
  });
});

describe("an attack on the approval of a configuration", () => {
  test("cannot run or edit the proposal by another way", async () => {
    const one = endpoint();
    const plan = await planned(service.key, { endpoints: [one] });
    const { body: proposal } = await apply(service.key, plan);
    const parameters = { ...proposal["parameters"], plan_id: plan.id };
    for (const who of [service.key, admin])
      expect(
        (await call(who, "/v1/actions/run", { action: proposal["action"], parameters, confirmed: true })).status,
      ).toBeGreaterThanOrEqual(400);
    const edited = await service.api("PATCH", `/v1/proposals/${proposal["id"]}`, { parameters });
    expect(outcome(edited)).toBe("409 contract_changed");
    expect(await exists(one.name)).toBe(false);
  });

  test("with a tenant's key, an AI's key or half a right makes no proposal", async () => {
    const plan = await planned(service.key, { endpoints: [endpoint()] });
    const tenant = await mintKey(service, { tenant: "acme", role: "developer", actor_type: "service" });
    const ai = await mintKey(service, { actor_type: "ai", role: "ai" });
    const half = await mintKey(service, { permission_mode: "restricted", blocked_actions: ["webhook_endpoints.*"] });
    for (const { key } of [tenant, ai, half]) expect((await apply(key, plan)).status).toBe(403);
    const { body } = await service.api("GET", "/v1/proposals?state=proposed&limit=100");
    expect(JSON.stringify(body)).not.toContain(plan.id);
  });

  test("by the setting itself needs an owner, or waits like other changes", async () => {
    const off = { settings: { require_approval_for_configuration: false } };
    expect(outcome(await admin.call("PATCH", "/v1/workspaces/current", off))).toBe("403 role_not_allowed");
    const byAdmin = await call(admin, "/v1/configuration/plans", { configuration: { version: 1, ...off } });
    expect(byAdmin.status).toBe(403);
    const proposal = await proposed(service.key, off);
    expect(proposal.preview.fields.at(-1)).toMatchObject({
      name: "update settings",
      value: expect.stringContaining("/require_approval_for_configuration true -> false"),
    });
    expect(await end(await approve(admin, proposal))).toEqual(["executed", undefined]);
    const { body } = await service.api("GET", "/v1/workspaces/current");
    expect(body["settings"].require_approval_for_configuration).toBe(false);
  });
});
