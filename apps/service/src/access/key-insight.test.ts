import { afterAll, beforeAll, expect, test } from "vitest";
import { covers } from "../../../../requirements/covers.ts";
import { absentId, mintKey, otherWorkspace, setKey, tagOfId } from "../testing/keys.ts";
import type { TestKey } from "../testing/keys.ts";
import { signIn } from "../testing/people.ts";
import { startService } from "../testing/service.ts";
import { nearest } from "./operations.ts";
import type { ApiAnswer, Parsed, TestService } from "../testing/test-service.ts";

let service: TestService;
const env = { JUNCTION_RATE_LIMITS: '{"events.fire": 3, "management.read": 100000, "management.write": 100000}' };
beforeAll(async () => {
  service = await startService({ env });
});
afterAll(async () => await service.close());

async function fire(key: TestKey): Promise<ApiAnswer> {
  return await service.api("POST", "/v1/events/fire", { event: "a.b", data: {} }, { key: key.key });
}

async function trial(key: TestKey, operation: string, ip?: string): Promise<Parsed> {
  const answer = await service.api("POST", `/v1/keys/${key.id}/test`, {
    operation,
    ...(ip === undefined ? {} : { ip }),
  });
  expect([answer.status, answer.body["operation"], answer.body["key_id"]]).toEqual([200, operation, key.id]);
  return answer.body;
}

covers("key.rate.usage-bar", "a key's use of its limits is exact at once, hour and minute", async () => {
  const key = await mintKey(service, { rate_limit_per_hour: 10 });
  for (let call = 0; call < 4; call += 1) await fire(key);
  await service.api("GET", "/v1/events", undefined, { key: key.key });
  const { body, status } = await service.api("GET", `/v1/keys/${key.id}/usage`);
  expect([status, body]).toMatchObject([
    200,
    { object: "key_usage", key_id: key.id, hour: { limit: 10, used: 4, remaining: 6 } },
  ]);
  const minute = new Map(body["minute"].map((one: { operation: string }) => [one.operation, one]));
  expect(minute.get("events.fire")).toEqual({ operation: "events.fire", limit: 3, used: 3, remaining: 0 });
  expect(minute.get("management.read")).toMatchObject({ used: 1 });
  expect(minute.get("webhooks.test")).toEqual({ operation: "webhooks.test", limit: 60, used: 0, remaining: 60 });
  await service.database.query("update rate_window set head = head - 61 where subject = $1", [key.uuid]);
  const later = (await service.api("GET", `/v1/keys/${key.id}/usage`)).body;
  expect([later["hour"].used, later["minute"].find((one: Parsed) => one.operation === "events.fire").used]).toEqual([
    0, 0,
  ]);
  await setKey(service, key, { rate_limit_per_hour: 1 });
  await fire(key);
  expect((await service.api("GET", `/v1/keys/${key.id}/usage`)).body["hour"]).toEqual({
    limit: 1,
    used: 1,
    remaining: 0,
  });
});

covers("key.auth.bearer", "a caller can read its identity, rights and remaining limits", async () => {
  const key = await mintKey(service, {
    role: "viewer",
    scopes: ["events:read"],
    permissions: ["a.b"],
    rate_limit_per_hour: 50,
  });
  await fire(key);
  const me = await service.api("GET", "/v1/me", undefined, { key: key.key });
  const shown = (await service.api("GET", `/v1/keys/${key.id}`)).body;
  expect(me.status).toBe(200);
  expect(me.body).toMatchObject({
    object: "caller",
    member_id: null,
    key: { ...shown, last_used_at: me.body["key"].last_used_at, last_used_ip: me.body["key"].last_used_ip },
    workspace: { id: shown["scope_key"], object: "workspace", name: "Test" },
    environment: "live",
    role: "viewer",
    actor_type: "service",
    scopes: ["events:read"],
    permissions: ["a.b"],
    limits: { hour: { limit: 50, used: 1, remaining: 49 } },
  });
  expect(me.text).not.toContain(key.key);
});

test("every key may read its identity unless its list blocks the operation", async () => {
  const specs = [
    { permission_mode: "read_only" },
    { actor_type: "ai" },
    { actor_type: "user" },
    { role: "viewer", scopes: [] },
    { permission_mode: "restricted", blocked_actions: ["events.*"] },
  ];
  for (const spec of specs) {
    const me = await service.api("GET", "/v1/me", undefined, { key: (await mintKey(service, spec)).key });
    expect([spec, me.status]).toEqual([spec, 200]);
  }
  const sandbox = await service.api("GET", "/v1/me", undefined, { key: service.sandboxKey });
  expect(sandbox.body).toMatchObject({ environment: "sandbox", key: { environment: "sandbox" } });
  const blocked = await mintKey(service, { permission_mode: "restricted", blocked_actions: ["me.*"] });
  expect((await service.api("GET", "/v1/me", undefined, { key: blocked.key })).status).toBe(403);
  expect((await service.api("GET", "/v1/me", undefined, { key: null })).status).toBe(401);
});

test("a session can read its identity; its new keys accept both signature schemes", async () => {
  const owner = await signIn(service);
  const me = await owner.call("GET", "/v1/me");
  expect([me.status, me.body]).toMatchObject([
    200,
    {
      object: "caller",
      key: null,
      member_id: owner.memberId,
      role: "owner",
      actor_type: "user",
      limits: { hour: { limit: 500_000 } },
    },
  ]);
  const made = await owner.call("POST", "/v1/keys", { name: "console", permission_mode: "all", actor_type: "user" });
  expect([made.status, made.body]).toMatchObject([201, { role: "owner", accept_body_signature: true }]);
  const own = await service.api("GET", "/v1/me", undefined, { key: made.body["key"] });
  expect(own.body).toMatchObject({ member_id: owner.memberId, key: { id: made.body["id"] } });
});

