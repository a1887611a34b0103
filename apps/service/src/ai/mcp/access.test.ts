import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { covers } from "../../../../../requirements/covers.ts";
import { mintKey, otherWorkspace, setKey } from "../../testing/keys.ts";
import { callTool, connectClient, ERAS, send } from "../../testing/mcp.ts";
import { signIn } from "../../testing/people.ts";
import { signV1 } from "../../testing/request-signing.ts";
import { startService } from "../../testing/service.ts";
import type { ApiAnswer, TestService } from "../../testing/test-service.ts";

let service: TestService;

beforeAll(async () => {
  service = await startService();
});
afterAll(async () => await service.close());

/** Returns the responses that `key` gets when it lists tools and when it calls a status tool. */
async function bothWays(key: string | null, headers: Record<string, string> = {}): Promise<[ApiAnswer, ApiAnswer]> {
  const options = { key, headers };
  return [
    await send(service, "tools/list", {}, options),
    await send(service, "tools/call", { name: "junction_run_status", arguments: {} }, options),
  ];
}

covers("gate.uniform.every-request", "every request without valid credentials is 401 with a challenge", async () => {
  const revoked = await mintKey(service);
  await setKey(service, revoked, { revoked_at: new Date() });
  const metadata = `resource_metadata="${service.baseUrl}/.well-known/oauth-protected-resource/mcp"`;
  const next = `${metadata}, scope="actions:write proposals:read runs:read"`;
  const wrong = `Bearer realm="junction", error="invalid_token", ${next}`;
  const cases = [
    [null, "credentials_missing", `Bearer realm="junction", ${next}`],
    ["jn_live_x", "key_invalid", wrong],
    [revoked.key, "key_revoked", wrong],
  ] as const;
  for (const [key, code, challenge] of cases) {
    for (const answer of await bothWays(key)) {
      expect([answer.status, answer.body["code"], answer.headers.get("www-authenticate")]).toEqual([
        401,
        code,
        challenge,
      ]);
      expect(answer.headers.get("content-type")).toContain("application/problem+json");
    }
  }
});

covers("key.revoke.immediate", "a connected client's next message fails once its key is revoked", async () => {
  for (const era of ERAS) {
    const { id, key } = await mintKey(service);
    const client = await connectClient(service, key, era);
    expect((await client.listTools()).tools).toHaveLength(3);
    expect((await service.api("POST", `/v1/keys/${id}/revoke`)).status).toBe(200);
    await expect(client.callTool({ name: "junction_run_status", arguments: {} })).rejects.toThrow(
      /401|key_revoked|Unauthorized/,
    );
  }
});

test("a console session is refused on MCP because a web page could use it", async () => {
  const person = await signIn(service);
  const headers = { Cookie: person.cookie, "X-CSRF-Token": person.csrfToken };
  for (const answer of await bothWays(null, headers))
    expect([answer.status, answer.body["code"]]).toEqual([401, "credentials_missing"]);
});

test("a key that requires signatures must sign, and a signed message without it passes", async () => {
  const { id, key } = await mintKey(service, { require_signature: true });
  for (const answer of await bothWays(key))
    expect([answer.status, answer.body["code"]]).toEqual([401, "signature_required"]);
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
  const signed = signV1({ secret: key, method: "POST", target: "/mcp", body });
  const answer = await service.api("POST", "/mcp", body, {
    key,
    headers: { ...signed, "Content-Type": "application/json" },
  });
  expect([answer.status, answer.headers.get("x-service-signature-scheme")]).toEqual([200, "v1"]);
  expect(id).toMatch(/^key_/);
});

test("foreign origins are refused before any other check, and the installation's own are not", async () => {
  const port = new URL(service.baseUrl).port;
  for (const origin of [
    "https://evil.example",
    "null",
    `http://evil.example:${port}`,
    `http://127.0.0.1:${Number(port) + 1}`,
    "",
    `https://127.0.0.1:${port}`,
  ]) {
    for (const answer of await bothWays(null, { Origin: origin }))
      expect([origin, answer.status, answer.body["code"]]).toEqual([origin, 403, "origin_not_allowed"]);
  }
  for (const origin of [service.baseUrl, `http://localhost:${port}`, `http://[::1]:${port}`]) {
    const [listed] = await bothWays(service.key, { Origin: origin });
    expect([origin, listed.status]).toEqual([origin, 200]);
  }
});

