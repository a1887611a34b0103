import { afterAll, beforeAll, expect, test } from "vitest";
import { covers } from "../../../../../requirements/covers.ts";
import { absentId, mintKey, otherWorkspace, tagOfId } from "../../testing/keys.ts";
import type { TestKey } from "../../testing/keys.ts";
import { signV1 } from "../../testing/request-signing.ts";
import { startService } from "../../testing/service.ts";
import { UNLIMITED } from "../../testing/subscription.ts";
import type { ApiAnswer, TestService } from "../../testing/test-service.ts";

let service: TestService;
let twin: TestService;
beforeAll(async () => {
  service = await startService({ env: UNLIMITED });
  twin = await startService({ env: UNLIMITED, on: service });
});
afterAll(async () => {
  await twin.close();
  await service.close();
});

const soon = new Date(Date.now() + 86_400_000).toISOString();

async function change(id: string, patch: unknown, key = service.key): Promise<ApiAnswer> {
  return await service.api("PATCH", `/v1/keys/${id}`, patch, { key });
}

async function list(key: string, on = twin): Promise<string> {
  const answer = await on.api("GET", "/v1/events?limit=1", undefined, { key });
  return answer.status === 200 ? "ok" : String(answer.body["code"]);
}

covers("key.mode.read-only", "a changed setting is obeyed by the next request, on every node", async () => {
  const key = await mintKey(service);
  const fire = async (): Promise<string> => {
    const answer = await twin.api("POST", "/v1/events/fire", { event: "a.b", data: {} }, { key: key.key });
    return answer.status === 202 ? "ok" : String(answer.body["code"]);
  };
  const steps: [Record<string, unknown>, string][] = [
    [{ permission_mode: "read_only" }, "key_read_only"],
    [{ permission_mode: "restricted" }, "ok"],
    [{ blocked_actions: ["events.*"] }, "action_blocked"],
    [{ permission_mode: "all" }, "ok"],
    [{ role: "viewer" }, "role_not_allowed"],
    [{ role: "developer" }, "ok"],
    [{ scopes: ["deliveries:write"] }, "scope_missing"],
    [{ scopes: ["events:write"] }, "ok"],
    [{ scopes: null }, "ok"],
    [{ ip_allowlist: ["203.0.113.0/24"] }, "ip_not_allowed"],
    [{ ip_allowlist: ["127.0.0.1"] }, "ok"],
    [{ require_signature: true }, "signature_required"],
    [{ require_signature: false }, "ok"],
    [{ rate_limit_per_hour: 1 }, "rate_limited"],
    [{ rate_limit_per_hour: 1000 }, "ok"],
  ];
  expect(await fire()).toBe("ok");
  const outcomes = [];
  for (const [patch] of steps) {
    const changed = await change(key.id, patch);
    expect([changed.status, changed.body]).toMatchObject([200, patch]);
    outcomes.push([patch, await fire()]);
  }
  expect(outcomes).toEqual(steps);
});

test("a change touches what it names alone, and is shown from then on", async () => {
  const key = await mintKey(service, { blocked_actions: ["a.b"], permissions: ["billing.refund"], expires_at: soon });
  const before = (await service.api("GET", `/v1/keys/${key.id}`)).body;
  const changed = await change(key.id, { name: "Other name", accept_body_signature: false });
  const wanted = { ...before, name: "Other name", accept_body_signature: false };
  expect(changed.body).toEqual(wanted);
  expect((await service.api("GET", `/v1/keys/${key.id}`)).body).toEqual(wanted);
});

test("a key's own signing secret can be given, renewed and taken away", async () => {
  const key = await mintKey(service);
  const call = { method: "GET", target: "/v1/events?limit=1" };
  const signedWith = async (secret: string): Promise<number> =>
    (await twin.api("GET", call.target, undefined, { key: key.key, headers: signV1({ ...call, secret }) })).status;
  const first = (await change(key.id, { signing_secret: true })).body;
  const second = (await change(key.id, { signing_secret: true })).body;
  expect([first["has_signing_secret"], second["signing_secret"] === first["signing_secret"]]).toEqual([true, false]);
  expect(await Promise.all([key.key, first["signing_secret"], second["signing_secret"]].map(signedWith))).toEqual([
    401, 401, 200,
  ]);
  const none = await change(key.id, { signing_secret: false });
  expect([none.body["has_signing_secret"], none.body["signing_secret"]]).toEqual([false, undefined]);
  expect(await Promise.all([key.key, second["signing_secret"]].map(signedWith))).toEqual([200, 401]);
});

covers("gate.check.scope-role", "a caller can remove any right from a key but add only its own", async () => {
  const narrow = await mintKey(service, {
    role: "admin",
    rate_limit_per_hour: 100,
    scopes: ["keys:write", "events:read"],
  });
  const wide = await mintKey(service, { role: "admin" });
  const code = async (id: string, patch: unknown): Promise<string> => {
    const answer = await change(id, patch, narrow.key);
    return answer.status === 200 ? "ok" : `${answer.status} ${String(answer.body["code"])}`;
  };
  expect(await code(wide.id, { name: "renamed" })).toBe("ok");
  expect(await code(wide.id, { rate_limit_per_hour: 400_000 })).toBe("ok");
  expect(await code(wide.id, { rate_limit_per_hour: 400_001 })).toBe("403 scope_missing");
  expect(await code(wide.id, { signing_secret: true })).toBe("403 scope_missing");
  expect(await code(wide.id, { scopes: ["events:write"] })).toBe("ok");
  expect(await code(wide.id, { scopes: ["events:write", "keys:read"] })).toBe("403 scope_missing");
  expect(await code(wide.id, { scopes: ["events:read"], rate_limit_per_hour: 100 })).toBe("ok");
  // The key is within the caller's rights now, so the caller can add all rights that it has.
  expect(await code(wide.id, { scopes: ["events:read", "keys:write"] })).toBe("ok");
  expect(await code(narrow.id, { rate_limit_per_hour: 101 })).toBe("403 action_blocked");
  expect(await code(narrow.id, { scopes: null })).toBe("403 scope_missing");
});

