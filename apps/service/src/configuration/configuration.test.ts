import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { contractArgs } from "../testing/contracts.ts";
import { mintKey, otherWorkspace } from "../testing/keys.ts";
import { startService } from "../testing/service.ts";
import type { ApiAnswer, Parsed, TestService } from "../testing/test-service.ts";

let service: TestService;

beforeAll(async () => {
  service = await startService();
});
afterAll(async () => {
  await service.close();
});

const URL = "http://127.0.0.1:9/hook";

/** A configuration with every kind. */
const WHOLE = {
  version: 1,
  event_types: [
    { name: "order.created", enforcement: "warn" },
    {
      name: "parcel.scanned",
      title: "Parcel scanned",
      versions: [
        { schema: { type: "object", required: ["id"] }, examples: [{ id: "p1" }] },
        { schema: { type: "object", properties: { weight: { maximum: 12.5 } } } },
      ],
    },
  ],
  inboxes: [{ name: "laptop" }],
  contracts: [contractArgs({ key: "billing.refund", surface: ["api", "rule"] })],
  workflows: [
    { name: "Follow up", trigger: { event: "order.created" }, steps: [{ id: "pause", type: "delay", seconds: 60 }] },
  ],
  rules: [
    {
      name: "Big orders",
      on: ["order.created"],
      when: { field: "data.total", op: "gt", value: 100.5 },
      then: [
        { type: "start_workflow", workflow: "Follow up" },
        { type: "run_action", action: "billing.refund" },
      ],
    },
  ],
  sources: [
    { name: "GitHub", sender: "github" },
    { name: "Payments", preset: "payment_processor", summary_template: "Paid ${$.data.total}" },
  ],
  endpoints: [
    { name: "billing", url: URL, events: ["order.*"], filter: { field: "data.total", op: "gt", value: 1 } },
    { name: "laptop", inbox: "laptop", events: ["*"] },
    { name: "log", kind: "pull", events: ["parcel.scanned"], event_versions: { "parcel.scanned": 2 } },
  ],
  channels: [{ name: "Approvals", kind: "slack", slack_channel_id: "C0123456789" }],
  settings: { time_zone: "Europe/Berlin" },
};

async function planned(configuration: unknown, more: { prune?: boolean; key?: string } = {}): Promise<ApiAnswer> {
  const { key = service.key, ...rest } = more;
  return await service.api("POST", "/v1/configuration/plans", { configuration, ...rest }, { key });
}

async function applied(configuration: unknown, more: { prune?: boolean; key?: string } = {}): Promise<ApiAnswer> {
  const plan = await planned(configuration, more);
  expect(plan.body).toMatchObject({ object: "configuration_plan" });
  return await apply(plan.body["id"], more.key);
}

async function apply(id: string, key = service.key): Promise<ApiAnswer> {
  return await service.api("POST", `/v1/configuration/plans/${id}/apply`, {}, { key });
}

async function exported(key = service.key): Promise<ApiAnswer> {
  const answer = await service.api("GET", "/v1/configuration", undefined, { key });
  expect(answer.status).toBe(200);
  return answer;
}

/** Returns a key of a new workspace. */
async function fresh(): Promise<string> {
  return (await otherWorkspace(service)).key;
}

test("an export of a workspace makes an empty one the same, byte for byte", async () => {
  const [first, second] = [await fresh(), await fresh()];
  const answer = await applied(WHOLE, { key: first });
  expect(answer).toMatchObject({ status: 200, body: { object: "configuration_application", unchanged: 0 } });
  const before = await exported(first);
  expect(before.body).toEqual(WHOLE);
  await applied(before.body, { key: second });
  const after = await exported(second);
  expect(after.text).toBe(before.text);
  expect(after.headers.get("etag")).toBe(before.headers.get("etag"));
  const again = await planned(before.body, { key: second, prune: true });
  expect(again.body).toMatchObject({ create: [], update: [], delete: [] });
});

