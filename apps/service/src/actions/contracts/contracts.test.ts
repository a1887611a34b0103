import { createHash } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { covers } from "../../../../../requirements/covers.ts";
import { canonicalJson } from "../../lib/lib.ts";
import { contractArgs, registerContract } from "../../testing/contracts.ts";
import { mintKey, otherWorkspace } from "../../testing/keys.ts";
import { startService } from "../../testing/service.ts";
import type { ApiAnswer, Parsed, TestService } from "../../testing/test-service.ts";

const PATH = "/v1/action-contracts";

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => await service.close());

const FULL = {
  label: "Refund a payment",
  description: "Returns the money of one payment.",
  surface: ["api", "console", "mcp"],
  roles: ["owner", "operator", "ai"],
  requires_confirmation: true,
  audit: true,
  params: {
    payment_id: { type: "string", required: true, max: 64, sensitive: true, description: "Which payment." },
    amount: { type: "int", min: 1, max: 1_000_000 },
    rate: { type: "number", min: -0.5, max: 0.5 },
    reason: { type: "string", max: 500, enum: ["duplicate", "fraud"] },
    notify: { type: "boolean" },
  },
  endpoint: "http://127.0.0.1:9/refunds",
  risk: "high",
  destructive: true,
  reversible: true,
  undo: { endpoint: "http://127.0.0.1:9/undo", window_seconds: 3600 },
  idempotent: true,
  scope: "billing:write",
  permission: "refunds",
  delivery: "async",
  auth: { type: "api_key", secret_ref: "billing_token", header: "X-Billing-Key" },
  response: {
    success_when: { path: "$.status", equals: "ok" },
    result_path: "$.data",
    error_path: "$.error.message",
    expose: ["refund_id"],
  },
  timeout_ms: 5000,
  approval: {
    approver_roles: ["owner"],
    four_eyes: false,
    required: 2,
    expires_in_seconds: 60,
    allow_rule: ["Small refunds"],
  },
  sandbox_endpoint: "http://127.0.0.1:9/sandbox",
};

covers(
  [
    "action.registry.contracts",
    "action.field.key-form",
    "action.field.label",
    "action.field.surface",
    "action.field.roles",
    "action.field.requires-confirmation",
    "action.field.params",
    "action.field.endpoint",
    "action.field.audit",
    "action.param.type",
    "action.scope.form",
    "action.remote.delivery-type",
    "action.remote.response",
    "action.reversible.undo",
  ],
  "a contract keeps every registered field, and shows its signing secret only once",
  async () => {
    const args = contractArgs(FULL);
    const made = await service.api("POST", PATH, args);
    expect(made.status).toBe(201);
    const { signing_secret: secret, ...contract } = made.body;
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(contract).toMatchObject({ ...args, object: "action_contract", version: 1, scope_kind: "workspace" });
    expect(contract).toMatchObject({ id: expect.stringMatching(/^ctr_/), environment: "live", connector_key: null });
    const shown = await service.api("GET", `${PATH}/${String(args["key"])}`);
    expect([shown.status, shown.body]).toEqual([200, contract]);
    expect(shown.text).not.toContain("whsec_");
  },
);

test("omitted fields get their defaults, and the hash covers the canonical form", async () => {
  const args = contractArgs();
  const { signing_secret: _secret, ...contract } = (await service.api("POST", PATH, args)).body;
  const definition = {
    ...args,
    description: "",
    risk: "low",
    destructive: false,
    reversible: false,
    undo: null,
    idempotent: false,
    scope: null,
    permission: null,
    delivery: "sync",
    auth: { type: "none", secret_ref: null, header: null },
    response: { json: true, success_when: null, result_path: null, error_path: null, expose: null },
    timeout_ms: 10_000,
    approval: {
      approver_roles: ["owner", "admin"],
      four_eyes: false,
      required: 1,
      expires_in_seconds: 86_400,
      allow_rule: [],
    },
    sandbox_endpoint: null,
  };
  expect(contract).toMatchObject(definition);
  expect(contract.sha256).toBe(createHash("sha256").update(canonicalJson(definition)).digest("hex"));
  const more = (await registerContract(service, { destructive: true, requires_confirmation: true })).approval;
  expect(more).toMatchObject({ four_eyes: true });
  const undone = await registerContract(service, { undo: { endpoint: "http://127.0.0.1:9/" } });
  expect([undone.reversible, undone.undo.window_seconds]).toEqual([true, 86_400]);
  const keyed = await registerContract(service, { auth: { type: "api_key", secret_ref: "a" } });
  expect(keyed.auth).toEqual({ type: "api_key", secret_ref: "a", header: "X-Api-Key" });
});

