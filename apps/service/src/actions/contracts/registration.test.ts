import { afterAll, beforeAll, expect, test } from "vitest";
import { covers } from "../../../../../requirements/covers.ts";
import { contractArgs } from "../../testing/contracts.ts";
import { startService } from "../../testing/service.ts";
import type { Parsed, TestService } from "../../testing/test-service.ts";

const PATH = "/v1/action-contracts";

let service: TestService;
beforeAll(async () => {
  service = await startService({ env: { JUNCTION_RATE_LIMITS: '{"management.write": 100000}' } });
});
afterAll(async () => await service.close());

/** Returns the faults of a refused registration as `pointer code`, sorted. */
async function refused(more: Record<string, unknown>, without: readonly string[] = []): Promise<string[]> {
  const args = Object.fromEntries(Object.entries(contractArgs(more)).filter(([name]) => !without.includes(name)));
  const { status, body } = await service.api("POST", PATH, args);
  expect([more, status, body.code]).toEqual([more, 422, "validation_failed"]);
  return body.errors.map((one: Parsed) => `${one.pointer} ${one.code}`).toSorted();
}

covers(
  [
    "action.field.key-form",
    "action.field.label",
    "action.field.surface",
    "action.field.roles",
    "action.field.requires-confirmation",
    "action.field.params",
    "action.field.endpoint",
    "action.field.audit",
  ],
  "a contract with a missing required field or an unknown field is refused",
  async () => {
    const fields = ["key", "label", "surface", "roles", "requires_confirmation", "audit", "params", "endpoint"];
    for (const field of fields) expect(await refused({}, [field])).toEqual([`/${field} required`]);
    expect(await refused({ retries: 3, label: "" })).toEqual(["/label minLength", "/retries unknown"]);
  },
);

covers("action.field.key-form", "a key consists of lower-case names joined by dots, and is not reserved", async () => {
  for (const key of [
    "refund",
    "Billing.refund",
    "billing.",
    ".refund",
    "billing..refund",
    "1.a",
    "a.b*",
    "a.*",
    "a b.c",
  ])
    expect(await refused({ key })).toEqual(["/key pattern"]);
  expect(await refused({ key: `a.${"b".repeat(130)}` })).toEqual(["/key maxLength"]);
  for (const key of ["events.fire", "action_contracts.create", "meta.actions", "meta.anything"])
    expect(await refused({ key })).toEqual(["/key reserved"]);
});

covers("action.param.type", "a parameter has a known type, and bounds that fit it", async () => {
  const cases: [unknown, string[]][] = [
    [{ p: {} }, ["/params/p/type required"]],
    [{ p: { type: "text" } }, ["/params/p/type enum"]],
    [{ p: { type: "int", items: [] } }, ["/params/p/items unknown"]],
    [{ p: "int" }, ["/params/p type"]],
    [[], ["/params type"]],
    [{ p: { type: "string", required: "yes" } }, ["/params/p/required type"]],
    [{ p: { type: "string", max: -1 } }, ["/params/p/max bound"]],
    [{ p: { type: "string", max: 1.5 } }, ["/params/p/max bound"]],
    [{ p: { type: "string", max: "5" } }, ["/params/p/max type"]],
    [{ p: { type: "int", min: 0.5 } }, ["/params/p/min bound"]],
    [{ p: { type: "int", min: 5, max: 4 } }, ["/params/p/max bound"]],
    [{ p: { type: "boolean", min: 0, enum: [true] } }, ["/params/p/enum unused", "/params/p/min unused"]],
    [{ p: { type: "int", enum: [1, "2", 1.5, null, {}] } }, [1, 2, 3, 4].map((at) => `/params/p/enum/${at} type`)],
    [{ p: { type: "string", enum: ["a", "a"] } }, ["/params/p/enum duplicate"]],
    [{ p: { type: "string", enum: [] } }, ["/params/p/enum minItems"]],
    [{ "": { type: "int" } }, ["/params/ name"]],
    [{ "a/b": { type: "int" } }, ["/params/a~1b name"]],
    [JSON.parse('{"__proto__":{"type":"int"}}'), ["/params/__proto__ name"]],
  ];
  for (const [params, faults] of cases) expect([params, await refused({ params })]).toEqual([params, faults]);
});

test("numbers beyond a double, and text that the database cannot store, are refused", async () => {
  const send = async (params: string): Promise<string[]> => {
    const args = JSON.stringify(contractArgs()).replace(/"params":\{.*?\}\}/, `"params":${params}`);
    const { status, body } = await service.api("POST", PATH, args);
    expect([params, status]).toEqual([params, 422]);
    return body.errors.map((one: Parsed) => one.pointer);
  };
  expect(await send('{"p":{"type":"number","max":1e400}}')).toEqual(["/params/p/max"]);
  expect(await send('{"p":{"type":"int","max":9007199254740993}}')).toEqual(["/params/p/max"]);
  expect(await send('{"p":{"type":"number","enum":[1e400]}}')).toEqual(["/params/p/enum/0"]);
  expect(await send(String.raw`{"p":{"type":"string","enum":["\ud800"]}}`)).toEqual(["/params/p/enum/0"]);
  expect(await send(String.raw`{"p":{"type":"string","enum":["\u0000"]}}`)).toEqual(["/params/p/enum/0"]);
  expect(await send(String.raw`{"p":{"type":"string","description":"\ud800"}}`)).toEqual(["/params/p/description"]);
  expect(await refused({ label: "\u0000" })).toEqual(["/label text"]);
});

