import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { uuidOf } from "../../testing/keys.ts";
import { send } from "../../testing/mcp.ts";
import { authorizationRequest, codeForm, connected, consent, post, refresh, token } from "../../testing/oauth.ts";
import type { TestTokens } from "../../testing/oauth.ts";
import { joined, outcome } from "../../testing/people.ts";
import type { TestPerson } from "../../testing/people.ts";
import { startService } from "../../testing/service.ts";
import { UNLIMITED } from "../../testing/subscription.ts";
import type { ApiAnswer, TestService } from "../../testing/test-service.ts";

let service: TestService;
let second: TestService;
let person: TestPerson;

beforeAll(async () => {
  service = await startService({ env: UNLIMITED });
  // A second node on the same database.
  second = await startService({ env: UNLIMITED, on: service });
  person = await joined(service, "developer");
});
afterAll(async () => {
  await second.service.stop();
  await service.close();
});

async function listTools(key: string): Promise<ApiAnswer> {
  return await send(service, "tools/list", {}, { key });
}

async function expectEnded({ access }: TestTokens): Promise<void> {
  expect(outcome(await listTools(access))).toBe("401 key_revoked");
}

describe("a code", () => {
  test("becomes tokens of an hour that are a key of an AI", async () => {
    const { access, body } = await connected(service, person, { scope: "runs:read actions:write" });
    expect(body).toMatchObject({ token_type: "Bearer", expires_in: 3600, scope: "runs:read actions:write" });
    expect(access).toMatch(/^jn_live_at_/);
    const { status, body: listed } = await listTools(access);
    expect([status, listed["result"].tools.map(({ name }: { name: string }) => name)]).toEqual([
      200,
      ["junction_run_status"],
    ]);
  });

  test("is refused a second time, and ends what its first use gave", async () => {
    const code = await consent(service, person);
    const first = await token(service, codeForm(code));
    expect(await token(service, codeForm(code))).toMatchObject({ status: 400, body: { error: "invalid_grant" } });
    expect(outcome(await listTools(first.body["access_token"]))).toBe("401 key_revoked");
    expect(
      await refresh(service, {
        refresh: first.body["refresh_token"],
        clientId: code.parameters["client_id"] ?? "",
      } as TestTokens),
    ).toMatchObject({
      status: 400,
      body: { error: "invalid_grant" },
    });
  });

  test("raced by two nodes gives tokens once, which then have ended", async () => {
    const code = await consent(service, person);
    const answers = await Promise.all(
      [service, second, service, second].map(async (node) => await token(node, codeForm(code))),
    );
    const given = answers.filter(({ status }) => status === 200);
    expect(given).toHaveLength(1);
    expect(outcome(await listTools(given[0]?.body["access_token"]))).toBe("401 key_revoked");
  });

  test.each([
    ["another client", { client_id: "app_another" }],
    ["another redirect_uri", { redirect_uri: "http://127.0.0.1:7778/callback" }],
    ["another verifier", { code_verifier: "x".repeat(64) }],
    ["a verifier that is too short", { code_verifier: "x" }],
  ])("is refused for %s, and cannot be used afterwards", async (_what, change) => {
    const code = await consent(service, person);
    expect(await token(service, { ...codeForm(code), ...change })).toMatchObject({
      status: 400,
      body: { error: "invalid_grant" },
    });
    expect(await token(service, codeForm(code))).toMatchObject({ status: 400, body: { error: "invalid_grant" } });
  });

  test("is refused after a minute", async () => {
    const code = await consent(service, person);
    await service.database.query("update oauth_grant set code_expires_at = now() where key_id = $1", [
      uuidOf(code.keyId),
    ]);
    expect(await token(service, codeForm(code))).toMatchObject({ status: 400, body: { error: "invalid_grant" } });
  });

  test("is refused for another resource", async () => {
    const code = await consent(service, person);
    for (const resource of [`${service.baseUrl}/mcp/`, service.baseUrl, "https://other.example/mcp"])
      expect(await token(service, { ...codeForm(code), resource })).toMatchObject({
        status: 400,
        body: { error: "invalid_target" },
      });
    expect((await token(service, codeForm(code))).status).toBe(200);
  });
});