covers("action.field.key-unique", "a key is registered once, even by twenty concurrent requests", async () => {
  const args = contractArgs();
  const answers = await Promise.all(Array.from({ length: 20 }, async () => await service.api("POST", PATH, args)));
  expect(answers.filter((one) => one.status === 201)).toHaveLength(1);
  expect(answers.filter((one) => one.body["code"] === "conflict")).toHaveLength(19);
});

test("another workspace has contracts and versions of its own under the same key", async () => {
  const { key } = await registerContract(service, { label: "Ours" });
  const other = await otherWorkspace(service);
  for (const path of [`${PATH}/${key}`, `${PATH}/${key}/versions`, `${PATH}/${key}/secret`])
    expect((await service.api("GET", path, undefined, { key: other.key })).status).toBe(404);
  expect((await service.api("PATCH", `${PATH}/${key}`, { label: "x" }, { key: other.key })).status).toBe(404);
  expect((await service.api("DELETE", `${PATH}/${key}`, undefined, { key: other.key })).status).toBe(404);
  const made = await service.api("POST", PATH, contractArgs({ key, label: "Theirs" }), { key: other.key });
  expect([made.status, made.body.label]).toEqual([201, "Theirs"]);
  expect((await service.api("GET", `${PATH}/${key}`)).body.label).toBe("Ours");
  expect((await service.api("GET", PATH, undefined, { key: other.key })).body.data).toHaveLength(1);
});

test("a change replaces the named members and creates a version if anything differs", async () => {
  const { key } = await registerContract(service, { label: "One", approval: { expires_in_seconds: 60 } });
  const second = await service.api("PATCH", `${PATH}/${key}`, { label: "Two", params: { n: { type: "int" } } });
  expect([second.status, second.body.version, second.body.label]).toEqual([200, 2, "Two"]);
  expect(second.body.params).toEqual({ n: { type: "int" } });
  expect(second.body.approval.expires_in_seconds).toBe(60);
  const same = await service.api("PATCH", `${PATH}/${key}`, { label: "Two" });
  expect([same.body.version, same.body.sha256]).toEqual([2, second.body.sha256]);
  const third = await service.api("PATCH", `${PATH}/${key}`, { approval: { required: 1 } });
  expect([third.body.version, third.body.approval.expires_in_seconds]).toEqual([3, 86_400]);
  const versions = (await service.api("GET", `${PATH}/${key}/versions`)).body.data;
  expect(versions.map((one: Parsed) => [one.object, one.version, one.label])).toEqual([
    ["action_contract_version", 3, "Two"],
    ["action_contract_version", 2, "Two"],
    ["action_contract_version", 1, "One"],
  ]);
});

test("parameters keep their declared order, which alone does not change a contract", async () => {
  const declared = { payment_id: { type: "string" }, amount: { type: "int" } };
  const made = await registerContract(service, { params: declared, requires_confirmation: true });
  const path = `${PATH}/${made.key}`;
  const shown = (await service.api("GET", path)).body;
  const version = (await service.api("GET", `${path}/versions`)).body.data[0];
  for (const { params } of [made, shown, version]) expect(Object.keys(params)).toEqual(["payment_id", "amount"]);
  const turned = { amount: declared.amount, payment_id: declared.payment_id };
  expect((await service.api("PATCH", path, { params: turned })).body.version).toBe(1);
  await service.api("POST", "/v1/actions/run", { action: made.key, parameters: { amount: 1, payment_id: "p" } });
  const { preview } = (await service.api("GET", `/v1/proposals?action=${made.key}`)).body.data[0];
  expect(preview.fields.map(({ name }: Parsed) => name)).toEqual(["payment_id", "amount"]);
});

