import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { OPERATOR_TOOLS } from "../../../actions/actions.ts";
import { bucketOf, createIdMaker, systemClock } from "../../../lib/lib.ts";
import { mintKey, tagOfId, uuidOf } from "../../../testing/keys.ts";
import { CAPABLE, send } from "../../../testing/mcp.ts";
import { ALL_CAPABILITIES, askToken, createToken, openPortal } from "../../../testing/mcp-tokens.ts";
import { askOperator, callOperatorTool, OPERATOR_PATH } from "../../../testing/operator-tools.ts";
import { owned, OWNED_EVENT } from "../../../testing/owned.ts";
import type { Owned } from "../../../testing/owned.ts";
import { joined, outcome, signIn } from "../../../testing/people.ts";
import { startService } from "../../../testing/service.ts";
import { UNLIMITED } from "../../../testing/subscription.ts";
import type { ApiAnswer, Parsed, TestService } from "../../../testing/test-service.ts";

let service: TestService;
let other: TestService;
const hook = { url: "http://127.0.0.1:9/attack", events: [OWNED_EVENT] };

beforeAll(async () => {
  service = await startService({ env: UNLIMITED });
  other = await startService({ env: UNLIMITED, on: service });
});
beforeEach(async () => await service.database.query("delete from rate_window"));
afterAll(async () => {
  await other.service.stop();
  await service.close();
});

async function tokenOf(tenant: string, spec: object = {}): Promise<string> {
  return (await createToken(service, (await openPortal(service, { tenant })).key, spec))["token"];
}

async function stateOf(token: string, on: TestService = service): Promise<string> {
  return outcome(await send(on, "tools/list", {}, { key: token, path: OPERATOR_PATH }));
}

const waiting = async (): Promise<number> =>
  (await service.api("GET", "/v1/proposals?state=proposed&limit=100")).body["data"].length;

describe("a token of one tenant", () => {
  /** The kinds of the objects that the actions of a tool name. */
  const KINDS: Readonly<Record<string, keyof Owned>> = {
    deliveries: "delivery",
    endpoints: "endpoint",
    events: "event",
    sources: "source",
    issues: "issue",
  };
  const MORE: Readonly<Record<string, (of: Owned) => object>> = {
    "endpoints_read explain": () => ({ event: OWNED_EVENT }),
    "endpoints_write create": () => ({ ...hook, tenant: "victim", id: undefined }),
    "endpoints_write update": () => ({ description: "stolen" }),
    "deliveries_write replay_failed": ({ endpoint }) => ({
      id: endpoint,
      since: "2026-01-01T00:00:00Z",
      until: "2027-01-01T00:00:00Z",
    }),
    "events_write fire": () => ({ event: OWNED_EVENT, data: {}, tenant: "victim", id: undefined }),
    "events_write refire": ({ endpoint }) => ({ endpoint_id: endpoint }),
    "sources_write create": () => ({ name: "stolen", tenant: "victim", id: undefined }),
    "sources_write update": () => ({ description: "stolen" }),
    "issues_write update": () => ({ state: "resolved" }),
  };
  const LISTS = new Set(["list", "receipts", "types"]);
  const REFUSALS = new Set(["not_found", "scope_missing", "tenant_mismatch", "surface_not_allowed"]);

  /** Each action of each tool, with arguments that name what belongs to someone else. */
  const callsOn = (of: Owned): { name: string; action: string; args: object }[] =>
    Object.entries(OPERATOR_TOOLS).flatMap(([name, tool]) =>
      Object.keys(tool.actions).map((action) => {
        const id = LISTS.has(action) ? {} : { id: of[KINDS[name.split("_")[0] ?? ""] ?? "endpoint"] };
        return { name, action, args: { action, ...id, ...MORE[`${name} ${action}`]?.(of) } };
      }),
    );

  test("reaches nothing of another tenant or the workspace, by no tool and no action", async () => {
    const token = await tokenOf("mallory");
    const before = await waiting();
    for (const of of [await owned(service, { tenant: "victim" }), await owned(service, {})])
      for (const { name, action, args } of callsOn(of)) {
        const { text, body } = await askOperator(service, token, name, { ...args });
        const { isError, structuredContent: found } = body["result"];
        const shown = isError === true ? [] : Object.values(of).filter((id) => text.includes(id));
        expect([name, action, shown]).toEqual([name, action, []]);
        expect(isError === true ? REFUSALS : LISTS).toContain(isError === true ? found["code"] : action);
      }
    expect(await waiting()).toBe(before);
  });

  test("is refused where a list or a filter names another tenant", async () => {
    const token = await tokenOf("mallory2");
    for (const name of ["deliveries_read", "endpoints_read"]) {
      const answer = await callOperatorTool(service, token, name, { action: "list", tenant: "victim" });
      expect([name, answer["structuredContent"].code]).toEqual([name, "tenant_mismatch"]);
    }
  });

  test("is neither seen nor revoked by another tenant", async () => {
    const [mine, theirs] = [
      await openPortal(service, { tenant: "eve" }),
      await openPortal(service, { tenant: "eve-victim" }),
    ];
    const { id, token } = await createToken(service, theirs.key);
    const as = async (method: string, path: string): Promise<ApiAnswer> =>
      await service.api(method, path, undefined, { key: mine.key });
    expect((await as("GET", "/v1/mcp-tokens")).body["data"]).toEqual([]);
    expect(outcome(await as("GET", "/v1/mcp-tokens?tenant=eve-victim"))).toBe("403 tenant_mismatch");
    expect(outcome(await as("POST", `/v1/mcp-tokens/${id}/revoke`))).toBe("404 not_found");
    expect(outcome(await askToken(service, mine.key, { tenant: "eve-victim" }))).toBe("403 tenant_mismatch");
    const { key, id: keyId } = await mintKey(service, { tenant: "eve" });
    expect(outcome(await as("POST", `/v1/mcp-tokens/${keyId}/revoke`))).toBe("404 not_found");
    expect(outcome(await service.api("GET", "/v1/me", undefined, { key }))).toBe("200");
    expect(await stateOf(token)).toBe("200");
  });
});