covers(
  ["proposal.required.destructive", "proposal.required.high-risk"],
  "a destructive, high-risk or multi-approver action requires confirmation",
  async () => {
    for (const more of [{ destructive: true }, { risk: "high" }, { approval: { required: 2 } }])
      expect(await refused(more)).toEqual(["/requires_confirmation confirmation_required"]);
  },
);

covers("action.reversible.undo", "a reversible action must name its undo endpoint", async () => {
  expect(await refused({ reversible: true })).toEqual(["/undo required"]);
  expect(await refused({ undo: { endpoint: "http://127.0.0.1:9/" }, reversible: false })).toEqual([
    "/reversible reversible",
  ]);
  expect(await refused({ undo: {} })).toEqual(["/undo/endpoint required"]);
});

test("empty roles and surfaces are refused, and so are wildcards", async () => {
  expect(await refused({ roles: [] })).toEqual(["/roles minItems"]);
  expect(await refused({ surface: [] })).toEqual(["/surface minItems"]);
  expect(await refused({ roles: ["*"], surface: ["*"] })).toEqual(["/roles/0 enum", "/surface/0 enum"]);
  expect(await refused({ requires_confirmation: true, approval: { approver_roles: ["ai"] } })).toEqual([
    "/approval/approver_roles/0 enum",
  ]);
  expect(await refused({ scope: "billing:*", permission: "*" })).toEqual(["/permission pattern", "/scope pattern"]);
});

covers("action.remote.auth", "authentication requires the name of a secret, and a header that is allowed", async () => {
  const auth = async (of: object): Promise<string[]> => await refused({ auth: of });
  for (const type of ["bearer", "api_key", "basic", "hmac"])
    expect(await auth({ type })).toEqual(["/auth/secret_ref required"]);
  expect(await auth({ type: "none", secret_ref: "x" })).toEqual(["/auth/secret_ref unused"]);
  expect(await auth({ type: "oauth" })).toEqual(["/auth/type enum"]);
  expect(await auth({ type: "bearer", secret_ref: "x", header: "X-Key" })).toEqual(["/auth/header unused"]);
  expect(await auth({ type: "bearer", secret_ref: "no spaces" })).toEqual(["/auth/secret_ref pattern"]);
  const headers = ["Host", "X-Service-Signature", "webhook-id", "Content-Type", "bad name", "X\r\nY"];
  for (const header of headers)
    expect(await auth({ type: "api_key", secret_ref: "x", header })).toEqual([
      expect.stringMatching(/^\/auth\/header header_(name|reserved)$/),
    ]);
});

covers("action.remote.response", "only singular paths into a response are accepted", async () => {
  const response = async (of: object): Promise<string[]> => await refused({ response: of });
  expect(
    await response({ success_when: { path: "$..ok", equals: 1 }, result_path: "data", error_path: "$.a[*]" }),
  ).toEqual(["/response/error_path path", "/response/result_path path", "/response/success_when/path path"]);
  expect(await response({ success_when: { path: "$.ok" } })).toEqual(["/response/success_when/equals required"]);
  expect(await response({ success_when: { path: "$.ok", equals: { a: 1 } } })).toEqual([
    "/response/success_when/equals type",
  ]);
  expect(await response({ expose: ["a", "a"] })).toEqual(["/response/expose duplicate"]);
  expect(await response({ expose: [] })).toEqual(["/response/expose minItems"]);
});

test("values beyond their limits are refused", async () => {
  expect(await refused({ timeout_ms: 30_001 })).toEqual(["/timeout_ms maximum"]);
  expect(await refused({ timeout_ms: 0 })).toEqual(["/timeout_ms minimum"]);
  expect(await refused({ approval: { expires_in_seconds: 0 } })).toEqual(["/approval/expires_in_seconds minimum"]);
  expect(await refused({ approval: {} })).toEqual(["/approval minProperties"]);
  expect(await refused({ delivery: "later", risk: "none" })).toEqual(["/delivery enum", "/risk enum"]);
});

test("all faults are reported together", async () => {
  expect(
    await refused({
      key: "events.fire",
      destructive: true,
      reversible: true,
      auth: { type: "bearer" },
      params: { "a b": { type: "int" } },
      response: { result_path: "x" },
    }),
  ).toEqual([
    "/auth/secret_ref required",
    "/key reserved",
    "/params/a b name",
    "/requires_confirmation confirmation_required",
    "/response/result_path path",
    "/undo required",
  ]);
});

covers("target.action.unsafe", "an unsafe address is refused in every member of the contract", async () => {
  const cases: [string, string][] = [
    ["http://8.8.8.8/", "not_https"],
    ["https://10.0.0.1/", "private"],
    ["https://169.254.169.254/", "metadata"],
    ["https://user:pass@example.com/", "credentials_in_url"],
    ["ftp://example.com/", "not_https"],
    ["nonsense", "malformed"],
    ["https://no-such-host.invalid/", "dns_failed"],
  ];
  for (const [url, reason] of cases) {
    for (const [pointer, more] of [
      ["/endpoint", { endpoint: url }],
      ["/undo/endpoint", { undo: { endpoint: url } }],
      ["/sandbox_endpoint", { sandbox_endpoint: url }],
    ] as const) {
      const { status, body } = await service.api("POST", PATH, contractArgs(more));
      expect([url, pointer, status, body.code, body.reason]).toEqual([url, pointer, 422, "url_blocked", reason]);
      expect(body.errors.map((one: Parsed) => one.pointer)).toEqual([pointer]);
    }
  }
});
