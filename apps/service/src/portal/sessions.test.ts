import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { instant, wireId } from "../lib/lib.ts";
import type { Clock, Uuid } from "../lib/lib.ts";
import { mintKey, otherWorkspace, tagOfId, uuidOf } from "../testing/keys.ts";
import { joined, outcome, signIn } from "../testing/people.ts";
import type { TestPerson } from "../testing/people.ts";
import { startService } from "../testing/service.ts";
import { UNLIMITED } from "../testing/subscription.ts";
import type { ApiAnswer, TestService } from "../testing/test-service.ts";
import { CAPABILITIES, operationsOf } from "./capabilities.ts";

const TENANT = "acme";
const hook = { url: "http://127.0.0.1:9/portal", events: ["portal.test"] };
let shiftMs = 0;
const clock: Clock = { now: () => instant(Date.now() + shiftMs), monotonicMs: () => performance.now() };
let service: TestService;
let other: TestService;
let owner: TestPerson;

beforeAll(async () => {
  service = await startService({ env: UNLIMITED, deps: { clock } });
  other = await startService({ env: UNLIMITED, deps: { clock }, on: service });
  owner = await signIn(service);
  await service.api("POST", "/v1/event-types", { name: "portal.test" });
});
beforeEach(async () => {
  shiftMs = 0;
  await service.database.query("delete from rate_window");
});
afterAll(async () => {
  await other.service.stop();
  await service.close();
});

async function created(spec: object = {}, key?: string): Promise<ApiAnswer> {
  const body = { tenant: TENANT, capabilities: [...CAPABILITIES], ...spec };
  return await service.api("POST", "/v1/portal-sessions", body, key === undefined ? {} : { key });
}

const tokenIn = ({ body }: ApiAnswer): string => /#token=(\w+)$/.exec(String(body["url"]))?.[1] ?? "";

async function exchange(token: string, more: object = {}, on: TestService = service): Promise<ApiAnswer> {
  return await on.api("POST", "/v1/portal-sessions/exchange", { token, ...more }, { key: null });
}

/** Opens a session. Returns its id and the text of its credential. */
async function opened(spec: object = {}, maker?: string): Promise<{ id: string; key: string }> {
  const made = await created(spec, maker);
  expect([made.status, made.text]).toEqual([201, made.text]);
  const answer = await exchange(tokenIn(made));
  expect(answer.status).toBe(201);
  return { id: made.body["id"], key: answer.body["credential"] };
}

async function as(key: string, method: string, path: string, body?: object): Promise<ApiAnswer> {
  return await service.api(method, path, body, { key });
}

test("a link opens its workspace's portal with a token in the fragment", async () => {
  const made = await created({ theme: { accent: "#4f46e5", radius: 8, mode: "dark" }, expires_in_seconds: 600 });
  const { body: workspace } = await service.api("GET", "/v1/workspaces/current");
  expect(String(made.body["url"])).toMatch(
    new RegExp(`^https?://[^/]+/portal/\\?workspace=${workspace["id"]}#token=\\w{43}$`),
  );
  expect(made.body).toMatchObject({ object: "portal_session", tenant: TENANT, state: "waiting", opened_at: null });
  const answer = await exchange(tokenIn(made), { workspace: workspace["id"] });
  expect(answer.body).toEqual({
    object: "portal_credential",
    credential: expect.stringMatching(/^jn_live_/),
    expires_at: made.body["expires_at"],
    tenant: TENANT,
    capabilities: [...CAPABILITIES],
    operations: operationsOf(CAPABILITIES),
    theme: { accent: "#4f46e5", radius: 8, mode: "dark" },
    brand: { name: null, logo: null },
  });
  const { body: list } = await service.api("GET", `/v1/portal-sessions?tenant=${TENANT}&limit=1`);
  expect(list["data"][0]).toMatchObject({ id: made.body["id"], state: "active" });
  expect(JSON.stringify(list)).not.toContain("token=");
});