test("twenty concurrent changes create twenty versions, each of them once", async () => {
  const { key } = await registerContract(service);
  const answers = await Promise.all(
    Array.from({ length: 20 }, async (_, at) => await service.api("PATCH", `${PATH}/${key}`, { label: `Label ${at}` })),
  );
  expect(answers.map((one) => one.body.version).toSorted((a, b) => a - b)).toEqual(
    Array.from({ length: 20 }, (_, at) => at + 2),
  );
  const pages = await service.api("GET", `${PATH}/${key}/versions?limit=15`);
  const rest = await service.api("GET", `${PATH}/${key}/versions?limit=15&cursor=${pages.body["next_cursor"]}`);
  const numbers = [...pages.body.data, ...rest.body.data].map((one: Parsed) => one.version);
  expect(numbers).toEqual(Array.from({ length: 21 }, (_, at) => 21 - at));
  expect(rest.body.next_cursor).toBeNull();
});

test("defaults that depend on destructive are updated when a change sets it", async () => {
  const { key } = await registerContract(service, { requires_confirmation: true });
  const made = await service.api("PATCH", `${PATH}/${key}`, { destructive: true });
  expect(made.body.approval.four_eyes).toBe(true);
  const solo = await service.api("PATCH", `${PATH}/${key}`, { approval: { four_eyes: false } });
  expect(solo.body.approval.four_eyes).toBe(false);
  const renamed = await service.api("PATCH", `${PATH}/${key}`, { label: "Renamed" });
  expect(renamed.body.approval.four_eyes).toBe(false);
  const undoable = await service.api("PATCH", `${PATH}/${key}`, { undo: { endpoint: "http://127.0.0.1:9/" } });
  expect(undoable.body.reversible).toBe(true);
  expect((await service.api("PATCH", `${PATH}/${key}`, { undo: null })).body.reversible).toBe(false);
});

test("a change must meet the rules of a registration, applied to the whole contract", async () => {
  const { key } = await registerContract(service);
  const pointers = async (patch: object): Promise<unknown> => {
    const { status, body } = await service.api("PATCH", `${PATH}/${key}`, patch);
    return [status, body.errors.map((one: Parsed) => one.pointer)];
  };
  expect(await pointers({ destructive: true })).toEqual([422, ["/requires_confirmation"]]);
  expect(await pointers({ reversible: true })).toEqual([422, ["/undo"]]);
  expect(await pointers({ key: "other.key" })).toEqual([422, ["/key"]]);
  expect(await pointers({ endpoint: "https://10.0.0.1/" })).toEqual([422, ["/endpoint"]]);
  expect(await pointers({})).toEqual([422, [""]]);
  expect((await service.api("GET", `${PATH}/${key}`)).body.version).toBe(1);
  expect((await service.api("PATCH", `${PATH}/no.such`, { label: "x" })).status).toBe(404);
});

test("a deleted contract is gone for everyone, and its key continues its versions", async () => {
  const { key, id } = await registerContract(service);
  await service.api("PATCH", `${PATH}/${key}`, { label: "Two" });
  expect((await service.api("DELETE", `${PATH}/${key}`)).status).toBe(204);
  const calls: [string, string, unknown][] = [
    ["GET", `${PATH}/${key}`, undefined],
    ["GET", `${PATH}/${key}/versions`, undefined],
    ["GET", `${PATH}/${key}/secret`, undefined],
    ["PATCH", `${PATH}/${key}`, { label: "x" }],
    ["DELETE", `${PATH}/${key}`, undefined],
    ["POST", `${PATH}/${key}/secret/regenerate`, undefined],
  ];
  for (const [method, path, body] of calls) expect((await service.api(method, path, body)).status).toBe(404);
  const again = await registerContract(service, { key });
  expect(again.version).toBe(3);
  expect(again.id).not.toBe(id);
  const versions = (await service.api("GET", `${PATH}/${key}/versions`)).body.data;
  expect(versions.map((one: Parsed) => one.version)).toEqual([3]);
});

