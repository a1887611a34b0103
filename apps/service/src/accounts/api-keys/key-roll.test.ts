import { afterAll, beforeAll, expect, test } from "vitest";
import { covers } from "../../../../../requirements/covers.ts";
import { instant, systemClock } from "../../lib/lib.ts";
import { absentId, countRows, mintKey, otherWorkspace, setKey, tagOfId } from "../../testing/keys.ts";
import { sendRaw } from "../../testing/raw-http.ts";
import { nowSeconds, signV1 } from "../../testing/request-signing.ts";
import { startService } from "../../testing/service.ts";
import type { ApiAnswer, TestService } from "../../testing/test-service.ts";

let service: TestService;
let twin: TestService;
let aheadMs = 0;
const env = {
  JUNCTION_RATE_LIMITS: '{"management.read": 100000, "management.write": 100000, "events.fire": 30}',
};

beforeAll(async () => {
  service = await startService({ env });
  const clock = { ...systemClock, now: () => instant(systemClock.now() + aheadMs) };
  twin = await startService({ env, on: service, deps: { clock } });
});
afterAll(async () => {
  await twin.close();
  await service.close();
});

async function roll(id: string, overlapSeconds?: number, key = service.key): Promise<ApiAnswer> {
  const body = overlapSeconds === undefined ? undefined : { overlap_seconds: overlapSeconds };
  return await service.api("POST", `/v1/keys/${id}/roll`, body, { key });
}

async function outcome(key: string, on = twin): Promise<string> {
  const answer = await on.api("GET", "/v1/events?limit=1", undefined, { key });
  return answer.status === 200 ? "ok" : String(answer.body["code"]);
}

/** Runs a call while the second node's clock is ahead by `seconds`. */
async function later<T>(seconds: number, ask: () => Promise<T>): Promise<T> {
  aheadMs = seconds * 1000;
  try {
    return await ask();
  } finally {
    aheadMs = 0;
  }
}

covers("key.revoke.immediate", "a key rolled without overlap fails at once; the new one has its settings", async () => {
  const old = await mintKey(service, {
    name: "Rolled",
    permission_mode: "restricted",
    blocked_actions: ["keys.*"],
    scopes: ["events:read"],
    permissions: ["billing.refund"],
    rate_limit_per_hour: 777,
    ip_allowlist: ["127.0.0.0/8"],
    expires_at: new Date(Date.now() + 86_400_000).toISOString(),
  });
  const before = (await service.api("GET", `/v1/keys/${old.id}`)).body;
  const rolled = await roll(old.id);
  expect(rolled.status).toBe(201);
  const { id, key, prefix_hint, created_at } = rolled.body;
  expect([id === old.id, key === old.key]).toEqual([false, false]);
  expect(rolled.body).toEqual({ ...before, id, key, prefix_hint, created_at });
  expect([await outcome(old.key), await outcome(key)]).toEqual(["key_revoked", "ok"]);
  const ended = (await service.api("GET", `/v1/keys/${old.id}`)).body;
  expect(ended).toMatchObject({ replaced_by: id, revoked_at: expect.any(String), expires_at: before.expires_at });
  expect((await service.api("GET", `/v1/keys/${String(id)}`)).text).not.toContain(key);
});

covers("key.auth.bearer", "during the overlap both keys work; at its end the old one has expired", async () => {
  const old = await mintKey(service);
  const rolled = await roll(old.id, 3600);
  const next = String(rolled.body["key"]);
  const ends = Date.parse((await service.api("GET", `/v1/keys/${old.id}`)).body["expires_at"]);
  expect(Math.abs(ends - Date.now() - 3_600_000)).toBeLessThan(60_000);
  expect(rolled.body["expires_at"]).toBeNull();
  const both = async (): Promise<string[]> => [await outcome(old.key), await outcome(next)];
  expect(await both()).toEqual(["ok", "ok"]);
  expect(await later(3500, both)).toEqual(["ok", "ok"]);
  expect(await later(3601, both)).toEqual(["key_expired", "ok"]);
});

test("an overlap never outlives the key's own end", async () => {
  const expires = new Date(Date.now() + 600_000).toISOString();
  const old = await mintKey(service, { expires_at: expires });
  const rolled = await roll(old.id, 3600);
  expect((await service.api("GET", `/v1/keys/${old.id}`)).body["expires_at"]).toBe(expires);
  expect(rolled.body["expires_at"]).toBe(expires);
});

covers("idempotency.repeat.original", "the new key's write repeats the old key's write", async () => {
  const old = await mintKey(service);
  const send = async (key: string): Promise<ApiAnswer> =>
    await twin.api(
      "POST",
      "/v1/events/fire",
      { event: "a.b", data: { n: 1 } },
      { key, headers: { "Idempotency-Key": "over-the-roll" } },
    );
  const first = await send(old.key);
  const rolled = await roll(old.id, 60);
  const fired = await countRows(service, "event");
  const second = await send(rolled.body["key"]);
  expect([second.status, second.text, second.headers.get("idempotent-replayed")]).toEqual([202, first.text, "true"]);
  expect(await countRows(service, "event")).toBe(fired);
});