describe("a refresh token", () => {
  test("gives a new pair, and earlier access tokens work until their end", async () => {
    const first = await connected(service, person);
    const next = await refresh(service, first);
    expect(next).toMatchObject({ status: 200, body: { expires_in: 3600, scope: first.body["scope"] } });
    expect(next.body["refresh_token"]).not.toBe(first.refresh);
    for (const key of [first.access, next.body["access_token"]]) expect((await listTools(key)).status).toBe(200);
  });

  test("that comes again ends the whole connection", async () => {
    const first = await connected(service, person);
    const next = await refresh(service, first);
    expect(await refresh(service, first)).toMatchObject({ status: 400, body: { error: "invalid_grant" } });
    await expectEnded({ ...first, access: next.body["access_token"] });
    expect((await refresh(service, { ...first, refresh: next.body["refresh_token"] })).status).toBe(400);
  });

  test("raced by two nodes gives one pair, which then has ended", async () => {
    const first = await connected(service, person);
    const answers = await Promise.all(
      [service, second, service, second].map(async (node) => await refresh(node, first)),
    );
    const given = answers.filter(({ status }) => status === 200);
    expect(given).toHaveLength(1);
    await expectEnded({ ...first, access: given[0]?.body["access_token"] });
  });

  test("of another client ends the connection, and more scopes are refused", async () => {
    const first = await connected(service, person, { scope: "runs:read" });
    expect(await refresh(service, first, { scope: "runs:read actions:write" })).toMatchObject({
      status: 400,
      body: { error: "invalid_scope" },
    });
    const next = await refresh(service, first, { scope: "runs:read" });
    expect(next.status).toBe(200);
    const stolen = { ...first, refresh: next.body["refresh_token"], clientId: "app_another" };
    expect((await refresh(service, stolen)).body).toMatchObject({ error: "invalid_grant" });
    await expectEnded(first);
  });
});

describe("an access token", () => {
  test("is refused after its hour and without its end", async () => {
    const { access, keyId } = await connected(service, person);
    expect(outcome(await listTools(access.replace(/.$/, (last) => (last === "x" ? "y" : "x"))))).toBe(
      "401 key_invalid",
    );
    await service.database.query("update oauth_token set expires_at = now() where key_id = $1", [uuidOf(keyId)]);
    expect(outcome(await listTools(access))).toBe("401 key_expired");
  });

  test("is for /mcp alone, and a refresh token or code is for nothing else", async () => {
    const { access, refresh: other } = await connected(service, person);
    const code = await consent(service, person);
    for (const [method, path, body] of [
      ["GET", "/v1/me", undefined],
      ["POST", "/v1/actions/run", { action: "a.b" }],
      ["POST", "/api/v1.php", { action: "me.get" }],
      ["GET", "/v1/stream?max_seconds=0", undefined],
    ] as const)
      expect([path, outcome(await service.api(method, path, body, { key: access }))]).toEqual([
        path,
        "401 key_invalid",
      ]);
    for (const key of [other, code.code]) expect(outcome(await listTools(key))).toBe("401 key_invalid");
  });

  test("of the sandbox sees nothing of live", async () => {
    const { access, keyId } = await connected(service, person, {}, "sandbox");
    expect(access).toMatch(/^jn_test_at_/);
    expect((await listTools(access)).status).toBe(200);
    const wrong = await send(service, "tools/list", {}, { key: access, headers: { "X-Service-Environment": "live" } });
    expect(outcome(wrong)).toBe("403 environment_mismatch");
    expect(
      (await person.call("GET", "/v1/connected-apps")).body["data"].map(({ id }: { id: string }) => id),
    ).not.toContain(keyId);
    const sandbox = await person.call("GET", "/v1/connected-apps", undefined, { "X-Service-Environment": "sandbox" });
    expect(sandbox.body["data"]).toMatchObject([{ id: keyId, environment: "sandbox" }]);
  });
});