test("only an owner sees the signing secret again, and a new one overlaps", async () => {
  const { key, signing_secret: first } = await registerContract(service);
  const path = `${PATH}/${key}/secret`;
  expect((await service.api("GET", path)).body).toEqual({ signing_secret: first });
  const developer = await mintKey(service, { role: "developer" });
  expect((await service.api("GET", path, undefined, { key: developer.key })).body["code"]).toBe("role_not_allowed");
  const regenerated = await service.api("POST", `${path}/regenerate`, { overlap_seconds: 60 });
  const second = regenerated.body["signing_secret"];
  expect(second).not.toBe(first);
  expect(regenerated.body["version"]).toBe(1);
  expect((await service.api("GET", path)).body).toEqual({
    signing_secret: second,
    previous_secret: first,
    previous_expires_at: expect.stringMatching(/Z$/),
  });
  const third = (await service.api("POST", `${path}/regenerate`)).body["signing_secret"];
  expect((await service.api("GET", path)).body).toEqual({ signing_secret: third });
});

test("only an owner writes a contract that a rule may approve", async () => {
  const { key: developer } = await mintKey(service, { role: "developer" });
  const args = contractArgs({ requires_confirmation: true, approval: { allow_rule: ["Small refunds"] } });
  const refused = await service.api("POST", PATH, args, { key: developer });
  expect([refused.status, refused.body.code]).toEqual([403, "role_not_allowed"]);
  const { key } = await registerContract(service, args);
  const change = async (patch: object): Promise<ApiAnswer> =>
    await service.api("PATCH", `${PATH}/${key}`, patch, { key: developer });
  expect((await change({ endpoint: "http://127.0.0.1:9/other" })).status).toBe(403);
  expect((await change({ approval: { allow_rule: [] } })).status).toBe(200);
});

test("sandbox credentials write contracts of the sandbox only and cannot change live ones", async () => {
  const sandbox = { key: service.sandboxKey };
  const { key } = await registerContract(service);
  const attempts: [string, string, unknown][] = [
    ["PATCH", `${PATH}/${key}`, { endpoint: "http://127.0.0.1:9/taken" }],
    ["DELETE", `${PATH}/${key}`, undefined],
    ["POST", `${PATH}/${key}/secret/regenerate`, undefined],
  ];
  for (const [method, path, body] of attempts)
    expect((await service.api(method, path, body, sandbox)).body["code"]).toBe("environment_mismatch");
  const mine = await service.api("POST", PATH, contractArgs(), sandbox);
  expect([mine.status, mine.body.environment]).toEqual([201, "sandbox"]);
  const path = `${PATH}/${mine.body["key"]}`;
  expect((await service.api("GET", path, undefined, sandbox)).body.environment).toBe("sandbox");
  expect((await service.api("PATCH", path, { label: "Mine" }, sandbox)).body.environment).toBe("sandbox");
});

test("each change is written to the audit log in its transaction, without secrets", async () => {
  const on = await startService();
  const { key, signing_secret: secret } = await registerContract(on, { audit: false });
  await on.api("PATCH", `${PATH}/${key}`, { label: "Another" });
  await on.api("PATCH", `${PATH}/${key}`, { destructive: true });
  await on.api("GET", `${PATH}/${key}/secret`);
  const made = await on.api("POST", `${PATH}/${key}/secret/regenerate`);
  await on.api("PUT", "/v1/secrets/audited", { value: "the value itself" });
  await on.api("DELETE", "/v1/secrets/audited");
  await on.api("DELETE", `${PATH}/${key}`);
  const { text, body } = await on.api("GET", "/v1/audit?limit=100");
  const rows: Parsed[] = body["data"].filter((one: Parsed) => one.kind === "contract" || one.kind === "secret");
  expect(rows.map((one) => [one.kind, one.action, one.status]).toReversed()).toEqual([
    ["contract", "action_contracts.create", "ok"],
    ["contract", "action_contracts.update", "ok"],
    ["contract", "action_contracts.secret", "ok"],
    ["contract", "action_contracts.secret.regenerate", "ok"],
    ["secret", "secrets.put", "ok"],
    ["secret", "secrets.delete", "ok"],
    ["contract", "action_contracts.delete", "ok"],
  ]);
  for (const plain of [secret, made.body["signing_secret"], "the value itself"]) expect(text).not.toContain(plain);
  expect(rows.at(-2)?.params_redacted).toMatchObject({ key, label: "Another" });
  await on.close();
});