test("a session works with the endpoints of its tenant alone", async () => {
  const { key } = await opened();
  const theirs = await service.api("POST", "/v1/webhook-endpoints", { ...hook, tenant: "acme2" });
  const whole = await service.api("POST", "/v1/webhook-endpoints", hook);
  const own = await as(key, "POST", "/v1/webhook-endpoints", { ...hook, tenant: TENANT });
  expect(own.status).toBe(201);
  const { body } = await as(key, "GET", "/v1/webhook-endpoints?limit=100");
  const ids = body["data"].map((one: { id: string }) => one.id);
  expect(ids).toContain(own.body["id"]);
  for (const { body: foreign } of [theirs, whole]) {
    expect(ids).not.toContain(foreign["id"]);
    expect((await as(key, "GET", `/v1/webhook-endpoints/${foreign["id"]}`)).status).toBe(404);
    expect((await as(key, "DELETE", `/v1/webhook-endpoints/${foreign["id"]}`)).status).toBe(404);
  }
  expect(outcome(await as(key, "POST", "/v1/webhook-endpoints", { ...hook, tenant: "acme2" }))).toBe(
    "403 tenant_mismatch",
  );
});

describe("a token", () => {
  test("works once, also when two nodes exchange it at the same time", async () => {
    for (let round = 0; round < 5; round += 1) {
      const token = tokenIn(await created());
      const answers = await Promise.all(
        [0, 1, 2, 3].map(async (at) => await exchange(token, {}, at % 2 === 0 ? service : other)),
      );
      expect(answers.map(outcome).toSorted()).toEqual([
        "201",
        ...Array.from({ length: 3 }, () => "401 portal_token_invalid"),
      ]);
    }
  });

  test("is refused after five minutes, also while its session lasts", async () => {
    const token = tokenIn(await created({ expires_in_seconds: 86_400 }));
    shiftMs = 5 * 60_000 + 1000;
    expect(outcome(await exchange(token))).toBe("401 portal_token_invalid");
  });

  test("is refused on the page of another workspace, and is used up", async () => {
    const token = tokenIn(await created());
    const elsewhere = (await otherWorkspace(service)).id("ws");
    expect(outcome(await exchange(token, { workspace: elsewhere }))).toBe("401 portal_token_invalid");
    expect(outcome(await exchange(token))).toBe("401 portal_token_invalid");
  });

  test("is refused after its session was revoked", async () => {
    const made = await created();
    expect(outcome(await service.api("POST", `/v1/portal-sessions/${made.body["id"]}/revoke`))).toBe("200");
    expect(outcome(await exchange(tokenIn(made)))).toBe("401 portal_token_invalid");
  });

  test("is stored only as a hash", async () => {
    const token = tokenIn(await created());
    const rows = await service.database.query("select row_to_json(s)::text as row from portal_session s");
    expect(JSON.stringify(rows)).not.toContain(token);
    await exchange(token);
    const { body } = await service.api("GET", "/v1/audit?limit=20");
    expect(JSON.stringify(body)).not.toContain(token);
    expect(body["data"].map((one: { action: string }) => one.action)).toContain("portal_sessions.exchange");
  });

  test("is not guessed by one network without end", async () => {
    const outcomes = new Set<string>();
    for (let tries = 0; tries < 40; tries += 1) outcomes.add(outcome(await exchange(`guess${tries}`)));
    expect([...outcomes]).toEqual(["401 portal_token_invalid", "429 too_many_auth_failures"]);
    expect((await exchange(tokenIn(await created()))).status).toBe(201);
  });
});

