import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { countRows } from "../../testing/keys.ts";
import { makeContract } from "../../testing/mcp-contracts.ts";
import { send } from "../../testing/mcp.ts";
import { authorizationRequest, CALLBACK, connected, post, registerApp } from "../../testing/oauth.ts";
import { joined, outcome } from "../../testing/people.ts";
import type { TestPerson } from "../../testing/people.ts";
import { startService } from "../../testing/service.ts";
import { UNLIMITED } from "../../testing/subscription.ts";
import type { TestService } from "../../testing/test-service.ts";

const env = { ...UNLIMITED, JUNCTION_TRUST_PROXIES: "127.0.0.0/8" };
let service: TestService;
let person: TestPerson;

beforeAll(async () => {
  service = await startService({ env });
  person = await joined(service, "developer");
});
afterAll(async () => await service.close());

async function authorize(parameters: Record<string, string> | string[][]): Promise<Response> {
  const query = new URLSearchParams(parameters);
  return await fetch(`${service.baseUrl}/oauth/authorize?${query.toString()}`, { redirect: "manual" });
}

async function documentAt(at: TestService, path: string): Promise<unknown> {
  const response = await fetch(at.baseUrl + path);
  return response.ok ? await response.json() : response.status;
}

describe("metadata", () => {
  test("of the resource and the server is at the paths of the standards", async () => {
    const { baseUrl } = service;
    const resource = {
      resource: `${baseUrl}/mcp`,
      authorization_servers: [baseUrl],
      bearer_methods_supported: ["header"],
    };
    for (const path of ["", "/mcp"])
      expect(await documentAt(service, `/.well-known/oauth-protected-resource${path}`)).toMatchObject(resource);
    expect(await documentAt(service, "/.well-known/oauth-authorization-server")).toMatchObject({
      issuer: baseUrl,
      authorization_endpoint: `${baseUrl}/oauth/authorize`,
      token_endpoint: `${baseUrl}/oauth/token`,
      registration_endpoint: `${baseUrl}/oauth/register`,
      code_challenge_methods_supported: ["S256"],
      token_endpoint_auth_methods_supported: ["none"],
      authorization_response_iss_parameter_supported: true,
      client_id_metadata_document_supported: true,
    });
    expect(await documentAt(service, "/.well-known/oauth-authorization-server/other")).toBe(404);
  });

  test("has the path of the base URL inserted", async () => {
    const under = await startService({ env: { JUNCTION_BASE_URL: "https://example.com/junction" } });
    try {
      const { port } = under.service.http.server.address() as AddressInfo;
      const at = { ...under, baseUrl: `http://127.0.0.1:${port}` };
      const issuer = "https://example.com/junction";
      expect(await documentAt(at, "/.well-known/oauth-authorization-server/junction")).toMatchObject({ issuer });
      expect(await documentAt(at, "/.well-known/oauth-protected-resource/junction/mcp")).toMatchObject({
        resource: `${issuer}/mcp`,
        authorization_servers: [issuer],
      });
      const { headers } = await fetch(`${at.baseUrl}/mcp`, { method: "POST" });
      expect(headers.get("www-authenticate")).toContain(
        'resource_metadata="https://example.com/.well-known/oauth-protected-resource/junction/mcp"',
      );
    } finally {
      await under.close();
    }
  });
});

