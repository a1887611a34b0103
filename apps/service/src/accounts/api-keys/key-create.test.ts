import { afterAll, beforeAll, expect, test } from "vitest";
import { covers } from "../../../../../requirements/covers.ts";
import { mintKey, setKey } from "../../testing/keys.ts";
import type { TestKey } from "../../testing/keys.ts";
import { sendRaw } from "../../testing/raw-http.ts";
import { signV1 } from "../../testing/request-signing.ts";
import { startService } from "../../testing/service.ts";
import { UNLIMITED } from "../../testing/subscription.ts";
import type { ApiAnswer, TestService } from "../../testing/test-service.ts";

let service: TestService;
beforeAll(async () => {
  service = await startService({ env: UNLIMITED });
});
afterAll(async () => await service.close());

const tomorrow = new Date(Date.now() + 86_400_000).toISOString();

async function make(spec: Record<string, unknown>, key = service.key): Promise<ApiAnswer> {
  return await service.api("POST", "/v1/keys", { name: "made", permission_mode: "all", ...spec }, { key });
}

function faults(answer: ApiAnswer): string[] {
  const errors: { pointer: string; code: string; message: string }[] = answer.body["errors"] ?? [];
  expect(errors.every((one) => one.code !== "" && one.message !== "")).toBe(true);
  return [...new Set(errors.map((one) => one.pointer))].toSorted();
}

covers("key.auth.bearer", "a key is made with every setting that the contract names, and shows them", async () => {
  const spec = {
    name: "Warehouse",
    permission_mode: "restricted",
    blocked_actions: ["keys.*", "webhook_endpoints.secret", "billing.refund"],
    role: "admin",
    actor_type: "service",
    scopes: ["events:write", "keys:read"],
    permissions: ["billing.refund"],
    rate_limit_per_hour: 1234,
    ip_allowlist: ["127.0.0.0/8", "2001:db8::/32", "192.0.2.7"],
    require_signature: true,
    accept_body_signature: false,
    expires_at: tomorrow,
  };
  const made = await make(spec);
  expect([made.status, made.body]).toMatchObject([201, { ...spec, has_signing_secret: false, replaced_by: null }]);
  expect(made.body["signing_secret"]).toBeUndefined();
  const shown = await service.api("GET", `/v1/keys/${String(made.body["id"])}`);
  expect([shown.status, shown.body]).toEqual([200, { ...made.body, key: undefined }]);
});

covers("gate.request.hmac", "a key's signing secret is shown once, and only that secret signs", async () => {
  const made = await make({ signing_secret: true, require_signature: true });
  const { id, key, signing_secret: secret } = made.body;
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(made.body["has_signing_secret"]).toBe(true);
  const shown = await service.api("GET", `/v1/keys/${String(id)}`);
  expect(shown.text).not.toContain(secret);
  const [row] = await service.database.query<{ row: string }>(
    "select api_key::text as row from api_key where name = 'made'",
  );
  expect(row?.row).not.toContain(Buffer.from(String(secret)).toString("hex"));

  const call = { method: "GET", target: "/v1/events?limit=1" };
  const outcome = async (headers: Record<string, string>): Promise<string> => {
    const answer = await sendRaw(service.baseUrl, { method: call.method, path: call.target, headers });
    return answer.status === 200 ? "ok" : String(answer.body["code"]);
  };
  const bearer = { Authorization: `Bearer ${String(key)}` };
  expect(await outcome(bearer)).toBe("signature_required");
  expect(await outcome({ ...bearer, ...signV1({ ...call, secret: key }) })).toBe("signature_invalid");
  expect(await outcome({ ...bearer, ...signV1({ ...call, secret }) })).toBe("ok");
  expect(await outcome({ "X-Service-Key": id, ...signV1({ ...call, secret }) })).toBe("ok");
  expect(await outcome({ "X-Service-Key": id, ...signV1({ ...call, secret: key }) })).toBe("signature_invalid");
  expect(await outcome({ "X-Service-Key": id })).toBe("signature_required");
  const plain = await mintKey(service);
  expect(await outcome({ "X-Service-Key": plain.id, ...signV1({ ...call, secret: plain.key }) })).toBe("key_invalid");
});