test("a customer's assistant learns who decides, and gets no link", async () => {
  const token = await tokenOf("asks");
  const id = (await service.api("POST", "/v1/webhook-endpoints", { ...hook, tenant: "asks" })).body["id"];
  const name = "endpoints_write";
  const args = { action: "delete", id };
  const on = { key: token, path: OPERATOR_PATH };
  const called = await callOperatorTool(service, token, name, args);
  const { id: proposal } = called["structuredContent"].proposal;
  const task = await send(service, "tools/call", { name, arguments: args, _meta: CAPABLE }, on);
  const polled = await send(service, "tasks/get", { taskId: task.body["result"].taskId }, on);
  for (const told of [called, task.body, polled.body].map((one) => JSON.stringify(one))) {
    expect(told).toContain("The team that gave you this access must approve the action");
    expect(told).not.toContain("/approvals/");
  }
  const status = await callOperatorTool(service, token, "junction_proposal_status", { proposal_id: proposal });
  expect(status["structuredContent"]).toMatchObject({ state: "proposed", approve_url: null });
  const seen = await service.api("GET", `/v1/proposals/${proposal}`);
  expect(seen.body["approve_url"]).toContain(`/approvals/${proposal}`);
});

describe("a token is for the operator tools alone:", () => {
  test("the API, the other surfaces and the plain tools refuse it", async () => {
    const token = await tokenOf("rest");
    const endpoint = (await service.api("POST", "/v1/webhook-endpoints", { ...hook, tenant: "rest" })).body["id"];
    const as = async (method: string, path: string, body?: object): Promise<string> =>
      outcome(await service.api(method, path, body, { key: token }));
    const refused = [
      await as("GET", "/v1/webhook-endpoints"),
      await as("DELETE", `/v1/webhook-endpoints/${endpoint}`),
      await as("POST", "/api/v1.php", { action: "webhook_endpoints.delete", parameters: { id: endpoint } }),
      await as("POST", "/v1/mcp-tokens", { name: "Next", capabilities: ["endpoints"] }),
      await as("GET", "/v1/me"),
      await as("GET", "/v1/stream"),
      await as("GET", "/api/v1/app"),
    ];
    // The API of Svix has a code of its own for all of them.
    expect(new Set(refused)).toEqual(new Set(["401 key_invalid", "401 authentication_failed"]));
    const plain = await send(service, "tools/list", {}, { key: token });
    expect(outcome(plain)).toBe("403 tenant_mismatch");
    const subscribe = { name: OWNED_EVENT, delivery: { mode: "webhook", url: hook.url, secret: "whsec_AAAA" } };
    const subscribed = await send(service, "events/subscribe", subscribe, { key: token, path: OPERATOR_PATH });
    expect(JSON.stringify(subscribed.body)).toMatch(/tenant_mismatch|scope_missing/);
    expect((await service.api("GET", `/v1/webhook-endpoints/${endpoint}`)).status).toBe(200);
  });

  test("a session gives no more than it has, and none without the capability", async () => {
    const narrow = await openPortal(service, { tenant: "narrow", capabilities: ["deliveries", "mcp_tokens"] });
    expect(outcome(await askToken(service, narrow.key, { capabilities: ["endpoints"] }))).toBe("403 scope_missing");
    expect(outcome(await askToken(service, narrow.key, { capabilities: ["deliveries"] }))).toBe("201");
    const without = await openPortal(service, { tenant: "narrow", capabilities: [...ALL_CAPABILITIES] });
    for (const [method, path] of [
      ["POST", "/v1/mcp-tokens"],
      ["GET", "/v1/mcp-tokens"],
    ] as const)
      expect(outcome(await service.api(method, path, undefined, { key: without.key }))).toBe("403 scope_missing");
    const token = await tokenOf("narrow", { capabilities: ["deliveries"] });
    const id = (await service.api("POST", "/v1/webhook-endpoints", { ...hook, tenant: "narrow" })).body["id"];
    const tried = await callOperatorTool(service, token, "endpoints_write", { action: "delete", id });
    expect(tried["structuredContent"].code).toBe("scope_missing");
  });

  test("a key makes none beyond its own rights", async () => {
    const makers = [
      { permission_mode: "read_only" },
      { role: "operator" },
      { role: "viewer" },
      { scopes: ["mcp_tokens:write", "webhook_endpoints:read"] },
      { permission_mode: "restricted", blocked_actions: ["webhook_endpoints.delete"] },
    ];
    for (const spec of makers) {
      const { key } = await mintKey(service, spec);
      const refused = await askToken(service, key, { tenant: "beyond", capabilities: ["endpoints"] });
      expect([spec, refused.status]).toEqual([spec, 403]);
    }
  });

  test("a tenant has at most twenty, also if all are asked for at once", async () => {
    const { key } = await openPortal(service, { tenant: "many" });
    const answers = await Promise.all(Array.from({ length: 24 }, async () => await askToken(service, key)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(20);
    expect(new Set(answers.map(outcome))).toEqual(new Set(["201", "409 conflict"]));
  });
});

describe("a token ends", () => {
  test("with a revoked session, on every node, also if it is being created", async () => {
    const portal = await openPortal(service, { tenant: "revoked" });
    const { token } = await createToken(service, portal.key);
    expect(outcome(await service.api("POST", `/v1/portal-sessions/${portal.id}/revoke`))).toBe("200");
    expect([await stateOf(token), await stateOf(token, other)]).toEqual(["401 key_revoked", "401 key_revoked"]);
    for (let round = 0; round < 8; round += 1) {
      const racing = await openPortal(service, { tenant: `racing${round}` });
      const [made] = await Promise.all([
        askToken(service, racing.key),
        other.api("POST", `/v1/portal-sessions/${racing.id}/revoke`),
      ]);
      if (made.status === 201) expect(await stateOf(made.body["token"])).toBe("401 key_revoked");
      else expect(outcome(made)).toBe("401 key_revoked");
    }
  });

  test("when a right of its maker is taken, its requests included", async () => {
    const maker = await mintKey(service);
    const portal = await openPortal(service, { tenant: "taken", maker: maker.key });
    const { token } = await createToken(service, portal.key);
    const id = (await service.api("POST", "/v1/webhook-endpoints", { ...hook, tenant: "taken" })).body["id"];
    const asked = await callOperatorTool(service, token, "endpoints_write", { action: "delete", id });
    const { id: proposal, params_hash: hash } = asked["structuredContent"].proposal;
    const blocked = { permission_mode: "restricted", blocked_actions: ["webhook_endpoints.delete"] };
    expect((await service.api("PATCH", `/v1/keys/${maker.id}`, blocked)).status).toBe(200);
    expect(await stateOf(token)).toBe("401 key_revoked");
    const approved = await service.api("POST", `/v1/proposals/${proposal}/approve`, { params_hash: hash });
    expect(approved.body["run"]?.error?.code ?? approved.body["code"]).toBe("key_revoked");
    expect((await service.api("GET", `/v1/webhook-endpoints/${id}`)).status).toBe(200);
  });

  test("when it is revoked between its request and the approval", async () => {
    const { id: tokenId, token } = await createToken(service, service.key, { tenant: "late" });
    const id = (await service.api("POST", "/v1/webhook-endpoints", { ...hook, tenant: "late" })).body["id"];
    const asked = await callOperatorTool(service, token, "endpoints_write", { action: "delete", id });
    const { id: proposal, params_hash: hash } = asked["structuredContent"].proposal;
    expect((await service.api("POST", `/v1/mcp-tokens/${tokenId}/revoke`)).status).toBe(200);
    const approved = await service.api("POST", `/v1/proposals/${proposal}/approve`, { params_hash: hash });
    expect(approved.body["code"]).toBe("proposer_revoked");
  });

  test("with its maker: a demoted member, or one who took the account back", async () => {
    const owner = await signIn(service);
    const member = await joined(service, "developer");
    const session = { tenant: "members", capabilities: ["endpoints", "mcp_tokens"] };
    const made = await member.call("POST", "/v1/portal-sessions", session);
    const link = /#token=(\w+)$/.exec(String(made.body["url"]))?.[1] ?? "";
    const opened = await service.api("POST", "/v1/portal-sessions/exchange", { token: link }, { key: null });
    const key: string = opened.body["credential"];
    const { token } = await createToken(service, key, { capabilities: ["endpoints"] });
    await service.database.query("update member set recovered_at = now() where id = $1", [uuidOf(member.memberId)]);
    expect(outcome(await askToken(service, key, { capabilities: ["endpoints"] }))).toBe("401 key_revoked");
    await owner.call("PATCH", `/v1/members/${member.memberId}`, { role: "viewer" });
    expect(await stateOf(token)).toBe("401 key_revoked");
  });

  test("with its tenant, whose tokens are deleted", async () => {
    const portal = await openPortal(service, { tenant: "gone" });
    const tokens: Parsed[] = [
      await createToken(service, portal.key),
      await createToken(service, service.key, { tenant: "gone" }),
    ];
    expect((await service.api("DELETE", "/v1/tenants/gone")).status).toBe(202);
    const left = async (): Promise<unknown> =>
      await service.database.query("select id from portal_session where tenant = 'gone' and name is not null");
    await expect.poll(left, { timeout: 20_000 }).toEqual([]);
    for (const { token } of tokens) expect(await stateOf(token)).toBe("401 key_invalid");
    const { body } = await service.api("GET", "/v1/mcp-tokens?tenant=gone");
    expect(body["data"]).toEqual([]);
  });

  test("with the session of a deleted tenant, also if it is younger", async () => {
    const portal = await openPortal(service, { tenant: "reborn" });
    const before = createIdMaker(systemClock).uuid();
    const late = await createToken(service, portal.key);
    const later = await createToken(service, service.key, { tenant: "reborn" });
    const tag = tagOfId(late["id"]);
    const [workspace] = await service.database.query<{ id: string }>("select id from workspace where tag = $1", [tag]);
    await service.database.query(
      `insert into tenant_deletion (bucket, tag, id, workspace_id, tenant, phase, removed, due_at)
       values ($1, $2, $3, $4, 'reborn', 'keys', '{}', now())`,
      [bucketOf(tag), tag, before, workspace?.id],
    );
    await expect.poll(async () => await stateOf(late["token"]), { timeout: 20_000 }).toBe("401 key_invalid");
    expect(await stateOf(later["token"])).toBe("200");
  });
});
