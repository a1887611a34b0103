import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { contractArgs, registerContract } from "../../testing/contracts.ts";
import { mintKey } from "../../testing/keys.ts";
import { joined, outcome } from "../../testing/people.ts";
import { startService } from "../../testing/service.ts";
import type { ApiAnswer, TestService } from "../../testing/test-service.ts";

const PATH = "/v1/action-contracts";
const STRICT = {
  requires_confirmation: true,
  risk: "high",
  destructive: true,
  reversible: true,
  undo: { endpoint: "http://127.0.0.1:9/undo" },
  roles: ["owner", "developer"],
  surface: ["api", "console"],
  scope: "billing:write",
  permission: "refunds",
  approval: { approver_roles: ["owner"], four_eyes: true, required: 2, expires_in_seconds: 600 },
  auth: { type: "bearer", secret_ref: "backend" },
  response: { result_path: "$.refund", expose: ["id"] },
  params: {
    amount: { type: "int", required: true, min: 1, max: 100 },
    reason: { type: "string", max: 500, enum: ["late", "lost"], sensitive: true },
  },
};
const { amount, reason } = STRICT.params;

function withParams(more: Record<string, unknown>): Record<string, unknown> {
  return { params: { ...STRICT.params, ...more } };
}

/** Each patch loosens STRICT in the member that it names. */
const LOOSER: readonly (readonly [member: string, patch: Record<string, unknown>])[] = [
  ["destructive", { destructive: false, approval: { ...STRICT.approval } }],
  ["risk", { risk: "medium" }],
  ["roles", { roles: ["owner", "developer", "viewer"] }],
  ["surface", { surface: ["api", "console", "mcp"] }],
  ["scope", { scope: null }],
  ["scope", { scope: "support:write" }],
  ["permission", { permission: null }],
  ["endpoint", { endpoint: "http://127.0.0.1:9/elsewhere" }],
  ["undo.endpoint", { undo: { endpoint: "http://127.0.0.1:9/elsewhere" } }],
  ["approval.four_eyes", { approval: { ...STRICT.approval, four_eyes: false } }],
  ["approval.required", { approval: { ...STRICT.approval, required: 1 } }],
  ["approval.approver_roles", { approval: { ...STRICT.approval, approver_roles: ["owner", "admin"] } }],
  ["approval.expires_in_seconds", { approval: { ...STRICT.approval, expires_in_seconds: 601 } }],
  ["undo.window_seconds", { undo: { ...STRICT.undo, window_seconds: 86_401 } }],
  ["idempotent", { idempotent: true }],
  ["auth", { auth: { type: "bearer", secret_ref: "another" } }],
  ["auth", { auth: { type: "none" } }],
  ["response.result_path", { response: { ...STRICT.response, result_path: "$" } }],
  ["response.expose", { response: { result_path: "$.refund" } }],
  ["response.expose", { response: { ...STRICT.response, expose: ["id", "card"] } }],
  ["params.amount.type", withParams({ amount: { ...amount, type: "number" } })],
  ["params.amount.required", withParams({ amount: { ...amount, required: false } })],
  ["params.amount.min", withParams({ amount: { ...amount, min: 0 } })],
  ["params.amount.max", withParams({ amount: { ...amount, max: 101 } })],
  ["params.amount.max", withParams({ amount: { type: "int", required: true, min: 1 } })],
  ["params.reason.enum", withParams({ reason: { ...reason, enum: ["late", "lost", "gift"] } })],
  ["params.reason.enum", withParams({ reason: { type: "string", max: 500, sensitive: true } })],
  ["params.reason.sensitive", withParams({ reason: { ...reason, sensitive: false } })],
  ["params.note", withParams({ note: { type: "string", max: 1 } })],
];
const STRICTER = [
  { risk: "high" },
  { roles: ["owner"] },
  { surface: ["console"] },
  { approval: { ...STRICT.approval, required: 3 } },
  { label: "Another label" },
  { undo: null, reversible: false },
  { params: {} },
  withParams({ amount: { ...amount, min: 2, max: 99 }, reason: { ...reason, enum: ["late"], description: "Why" } }),
  { timeout_ms: 5000 },
  { auth: STRICT.auth, response: STRICT.response, undo: STRICT.undo },
];