const bad: [Record<string, unknown>, string[]][] = [
  [{ name: "" }, ["/name"]],
  [{ name: "x".repeat(101) }, ["/name"]],
  [{ name: null }, ["/name"]],
  [{ permission_mode: "write" }, ["/permission_mode"]],
  [{ permission_mode: "Read-only" }, ["/permission_mode"]],
  [{ blocked_actions: "events.*" }, ["/blocked_actions"]],
  [{ blocked_actions: ["events.fire", "events*", "*.fire", "ok.*"] }, ["/blocked_actions/1", "/blocked_actions/2"]],
  [{ role: "owner" }, ["/role"]],
  [{ role: "root" }, ["/role"]],
  [{ role: "ai", actor_type: "service" }, ["/role"]],
  [{ role: "viewer", actor_type: "ai" }, ["/role"]],
  [{ role: "viewer", actor_type: "user" }, ["/role"]],
  [{ actor_type: "robot" }, ["/actor_type"]],
  [
    { scopes: ["events:read", "events", "events:*", ":read", "Events:read", "events:reads"] },
    [1, 2, 3, 4, 5].map((at) => `/scopes/${at}`),
  ],
  [{ scopes: "events:read" }, ["/scopes"]],
  [{ permissions: ["billing.refund", "Billing", "a b", ""] }, ["/permissions/1", "/permissions/2", "/permissions/3"]],
  [{ permissions: null }, ["/permissions"]],
  [{ rate_limit_per_hour: 0 }, ["/rate_limit_per_hour"]],
  [{ rate_limit_per_hour: 1.5 }, ["/rate_limit_per_hour"]],
  [{ rate_limit_per_hour: "100" }, ["/rate_limit_per_hour"]],
  [{ rate_limit_per_hour: null }, ["/rate_limit_per_hour"]],
  [{ ip_allowlist: ["10.0.0.0/33", "10.0.0.0/8", "example.com"] }, ["/ip_allowlist/0", "/ip_allowlist/2"]],
  [{ ip_allowlist: null }, ["/ip_allowlist"]],
  [{ require_signature: "yes" }, ["/require_signature"]],
  [{ accept_body_signature: 1 }, ["/accept_body_signature"]],
  [{ signing_secret: "whsec_mine" }, ["/signing_secret"]],
  [{ expires_at: "tomorrow" }, ["/expires_at"]],
  [{ expires_at: "2026-02-30T00:00:00Z" }, ["/expires_at"]],
  [{ expires_at: "2030-01-01" }, ["/expires_at"]],
  [{ expires_at: 1893456000 }, ["/expires_at"]],
  [{ expires_at: new Date(Date.now() - 1000).toISOString() }, ["/expires_at"]],
  [{ lineage_id: "x", key: "jn_live_x" }, ["/key", "/lineage_id"]],
  [
    { ip_allowlist: ["nowhere"], expires_at: "2020-01-01T00:00:00Z", role: "ai", actor_type: "service" },
    ["/expires_at", "/ip_allowlist/0", "/role"],
  ],
];

test("all invalid settings of a key are reported with their fields and create nothing", async () => {
  const before = (await service.api("GET", "/v1/keys?limit=1")).body["data"][0].id;
  const outcomes = [];
  for (const [spec] of bad) {
    const answer = await make(spec);
    outcomes.push([spec, answer.status, faults(answer)]);
  }
  expect(outcomes).toEqual(bad.map(([spec, pointers]) => [spec, 422, pointers]));
  expect((await service.api("GET", "/v1/keys?limit=1")).body["data"][0].id).toBe(before);
});

const beyond: [Record<string, unknown>, string, string][] = [
  [{ permission_mode: "all" }, "action_blocked", "/permission_mode"],
  [{ permission_mode: "read_only" }, "action_blocked", "/permission_mode"],
  [{ blocked_actions: [] }, "action_blocked", "/blocked_actions"],
  [{ blocked_actions: ["events.fire"] }, "action_blocked", "/blocked_actions"],
  [{ actor_type: "user" }, "role_not_allowed", "/actor_type"],
  [{ scopes: null }, "scope_missing", "/scopes"],
  [{ scopes: ["keys:read", "deliveries:read"] }, "scope_missing", "/scopes"],
  [{ permissions: ["billing.refund", "orders.cancel"] }, "permission_required", "/permissions"],
  [{ rate_limit_per_hour: 101 }, "action_blocked", "/rate_limit_per_hour"],
  [{ ip_allowlist: [] }, "ip_not_allowed", "/ip_allowlist"],
  [{ ip_allowlist: ["127.0.0.0/7"] }, "ip_not_allowed", "/ip_allowlist"],
  [{ accept_body_signature: true }, "action_blocked", "/accept_body_signature"],
  [{ expires_at: null }, "action_blocked", "/expires_at"],
  [{ expires_at: new Date(Date.now() + 2 * 86_400_000).toISOString() }, "action_blocked", "/expires_at"],
];
const fence = {
  role: "admin",
  permission_mode: "restricted",
  blocked_actions: ["events.*"],
  scopes: ["keys:write", "events:read"],
  permissions: ["billing.refund"],
  rate_limit_per_hour: 100,
  ip_allowlist: ["127.0.0.0/8"],
  accept_body_signature: false,
  expires_at: tomorrow,
};

covers("gate.check.scope-role", "a key cannot create a key that exceeds it in any right", async () => {
  const maker = await mintKey(service, fence);
  const restricted = { permission_mode: "restricted" };
  const outcomes = [];
  for (const [spec] of beyond) {
    const answer = await make({ ...restricted, ...spec }, maker.key);
    outcomes.push([spec, answer.status, answer.body["code"], faults(answer)]);
  }
  expect(outcomes).toEqual(beyond.map(([spec, code, pointer]) => [spec, 403, code, [pointer]]));
  const all = await make({ ...restricted, rate_limit_per_hour: 101, scopes: null, ip_allowlist: [] }, maker.key);
  expect([all.status, all.body["code"], faults(all)]).toEqual([
    403,
    "scope_missing",
    ["/ip_allowlist", "/rate_limit_per_hour", "/scopes"],
  ]);
});