describe("an authorization request", () => {
  test("leads to the consent page with its own parameters alone", async () => {
    const { parameters } = await authorizationRequest(service);
    const answer = await authorize({ ...parameters, more: "x" });
    const location = new URL(answer.headers.get("location") ?? "");
    expect([answer.status, location.origin + location.pathname]).toEqual([303, `${service.baseUrl}/connect`]);
    expect(Object.fromEntries(location.searchParams)).toEqual(parameters);
  });

  test.each([
    ["an unknown client", { client_id: "app_unknown" }],
    ["no client", { client_id: "" }],
    ["a client document that is not https", { client_id: "http://127.0.0.1/client.json" }],
    ["a redirect_uri of another client", { redirect_uri: "https://evil.example/callback" }],
    ["a redirect_uri that looks alike", { redirect_uri: `${CALLBACK}/` }],
    ["no redirect_uri", { redirect_uri: "" }],
  ])("with %s is shown, and not answered with a redirect", async (_what, change) => {
    const { parameters } = await authorizationRequest(service);
    const answer = await authorize({ ...parameters, ...change });
    expect([answer.status, answer.headers.get("location")]).toEqual([400, null]);
    expect(answer.headers.get("content-security-policy")).toBe("default-src 'none'; frame-ancestors 'none'");
    expect(answer.headers.get("x-frame-options")).toBe("DENY");
    expect(await answer.text()).toContain("The app cannot be connected");
  });

  test("with a parameter twice is shown", async () => {
    const { parameters } = await authorizationRequest(service);
    const twice = [...Object.entries(parameters), ["redirect_uri", "https://evil.example/"]];
    expect((await authorize(twice)).status).toBe(400);
  });

  test.each([
    ["unsupported_response_type", { response_type: "token" }],
    ["invalid_request", { code_challenge_method: "plain" }],
    ["invalid_request", { code_challenge: "short" }],
    ["invalid_target", { resource: "https://other.example/mcp" }],
    ["invalid_target", { resource: "" }],
    ["invalid_scope", { scope: "everything" }],
  ])("with %s is shown, and leads no browser to the redirect URI", async (_error, change) => {
    const { parameters } = await authorizationRequest(service);
    const answer = await authorize({ ...parameters, ...change });
    expect([answer.status, answer.headers.get("location")]).toEqual([400, null]);
    expect(await answer.text()).toContain("The app cannot be connected");
  });
});