describe("capabilities", () => {
  test("refuse every operation that they do not include", async () => {
    const endpoint = await service.api("POST", "/v1/webhook-endpoints", { ...hook, tenant: TENANT });
    const path = `/v1/webhook-endpoints/${endpoint.body["id"]}`;
    const { key } = await opened({ capabilities: ["deliveries"] });
    expect((await as(key, "GET", path)).status).toBe(200);
    expect((await as(key, "GET", "/v1/deliveries")).status).toBe(200);
    const refused = [
      await as(key, "PATCH", path, { description: "x" }),
      await as(key, "DELETE", path),
      await as(key, "POST", "/v1/webhook-endpoints", hook),
      await as(key, "GET", `${path}/secret`),
      await as(key, "GET", "/v1/event-types"),
      await as(key, "POST", "/v1/webhooks/test", { endpoint_id: endpoint.body["id"] }),
    ];
    expect(refused.map(outcome)).toEqual(refused.map(() => "403 scope_missing"));
    for (const list of ["keys", "members", "portal-sessions", "audit", "rules"])
      expect((await as(key, "GET", `/v1/${list}`)).status).toBe(403);
  });

  test("separate filters and transformations from the other settings of an endpoint", async () => {
    const endpoint = await service.api("POST", "/v1/webhook-endpoints", { ...hook, tenant: TENANT });
    const path = `/v1/webhook-endpoints/${endpoint.body["id"]}`;
    const filters = await opened({ capabilities: ["filters"] });
    const endpoints = await opened({ capabilities: ["endpoints"] });
    const both = await opened({ capabilities: ["endpoints", "filters"] });
    const filter = { all: [{ field: "data.total", op: "gt", value: 1 }] };
    const change = async (key: string, body: object): Promise<string> => outcome(await as(key, "PATCH", path, body));
    expect(await change(filters.key, { filter })).toBe("200");
    expect(await change(filters.key, { filter, url: "http://127.0.0.1:9/x" })).toBe("403 scope_missing");
    expect(await change(filters.key, { transform: null })).toBe("403 scope_missing");
    expect(await change(endpoints.key, { description: "x" })).toBe("200");
    expect(await change(endpoints.key, { filter: null })).toBe("403 scope_missing");
    expect(outcome(await as(endpoints.key, "POST", "/v1/webhook-endpoints", { ...hook, filter }))).toBe(
      "403 scope_missing",
    );
    expect(await change(both.key, { filter: null, description: "y" })).toBe("200");
  });

  test("include only operations that are for keys of tenants", async () => {
    const { key } = await opened();
    for (const name of operationsOf(CAPABILITIES)) {
      const { body } = await service.api("POST", "/api/v1.php", { action: name, parameters: {} }, { key });
      expect([name, body["code"]]).not.toEqual([name, "tenant_mismatch"]);
      expect([name, body["code"]]).not.toEqual([name, "scope_missing"]);
    }
  });

  test("cannot exceed the rights of the maker", async () => {
    const makers = [
      { permission_mode: "read_only" },
      { role: "operator" },
      { scopes: ["portal_sessions:write", "webhook_endpoints:read"] },
      { permission_mode: "restricted", blocked_actions: ["webhook_endpoints.delete"] },
    ];
    for (const spec of makers) {
      const { key } = await mintKey(service, spec);
      const refused = await created({ capabilities: ["endpoints"] }, key);
      expect([spec, refused.status]).toEqual([spec, 403]);
    }
    const operator = await mintKey(service, { role: "operator" });
    const { key } = await opened({ capabilities: ["deliveries", "replay"] }, operator.key);
    expect((await as(key, "GET", "/v1/deliveries")).status).toBe(200);
  });
});