covers("gate.check.scope-role", "omitted rights are the maker's, and fewer rights are always granted", async () => {
  const maker = await mintKey(service, fence);
  const bare = await make({ permission_mode: "restricted" }, maker.key);
  expect([bare.status, bare.body]).toMatchObject([201, fence]);
  const less = {
    permission_mode: "restricted",
    role: "viewer",
    blocked_actions: ["events.*", "keys.*"],
    scopes: ["keys:read"],
    permissions: [],
    rate_limit_per_hour: 1,
    ip_allowlist: ["127.0.0.1"],
    require_signature: true,
    expires_at: new Date(Date.now() + 3_600_000).toISOString(),
  };
  const made = await make(less, maker.key);
  expect([made.status, made.body]).toMatchObject([201, less]);
  expect((await make({ permission_mode: "restricted", blocked_actions: ["*"] }, maker.key)).status).toBe(201);
});

covers("key.rate.hourly", "an owner in person sets any hourly limit; other keys at most their own", async () => {
  const raised = { rate_limit_per_hour: 2_000_000 };
  const admin = await mintKey(service, { role: "admin" });
  const fast = await mintKey(service, { role: "admin", ...raised });
  const limited = await mintKey(service, { actor_type: "user", rate_limit_per_hour: 1000 });
  const statuses = await Promise.all(
    [service.key, admin.key, fast.key, limited.key].map(async (key) => (await make(raised, key)).status),
  );
  expect(statuses).toEqual([201, 403, 201, 403]);
  expect((await make({ rate_limit_per_hour: 100_000_001 })).status).toBe(422);
});

covers("gate.check.scope-role", "a key that must sign creates only keys that must sign", async () => {
  const maker = await mintKey(service, { role: "admin", require_signature: true });
  const asked = async (spec: Record<string, unknown>): Promise<ApiAnswer> => {
    const body = JSON.stringify({ name: "made", permission_mode: "all", ...spec });
    const headers = signV1({ secret: maker.key, method: "POST", target: "/v1/keys", body });
    return await service.api("POST", "/v1/keys", body, { key: maker.key, headers });
  };
  expect((await asked({})).body["require_signature"]).toBe(true);
  const refused = await asked({ require_signature: false });
  expect([refused.status, refused.body["code"], faults(refused)]).toEqual([
    403,
    "action_blocked",
    ["/require_signature"],
  ]);
});

covers(
  "gate.check.scope-role",
  "only owners and admins with the scope create keys, never a read-only key",
  async () => {
    const outcome = async (key: TestKey): Promise<unknown[]> => {
      const answer = await make({ role: "viewer" }, key.key);
      return [answer.status, answer.body["code"]];
    };
    expect(await outcome(await mintKey(service, { role: "admin" }))).toEqual([201, undefined]);
    expect(await outcome(await mintKey(service, { role: "developer" }))).toEqual([403, "role_not_allowed"]);
    expect(await outcome(await mintKey(service, { actor_type: "ai" }))).toEqual([403, "role_not_allowed"]);
    expect(await outcome(await mintKey(service, { role: "admin", permission_mode: "read_only" }))).toEqual([
      403,
      "key_read_only",
    ]);
    expect(await outcome(await mintKey(service, { role: "admin", scopes: ["keys:read", "events:write"] }))).toEqual([
      403,
      "scope_missing",
    ]);
    const dead = await mintKey(service, { role: "admin" });
    await service.api("POST", `/v1/keys/${dead.id}/revoke`);
    expect(await outcome(dead)).toEqual([401, "key_revoked"]);
  },
);

covers("sandbox.key.separate", "a sandbox key creates sandbox keys; a repeat returns the same secrets", async () => {
  const body = { name: "made", permission_mode: "all", signing_secret: true };
  const options = { key: service.sandboxKey, headers: { "Idempotency-Key": "make-once" } };
  const admin = { ...options };
  await setKey(service, await sandboxRow(), { role: "admin" });
  const first = await service.api("POST", "/v1/keys", body, admin);
  const second = await service.api("POST", "/v1/keys", body, admin);
  expect([first.status, first.body["environment"], String(first.body["key"]).slice(0, 8)]).toEqual([
    201,
    "sandbox",
    "jn_test_",
  ]);
  expect([second.text, second.headers.get("idempotent-replayed")]).toEqual([first.text, "true"]);
});

async function sandboxRow(): Promise<TestKey> {
  const [row] = await service.database.query<{ id: TestKey["uuid"] }>(
    "select id from api_key where name = 'Sandbox key'",
  );
  if (row === undefined) throw new Error("no sandbox key");
  return { id: "key_" as TestKey["id"], uuid: row.id, key: service.sandboxKey };
}
