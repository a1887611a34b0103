import { afterAll, beforeAll, expect } from "vitest";
import { covers } from "../../../../requirements/covers.ts";
import { countRows, mintKey, otherWorkspace, setKey } from "../testing/keys.ts";
import type { TestKey, TestWorkspace } from "../testing/keys.ts";
import { sendRaw } from "../testing/raw-http.ts";
import type { RawAnswer } from "../testing/raw-http.ts";
import { startService } from "../testing/service.ts";
import type { TestService } from "../testing/test-service.ts";

let service: TestService;
let foreign: TestWorkspace;
const elsewhere = ["203.0.113.0/24"];

beforeAll(async () => {
  service = await startService({ env: { JUNCTION_RATE_LIMITS: '{"events.fire":1}' } });
  foreign = await otherWorkspace(service);
});
afterAll(async () => await service.close());

const good = JSON.stringify({ event: "order.created", data: {} });
const malformed = '{"event":"order.created",}';
const invalid = '{"event":"order.created","data":[]}';
const tooLarge = JSON.stringify({ event: "order.created", data: { text: "x".repeat(300_000) } });

interface Ask {
  readonly key?: string;
  readonly method?: string;
  readonly path?: string;
  readonly body?: string;
  readonly type?: string;
  readonly idempotencyKey?: string;
}

async function ask({
  key,
  method = "POST",
  path = "/v1/events/fire",
  body,
  type,
  idempotencyKey,
}: Ask): Promise<RawAnswer> {
  return await sendRaw(service.baseUrl, {
    method,
    path,
    headers: {
      ...(key === undefined ? {} : { Authorization: `Bearer ${key}` }),
      "Content-Type": type ?? "application/json",
      ...(idempotencyKey === undefined ? {} : { "Idempotency-Key": idempotencyKey }),
    },
    ...(body === undefined ? {} : { body }),
  });
}

function outcome(answer: RawAnswer): string {
  return `${answer.status} ${String(answer.body["code"])}`;
}

/** A key that has fired its one event of this minute. */
async function spent(spec: Record<string, unknown> = {}): Promise<TestKey> {
  const key = await mintKey(service, spec);
  await ask({ key: key.key, body: good });
  return key;
}

async function revoked(): Promise<TestKey> {
  const key = await mintKey(service);
  await service.api("POST", `/v1/keys/${key.id}/revoke`);
  return key;
}

async function readOnly(): Promise<TestKey> {
  return await mintKey(service, { permission_mode: "read_only" });
}

const table: [string, () => Promise<Ask>, string][] = [
  [
    "no route, no key, too large",
    async () => await Promise.resolve({ path: "/v1/nowhere", body: tooLarge }),
    "404 route_not_found",
  ],
  [
    "wrong method, no key",
    async () => await Promise.resolve({ method: "DELETE", path: "/v1/events" }),
    "405 method_not_allowed",
  ],
  ["too large, no key", async () => await Promise.resolve({ body: tooLarge }), "413 payload_too_large"],
  [
    "too large, wrong media type, revoked key",
    async () => ({ key: (await revoked()).key, body: tooLarge, type: "text/plain" }),
    "413 payload_too_large",
  ],
  ["malformed JSON, no key", async () => await Promise.resolve({ body: malformed }), "401 credentials_missing"],
  [
    "malformed JSON, bad key",
    async () => await Promise.resolve({ key: `${service.key}x`, body: malformed }),
    "401 key_invalid",
  ],
  [
    "wrong media type, bad key",
    async () => await Promise.resolve({ key: "x", body: good, type: "text/plain" }),
    "401 key_invalid",
  ],
  [
    "revoked key, foreign id",
    async () => ({ key: (await revoked()).key, path: `/v1/events/${foreign.id("evt")}/refire` }),
    "401 key_revoked",
  ],
  [
    "foreign id, read-only key",
    async () => ({ key: (await readOnly()).key, path: `/v1/events/${foreign.id("evt")}/refire` }),
    "403 workspace_mismatch",
  ],
  [
    "foreign id in the body, read-only key",
    async () => ({
      key: (await readOnly()).key,
      path: "/v1/webhooks/test",
      body: JSON.stringify({ endpoint_id: foreign.id("ep") }),
    }),
    "403 workspace_mismatch",
  ],
  [
    "foreign id, over the limit",
    async () => ({ key: (await spent()).key, path: `/v1/events/${foreign.id("evt")}/refire` }),
    "403 workspace_mismatch",
  ],
  [
    "foreign id, address not allowed",
    async () => ({
      key: (await mintKey(service, { ip_allowlist: elsewhere })).key,
      path: `/v1/events/${foreign.id("evt")}/refire`,
    }),
    "403 workspace_mismatch",
  ],
  [
    "read-only key, over the limit",
    async () => {
      const key = await spent();
      await setKey(service, key, { permission_mode: "read_only" });
      return { key: key.key, body: good };
    },
    "403 key_read_only",
  ],
  [
    "blocked action, wrong role, over the limit",
    async () => {
      const key = await spent();
      await setKey(service, key, { permission_mode: "restricted", blocked_actions: ["events.*"], role: "viewer" });
      return { key: key.key, body: good };
    },
    "403 action_blocked",
  ],
  [
    "wrong role, no scope",
    async () => {
      const key = await mintKey(service, { role: "viewer" });
      await setKey(service, key, { scopes: [] });
      return { key: key.key, body: good };
    },
    "403 role_not_allowed",
  ],
  [
    "no scope, over the limit",
    async () => {
      const key = await spent();
      await setKey(service, key, { scopes: ["deliveries:write"] });
      return { key: key.key, body: good };
    },
    "403 scope_missing",
  ],
  [
    "read-only key, address not allowed",
    async () => ({
      key: (await mintKey(service, { permission_mode: "read_only", ip_allowlist: elsewhere })).key,
      body: good,
    }),
    "403 key_read_only",
  ],
  [
    "over the limit, address not allowed",
    async () => {
      const key = await spent();
      await setKey(service, key, { ip_allowlist: elsewhere });
      return { key: key.key, body: good };
    },
    "429 rate_limited",
  ],
  ["over the limit, malformed JSON", async () => ({ key: (await spent()).key, body: malformed }), "429 rate_limited"],
  [
    "over the limit, wrong media type",
    async () => ({ key: (await spent()).key, body: good, type: "text/plain" }),
    "429 rate_limited",
  ],
  ["over the limit, invalid values", async () => ({ key: (await spent()).key, body: invalid }), "429 rate_limited"],
  [
    "over the limit, bad idempotency key",
    async () => ({ key: (await spent()).key, body: good, idempotencyKey: "a b" }),
    "429 rate_limited",
  ],
  [
    "address not allowed, malformed JSON",
    async () => ({ key: (await mintKey(service, { ip_allowlist: elsewhere })).key, body: malformed }),
    "403 ip_not_allowed",
  ],
  [
    "wrong media type, bad idempotency key",
    async () => ({ key: (await mintKey(service)).key, body: good, type: "text/plain", idempotencyKey: "a b" }),
    "415 unsupported_media_type",
  ],
  [
    "malformed JSON, bad idempotency key",
    async () => ({ key: (await mintKey(service)).key, body: malformed, idempotencyKey: "a b" }),
    "400 malformed_json",
  ],
  [
    "bad idempotency key, invalid values",
    async () => ({ key: (await mintKey(service)).key, body: invalid, idempotencyKey: "a b" }),
    "400 idempotency_key_invalid",
  ],
  ["invalid values", async () => ({ key: (await mintKey(service)).key, body: invalid }), "422 validation_failed"],
  ["nothing wrong", async () => ({ key: (await mintKey(service)).key, body: good }), "202 undefined"],
];