describe("a session ends with its maker:", () => {
  const isAlive = async (key: string): Promise<string> => outcome(await as(key, "GET", "/v1/webhook-endpoints"));

  test("a revoked key ends its sessions and links at once", async () => {
    const maker = await mintKey(service);
    const waiting = tokenIn(await created({}, maker.key));
    const { key } = await opened({}, maker.key);
    expect(await isAlive(key)).toBe("200");
    await service.api("POST", `/v1/keys/${maker.id}/revoke`);
    expect(await isAlive(key)).toBe("401 key_revoked");
    expect(outcome(await other.api("GET", "/v1/webhook-endpoints", undefined, { key }))).toBe("401 key_revoked");
    expect(outcome(await exchange(waiting))).toBe("401 portal_token_invalid");
  });

  test("a rolled key keeps them, because its lineage continues", async () => {
    const maker = await mintKey(service);
    const { key } = await opened({}, maker.key);
    const rolled = await service.api("POST", `/v1/keys/${maker.id}/roll`, {});
    expect(await isAlive(key)).toBe("200");
    await service.api("POST", `/v1/keys/${rolled.body["id"]}/revoke`);
    expect(await isAlive(key)).toBe("401 key_revoked");
  });

  test("a removed member ends those of the console", async () => {
    const member = await joined(service, "developer");
    const made = await member.call("POST", "/v1/portal-sessions", { tenant: TENANT, capabilities: ["endpoints"] });
    const second = await member.call("POST", "/v1/portal-sessions", { tenant: TENANT, capabilities: ["endpoints"] });
    const { credential } = (await exchange(tokenIn(made))).body;
    expect(await isAlive(credential)).toBe("200");
    expect((await owner.call("DELETE", `/v1/members/${member.memberId}`)).status).toBe(204);
    expect(await isAlive(credential)).toBe("401 key_revoked");
    expect(outcome(await exchange(tokenIn(second)))).toBe("401 portal_token_invalid");
  });

  test("a key with an expiry makes no session beyond it", async () => {
    const expires_at = new Date(Date.now() + 120_000).toISOString();
    const maker = await mintKey(service, { expires_at });
    const made = await created({ expires_in_seconds: 3600 }, maker.key);
    expect(Date.parse(made.body["expires_at"])).toBeLessThanOrEqual(Date.parse(expires_at));
  });

  test("a key of a tenant makes none", async () => {
    const { key } = await mintKey(service, { tenant: TENANT });
    expect(outcome(await created({}, key))).toBe("403 tenant_mismatch");
  });
});

test("a session expires, and can be revoked at once on every node", async () => {
  const { key, id } = await opened({ expires_in_seconds: 60 });
  shiftMs = 61_000;
  expect(outcome(await as(key, "GET", "/v1/webhook-endpoints"))).toBe("401 key_expired");
  shiftMs = 0;
  const revoked = await service.api("POST", `/v1/portal-sessions/${id}/revoke`);
  expect(revoked.body).toMatchObject({ id, state: "revoked" });
  expect(outcome(await other.api("GET", "/v1/webhook-endpoints", undefined, { key }))).toBe("401 key_revoked");
  const again = await service.api("POST", `/v1/portal-sessions/${id}/revoke`);
  expect(again.body["revoked_at"]).toBe(revoked.body["revoked_at"]);
});

test("live and sandbox sessions see only their own environment", async () => {
  const made = await created({}, service.sandboxKey);
  const { credential } = (await exchange(tokenIn(made))).body;
  expect(credential).toMatch(/^jn_test_/);
  const endpoint = await service.api("POST", "/v1/webhook-endpoints", { ...hook, tenant: TENANT });
  expect(outcome(await as(credential, "GET", `/v1/webhook-endpoints/${endpoint.body["id"]}`))).toBe(
    "403 environment_mismatch",
  );
  expect(outcome(await service.api("POST", `/v1/portal-sessions/${made.body["id"]}/revoke`))).toBe(
    "403 environment_mismatch",
  );
});

test("a session shows secrets that sessions of its maker created, and no others", async () => {
  const maker = await mintKey(service, { role: "developer" });
  const first = await opened({}, maker.key);
  const made = await as(first.key, "POST", "/v1/webhook-endpoints", hook);
  const second = await opened({}, maker.key);
  const shown = await as(second.key, "GET", `/v1/webhook-endpoints/${made.body["id"]}/secret`);
  expect(shown.body["secret"]).toBe(made.body["secret"]);
  const owners = await service.api("POST", "/v1/webhook-endpoints", { ...hook, tenant: TENANT });
  expect(outcome(await as(second.key, "GET", `/v1/webhook-endpoints/${owners.body["id"]}/secret`))).toBe(
    "403 role_not_allowed",
  );
});

test("lists of keys leave out the credentials, which are never warned of", async () => {
  const { id } = await opened({ expires_in_seconds: 86_400 });
  const { body } = await service.api("GET", "/v1/keys?limit=100");
  expect(body["data"].filter(({ name }: { name: string }) => name.startsWith("Portal of"))).toEqual([]);
  const rows = await service.database.query(
    "select permission_mode, blocked_actions, expiry_warned_at is not null as warned from api_key where portal_session_id = $1",
    [uuidOf(id)],
  );
  expect(rows).toMatchObject([{ permission_mode: "restricted", blocked_actions: ["*"], warned: true }]);
});