describe("consent", () => {
  test("shows client, scopes and actions, and gives a code with state and issuer", async () => {
    const open = await makeContract(service, { label: "Open to AI", requires_confirmation: true });
    const { parameters } = await authorizationRequest(service);
    const review = await person.call("POST", "/v1/connected-apps/review", parameters);
    expect(review).toMatchObject({
      status: 200,
      body: {
        client_name: "Test app",
        client_host: null,
        redirect_host: "127.0.0.1:7777",
        environment: "live",
        scopes: [
          { name: "actions:write", allowed: true },
          { name: "proposals:read", allowed: true },
          { name: "runs:read", allowed: true },
        ],
        actions: [{ key: open.key, label: "Open to AI", requires_confirmation: true }],
      },
    });
    expect(new URL(review.body["cancel_url"]).searchParams.get("error")).toBe("access_denied");
    const answer = await person.call("POST", "/v1/connected-apps", { ...parameters, days: 7 });
    const { searchParams } = new URL(answer.body["redirect_url"]);
    expect([answer.status, searchParams.get("state"), searchParams.get("iss")]).toEqual([
      201,
      "a state",
      service.baseUrl,
    ]);
    expect(Date.parse(answer.body["expires_at"]) - Date.now()).toBeLessThan(7 * 86_400_000 + 1000);
  });

  test.each([
    ["/client_id", { client_id: "app_unknown" }],
    ["/client_id", { client_id: "https://127.0.0.1:9/client.json" }],
    ["/redirect_uri", { redirect_uri: "https://evil.example/callback" }],
    ["/resource", { resource: "https://other.example/mcp" }],
    ["/scope", { scope: "everything" }],
    ["/code_challenge", { code_challenge: "short" }],
    ["/response_type", { response_type: "token" }],
  ])("is refused for a fault at %s, and nothing is written", async (pointer, change) => {
    const { parameters } = await authorizationRequest(service);
    const before = await countRows(service, "oauth_grant");
    for (const path of ["/v1/connected-apps/review", "/v1/connected-apps"]) {
      const answer = await person.call("POST", path, { ...parameters, ...change });
      expect([answer.status, answer.body["errors"]?.[0]?.pointer]).toEqual([422, pointer]);
    }
    expect(await countRows(service, "oauth_grant")).toBe(before);
  });

  test("needs a session with its CSRF token, and no key can give it", async () => {
    const { parameters } = await authorizationRequest(service);
    const { access } = await connected(service, person);
    expect(outcome(await service.api("POST", "/v1/connected-apps", parameters))).toBe("403 surface_not_allowed");
    expect(outcome(await service.api("POST", "/v1/connected-apps", parameters, { key: access }))).toBe(
      "401 key_invalid",
    );
    const headers = { Cookie: person.cookie };
    expect(outcome(await service.api("POST", "/v1/connected-apps", parameters, { key: null, headers }))).toBe(
      "403 csrf_token_invalid",
    );
  });

  test("page cannot be shown in a frame", async () => {
    const page = await fetch(`${service.baseUrl}/connect`, { headers: { Accept: "text/html" } });
    expect(page.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
    expect(page.headers.get("x-frame-options")).toBe("DENY");
  });
});

describe("an app", () => {
  const listed = async (key: string): Promise<string[]> =>
    (await send(service, "tools/list", {}, { key })).body["result"].tools.map(({ name }: { name: string }) => name);

  test("runs only actions that are for its member's current role too", async () => {
    const contract = await makeContract(service, { roles: ["owner", "admin", "ai"] });
    const tool = String(contract.key).replaceAll(".", "_");
    const member = await joined(service, "operator");
    const { parameters } = await authorizationRequest(service);
    const review = await member.call("POST", "/v1/connected-apps/review", parameters);
    expect(review.body["actions"].map(({ key }: { key: string }) => key)).not.toContain(contract.key);
    const { access } = await connected(service, member);
    expect(await listed(access)).not.toContain(tool);
    const call = await send(service, "tools/call", { name: tool, arguments: {} }, { key: access });
    expect(call.body["result"]).toMatchObject({ isError: true, structuredContent: { code: "role_not_allowed" } });
    expect((await service.api("PATCH", `/v1/members/${member.memberId}`, { role: "admin" })).status).toBe(200);
    expect(await listed(access)).toContain(tool);
  });

  test("without a scope gets a challenge with the scopes to ask for", async () => {
    const contract = await makeContract(service, {});
    const { access } = await connected(service, person, { scope: "runs:read" });
    const call = await send(service, "tools/call", { name: contract.key, arguments: {} }, { key: access });
    expect(outcome(call)).toBe("403 scope_missing");
    const challenge = call.headers.get("www-authenticate");
    expect(challenge).toContain('error="insufficient_scope"');
    expect(challenge).toContain('scope="actions:write proposals:read runs:read"');
  });

  test.each([
    ["events/poll", "actions:write", "events:read"],
    ["events/subscribe", "events:read", "events:read event_subscriptions:write"],
  ])("gets a challenge that names the scopes of %s", async (method, granted, needed) => {
    const { access } = await connected(service, person, { scope: granted });
    const call = await send(service, method, {}, { key: access });
    expect(outcome(call)).toBe("403 scope_missing");
    expect(call.headers.get("www-authenticate")).toContain(`scope="actions:write proposals:read runs:read ${needed}"`);
  });

  test("proposes in the name of its key, and the proposal outlives the token", async () => {
    const contract = await makeContract(service, { requires_confirmation: true });
    const { access, keyId } = await connected(service, person);
    const call = await send(service, "tools/call", { name: contract.key, arguments: { note: "x" } }, { key: access });
    const { id } = call.body["result"].structuredContent.proposal;
    const proposal = await service.api("GET", `/v1/proposals/${id}`);
    expect(JSON.stringify(proposal.body)).toContain(keyId);
    await service.database.query("update oauth_token set expires_at = now()");
    expect(
      (await service.api("POST", `/v1/proposals/${id}/approve`, { params_hash: proposal.body["params_hash"] })).status,
    ).toBeLessThan(300);
  });
});

describe("connected apps", () => {
  test("are listed to their member, and to owners, who can end them too", async () => {
    const [one, other] = [await joined(service, "viewer"), await joined(service, "viewer")];
    const { keyId, access } = await connected(service, one);
    await send(service, "tools/list", {}, { key: access });
    expect((await one.call("GET", "/v1/connected-apps")).body["data"]).toMatchObject([
      { id: keyId, client_name: "Test app", member_id: one.memberId, scopes: expect.any(Array) },
    ]);
    expect((await other.call("GET", "/v1/connected-apps")).body["data"]).toEqual([]);
    expect(outcome(await other.call("DELETE", `/v1/connected-apps/${keyId}`))).toBe("404 not_found");
    expect(
      (await service.api("GET", "/v1/connected-apps?limit=100")).body["data"].map(({ id }: { id: string }) => id),
    ).toContain(keyId);
    expect(
      (await service.api("GET", "/v1/keys?limit=100")).body["data"].map(({ id }: { id: string }) => id),
    ).not.toContain(keyId);
    const metrics = await (await fetch(`${service.baseUrl}/metrics`)).text();
    expect(metrics).toMatch(/^junction_connected_apps [1-9]\d*$/m);
    expect((await service.api("DELETE", `/v1/connected-apps/${keyId}`)).status).toBe(204);
    expect(outcome(await send(service, "tools/list", {}, { key: access }))).toBe("401 key_revoked");
    expect((await one.call("GET", "/v1/connected-apps")).body["data"]).toEqual([]);
  });
});

describe("registration", () => {
  test("of strangers ends no client of another network that may be waiting for consent", async () => {
    const id = await registerApp(service);
    const own = "select network from oauth_client where id = $1";
    const [row] = await service.database.query<{ network: string }>(own, [id]);
    expect(row?.network).toBe("127.0.0.1");
    await service.database.query(
      `insert into oauth_client (id, name, redirect_uris, created_at, network)
        select 'stranger_' || n, 'x', '{}', now() + n * interval '1 ms', '198.51.100.' || n % 200 from generate_series(1, 4000) n`,
    );
    await service.database.query(
      `insert into oauth_client (id, name, redirect_uris, created_at, network)
        select 'own_' || n, 'x', '{}', now() - interval '1 minute', '127.0.0.1' from generate_series(1, 100) n`,
    );
    await registerApp(service);
    expect(await countRows(service, "oauth_client where id like 'stranger_%'")).toBe(4000);
    expect(await countRows(service, "oauth_client where network = '127.0.0.1' and used_at is null")).toBe(60);
    expect(await countRows(service, `oauth_client where id = '${id}'`)).toBe(1);
    await service.database.query("delete from oauth_client where id like 'stranger_%' or id like 'own_%'");
  });

  test.each([
    ["invalid_redirect_uri", { redirect_uris: [] }],
    ["invalid_redirect_uri", { redirect_uris: ["javascript:alert(1)"] }],
    ["invalid_redirect_uri", { redirect_uris: Array.from({ length: 11 }, () => CALLBACK) }],
    ["invalid_client_metadata", { redirect_uris: [CALLBACK], grant_types: ["client_credentials"] }],
    ["invalid_client_metadata", { redirect_uris: [CALLBACK], client_name: 1 }],
  ])("answers %s for metadata that it does not accept", async (error, metadata) => {
    expect(await post(service, "/oauth/register", metadata)).toMatchObject({ status: 400, body: { error } });
  });

  test("is limited in rate, in size and in the number of unused clients", async () => {
    for (const path of ["/oauth/register", "/oauth/token", "/oauth/revoke"]) {
      const type = path === "/oauth/register" ? "application/json" : "application/x-www-form-urlencoded";
      const answer = await fetch(service.baseUrl + path, {
        method: "POST",
        headers: { "Content-Type": type },
        body: Buffer.from('{"client_name":"Caf\xE9"}', "latin1"),
      });
      expect([answer.status, await answer.json()]).toEqual([
        415,
        expect.objectContaining({ error: "invalid_request" }),
      ]);
    }
    expect((await post(service, "/oauth/register", { redirect_uris: [CALLBACK], x: "x".repeat(20_000) })).status).toBe(
      413,
    );
    await service.database.query(
      `insert into oauth_client (id, name, redirect_uris, created_at)
        select 'old_' || n, 'x', '{}', now() - interval '1 hour' + n * interval '1 ms' from generate_series(1, 1500) n`,
    );
    await registerApp(service);
    expect(await countRows(service, "oauth_client where used_at is null")).toBe(1000);
    let last = 201;
    for (let n = 0; n < 12 && last !== 429; n += 1)
      last = (await post(service, "/oauth/register", { redirect_uris: [CALLBACK] })).status;
    expect(last).toBe(429);
  });
});