test("a configuration that is read twice has the same bytes, and nothing to change", async () => {
  const key = await fresh();
  await applied(WHOLE, { key });
  const [one, two] = [await exported(key), await exported(key)];
  expect(two.text).toBe(one.text);
  const drift = await service.api("POST", "/v1/configuration/drift", { configuration: one.body, prune: true }, { key });
  expect(drift).toMatchObject({ status: 200, body: { create: [], update: [], delete: [], unchanged: 13 } });
  expect(drift.body).not.toHaveProperty("id");
});

test("ids, secrets and logs of changed objects stay", async () => {
  const key = await fresh();
  await applied({ version: 1, endpoints: [{ name: "a", url: URL, events: ["order.created"] }] }, { key });
  const list = async (): Promise<Parsed> =>
    (await service.api("GET", "/v1/webhook-endpoints", undefined, { key })).body["data"];
  const [before] = await list();
  const secret = async (): Promise<Parsed> =>
    (await service.api("GET", `/v1/webhook-endpoints/${before.id}/secret`, undefined, { key })).body["secret"];
  const kept = await secret();
  const renamed = { name: "b", renamed_from: "a", url: URL, events: ["order.paid"], description: "New" };
  const plan = await planned({ version: 1, endpoints: [renamed] }, { key });
  expect(plan.body).toMatchObject({
    create: [],
    delete: [],
    update: [{ kind: "endpoint", name: "b", renamed_from: "a" }],
  });
  const paths = plan.body["update"][0].changes.map(({ path }: Parsed) => path);
  expect(paths.toSorted()).toEqual(["/description", "/events", "/name"]);
  expect((await apply(plan.body["id"], key)).status).toBe(200);
  const [after] = await list();
  expect(after).toMatchObject({ id: before.id, name: "b", events: ["order.paid"], description: "New" });
  expect(await secret()).toBe(kept);
  // The file can be applied again without an edit.
  expect((await planned({ version: 1, endpoints: [renamed] }, { key })).body).toMatchObject({ update: [], create: [] });
});

test("an absent section is not managed, and prune deletes what a present one lacks", async () => {
  const key = await fresh();
  await applied(WHOLE, { key });
  const kept = { version: 1, rules: [], sources: [WHOLE.sources[1]] };
  expect((await planned(kept, { key })).body).toMatchObject({ delete: [], update: [], create: [] });
  const plan = await planned(kept, { key, prune: true });
  expect(plan.body["delete"]).toEqual([
    { kind: "rule", name: "Big orders" },
    { kind: "source", name: "GitHub" },
  ]);
  expect((await apply(plan.body["id"], key)).status).toBe(200);
  const { rules: _rules, sources: _sources, ...others } = WHOLE;
  expect((await exported(key)).body).toEqual({ ...others, rules: [], sources: [WHOLE.sources[1]] });
});

test("an absent member is the default, but active and enabled stay", async () => {
  const key = await fresh();
  const endpoint = { name: "a", url: URL, events: ["*"], active: false, description: "Old", max_in_flight: 3 };
  await applied({ version: 1, endpoints: [endpoint] }, { key });
  await applied({ version: 1, endpoints: [{ name: "a", url: URL, events: ["*"] }] }, { key });
  expect((await exported(key)).body["endpoints"]).toEqual([{ name: "a", url: URL, events: ["*"], active: false }]);
});

test("a plan is applied once, and its repetition has the same answer", async () => {
  const key = await fresh();
  const plan = await planned({ version: 1, inboxes: [{ name: "once" }] }, { key });
  const first = await apply(plan.body["id"], key);
  await service.api("DELETE", "/v1/inboxes/once", undefined, { key });
  const second = await apply(plan.body["id"], key);
  expect([first.status, second.status]).toEqual([200, 200]);
  expect(second.text).toBe(first.text);
  expect((await exported(key)).body["inboxes"]).toEqual([]);
});