test("a credential can be revoked as a key, but neither changed nor rolled", async () => {
  const { id, key } = await opened();
  const [{ key_id: uuid } = { key_id: "" }] = await service.database.query<{ key_id: string }>(
    "select id as key_id from api_key where portal_session_id = $1",
    [uuidOf(id)],
  );
  const path = `/v1/keys/${wireId("key", tagOfId(id), uuid as Uuid)}`;
  expect(outcome(await service.api("PATCH", path, { permission_mode: "all" }))).toBe("404 not_found");
  expect(outcome(await service.api("POST", `${path}/roll`, {}))).toBe("404 not_found");
  expect(outcome(await service.api("POST", `${path}/revoke`))).toBe("200");
  expect(outcome(await as(key, "GET", "/v1/webhook-endpoints"))).toBe("401 key_revoked");
});

test("expired sessions and their credentials are deleted a day later", async () => {
  const { id } = await opened({ expires_in_seconds: 60 });
  await service.database.query("update portal_session set expires_at = now() - interval '25 hours' where id = $1", [
    uuidOf(id),
  ]);
  const restarted = await startService({ env: UNLIMITED, deps: { clock }, on: service });
  const left = async (): Promise<unknown> =>
    await service.database.query("select 1 from api_key where portal_session_id = $1", [uuidOf(id)]);
  await expect.poll(left).toEqual([]);
  await restarted.service.stop();
});

test("bad input is refused with the pointer of each fault", async () => {
  const cases: readonly (readonly [object, string])[] = [
    [{ tenant: "" }, "/tenant"],
    [{ tenant: "a b" }, "/tenant"],
    [{ capabilities: [] }, "/capabilities"],
    [{ capabilities: ["keys"] }, "/capabilities/0"],
    [{ expires_in_seconds: 86_401 }, "/expires_in_seconds"],
    [{ expires_in_seconds: 59 }, "/expires_in_seconds"],
    [{ theme: { accent: "red" } }, "/theme/accent"],
    [{ theme: { font: "x;} body{" } }, "/theme/font"],
    [{ theme: { css: "x" } }, "/theme/css"],
  ];
  for (const [spec, pointer] of cases) {
    const { status, body } = await created(spec);
    expect([spec, status, body["errors"]?.[0]?.pointer]).toEqual([spec, 422, pointer]);
  }
});

test("the portal has the name and the logo of the workspace", async () => {
  const change = async (settings: object): Promise<string> =>
    outcome(await service.api("PATCH", "/v1/workspaces/current", { settings }));
  const logo = "data:image/png;base64,iVBORw0KGgo=";
  expect(await change({ portal_name: "Acme", portal_logo: logo })).toBe("200");
  expect((await exchange(tokenIn(await created()))).body["brand"]).toEqual({ name: "Acme", logo });
  for (const bad of [
    "https://images.example/logo.png",
    "javascript:alert(1)",
    "data:text/html;base64,PHA+",
    "data:image/svg+xml;base64,PHN2Zy8+",
    `data:image/png;base64,${"A".repeat(24_000)}`,
    'data:image/png;base64,AA==" onerror="x',
  ])
    expect([bad, await change({ portal_logo: bad })]).toEqual([bad, "422 validation_failed"]);
  expect(await change({ portal_name: "a\nb" })).toBe("422 validation_failed");
  expect(await change({ portal_name: null, portal_logo: null })).toBe("200");
});

test("portal_origins accepts origins and nothing else", async () => {
  const change = async (origin: string): Promise<string> =>
    outcome(await service.api("PATCH", "/v1/workspaces/current", { settings: { portal_origins: [origin] } }));
  for (const origin of ["https://app.example.com", "https://app.example.com:8443", "http://localhost:3000"])
    expect([origin, await change(origin)]).toEqual([origin, "200"]);
  const bad = [
    "*",
    "https://*.example.com",
    "http://app.example.com",
    "https://a.example/x",
    "https://a.example; script-src *",
  ];
  for (const origin of [...bad, "https://A.example", "null", "javascript:alert(1)", "https://a@b.example"])
    expect([origin, await change(origin)]).toEqual([origin, "422 validation_failed"]);
});