covers("gate.check.scope-role", "two keys that are each narrow in another way cannot widen each other", async () => {
  const slow = await mintKey(service, { role: "admin", rate_limit_per_hour: 10 });
  const fenced = await mintKey(service, { role: "admin", ip_allowlist: ["127.0.0.1"] });
  const answers = [
    await change(slow.id, { rate_limit_per_hour: 500_000 }, fenced.key),
    await change(fenced.id, { ip_allowlist: [] }, slow.key),
  ];
  expect(answers.map((answer) => [answer.status, answer.body["code"]])).toEqual([
    [403, "ip_not_allowed"],
    [403, "action_blocked"],
  ]);
});

test("a person's key always has that person's role", async () => {
  const mine = await mintKey(service, { actor_type: "user" });
  expect((await service.api("GET", `/v1/keys/${mine.id}`)).body).toMatchObject({ actor_type: "user", role: "owner" });
  const answer = await change(mine.id, { role: "viewer" });
  expect([answer.status, answer.body["errors"][0].pointer]).toEqual([422, "/role"]);
  const actor = await change(mine.id, { actor_type: "service" });
  expect([actor.status, actor.body["errors"][0].pointer]).toEqual([422, "/actor_type"]);
});

const badPatches: [unknown, string][] = [
  [{}, ""],
  [{ name: "" }, "/name"],
  [{ permission_mode: null }, "/permission_mode"],
  [{ blocked_actions: ["*.*"] }, "/blocked_actions/0"],
  [{ role: "ai" }, "/role"],
  [{ scopes: ["events:write", "all"] }, "/scopes/1"],
  [{ ip_allowlist: ["10.0.0.0/8", "10.0.0.0/99"] }, "/ip_allowlist/1"],
  [{ expires_at: "2020-01-01T00:00:00Z" }, "/expires_at"],
  [{ rate_limit_per_hour: -1 }, "/rate_limit_per_hour"],
  [{ revoked_at: null }, "/revoked_at"],
];

test("an invalid change names its field; absent, foreign and revoked keys stay unchanged", async () => {
  const key = await mintKey(service);
  const outcomes = [];
  for (const [patch] of badPatches) {
    const answer = await change(key.id, patch);
    outcomes.push([patch, answer.status, answer.body["errors"]?.[0]?.pointer]);
  }
  expect(outcomes).toEqual(badPatches.map(([patch, pointer]) => [patch, 422, pointer]));
  const other = await otherWorkspace(service);
  await service.api("POST", `/v1/keys/${key.id}/revoke`);
  const answers = await Promise.all(
    [absentId({ tag: tagOfId(key.id) }, "key"), other.id("key"), key.id, "key_x"].map(
      async (id) => await change(id, { name: "x" }),
    ),
  );
  expect(answers.map((answer) => [answer.status, answer.body["code"]])).toEqual([
    [404, "not_found"],
    [403, "workspace_mismatch"],
    [409, "conflict"],
    [404, "not_found"],
  ]);
});

test("concurrent changes of a key do not overwrite each other", async () => {
  const key = await mintKey(service);
  const patches = [
    { name: "met" },
    { rate_limit_per_hour: 77 },
    { require_signature: true },
    { accept_body_signature: false },
    { blocked_actions: ["a.*"] },
    { scopes: ["keys:read"] },
    { permissions: ["a.b"] },
    { expires_at: soon },
  ];
  const answers = await Promise.all(
    patches.map(async (patch, at) => await (at % 2 === 0 ? service : twin).api("PATCH", `/v1/keys/${key.id}`, patch)),
  );
  expect(answers.map((answer) => answer.status)).toEqual(patches.map(() => 200));
  expect((await service.api("GET", `/v1/keys/${key.id}`)).body).toMatchObject(Object.assign({}, ...patches));
});

covers(
  "key.revoke.immediate",
  "a revocation is final, repeatable, and refused for absent and foreign keys",
  async () => {
    const key = await mintKey(service);
    const first = await service.api("POST", `/v1/keys/${key.id}/revoke`);
    expect(await list(key.key)).toBe("key_revoked");
    const again = await twin.api("POST", `/v1/keys/${key.id}/revoke`);
    expect([again.status, again.text]).toEqual([200, first.text]);
    const other = await otherWorkspace(service);
    const answers = await Promise.all(
      [absentId({ tag: tagOfId(key.id) }, "key"), other.id("key")].map(
        async (id) => await service.api("POST", `/v1/keys/${id}/revoke`),
      ),
    );
    expect(answers.map((answer) => answer.status)).toEqual([404, 403]);
  },
);

test("keys are listed in pages, newest first, whole and once", async () => {
  const made: TestKey[] = [];
  for (let at = 0; at < 5; at += 1) made.push(await mintKey(service));
  const seen: string[] = [];
  let cursor: string | null = "";
  while (cursor !== null) {
    const page: ApiAnswer = await service.api("GET", `/v1/keys?limit=3${cursor === "" ? "" : `&cursor=${cursor}`}`);
    seen.push(...page.body["data"].map((one: { id: string }) => one.id));
    cursor = page.body["next_cursor"];
  }
  expect(new Set(seen).size).toBe(seen.length);
  expect(seen.slice(0, 5)).toEqual(made.map((key) => key.id).toReversed());
  expect((await service.api("GET", "/v1/keys?state=active")).status).toBe(400);
});