test("a plan that is applied by twenty callers at once is applied once", async () => {
  const key = await fresh();
  const endpoints = [{ name: "one", url: URL, events: ["*"] }];
  const { body } = await planned({ version: 1, endpoints }, { key });
  const answers = await Promise.all(Array.from({ length: 20 }, async () => await apply(body["id"], key)));
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  expect((await exported(key)).body["endpoints"]).toHaveLength(1);
});

test("a stale plan is refused, and nothing of it is written", async () => {
  const key = await fresh();
  await applied({ version: 1, endpoints: [{ name: "a", url: URL, events: ["*"] }] }, { key });
  const [{ id }] = (await service.api("GET", "/v1/webhook-endpoints", undefined, { key })).body["data"];
  const changed = [
    { name: "a", url: URL, events: ["order.created"] },
    { name: "new", url: URL, events: ["*"] },
  ];
  const { body } = await planned({ version: 1, endpoints: changed }, { key });
  await service.api("PATCH", `/v1/webhook-endpoints/${id}`, { description: "By hand" }, { key });
  expect(await apply(body["id"], key)).toMatchObject({ status: 409, body: { code: "plan_stale" } });
  expect((await exported(key)).body["endpoints"]).toEqual([
    { name: "a", url: URL, events: ["*"], description: "By hand" },
  ]);
});

test("a plan is stale when what it names is gone", async () => {
  const key = await fresh();
  const { workflows } = WHOLE;
  await applied({ version: 1, workflows }, { key });
  const rules = [{ name: "r", on: ["a.b"], then: [{ type: "start_workflow", workflow: "Follow up" }] }];
  const { body } = await planned({ version: 1, rules }, { key });
  await applied({ version: 1, workflows: [] }, { key, prune: true });
  await applied({ version: 1, workflows }, { key });
  // A workflow of the same name is another one.
  expect(await apply(body["id"], key)).toMatchObject({ status: 409, body: { code: "plan_stale" } });
});

test("a wrong configuration is refused as a whole, with every place", async () => {
  const key = await fresh();
  const refused = async (configuration: unknown): Promise<string[]> => {
    const { status, body } = await planned(configuration, { key });
    expect(status).toBe(422);
    return body["errors"].map(({ pointer }: Parsed) => pointer);
  };
  expect(await refused({ version: 2 })).toEqual(["/configuration/version"]);
  expect(
    await refused({ version: 1, colour: [], endpoints: [{ name: "a", url: URL, events: ["*"], tenant: "acme" }] }),
  ).toEqual(["/configuration/colour", "/configuration/endpoints/0/tenant"]);
  expect(
    await refused({
      version: 1,
      inboxes: [{ name: "a" }, { name: "a" }],
      rules: [
        { name: "a", on: ["a.b"], then: [{ type: "start_workflow", workflow: "Nowhere" }] },
        { name: "b", renamed_from: "c", on: ["a.b"], then: [{ type: "add_tag", tag: "x" }] },
        { name: "c", renamed_from: "b", on: ["a.b"], then: [{ type: "add_tag", tag: "x" }] },
      ],
      endpoints: [
        { name: "a", inbox: "nowhere", events: ["*"], headers: { "X-A": "plain", "X-B": { secret_ref: "absent" } } },
        { name: "b", url: URL, events: ["*"], auth: { type: "bearer", secret_ref: "absent" } },
      ],
    }),
  ).toEqual([
    "/configuration/inboxes/1/name",
    "/configuration/rules/1/renamed_from",
    "/configuration/rules/2/renamed_from",
    "/configuration/rules/0/then/0/workflow",
    "/configuration/endpoints/0/inbox",
    "/configuration/endpoints/0/headers/X-A",
    "/configuration/endpoints/0/headers/X-B",
    "/configuration/endpoints/1/auth/secret_ref",
  ]);
  // Each domain judges its own objects.
  expect(
    await refused({
      version: 1,
      rules: [{ name: "a", on: ["a..b"], then: [{ type: "run_action", action: "no.action" }] }],
      sources: [{ name: "a", event_type_path: "$..x" }],
      endpoints: [
        { name: "a", url: "https://10.0.0.1/", events: ["*"] },
        { name: "ok", url: URL, events: ["*"] },
        { name: "b", url: URL, events: ["*"], filter: { field: "nowhere", op: "eq", value: 1 } },
      ],
    }),
  ).toEqual([
    "/configuration/rules/0/on/0",
    "/configuration/sources/0/event_type_path",
    "/configuration/endpoints/0",
    expect.stringMatching(/^\/configuration\/endpoints\/2\/filter/),
  ]);
  expect((await exported(key)).body).toEqual({
    ...Object.fromEntries(Object.keys(WHOLE).map((section) => [section, []])),
    version: 1,
    settings: {},
  });
});