covers("limit.rate.per-key", "a roll refills no limit: both keys share the limits per minute and hour", async () => {
  const old = await mintKey(service, { rate_limit_per_hour: 40 });
  const fire = async (key: string): Promise<number> =>
    (await service.api("POST", "/v1/events/fire", { event: "a.b", data: {} }, { key })).status;
  const statuses = await Promise.all(Array.from({ length: 20 }, async () => await fire(old.key)));
  const next = String((await roll(old.id, 3600)).body["key"]);
  statuses.push(
    ...(await Promise.all(Array.from({ length: 20 }, async (_, at) => await fire(at % 2 === 0 ? next : old.key)))),
  );
  expect(statuses.filter((status) => status === 202)).toHaveLength(30);
  const reads = [];
  for (let call = 0; call < 12; call += 1) reads.push(await outcome(call % 2 === 0 ? next : old.key));
  expect(reads.filter((one) => one === "ok")).toHaveLength(10);
});

covers("gate.request.hmac", "a roll gives the new key a signing secret of its own", async () => {
  const made = await service.api("POST", "/v1/keys", { name: "s", permission_mode: "all", signing_secret: true });
  const rolled = await roll(made.body["id"], 3600);
  const target = "/v1/events?limit=1";
  const status = async (id: string, secret: string): Promise<number> => {
    const headers = { "X-Service-Key": id, ...signV1({ secret, method: "GET", target, timestamp: nowSeconds() }) };
    return (await sendRaw(service.baseUrl, { method: "GET", path: target, headers })).status;
  };
  const [old, next] = [made.body, rolled.body];
  expect(next["signing_secret"]).not.toBe(old["signing_secret"]);
  expect([
    await status(old["id"], old["signing_secret"]),
    await status(next["id"], next["signing_secret"]),
    await status(next["id"], old["signing_secret"]),
    await status(old["id"], next["signing_secret"]),
  ]).toEqual([200, 200, 401, 401]);
});

test("one of ten concurrent rolls succeeds; a replaced or ended key cannot roll", async () => {
  for (const overlap of [0, 3600]) {
    const old = await mintKey(service);
    const answers = await Promise.all(
      Array.from(
        { length: 10 },
        async (_, at) =>
          await (at % 2 === 0 ? service : twin).api("POST", `/v1/keys/${old.id}/roll`, { overlap_seconds: overlap }),
      ),
    );
    expect(answers.map((answer) => answer.status).toSorted()).toEqual([201, ...Array.from({ length: 9 }, () => 409)]);
  }
  const [revoked, expired] = [await mintKey(service), await mintKey(service)];
  await service.api("POST", `/v1/keys/${revoked.id}/revoke`);
  await setKey(service, expired, { expires_at: new Date(Date.now() - 1000) });
  for (const key of [revoked, expired]) {
    const answer = await roll(key.id, 10);
    expect([answer.status, answer.body["code"]]).toEqual([409, "conflict"]);
  }
});

test("a roll repeated with its idempotency key returns the same new key", async () => {
  const old = await mintKey(service);
  const send = async (): Promise<ApiAnswer> =>
    await service.api("POST", `/v1/keys/${old.id}/roll`, undefined, { headers: { "Idempotency-Key": "roll-once" } });
  const [first, second] = [await send(), await send()];
  expect([second.status, second.text]).toEqual([201, first.text]);
});

covers("gate.check.scope-role", "a caller cannot roll a key that has more rights than its own", async () => {
  const admin = await mintKey(service, { role: "admin" });
  const slow = await mintKey(service, { role: "admin", rate_limit_per_hour: 10 });
  const person = await mintKey(service, { actor_type: "user" });
  expect([(await roll(person.id, 60, admin.key)).status, (await roll(admin.id, 60, slow.key)).status]).toEqual([
    403, 403,
  ]);
  expect(await outcome(person.key)).toBe("ok");
  expect((await roll(slow.id, 60, admin.key)).status).toBe(201);
  const own = await roll(admin.id, 60, admin.key);
  expect([own.status, await outcome(own.body["key"])]).toEqual([201, "ok"]);
  expect((await roll(own.body["id"], 0, (await mintKey(service, { role: "viewer" })).key)).body["code"]).toBe(
    "role_not_allowed",
  );
});

test("a roll answers 401, 403, 404 and 422 as any call does", async () => {
  const key = await mintKey(service);
  const other = await otherWorkspace(service);
  const statuses = [
    (await service.api("POST", `/v1/keys/${key.id}/roll`, {}, { key: null })).status,
    (await roll(other.id("key"), 0)).status,
    (await roll(absentId({ tag: tagOfId(key.id) }, "key"), 0)).status,
    (await roll(key.id, -1)).status,
    (await roll(key.id, 604_801)).status,
    (await roll(key.id, 0.5)).status,
    (await service.api("POST", `/v1/keys/${key.id}/roll`, { overlap: 5 })).status,
  ];
  expect(statuses).toEqual([401, 403, 404, 422, 422, 422, 422]);
  expect(await outcome(key.key)).toBe("ok");
});
