import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { covers } from "../../../../../requirements/covers.ts";
import { sha256 } from "../../lib/lib.ts";
import { contractArgs, registerContract } from "../../testing/contracts.ts";
import { mintKey, otherWorkspace } from "../../testing/keys.ts";
import { joined, outcome } from "../../testing/people.ts";
import { startService } from "../../testing/service.ts";
import { UNLIMITED } from "../../testing/subscription.ts";
import type { ApiAnswer, Parsed, TestService } from "../../testing/test-service.ts";

const PATH = "/v1/action-contracts";

let service: TestService;
let admin: string;
beforeAll(async () => {
  service = await startService({ env: UNLIMITED });
  ({ key: admin } = await mintKey(service, { role: "admin" }));
});
afterAll(async () => await service.close());

const inSandbox = async (method: string, path: string, body?: unknown): Promise<ApiAnswer> =>
  await service.api(method, path, body, { key: service.sandboxKey });

async function sandboxContract(more: Record<string, unknown> = {}): Promise<Parsed> {
  const made = await inSandbox("POST", PATH, contractArgs(more));
  if (made.status !== 201) throw new Error(`no contract: ${made.text}`);
  return made.body;
}

const promote = async (key: string, body: unknown = {}, as = admin): Promise<ApiAnswer> =>
  await service.api("POST", `${PATH}/${key}/promote`, body, { key: as });

async function run(action: string, key: string): Promise<Parsed> {
  return (await service.api("POST", "/v1/actions/run", { action, parameters: {} }, { key })).body;
}

describe("the keys of both environments", () => {
  test("do not collide, and each call uses the contract of its environment", async () => {
    const { key } = await registerContract(service, { label: "Live" });
    const own = await inSandbox("POST", PATH, { ...contractArgs(), key, label: "Sandbox" });
    expect([own.status, own.body["version"], own.body["acts_in"]]).toEqual([201, 2, ["sandbox"]]);
    expect((await inSandbox("GET", `${PATH}/${key}`)).body).toMatchObject({ label: "Sandbox", environment: "sandbox" });
    expect((await service.api("GET", `${PATH}/${key}`)).body).toMatchObject({ label: "Live", acts_in: ["live"] });
    const other = await service.api("GET", `${PATH}/${key}?environment=sandbox`);
    expect(other.body).toMatchObject({ label: "Sandbox" });
    expect((await inSandbox("GET", `${PATH}/${key}/versions`)).body["data"]).toMatchObject([{ version: 2 }]);
    expect((await service.api("GET", `${PATH}/${key}/versions`)).body["data"]).toMatchObject([{ version: 1 }]);
    expect(await run(key, service.sandboxKey)).toMatchObject({ status: "executed", simulated: true });
    expect((await inSandbox("DELETE", `${PATH}/${key}`)).status).toBe(204);
    expect((await inSandbox("GET", `${PATH}/${key}`)).body).toMatchObject({ label: "Live" });
    expect((await service.api("GET", `${PATH}/${key}`)).body["acts_in"]).toEqual(["live", "sandbox"]);
  });

  test("are listed apart with a filter", async () => {
    const { key } = await sandboxContract();
    const list = async (query: string): Promise<string[]> =>
      (await service.api("GET", `${PATH}?limit=100${query}`)).body["data"].map((one: Parsed) => one.key);
    expect(await list("&environment=sandbox")).toContain(key);
    expect(await list("&environment=live")).not.toContain(key);
    expect(await list("")).toContain(key);
  });

  covers("sandbox.data.apart", "a live call never uses a weaker contract of the sandbox", async () => {
    const strict = { requires_confirmation: true, approval: { required: 2 } };
    const { key } = await registerContract(service, { ...strict, sandbox_endpoint: null });
    await inSandbox("POST", PATH, { ...contractArgs(), key });
    expect(await run(key, service.key)).toMatchObject({ status: "pending_confirmation" });
    expect(await run(key, service.sandboxKey)).toMatchObject({ status: "executed" });
    const only = await sandboxContract();
    const unknown = await run(only["key"], service.key);
    expect(unknown["code"]).toBe("action_unknown");
    expect(unknown["did_you_mean"]).not.toContain(only["key"]);
  });

  test("a live credential cannot change or delete a contract of the sandbox: 403", async () => {
    const { key } = await sandboxContract();
    for (const [method, path, body] of [
      ["PATCH", `${PATH}/${key}`, { label: "Taken" }],
      ["DELETE", `${PATH}/${key}`, undefined],
      ["POST", `${PATH}/${key}/secret/regenerate`, undefined],
    ] as const) {
      const answer = await service.api(method, path, body);
      expect(outcome(answer)).toBe("403 environment_mismatch");
      expect(answer.body["detail"]).toContain("promote it to live");
    }
  });

  test("a contract that an earlier version stored under the key acts as before", async () => {
    const { key } = await sandboxContract({ label: "Earlier" });
    const stored = `update action_contract set key = $1 where key = $2`;
    await service.database.query(stored, [key, `sandbox:${key}`]);
    expect((await inSandbox("PATCH", `${PATH}/${key}`, { description: "Changed" })).status).toBe(200);
    expect((await inSandbox("POST", PATH, { ...contractArgs(), key })).status).toBe(409);
    expect(await run(key, service.sandboxKey)).toMatchObject({ status: "executed" });
    expect(await run(key, service.key)).toMatchObject({ code: "action_unknown" });
    const live = await service.api("POST", PATH, { ...contractArgs(), key, label: "Live" });
    expect([live.status, live.body["version"]]).toEqual([201, 3]);
    expect((await inSandbox("GET", `${PATH}/${key}`)).body).toMatchObject({ label: "Earlier", version: 2 });
    expect(await run(key, service.sandboxKey)).toMatchObject({ status: "executed" });
    expect((await inSandbox("POST", `${PATH}/${key}/secret/regenerate`)).status).toBe(200);
    expect((await promote(key, {}, service.key)).body).toMatchObject({ effect: "update", live_version: 4 });
  });

  test("runs of an earlier sandbox version keep its definition", async () => {
    const contract = await sandboxContract({ delivery: "async", sandbox_endpoint: "http://127.0.0.1:9/one" });
    const { key } = contract;
    const queued = await run(key, service.sandboxKey);
    await inSandbox("PATCH", `${PATH}/${key}`, { sandbox_endpoint: "http://127.0.0.1:9/two" });
    await service.api("POST", PATH, { ...contractArgs(), key });
    await expect
      .poll(async () => (await inSandbox("GET", `/v1/runs/${queued["id"]}`)).body, { timeout: 10_000 })
      .toMatchObject({ status: "failed", error: { code: "action_endpoint_failed" } });
  });
});