test("half a right is refused, and every place is named", async () => {
  const key = await mintKey(service, { permission_mode: "restricted", blocked_actions: ["rules.*"] });
  const configuration = {
    version: 1,
    rules: [{ name: "Half", on: ["a.b"], then: [{ type: "add_tag", tag: "x" }] }],
    endpoints: [{ name: "Half", url: URL, events: ["*"] }],
  };
  expect(await planned(configuration, { key: key.key })).toMatchObject({
    status: 403,
    body: { code: "action_blocked", errors: [{ pointer: "/configuration/rules/0" }] },
  });
  const plan = await planned(configuration);
  expect(await apply(plan.body["id"], key.key)).toMatchObject({ status: 403, body: { code: "action_blocked" } });
  const { body } = await exported();
  expect([...body["rules"], ...body["endpoints"]]).not.toContainEqual(expect.objectContaining({ name: "Half" }));
});

test("header values come from secrets, and are compared without being shown", async () => {
  const key = await fresh();
  const put = async (value: string): Promise<void> =>
    void (await service.api("PUT", "/v1/secrets/crm", { value, hosts: ["127.0.0.1"] }, { key }));
  await put("first-value-1");
  const configuration = {
    version: 1,
    endpoints: [{ name: "a", url: URL, events: ["*"], headers: { "X-Crm": { secret_ref: "crm" } } }],
  };
  await applied(configuration, { key });
  const [{ id }] = (await service.api("GET", "/v1/webhook-endpoints", undefined, { key })).body["data"];
  const headers = async (): Promise<Parsed> =>
    (await service.api("GET", `/v1/webhook-endpoints/${id}/headers`, undefined, { key })).body["headers"];
  expect(await headers()).toEqual({ "X-Crm": "first-value-1" });
  const { body, text } = await exported(key);
  expect(body["endpoints"][0].headers).toEqual({ "X-Crm": "[redacted]" });
  expect(text).not.toContain("first-value-1");
  expect((await planned(configuration, { key })).body).toMatchObject({ update: [], unchanged: 1 });
  await put("second-value-2");
  const plan = await planned(configuration, { key });
  expect(plan.body["update"]).toEqual([
    {
      kind: "endpoint",
      name: "a",
      changes: [{ path: "/headers/X-Crm", from: "[redacted]", to: { secret_ref: "crm" } }],
    },
  ]);
  await put("third-value-3");
  expect(await apply(plan.body["id"], key)).toMatchObject({ status: 409, body: { code: "plan_stale" } });
  await applied(configuration, { key });
  expect(await headers()).toEqual({ "X-Crm": "third-value-3" });
});

test("an application is one audit entry, and one of each part", async () => {
  const key = await fresh();
  await applied(
    { version: 1, inboxes: [{ name: "one" }], endpoints: [{ name: "a", url: URL, events: ["*"] }] },
    { key },
  );
  const { body } = await service.api("GET", "/v1/audit", undefined, { key });
  expect(body["data"].map(({ kind, action }: Parsed) => [kind, action]).toReversed()).toEqual([
    ["endpoint", "inboxes.put"],
    ["endpoint", "webhook_endpoints.create"],
    ["configuration", "configuration.apply"],
  ]);
});

