import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { covers } from "../../../../../requirements/covers.ts";
import { isApiKey, sha256 } from "../../lib/lib.ts";
import { mintKey, setKey } from "../../testing/keys.ts";
import type { TestKey } from "../../testing/keys.ts";
import { startService } from "../../testing/service.ts";
import type { ApiAnswer, TestService } from "../../testing/test-service.ts";

let service: TestService;
let twin: TestService;
beforeAll(async () => {
  service = await startService();
  twin = await startService({ on: service });
});
beforeEach(async () => {
  await service.database.query("delete from rate_window where operation = 'auth.failed'");
});
afterAll(async () => {
  await twin.close();
  await service.close();
});

async function as(key: string, method: string, path: string, body?: unknown): Promise<ApiAnswer> {
  return await service.api(method, path, body, { key });
}

async function mintAs(maker: TestKey, spec: Record<string, unknown>): Promise<string> {
  const answer = await as(maker.key, "POST", "/v1/keys", {
    name: "made",
    permission_mode: "all",
    role: "viewer",
    ...spec,
  });
  return answer.status === 201 ? "ok" : `${answer.status} ${String(answer.body["code"])}`;
}

covers(
  ["key.auth.bearer", "workspace.belongs.key"],
  "a key is made, shown this once, and listed without its text",
  async () => {
    const made = await service.api("POST", "/v1/keys", {
      name: "CI",
      permission_mode: "all",
      rate_limit_per_hour: 1000,
    });
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({
      object: "api_key",
      name: "CI",
      permission_mode: "all",
      blocked_actions: [],
      role: "developer",
      actor_type: "service",
      scopes: null,
      rate_limit_per_hour: 1000,
      ip_allowlist: [],
      require_signature: false,
      accept_body_signature: true,
      expires_at: null,
      revoked_at: null,
      scope_kind: "workspace",
      environment: "live",
      id: expect.stringMatching(/^key_/),
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    });
    const key = String(made.body["key"]);
    expect(isApiKey(key)).toBe(true);
    expect(key.startsWith(made.body["prefix_hint"])).toBe(true);
    const shown = await service.api("GET", `/v1/keys/${String(made.body["id"])}`);
    expect(shown.body).toEqual({ ...made.body, key: undefined });
    expect((await as(key, "GET", "/v1/events")).status).toBe(200);
    const listed = await service.api("GET", "/v1/keys?limit=100");
    expect(listed.body["data"].map((one: { id: string }) => one.id)).toContain(made.body["id"]);
    expect(listed.text).not.toContain(key);
  },
);

covers("key.auth.bearer", "the database holds a key's SHA-256 alone", async () => {
  const { key, uuid } = await mintKey(service);
  const [row] = await service.database.query<{ key_hash: Buffer; row: string }>(
    "select key_hash, row_to_json(api_key)::text as row from api_key where id = $1",
    [uuid],
  );
  expect(row?.key_hash.equals(sha256(key))).toBe(true);
  expect(row?.row).not.toContain(key.slice(12));
});

covers("key.revoke.immediate", "a revoked key fails at once, on every node", async () => {
  const key = await mintKey(service);
  expect((await twin.api("GET", "/v1/events", undefined, { key: key.key })).status).toBe(200);
  const revoked = await service.api("POST", `/v1/keys/${key.id}/revoke`);
  expect([revoked.status, typeof revoked.body["revoked_at"]]).toEqual([200, "string"]);
  const answers = await Promise.all(
    [twin, service].flatMap((on) => [
      on.api("GET", "/v1/events", undefined, { key: key.key }),
      on.api("POST", "/v1/events/fire", { event: "a", data: {} }, { key: key.key }),
    ]),
  );
  for (const answer of answers) expect([answer.status, answer.body["code"]]).toEqual([401, "key_revoked"]);
  const again = await service.api("POST", `/v1/keys/${key.id}/revoke`);
  expect([again.status, again.body["revoked_at"]]).toEqual([200, revoked.body["revoked_at"]]);
});

covers(
  "key.revoke.immediate",
  "no call that starts after the revocation was answered gets through a busy service",
  async () => {
    const key = await mintKey(service);
    const late: number[] = [];
    let revoked = false;
    const callers = Array.from({ length: 8 }, async (_, at) => {
      for (let call = 0; call < 40; call += 1) {
        const startedAfter = revoked;
        const answer = await (at % 2 === 0 ? service : twin).api("GET", "/v1/event-types", undefined, { key: key.key });
        if (startedAfter) late.push(answer.status);
      }
    });
    await new Promise((resolve) => setTimeout(resolve, 50));
    await service.api("POST", `/v1/keys/${key.id}/revoke`);
    revoked = true;
    await Promise.all(callers);
    expect(late.length).toBeGreaterThan(0);
    expect(late.filter((status) => status === 200)).toEqual([]);
  },
);

test("an expired key is refused with key_expired", async () => {
  const key = await mintKey(service);
  await setKey(service, key, { expires_at: new Date(Date.now() + 60_000) });
  expect((await as(key.key, "GET", "/v1/events")).status).toBe(200);
  await setKey(service, key, { expires_at: new Date(Date.now() - 1000) });
  const answer = await as(key.key, "GET", "/v1/events");
  expect([answer.status, answer.body["code"]]).toEqual([401, "key_expired"]);
});