covers("key.mode.restricted", "a block list with a pattern for mcp.call blocks the tools too", async () => {
  for (const pattern of ["mcp.call", "mcp.*", "*"]) {
    const { key } = await mintKey(service, { permission_mode: "restricted", blocked_actions: [pattern] });
    const [listed, called] = await bothWays(key);
    expect([pattern, listed.status, listed.body["code"]]).toEqual([pattern, 403, "action_blocked"]);
    expect(called.body["result"]).toMatchObject({
      isError: true,
      structuredContent: { code: "action_blocked", status: 403 },
    });
  }
});

covers("key.mode.restricted", "blocking a tool's operation under /v1 blocks the tool and hides it", async () => {
  const { key } = await mintKey(service, { permission_mode: "restricted", blocked_actions: ["runs.*"] });
  const [listed, called] = await bothWays(key);
  expect(listed.body["result"]["tools"].map(({ name }: { name: string }) => name)).toEqual([
    "junction_proposal_status",
    "get_recent_events",
  ]);
  expect(called.body["result"]).toMatchObject({ isError: true, structuredContent: { code: "action_blocked" } });
  expect(called.body["result"]["content"][0]["text"]).toMatch(/^action_blocked: .*runs\.get/);
});

covers("key.allowlist.cidr", "an address outside the allowlist gets 403 for lists and errors for calls", async () => {
  const { key } = await mintKey(service, { ip_allowlist: ["203.0.113.0/24"] });
  const [listed, called] = await bothWays(key);
  expect([listed.status, listed.body["code"]]).toEqual([403, "ip_not_allowed"]);
  expect([called.status, called.body["result"]]).toMatchObject([
    200,
    { isError: true, structuredContent: { code: "ip_not_allowed", status: 403 } },
  ]);
});

covers("error.workspace.403", "an id of another workspace or environment is refused before any read", async () => {
  const other = await otherWorkspace(service);
  for (const [name, argument, prefix] of [
    ["junction_proposal_status", "proposal_id", "prop"],
    ["junction_run_status", "run_id", "run"],
  ] as const) {
    const result = await callTool(service, name, { [argument]: other.id(prefix) });
    expect(result).toMatchObject({ isError: true, structuredContent: { code: "workspace_mismatch", status: 403 } });
    const own = await callTool(service, name, { [argument]: other.id(prefix) }, { key: other.key });
    expect(own).toMatchObject({ isError: true, structuredContent: { code: "not_found", status: 404 } });
  }
});

covers("limit.header.remaining", "every response has the rate limit headers, including a refused tool's", async () => {
  for (const answer of await bothWays(service.key)) {
    expect(answer.headers.get("x-service-ratelimit-limit")).toBe("600");
    expect(answer.headers.get("x-service-request-id")).toMatch(/^req_/);
  }
});

test("lists and status tools share the read limit: beyond it 429 and errors", async () => {
  const tight = await startService({ on: service, env: { JUNCTION_RATE_LIMITS: '{"management.read": 3}' } });
  onTestFinished(async () => await tight.close());
  const { key } = await mintKey(service);
  for (let call = 0; call < 3; call += 1) expect((await send(tight, "tools/list", {}, { key })).status).toBe(200);
  const listed = await send(tight, "tools/list", {}, { key });
  expect([listed.status, listed.body["code"]]).toEqual([429, "rate_limited"]);
  const called = await send(tight, "tools/call", { name: "junction_run_status", arguments: {} }, { key });
  expect(called.body["result"]).toMatchObject({
    isError: true,
    structuredContent: { code: "rate_limited", retryable: true },
  });
  expect(Number(called.headers.get("retry-after"))).toBeGreaterThan(0);
});

test("two nodes serve the messages of one client in turn", async () => {
  const second = await startService({ on: service });
  onTestFinished(async () => await second.close());
  const opened = await service.api("POST", "/mcp", {
    jsonrpc: "2.0",
    id: 0,
    method: "initialize",
    params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } },
  });
  expect(opened.status).toBe(200);
  for (const node of [second, service, second]) {
    const message = { jsonrpc: "2.0", id: 1, method: "tools/list" };
    const listed = await node.api("POST", "/mcp", message, { headers: { "MCP-Protocol-Version": "2025-11-25" } });
    expect([listed.status, listed.body["result"]["tools"].length]).toEqual([200, 3]);
  }
});