test("a list shows all contracts to managers, and runnable ones to other callers", async () => {
  const on = await startService();
  const make = async (key: string, more: Record<string, unknown> = {}): Promise<void> => {
    await registerContract(on, { key, roles: ["operator", "ai"], ...more });
  };
  await make("list.open");
  await make("list.console", { surface: ["console"] });
  await make("list.owners", { roles: ["owner"] });
  await make("list.scoped", { scope: "billing:write" });
  await make("list.permission", { permission: "refunds" });
  const seen = async (key: string, query = ""): Promise<string[]> => {
    const { body } = await on.api("GET", `${PATH}${query}`, undefined, { key });
    return body.data.map((one: Parsed) => one.key.slice("list.".length)).toSorted();
  };
  const all = ["console", "open", "owners", "permission", "scoped"];
  const key = async (spec: object): Promise<string> => (await mintKey(on, { ...spec })).key;
  expect(await seen(on.key)).toEqual(all);
  expect(await seen(on.key, "?runnable=true")).toEqual(["owners"]);
  expect(await seen(await key({ role: "developer" }))).toEqual(all);
  expect(await seen(await key({ role: "viewer" }))).toEqual([]);
  expect(await seen(await key({ role: "operator" }))).toEqual(["open", "scoped"]);
  expect(await seen(await key({ role: "operator", permissions: ["refunds"] }))).toEqual([
    "open",
    "permission",
    "scoped",
  ]);
  expect(await seen(await key({ role: "ai", actor_type: "ai" }))).toEqual(["open", "scoped"]);
  const scopes = ["action_contracts:read", "actions:write"];
  expect(await seen(await key({ role: "operator", scopes }))).toEqual(["open"]);
  expect(await seen(await key({ role: "operator", scopes: [...scopes, "billing:write"] }))).toEqual(["open", "scoped"]);
  expect(await seen(await key({ role: "operator", permission_mode: "read_only" }))).toEqual([]);
  const blocked = { role: "operator", permission_mode: "restricted" };
  expect(await seen(await key({ ...blocked, blocked_actions: ["list.open"] }))).toEqual(["scoped"]);
  for (const pattern of ["list.*", "actions.run", "actions.*"])
    expect(await seen(await key({ ...blocked, blocked_actions: [pattern] }))).toEqual([]);
  const viewer = await key({ role: "viewer" });
  expect((await on.api("GET", `${PATH}/list.open`, undefined, { key: viewer })).status).toBe(404);
  expect((await on.api("GET", `${PATH}/list.open/versions`, undefined, { key: viewer })).status).toBe(404);
  await on.close();
});

test("a list has complete pages even if many of its contracts are hidden", async () => {
  const on = await startService({ env: { JUNCTION_RATE_LIMITS: '{"management.write": 100000}' } });
  for (let at = 0; at < 12; at += 1)
    await registerContract(on, { key: `page.n${at}`, roles: [at % 3 === 0 ? "operator" : "owner"] });
  const { key } = await mintKey(on, { role: "operator" });
  const keys: string[] = [];
  for (let query = "?limit=3"; query !== "";) {
    const { body } = await on.api("GET", PATH + query, undefined, { key });
    keys.push(...body.data.map((one: Parsed) => one.key));
    query = body.next_cursor === null ? "" : `?limit=3&cursor=${body.next_cursor}`;
  }
  expect(keys).toEqual(["page.n9", "page.n6", "page.n3", "page.n0"]);
  const { body } = await on.api("GET", `${PATH}?limit=3`);
  expect((await on.api("GET", `${PATH}?limit=3&runnable=true&cursor=${body["next_cursor"]}`)).body["code"]).toBe(
    "cursor_invalid",
  );
  await on.close();
});