covers(
  "sandbox.key.separate",
  "a workspace has its own sandbox key; keys create keys of their environment",
  async () => {
    expect(service.sandboxKey).toMatch(/^jn_test_/);
    expect(service.key).toMatch(/^jn_live_/);
    const mine = await mintKey(service);
    expect(mine.key).toMatch(/^jn_live_/);
  },
);

covers("sandbox.surface.same", "the sandbox key reaches the same operations with the same answers", async () => {
  const body = { event: "order.created", data: { a: 1 } };
  const shapes = await Promise.all(
    [service.key, service.sandboxKey].map(async (key) => {
      const fired = await as(key, "POST", "/v1/events/fire", body);
      const read = await as(key, "GET", `/v1/events/${String(fired.body["id"])}`);
      const listed = await as(key, "GET", "/v1/webhook-endpoints");
      return [fired, read, listed].map((answer) => [answer.status, Object.keys(answer.body)]);
    }),
  );
  expect(shapes[0]).toEqual(shapes[1]);
});

covers("gate.check.scope-role", "a key mints only keys that may do no more than itself", async () => {
  const admin = await mintKey(service, { role: "admin" });
  expect(await mintAs(admin, { role: "admin" })).toBe("ok");
  expect((await service.api("POST", "/v1/keys", { name: "x", permission_mode: "all", role: "owner" })).status).toBe(
    422,
  );
  expect(await mintAs(admin, { actor_type: "user" })).toBe("403 role_not_allowed");

  const restricted = await mintKey(service, {
    role: "admin",
    permission_mode: "restricted",
    blocked_actions: ["events.fire"],
  });
  expect(await mintAs(restricted, {})).toBe("403 action_blocked");
  expect(await mintAs(restricted, { permission_mode: "read_only", blocked_actions: ["events.fire"] })).toBe(
    "403 action_blocked",
  );
  expect(await mintAs(restricted, { permission_mode: "restricted", blocked_actions: ["events.batch"] })).toBe(
    "403 action_blocked",
  );
  expect(await mintAs(restricted, { permission_mode: "restricted", blocked_actions: ["events.fire", "keys.*"] })).toBe(
    "ok",
  );

  const fenced = await mintKey(service, { role: "admin", ip_allowlist: ["127.0.0.0/8", "::1"] });
  expect(await mintAs(fenced, { ip_allowlist: ["0.0.0.0/0"] })).toBe("403 ip_not_allowed");
  expect(await mintAs(fenced, { ip_allowlist: [] })).toBe("403 ip_not_allowed");
  expect(await mintAs(fenced, { ip_allowlist: ["127.0.0.1", "10.0.0.0/8"] })).toBe("403 ip_not_allowed");
  expect(await mintAs(fenced, { ip_allowlist: ["127.0.0.0/16", "::1"] })).toBe("ok");
  const inherited = await as(fenced.key, "POST", "/v1/keys", { name: "x", permission_mode: "all" });
  expect(inherited.body["ip_allowlist"]).toEqual(["127.0.0.0/8", "::1"]);

  await setKey(service, admin, { scopes: ["keys:write", "events:read"] });
  const scoped = await as(admin.key, "POST", "/v1/keys", { name: "x", permission_mode: "all" });
  expect(scoped.body["scopes"]).toEqual(["keys:write", "events:read"]);
});

test("an AI's key has the role ai, and the role ai is for AIs", async () => {
  const made = await service.api("POST", "/v1/keys", { name: "ai", permission_mode: "all", actor_type: "ai" });
  expect(made.body).toMatchObject({ actor_type: "ai", role: "ai" });
  const other = await service.api("POST", "/v1/keys", { name: "ai", permission_mode: "all", role: "ai" });
  expect(other.body).toMatchObject({ actor_type: "ai", role: "ai" });
  for (const spec of [
    { actor_type: "ai", role: "admin" },
    { actor_type: "service", role: "ai" },
  ]) {
    const refused = await service.api("POST", "/v1/keys", { name: "x", permission_mode: "all", ...spec });
    expect([refused.status, refused.body["errors"][0].pointer]).toEqual([422, "/role"]);
  }
});

test("a key of a person carries that person's role of the moment", async () => {
  const person = await service.api("POST", "/v1/keys", { name: "me", permission_mode: "all", actor_type: "user" });
  const key = String(person.body["key"]);
  expect((await as(key, "GET", "/v1/keys")).status).toBe(200);
  await service.database.query("update member set role = 'viewer'");
  try {
    expect((await as(key, "GET", "/v1/keys")).body["code"]).toBe("role_not_allowed");
    expect((await service.api("GET", "/v1/keys")).body["code"]).toBe("role_not_allowed");
  } finally {
    await service.database.query("update member set role = 'owner'");
  }
});

test("unknown members, wrong types and invalid values of a key's body are reported together", async () => {
  const answer = await service.api("POST", "/v1/keys", {
    name: "",
    permission_mode: "all",
    rate_limit_per_hour: "10",
    foo: 1,
  });
  expect(answer.status).toBe(422);
  expect(answer.body["errors"].map((one: { pointer: string }) => one.pointer).toSorted()).toEqual([
    "/foo",
    "/name",
    "/rate_limit_per_hour",
  ]);
});