test("the sandbox has its own objects, and leaves out what both environments share", async () => {
  const live = { version: 1, rules: [{ name: "Live only", on: ["a.b"], then: [{ type: "add_tag", tag: "x" }] }] };
  await applied(live);
  const key = service.sandboxKey;
  const { channels: _channels, ...rest } = WHOLE;
  const endpoints = WHOLE.endpoints.filter(({ kind }) => kind !== "pull");
  const configuration = { ...rest, endpoints, event_types: [{ name: "sandbox.type" }] };
  const answer = await applied(configuration, { key });
  expect(answer.body["warnings"].map(({ section }: Parsed) => section)).toEqual(["event_types", "settings"]);
  const { body } = await exported(key);
  expect(body["rules"]).toEqual(WHOLE.rules);
  expect((await exported()).body["rules"]).not.toContainEqual(WHOLE.rules[0]);
  expect((await exported()).body["event_types"]).not.toContainEqual({ name: "sandbox.type" });
});

test("a plan says how many pending deliveries the deletion of an endpoint cancels", async () => {
  const key = await fresh();
  const log = { name: "log", kind: "pull", events: ["parcel.scanned"] };
  const quiet = { name: "quiet", url: URL, events: ["order.created"] };
  await applied({ version: 1, endpoints: [{ name: "busy", url: URL, events: ["parcel.*"] }, quiet, log] }, { key });
  for (const total of [1, 2, 3])
    await service.api("POST", "/v1/events/fire", { event: "parcel.scanned", data: { total } }, { key });
  const counts = async (): Promise<Parsed> => {
    const { body } = await planned({ version: 1, endpoints: [] }, { key, prune: true });
    return Object.fromEntries(body["delete"].map(({ name, pending_deliveries: count }: Parsed) => [name, count]));
  };
  await vi.waitFor(async () => expect(await counts()).toEqual({ busy: 3, quiet: 0, log: 3 }), { timeout: 10_000 });
  const drift = await service.api(
    "POST",
    "/v1/configuration/drift",
    { configuration: { version: 1, endpoints: [quiet] }, prune: true },
    { key },
  );
  expect(drift.body["delete"]).toContainEqual({ kind: "endpoint", name: "busy", pending_deliveries: 3 });
  await applied({ version: 1, endpoints: [quiet] }, { key, prune: true });
  expect(await counts()).toEqual({ quiet: 0 });
});

test("names that several objects have are numbered, oldest first", async () => {
  const key = await fresh();
  for (const description of ["first", "second"])
    await service.api("POST", "/v1/webhook-endpoints", { url: URL, events: ["*"], description }, { key });
  await service.api("POST", "/v1/webhook-endpoints", { url: URL, events: ["*"], tenant: "acme" }, { key });
  const { body } = await exported(key);
  expect(body["endpoints"]).toEqual([
    { name: "127.0.0.1:9", url: URL, events: ["*"], description: "first" },
    { name: "127.0.0.1:9 (2)", url: URL, events: ["*"], description: "second" },
  ]);
  expect((await planned(body, { key, prune: true })).body).toMatchObject({ create: [], update: [], delete: [] });
});

test("an incompatible schema is refused, and versions are not removed", async () => {
  const key = await fresh();
  const types = (versions: unknown[]): unknown => ({ version: 1, event_types: [{ name: "a.type", versions }] });
  const first = { schema: { type: "object", required: ["id"] } };
  await applied(types([first]), { key });
  const looser = await planned(types([{ schema: { type: "object" } }]), { key });
  expect(looser).toMatchObject({ status: 409, body: { code: "schema_incompatible" } });
  expect(looser.body["errors"][0].pointer).toMatch(/^\/configuration\/event_types\/0\/versions\/0\/schema/);
  expect((await applied(types([first, { schema: { type: "object" } }]), { key })).status).toBe(200);
  expect(await planned(types([first]), { key })).toMatchObject({ status: 422 });
  expect((await exported(key)).body["event_types"]).toEqual([
    { name: "a.type", versions: [first, { schema: { type: "object" } }] },
  ]);
});