test("a trial names the access check that would refuse the call, and why", async () => {
  const key = await mintKey(service, { ip_allowlist: ["203.0.113.0/24"] });
  expect(await trial(key, "events.fire")).toEqual({
    object: "key_test",
    key_id: key.id,
    operation: "events.fire",
    allowed: true,
  });
  expect(await trial(key, "events.fire", "203.0.113.7")).toMatchObject({ allowed: true });
  const steps: [Record<string, unknown>, string, string][] = [
    [{}, "ip_allowlist", "ip_not_allowed"],
    [{ rate_limit_per_hour: 0 }, "rate_limit", "rate_limited"],
    [{ scopes: ["deliveries:write"] }, "permission", "scope_missing"],
    [{ role: "viewer" }, "permission", "role_not_allowed"],
    [{ permission_mode: "restricted", blocked_actions: ["events.*"] }, "permission", "action_blocked"],
    [{ permission_mode: "read_only" }, "permission", "key_read_only"],
    [{ expires_at: new Date(Date.now() - 1000) }, "signature", "key_expired"],
    [{ revoked_at: new Date() }, "signature", "key_revoked"],
  ];
  // Each change makes one more check refuse. The result is the earliest one.
  for (const [columns, step, code] of steps) {
    if (Object.keys(columns).length > 0) await setKey(service, key, columns);
    expect(await trial(key, "events.fire", "198.51.100.1")).toMatchObject({
      allowed: false,
      step,
      code,
      detail: expect.stringMatching(/\w/),
    });
  }
});

covers("gate.uniform.every-request", "a trial and the real call agree, for each kind of key", async () => {
  const keys = await Promise.all(
    [
      {},
      { role: "viewer" },
      { permission_mode: "read_only" },
      { permission_mode: "restricted", blocked_actions: ["events.fire"] },
      { scopes: ["events:read"] },
      { ip_allowlist: ["203.0.113.0/24"] },
      { rate_limit_per_hour: 1 },
    ].map(async (spec) => await mintKey(service, spec)),
  );
  for (const key of keys) {
    for (let call = 0; call < 5; call += 1) {
      const told = await trial(key, "events.fire", "127.0.0.1");
      const answer = await fire(key);
      expect([told["allowed"], told["code"]]).toEqual([answer.status === 202, answer.body["code"]]);
    }
  }
});

test("a trial calls nothing and takes nothing from the limits", async () => {
  const key = await mintKey(service, { rate_limit_per_hour: 2 });
  for (let call = 0; call < 10; call += 1) expect((await trial(key, "events.fire"))["allowed"]).toBe(true);
  expect([(await fire(key)).status, (await fire(key)).status, (await fire(key)).status]).toEqual([202, 202, 429]);
});

test("an unknown operation is answered with what may have been meant", async () => {
  const key = await mintKey(service);
  const ask = async (operation: string): Promise<ApiAnswer> =>
    await service.api("POST", `/v1/keys/${key.id}/test`, { operation });
  const mistyped = await ask("event.fire");
  expect([mistyped.status, mistyped.body["code"], mistyped.body["did_you_mean"][0]]).toEqual([
    404,
    "action_unknown",
    "events.fire",
  ]);
  const absurd = await ask("zzzzzzzzzzzzzzzzzzzzzzzzzzzz");
  expect([absurd.status, absurd.body["did_you_mean"]]).toEqual([404, []]);
  expect((await ask("*")).status).toBe(404);
  expect(nearest("Events.Fier", ["events.list", "events.fire", "keys.roll"])).toEqual(["events.fire", "events.list"]);
  expect(nearest("keys.rest", ["keys.get", "keys.list", "keys.roll", "keys.test", "me.get"])).toEqual([
    "keys.test",
    "keys.get",
    "keys.list",
  ]);
});

test("usage and trials answer 401, 403, 404 and 422 as any call does", async () => {
  const key = await mintKey(service);
  const other = await otherWorkspace(service);
  const absent = absentId({ tag: tagOfId(key.id) }, "key");
  // An own tenant id with another workspace's key is a well-formed id, but not a key of this workspace.
  const [foreign] = await service.database.query<{ id: string }>("select id from api_key where tag = $1", [other.tag]);
  const viewer = await mintKey(service, { role: "viewer" });
  const ask = async (id: string, body: unknown, asKey?: string | null): Promise<string> => {
    const options = asKey === undefined ? {} : { key: asKey };
    const tried = await service.api("POST", `/v1/keys/${id}/test`, body, options);
    const used = await service.api("GET", `/v1/keys/${id}/usage`, undefined, options);
    return `${tried.status} ${used.status}`;
  };
  const good = { operation: "events.fire" };
  expect(foreign?.id).toBeDefined();
  expect(await ask(key.id, good)).toBe("200 200");
  expect(await ask(key.id, good, null)).toBe("401 401");
  expect(await ask(other.id("key"), good)).toBe("403 403");
  expect(await ask(key.id, good, viewer.key)).toBe("403 403");
  expect(await ask(absent, good)).toBe("404 404");
  for (const body of [
    {},
    { operation: 1 },
    { ...good, ip: "localhost" },
    { ...good, ip: "10.0.0.0/8" },
    { ...good, dry_run: true },
  ])
    expect(await ask(key.id, body)).toBe("422 200");
});