let service: TestService;
let developer: string;
let admin: string;
beforeAll(async () => {
  service = await startService({ env: { JUNCTION_RATE_LIMITS: '{"management.write":5000}' } });
  developer = (await mintKey(service, { role: "developer" })).key;
  admin = (await mintKey(service, { role: "admin" })).key;
});
afterAll(async () => await service.close());

async function as(key: string, method: string, path: string, body?: unknown): Promise<ApiAnswer> {
  return await service.api(method, path, body, { key });
}

describe("only an owner can loosen a contract [contract, section 7]", () => {
  test.each(LOOSER)("%s", async (member, patch) => {
    const { key } = await registerContract(service, STRICT);
    for (const caller of [developer, admin]) {
      const refused = await as(caller, "PATCH", `${PATH}/${key}`, patch);
      expect([outcome(refused), refused.body["detail"]]).toEqual([
        "403 role_not_allowed",
        expect.stringContaining(`Less strict than before: ${member}.`),
      ]);
    }
    expect((await service.api("GET", `${PATH}/${key}`)).body["version"]).toBe(1);
    expect((await service.api("PATCH", `${PATH}/${key}`, patch)).status).toBe(200);
  });

  test("turning off the confirmation or the audit loosens a contract", async () => {
    const { key } = await registerContract(service, { requires_confirmation: true });
    for (const patch of [{ requires_confirmation: false }, { audit: false }]) {
      expect(outcome(await as(developer, "PATCH", `${PATH}/${key}`, patch))).toBe("403 role_not_allowed");
      expect((await service.api("PATCH", `${PATH}/${key}`, patch)).status).toBe(200);
    }
  });

  test("an undo that a contract did not have loosens it", async () => {
    const { key } = await registerContract(service, { ...STRICT, undo: undefined, reversible: false });
    const patch = { undo: STRICT.undo, reversible: true };
    const refused = await as(developer, "PATCH", `${PATH}/${key}`, patch);
    expect(outcome(refused)).toBe("403 role_not_allowed");
    expect(refused.body["detail"]).toContain("Less strict than before: undo.endpoint.");
    expect((await as(service.key, "PATCH", `${PATH}/${key}`, patch)).status).toBe(200);
  });

  test("a person's role counts in the same way as a key's role", async () => {
    const { key } = await registerContract(service, STRICT);
    const person = await joined(service, "admin");
    expect(outcome(await person.call("PATCH", `${PATH}/${key}`, { risk: "low" }))).toBe("403 role_not_allowed");
  });

  test("every writer of contracts can make a contract stricter or change its texts", async () => {
    for (const patch of STRICTER) {
      const { key } = await registerContract(service, STRICT);
      expect([patch, (await as(developer, "PATCH", `${PATH}/${key}`, patch)).status]).toEqual([patch, 200]);
    }
  });

  test("deleting a contract and registering a looser one under its key loosens it", async () => {
    const { key } = await registerContract(service, STRICT);
    expect((await as(developer, "DELETE", `${PATH}/${key}`)).status).toBe(204);
    const looser = { ...contractArgs(), key };
    expect(outcome(await as(developer, "POST", PATH, looser))).toBe("403 role_not_allowed");
    // In the sandbox, every writer can try out a looser contract.
    expect((await as(service.sandboxKey, "POST", PATH, looser)).status).toBe(201);
    expect((await as(service.sandboxKey, "PATCH", `${PATH}/${key}`, { roles: ["viewer"] })).status).toBe(200);
    expect((await as(service.sandboxKey, "DELETE", `${PATH}/${key}`)).status).toBe(204);
    expect((await as(developer, "POST", PATH, { ...contractArgs(STRICT), key })).status).toBe(201);
  });
});

describe("destructive and high-risk actions are always audited", () => {
  test.each([{ destructive: true }, { risk: "high" }])("%o", async (more) => {
    const refused = await service.api(
      "POST",
      PATH,
      contractArgs({ requires_confirmation: true, audit: false, ...more }),
    );
    expect(outcome(refused)).toBe("422 validation_failed");
    expect(refused.body["errors"]).toMatchObject([{ pointer: "/audit", code: "audit_required" }]);
    const { key } = await registerContract(service, { requires_confirmation: true, audit: false });
    expect(outcome(await service.api("PATCH", `${PATH}/${key}`, more))).toBe("422 validation_failed");
  });
});