describe("revocation", () => {
  test("of a token ends the connection, but not for another client", async () => {
    const tokens = await connected(service, person);
    const form = (client_id: string): URLSearchParams => new URLSearchParams({ token: tokens.refresh, client_id });
    expect((await post(service, "/oauth/revoke", form("app_another"))).status).toBe(200);
    expect((await listTools(tokens.access)).status).toBe(200);
    expect((await post(service, "/oauth/revoke", form(tokens.clientId))).status).toBe(200);
    await expectEnded(tokens);
    expect((await post(service, "/oauth/revoke", new URLSearchParams({ token: "x" }))).status).toBe(200);
  });

  test.each([
    ["is removed", async (id: string) => await service.api("DELETE", `/v1/members/${id}`)],
    ["gets a lower role", async (id: string) => await service.api("PATCH", `/v1/members/${id}`, { role: "viewer" })],
  ])("follows at the next request when the member %s", async (_what, change) => {
    const member = await joined(service, "developer");
    const tokens = await connected(service, member);
    const unused = await consent(service, member);
    expect((await listTools(tokens.access)).status).toBe(200);
    expect((await change(member.memberId)).status).toBeLessThan(300);
    await expectEnded(tokens);
    expect((await refresh(service, tokens)).body).toMatchObject({ error: "invalid_grant" });
    expect((await token(service, codeForm(unused))).body).toMatchObject({ error: "invalid_grant" });
  });

  test("follows the removal by a node of the previous version, which knows no apps", async () => {
    const member = await joined(service, "developer");
    const tokens = await connected(service, member);
    await service.database.query("update member set removed_at = now() where id = $1", [uuidOf(member.memberId)]);
    await expectEnded(tokens);
  });

  test("does not follow a higher role", async () => {
    const member = await joined(service, "viewer");
    const tokens = await connected(service, member);
    expect((await service.api("PATCH", `/v1/members/${member.memberId}`, { role: "developer" })).status).toBe(200);
    expect((await listTools(tokens.access)).status).toBe(200);
  });

  test("works by the app's key, which cannot be changed or rolled", async () => {
    const tokens = await connected(service, person);
    for (const [method, path, body] of [
      ["PATCH", "", { scopes: null }],
      ["POST", "/roll", {}],
    ] as const)
      expect(outcome(await service.api(method, `/v1/keys/${tokens.keyId}${path}`, body))).toBe("409 conflict");
    expect((await service.api("POST", `/v1/keys/${tokens.keyId}/revoke`)).status).toBe(200);
    await expectEnded(tokens);
  });
});

test("the token endpoint refuses what is not a form, repeated and unknown parameters", async () => {
  const { parameters } = await authorizationRequest(service);
  expect(await post(service, "/oauth/token", parameters)).toMatchObject({
    status: 400,
    body: { error: "invalid_request" },
  });
  const twice = new URLSearchParams([
    ["grant_type", "refresh_token"],
    ["grant_type", "authorization_code"],
  ]);
  expect(await post(service, "/oauth/token", twice)).toMatchObject({ status: 400, body: { error: "invalid_request" } });
  for (const grant_type of ["client_credentials", "password", "", "constructor"])
    expect(await token(service, { grant_type })).toMatchObject({
      status: 400,
      body: { error: "unsupported_grant_type" },
    });
  const answer = await token(service, { grant_type: "refresh_token", refresh_token: "x" });
  expect([answer.status, answer.headers.get("cache-control")]).toEqual([400, "no-store"]);
});

test("the end of a connection by a used token is in the audit log", async () => {
  const first = await connected(service, person);
  await refresh(service, first);
  await refresh(service, first);
  const { data } = (await service.api("GET", "/v1/audit?kind=key&limit=20")).body;
  expect(data).toContainEqual(expect.objectContaining({ action: "connected_apps.end_reused" }));
  expect(JSON.stringify(data)).not.toMatch(/jn_live_(?:at|rt|ac)_/);
});