describe("a promotion", () => {
  test("creates the live contract, and returns the difference first with dry_run", async () => {
    const { key, id } = await sandboxContract({ label: "New" });
    const tried = await promote(key, { dry_run: true });
    expect(tried.body).toMatchObject({
      object: "promotion",
      dry_run: true,
      effect: "create",
      source_id: id,
      source_version: 1,
      live_id: null,
      live_version: null,
      warnings: [],
    });
    expect(tried.body["difference"]).toContainEqual({ path: "/label", to: "New" });
    expect((await service.api("GET", `${PATH}/${key}?environment=live`)).status).toBe(404);
    const { status, body } = await promote(key, { source_version: 1, live_version: null });
    expect([status, body["effect"], body["live_version"]]).toEqual([200, "create", 2]);
    const live = (await service.api("GET", `${PATH}/${key}?environment=live`)).body;
    expect(live).toMatchObject({ id: body["live_id"], label: "New", promoted_from: { id, version: 1 } });
    expect((await inSandbox("GET", `${PATH}/${key}`)).body).toMatchObject({ environment: "sandbox", id });
  });

  test("adds a version to the live contract, and nothing if they are equal", async () => {
    const { key } = await registerContract(service, { description: "Before" });
    await inSandbox("POST", PATH, { ...contractArgs(), key, description: "After", label: "Test" });
    const first = (await promote(key)).body;
    expect(first).toMatchObject({ effect: "update", live_version: 3 });
    expect(first["difference"]).toEqual([{ path: "/description", from: "Before", to: "After" }]);
    const second = (await promote(key)).body;
    expect(second).toMatchObject({ effect: "none", live_version: 3, difference: [] });
  });

  test("two at once create one contract", async () => {
    const { key } = await sandboxContract();
    const answers = await Promise.all([promote(key), promote(key), promote(key)]);
    expect(answers.map(({ body }) => body["effect"]).toSorted()).toEqual(["create", "none", "none"]);
  });

  test("is refused with 409 for versions that changed since the dry run", async () => {
    const { key } = await sandboxContract();
    await inSandbox("PATCH", `${PATH}/${key}`, { label: "Changed" });
    for (const body of [{ source_version: 1 }, { live_version: 7 }]) {
      const answer = await promote(key, body);
      expect([outcome(answer), answer.body["reason"]]).toEqual(["409 conflict", "version_changed"]);
    }
    expect((await service.api("GET", `${PATH}/${key}?environment=live`)).status).toBe(404);
  });

  test("is an owner's if it loosens the live contract: 403", async () => {
    const { key } = await registerContract(service, { requires_confirmation: true, approval: { required: 2 } });
    await inSandbox("POST", PATH, { ...contractArgs(), key });
    for (const body of [{ dry_run: true }, {}]) expect(outcome(await promote(key, body))).toBe("403 role_not_allowed");
    expect((await service.api("GET", `${PATH}/${key}`)).body).toMatchObject({
      version: 1,
      requires_confirmation: true,
    });
    expect((await promote(key, {}, service.key)).body).toMatchObject({ effect: "update" });
  });

  test("cannot loosen a deleted live contract of the same key: 403", async () => {
    const { key } = await registerContract(service, { requires_confirmation: true });
    await service.api("DELETE", `${PATH}/${key}`);
    await inSandbox("POST", PATH, { ...contractArgs(), key });
    expect(outcome(await promote(key))).toBe("403 role_not_allowed");
  });

  test("needs the contract's secret in live: 422", async () => {
    const { key } = await sandboxContract({ auth: { type: "bearer", secret_ref: "promoted_token" } });
    await inSandbox("PUT", "/v1/secrets/promoted_token", { value: "sandbox" });
    const refused = await promote(key);
    expect(outcome(refused)).toBe("422 validation_failed");
    expect(refused.body["errors"]).toMatchObject([{ pointer: "/auth/secret_ref", code: "secret_missing" }]);
    await service.api("PUT", "/v1/secrets/promoted_token", { value: "live" });
    expect((await promote(key)).status).toBe(200);
  });

  test("keeps the rules that may approve in live, with a warning", async () => {
    const { key } = await registerContract(service, {
      requires_confirmation: true,
      approval: { allow_rule: ["Small"] },
    });
    await inSandbox("POST", PATH, { ...contractArgs({ requires_confirmation: true }), key, label: "Other" });
    expect((await promote(key, {}, service.key)).body["warnings"]).toHaveLength(1);
    const live = (await service.api("GET", `${PATH}/${key}`)).body;
    expect([live["label"], live["approval"]["allow_rule"]]).toEqual(["Other", ["Small"]]);
  });

  test("voids proposals of the version before", async () => {
    const { key } = await registerContract(service, { requires_confirmation: true });
    const { proposal } = await run(key, service.key);
    await inSandbox("POST", PATH, { ...contractArgs({ requires_confirmation: true }), key, label: "Other" });
    await promote(key);
    const approved = await service.api("POST", `/v1/proposals/${proposal.id}/approve`, {
      params_hash: proposal.params_hash,
    });
    expect(outcome(approved)).toBe("409 contract_changed");
  });

  test("is audited", async () => {
    const { key } = await sandboxContract();
    await promote(key);
    const { body } = await service.api("GET", "/v1/audit?kind=contract&limit=1");
    expect(body["data"]).toMatchObject([{ action: "action_contracts.promote", params_redacted: { key } }]);
  });

  test("of a live, deleted or unknown contract is refused: 409, 404", async () => {
    const live = await registerContract(service);
    expect(outcome(await promote(live["key"]))).toBe("409 conflict");
    const { key } = await sandboxContract();
    await inSandbox("DELETE", `${PATH}/${key}`);
    expect(outcome(await promote(key))).toBe("404 not_found");
    expect(outcome(await promote("no.such"))).toBe("404 not_found");
  });

  test("of an unsafe address is refused: 422", async () => {
    const { key } = await sandboxContract();
    const definition = `update action_contract_version set definition = replace(definition, '127.0.0.1:9', '10.0.0.1') where key = $1`;
    await service.database.query(definition, [key]);
    expect(outcome(await promote(key))).toBe("422 url_blocked");
  });

  test("is refused to all but owners and admins with a live credential: 403", async () => {
    const { key } = await sandboxContract();
    const role = "update api_key set role = $1 where key_hash = $2";
    await service.database.query(role, ["admin", sha256(service.sandboxKey)]);
    expect(outcome(await promote(key, {}, service.sandboxKey))).toBe("403 environment_mismatch");
    await service.database.query(role, ["developer", sha256(service.sandboxKey)]);
    for (const spec of [
      { role: "developer" },
      { role: "operator" },
      { role: "viewer" },
      { role: "ai", actor_type: "ai" },
    ])
      expect(outcome(await promote(key, {}, (await mintKey(service, spec)).key))).toBe("403 role_not_allowed");
    const scoped = await mintKey(service, { role: "admin", scopes: ["actions:write"] });
    expect(outcome(await promote(key, {}, scoped.key))).toBe("403 scope_missing");
    const blocked = { role: "admin", permission_mode: "restricted", blocked_actions: ["action_contracts.promote"] };
    expect(outcome(await promote(key, {}, (await mintKey(service, blocked)).key))).toBe("403 action_blocked");
    const stranger = await otherWorkspace(service);
    expect(outcome(await promote(key, {}, stranger.key))).toBe("404 not_found");
  });

  test("is refused to a member who was demoted after the dry run: 403", async () => {
    const { key } = await sandboxContract();
    const person = await joined(service, "admin");
    expect((await person.call("POST", `${PATH}/${key}/promote`, { dry_run: true })).status).toBe(200);
    const { body } = await service.api("GET", "/v1/members?limit=100");
    const { id } = body["data"].find((one: Parsed) => one.email === person.email);
    expect((await service.api("PATCH", `/v1/members/${id}`, { role: "developer" })).status).toBe(200);
    expect(outcome(await person.call("POST", `${PATH}/${key}/promote`, {}))).toBe("403 role_not_allowed");
  });
});