covers(
  ["gate.order.checks", "gate.order.data-last"],
  "a request that fails several checks gets the first's answer and has no effect",
  async () => {
    const outcomes = [];
    for (const [what, make] of table) {
      const wanted = await make();
      const before = await countRows(service, "event");
      const answer = await ask(wanted);
      const made = (await countRows(service, "event")) - before;
      outcomes.push([what, outcome(answer), made]);
    }
    expect(outcomes).toEqual(table.map(([what, , wanted]) => [what, wanted, wanted.startsWith("202") ? 1 : 0]));
  },
);

covers(["gate.uniform.every-request", "gate.request.hmac"], "every operation runs the same access checks", async () => {
  const document = (await service.api("GET", "/openapi.json")).body;
  const gated = Object.entries(document["paths"] as Record<string, Record<string, Record<string, unknown>>>).flatMap(
    ([path, methods]) =>
      Object.entries(methods)
        .filter(([, operation]) => operation["x-operation"] !== undefined)
        .map(([method, operation]) => ({
          method: method.toUpperCase(),
          path: path.replaceAll(/\{[^}]+\}/g, "x"),
          // The permission is checked before the allowlist, and this key is not bound to a person.
          refusal: operation["x-actors"] === undefined ? "403 ip_not_allowed" : "403 role_not_allowed",
        })),
  );
  expect(gated.length).toBeGreaterThan(20);
  const [dead, outside] = [await revoked(), await mintKey(service, { ip_allowlist: elsewhere })];
  // Only owners may call some operations, and the allowlist comes after the role.
  await setKey(service, outside, { role: "owner" });
  for (const { method, path, refusal } of gated) {
    await service.database.query("delete from rate_window where operation = 'auth.failed'");
    const body = method === "GET" ? {} : { body: "{}" };
    expect([method, path, outcome(await ask({ method, path, ...body }))]).toEqual([
      method,
      path,
      "401 credentials_missing",
    ]);
    const answers = [
      await ask({ method, path, key: dead.key, ...body }),
      await ask({ method, path, key: outside.key, ...body }),
    ];
    expect([method, path, ...answers.map(outcome)]).toEqual([method, path, "401 key_revoked", refusal]);
  }
});

covers("gate.check.scope-role", "scope and role are checked before anything runs", async () => {
  const before = await countRows(service, "endpoint");
  const viewer = await mintKey(service, { role: "viewer" });
  const create = { path: "/v1/webhook-endpoints", body: '{"url":"http://127.0.0.1:9/","events":["*"]}' };
  expect(outcome(await ask({ key: viewer.key, ...create }))).toBe("403 role_not_allowed");
  const scoped = await mintKey(service);
  await setKey(service, scoped, { scopes: ["events:write", "webhook_endpoints:read"] });
  expect(outcome(await ask({ key: scoped.key, ...create }))).toBe("403 scope_missing");
  expect(outcome(await ask({ key: scoped.key, method: "GET", path: "/v1/webhook-endpoints" }))).toBe("200 undefined");
  expect(outcome(await ask({ key: scoped.key, method: "GET", path: "/v1/events" }))).toBe("200 undefined");
  expect(outcome(await ask({ key: scoped.key, method: "GET", path: "/v1/deliveries" }))).toBe("403 scope_missing");
  expect(await countRows(service, "endpoint")).toBe(before);
});
