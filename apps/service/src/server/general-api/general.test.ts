import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { covers } from "../../../../../requirements/covers.ts";
import { apiCall, callOf, operations } from "../../testing/calls.ts";
import type { ApiCall } from "../../testing/calls.ts";
import { countRows, mintKey, otherWorkspace, setKey } from "../../testing/keys.ts";
import { startReceiver } from "../../testing/receiver.ts";
import { signV1 } from "../../testing/request-signing.ts";
import { startService } from "../../testing/service.ts";
import { UNLIMITED } from "../../testing/subscription.ts";
import type { ApiAnswer, Parsed, TestService } from "../../testing/test-service.ts";

const PATH = "/api/v1.php";
const LIMITS = { ...JSON.parse(UNLIMITED.JUNCTION_RATE_LIMITS), "webhooks.test": 100_000 };
let service: TestService;
/** The same installation without workers: a delivery stays as it is. */
let still: TestService;
beforeAll(async () => {
  const limits = { JUNCTION_RATE_LIMITS: JSON.stringify(LIMITS) };
  service = await startService({ env: limits });
  still = await startService({ env: { ...limits, JUNCTION_ROLES: "api" } });
});
afterAll(async () => {
  await still.close();
  await service.close();
});

function named(body: Record<string, unknown>): ApiCall {
  return { method: "POST", path: PATH, body };
}

async function act(
  action: unknown,
  more: Record<string, unknown> = {},
  options: Parameters<TestService["api"]>[3] = {},
  on = service,
): Promise<ApiAnswer> {
  return await on.api("POST", PATH, { action, ...more }, options);
}

/** Members whose values differ in each response, or name one that does. */
const NEW = new Set(
  "used remaining instance duration_ms string_to_sign body secret recovery_codes csrf_token otpauth_url invite_url reset_url email name challenge displayName".split(
    " ",
  ),
);

/** Replaces ids, secrets, keys, times and request ids, which differ in each response, by their kind. */
function likeness(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (name, inner: unknown) => {
      if (NEW.has(name)) return typeof inner;
      if (typeof inner !== "string") return name === "webhook-timestamp" ? 0 : inner;
      return (
        inner
          .replaceAll(/\b([a-z]+)_[0-9a-z]{34}\b/g, "$1_id")
          .replaceAll(/whsec_[\w+/=]+|jn_(live|test)_\w+|v1,[\w+/=]+|\b[0-9a-f]{64}\b|^[\w-]{48}$/g, "secret")
          .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "time")
          .replaceAll(/\?t=\w{51}/g, "?t=token")
          .replaceAll(/#token=\w+/g, "#token")
          .replaceAll(/\bfresh-\d+\b/g, "tenant")
          .replaceAll(/^[0-9A-Z]{5}-[0-9A-Z]{5}$/g, "code")
          .replaceAll(/^(?:\d{10}|[0-9a-f]{16})$/g, "seconds or epoch")
          .replaceAll(/\b(test\.action|test\.type|orders\.refund|called|configured)[_-]\d+\b/g, "name")
          .replaceAll(/\bacme[-_]\d+/g, "connector")
          .replaceAll(/\/inbox\/\w+/g, "/inbox/token")
          .replaceAll(/\binvited-\d+@example\.com\b/g, "address")
          .replaceAll(/\b\d+:\d+:[\d,]*/g, "snapshot")
          // In the signed end of an export, which is JSON in CSV.
          .replaceAll(/""signature"":""[\w+/=]+""/g, "signature")
          .replaceAll(/query\//g, "")
      );
    }),
  );
}

/** An operation that has a member `action` itself takes it in `parameters` alone, except the one that runs actions. */
function flatCall(operation: string, args: Record<string, unknown>): Record<string, unknown> {
  const isNamedTwice = "action" in args && operation !== "actions.run";
  return isNamedTwice ? { action: operation, parameters: args } : { action: operation, ...args };
}

covers(
  ["generalapi.call.post", "gate.uniform.every-request"],
  "every operation gives the same status and result by name as under /v1",
  async () => {
    for (const route of await operations(still)) {
      for (const kind of ["good", "bad"] as const) {
        const [direct, flat, nested] = [
          await callOf(still, route.operation, kind).then(async ({ args, send }) => await send(apiCall(route, args))),
          await callOf(still, route.operation, kind).then(
            async ({ args, send }) => await send(named(flatCall(route.operation, args))),
          ),
          await callOf(still, route.operation, kind).then(
            async ({ args, send }) => await send(named({ action: route.operation, parameters: args })),
          ),
        ];
        expect([route.operation, kind, direct.status < 400]).toEqual([route.operation, kind, kind === "good"]);
        expect([route.operation, kind, flat.status, nested.status]).toEqual([
          route.operation,
          kind,
          direct.status,
          direct.status,
        ]);
        for (const general of [flat, nested]) expectSame(route.operation, direct, general);
      }
    }
  },
  600_000,
);

function expectSame(operation: string, direct: ApiAnswer, general: ApiAnswer): void {
  if (direct.status === 204) return expect(general.text).toBe("");
  if (direct.status < 400) {
    const { result, ...frame } = general.body;
    // In the flat form, the argument `action` takes the place of the operation: a contract is called by its key.
    if (operation === "actions.run") frame.action = operation;
    expect(general.headers.get("content-type")).toBe("application/json; charset=utf-8");
    expect(frame).toEqual({ ok: true, action: operation, request_id: general.headers.get("x-service-request-id") });
    return expect(likeness(result)).toEqual(likeness(direct.body));
  }
  const { ok, ...problem } = general.body;
  expect([ok, general.headers.get("content-type"), problem.instance]).toEqual([
    false,
    "application/problem+json; charset=utf-8",
    PATH,
  ]);
  const places = (body: Parsed): Parsed => ({
    ...body,
    errors: body.errors.map((one: Parsed) => ({
      ...one,
      pointer: one.pointer.replace(/^(\/(query|parameters))+\//, "/"),
    })),
  });
  return expect(likeness(places(problem))).toEqual(likeness(places(direct.body)));
}

covers(
  "generalapi.call.bearer",
  "the access checks apply to it: key, mode, blocked actions, scope, address, workspace",
  async () => {
    const readOnly = await mintKey(service, { permission_mode: "read_only" });
    const blocked = await mintKey(service, { permission_mode: "restricted", blocked_actions: ["events.list"] });
    const all = await mintKey(service, { permission_mode: "restricted", blocked_actions: ["*"] });
    const viewer = await mintKey(service, { role: "viewer" });
    const scoped = await mintKey(service);
    await setKey(service, scoped, { scopes: ["events:read"] });
    const away = await mintKey(service, { ip_allowlist: ["192.0.2.1"] });
    const revoked = await mintKey(service);
    await service.api("POST", `/v1/keys/${revoked.id}/revoke`);
    const foreign = await otherWorkspace(service);
    const fire = { event: "order.created", data: {} };
    const cases: [string, string | null, string, Record<string, unknown>, string][] = [
      ["no key", null, "events.list", {}, "401 credentials_missing"],
      ["no such key", "x", "events.list", {}, "401 key_invalid"],
      ["revoked", revoked.key, "events.list", {}, "401 key_revoked"],
      ["read-only reads", readOnly.key, "events.list", {}, "200"],
      ["read-only writes", readOnly.key, "events.fire", fire, "403 key_read_only"],
      ["blocked by name", blocked.key, "events.list", {}, "403 action_blocked"],
      ["not blocked", blocked.key, "events.fire", fire, "202"],
      ["all blocked", all.key, "events.list", {}, "403 action_blocked"],
      ["viewer writes", viewer.key, "webhook_endpoints.create", {}, "403 role_not_allowed"],
      ["scope missing", scoped.key, "deliveries.list", {}, "403 scope_missing"],
      ["scope held", scoped.key, "events.list", {}, "200"],
      ["from elsewhere", away.key, "events.list", {}, "403 ip_not_allowed"],
      ["foreign id", service.key, "events.get", { id: foreign.id("evt") }, "403 workspace_mismatch"],
      [
        "foreign id, nested",
        service.key,
        "events.get",
        { parameters: { id: foreign.id("evt") } },
        "403 workspace_mismatch",
      ],
      [
        "foreign id in the body",
        service.key,
        "webhooks.test",
        { endpoint_id: foreign.id("ep") },
        "403 workspace_mismatch",
      ],
      [
        "foreign id in the query",
        service.key,
        "deliveries.list",
        { endpoint_id: foreign.id("ep") },
        "403 workspace_mismatch",
      ],
      [
        "other environment",
        service.sandboxKey,
        "events.get",
        { id: (await service.fire()).id },
        "403 environment_mismatch",
      ],
      ["no key, unknown", null, "events.lisst", {}, "401 credentials_missing"],
      ["unknown, scoped key", scoped.key, "events.lisst", {}, "404 action_unknown"],
      // The name is treated as a contract's key, and running a contract is a write.
      ["unknown, read-only key", readOnly.key, "events.lisst", {}, "403 key_read_only"],
    ];
    const outcomes = [];
    for (const [what, key, action, args] of cases) {
      const { status, body } = await act(action, args, { key });
      expect([what, body.ok]).toEqual([what, status < 400]);
      outcomes.push([what, status < 400 ? String(status) : `${status} ${body.code}`]);
    }
    expect(outcomes).toEqual(cases.map(([what, , , , wanted]) => [what, wanted]));
  },
);

test("a call counts toward the limit of the operation it names", async () => {
  const other = await startService({ env: { JUNCTION_RATE_LIMITS: '{"events.fire": 2}' } });
  const fire = async (): Promise<ApiAnswer> =>
    await act("events.fire", { event: "order.created", data: {} }, {}, other);
  const answers = [await fire(), await fire(), await fire()];
  expect(answers.map((one) => [one.status, one.headers.get("x-service-ratelimit-limit")])).toEqual([
    [202, "2"],
    [202, "2"],
    [429, "2"],
  ]);
  expect(Number(answers[2]?.headers.get("retry-after"))).toBeGreaterThan(0);
  expect((await act("events.list", {}, {}, other)).headers.get("x-service-ratelimit-limit")).toBe("600");
  await other.close();
});

test("the signature covers the request as sent", async () => {
  const body = JSON.stringify({ action: "events.fire", event: "order.created", data: {} });
  const signing = { secret: service.key, method: "POST", target: PATH, body, idempotencyKey: randomUUID() };
  const good = await service.api("POST", PATH, body, { headers: signV1(signing) });
  expect([good.status, good.headers.get("x-service-signature-scheme")]).toEqual([202, "v1"]);
  const inner = await service.api("POST", PATH, body, { headers: signV1({ ...signing, target: "/v1/events/fire" }) });
  expect([inner.status, inner.body.code, inner.body.ok]).toEqual([401, "signature_invalid", false]);
});

covers("deliver.payload.fields", "data reaches the receiver byte for byte, flat, nested and in batches", async () => {
  const receiver = await startReceiver();
  await service.endpoint(receiver.url, { events: ["test.bytes"] });
  const data =
    String.raw`{ "big":12345678901234567890, "n":-0,"e":1e400 ,"__proto__":{"a":1},"s":"\u0000\ud83d\ude00","b":"` +
    `😀"}`;
  const one = `{"event":"test.bytes","data":${data}}`;
  const bodies = [
    `{"action":"events.fire","event":"test.bytes","data":${data}}`,
    `{"action":"events.fire","parameters":${one}}`,
    `{"action":"events.batch","events":[${one},${one}]}`,
    `{ "parameters" : {"events":[${one}]} , "action":"events.batch"}`,
  ];
  for (const body of bodies) expect((await service.api("POST", PATH, body)).status).toBe(202);
  const received = await receiver.count(5);
  expect(received).toHaveLength(5);
  for (const { body } of received) expect(body).toContain(`"data":${data},"signature"`);
  const { body: listed } = await act("events.list", { event: "test.bytes", limit: 1 });
  const raw = await service.api("POST", PATH, { action: "events.get", id: listed.result.data[0].id });
  expect(raw.text).toContain(`"data":${data}}`);
  await receiver.close();
});

covers(
  ["idempotency.repeat.original", "idempotency.op.events-fire"],
  "a repeated call returns the first response byte for byte and does nothing",
  async () => {
    const bodies = [
      { action: "events.fire", event: "order.created", data: {} },
      { action: "webhook_endpoints.create", parameters: { url: "http://127.0.0.1:9/", events: ["test.nothing"] } },
      { action: "deliveries.replay", id: (await callOf(still, "deliveries.replay", "good")).args["id"] },
      { action: "deliveries.replay", id: (await callOf(still, "deliveries.get", "bad")).args["id"] },
    ];
    for (const body of bodies) {
      const headers = { "Idempotency-Key": randomUUID() };
      const first = await still.api("POST", PATH, body, { headers });
      const before = [await countRows(still, "event"), await countRows(still, "endpoint")];
      const second = await still.api("POST", PATH, body, { headers });
      expect([second.status, second.text]).toEqual([first.status, first.text]);
      expect(second.headers.get("idempotent-replayed")).toBe("true");
      expect(second.headers.get("x-service-request-id")).not.toBe(first.body.request_id);
      expect([await countRows(still, "event"), await countRows(still, "endpoint")]).toEqual(before);
      const direct = await still.api("POST", "/v1/events/fire", { event: "order.created", data: {} }, { headers });
      expect(direct.body["code"]).toBe("idempotency_key_reused");
    }
  },
);

test("50 concurrent copies of a call take effect once", async () => {
  const body = { action: "webhook_endpoints.create", url: "http://127.0.0.1:9/fifty", events: ["test.nothing"] };
  const headers = { "Idempotency-Key": randomUUID() };
  const before = await countRows(still, "endpoint");
  const answers = await Promise.all(
    Array.from({ length: 50 }, async () => await still.api("POST", PATH, body, { headers })),
  );
  expect((await countRows(still, "endpoint")) - before).toBe(1);
  expect(new Set(answers.filter((one) => one.status !== 409).map((one) => one.text)).size).toBe(1);
});

covers("generalapi.meta.keyless", "meta.actions lists every operation without a key, or with any", async () => {
  const answer = await act("meta.actions", {}, { key: null });
  const listed: Parsed[] = answer.body.result.data;
  expect([answer.status, answer.body.ok, answer.body.action]).toEqual([200, true, "meta.actions"]);
  expect(listed.map((one) => one.name)).toEqual((await operations(service)).map((one) => one.operation).toSorted());
  expect(listed.find((one) => one.name === "events.fire")).toMatchObject({
    object: "action",
    access: "write",
    description: "Fire an event",
    limits: { per_minute: 100_000, shared: "events.fire" },
    parameters: { type: "object", required: ["event", "data"], properties: { subject: { type: "string" } } },
  });
  expect(listed.find((one) => one.name === "webhook_endpoints.update")?.parameters).toMatchObject({
    required: ["id"],
    properties: { id: {}, url: {} },
  });
  expect((await act("meta.actions", {}, { key: "jn_live_revoked" })).status).toBe(200);
});

test("meta.actions has an ETag, and returns 304 to a caller that has it", async () => {
  const first = await act("meta.actions", {}, { key: null });
  const etag = first.headers.get("etag") ?? "";
  expect(etag).toMatch(/^W\/"[\w-]+"$/);
  for (const known of [etag, etag.slice(2), `"other", ${etag}`, "*"]) {
    const again = await act("meta.actions", {}, { key: null, headers: { "If-None-Match": known } });
    expect([again.status, again.text, again.headers.get("etag")]).toEqual([304, "", etag]);
  }
  expect((await act("meta.actions", {}, { key: null, headers: { "If-None-Match": '"other"' } })).status).toBe(200);
});

test("an unknown action is 404 with the nearest names", async () => {
  const cases: [string, string[]][] = [
    ["events.fier", ["events.fire"]],
    ["event.fire", ["events.fire"]],
    ["meta.action", ["meta.actions"]],
    ["something.else.entirely", []],
    ["toString", []],
    ["__proto__", []],
  ];
  for (const [action, near] of cases) {
    const { status, body } = await act(action);
    expect([action, status, body.code, body.ok]).toEqual([action, 404, "action_unknown", false]);
    expect(body.did_you_mean.slice(0, 1)).toEqual(near);
  }
});

test("invalid arguments are reported at their position in the caller's body", async () => {
  const url = { url: "http://127.0.0.1:9/", events: ["*"] };
  const cases: [unknown, Record<string, unknown>, number, string[]][] = [
    [undefined, {}, 422, ["/action"]],
    [5, {}, 422, ["/action"]],
    ["webhook_endpoints.create", { ...url, x: 1 }, 422, ["/x"]],
    ["webhook_endpoints.create", { parameters: { ...url, x: 1 } }, 422, ["/parameters/x"]],
    ["webhook_endpoints.create", { parameters: { events: [5] }, url: 5 }, 422, ["/parameters/events/0", "/url"]],
    ["webhook_endpoints.create", { parameters: url, url: "x" }, 422, ["/parameters/url"]],
    ["webhook_endpoints.create", { parameters: [] }, 422, ["/parameters"]],
    ["events.get", {}, 422, ["/id"]],
    ["events.get", { id: "evt_1", x: 1 }, 400, ["/x"]],
    ["events.list", { limit: 0 }, 400, ["/limit"]],
    ["events.list", { parameters: { limit: 0 } }, 400, ["/parameters/limit"]],
    ["events.fire", { parameters: { event: "a..b", data: {} } }, 422, ["/parameters/event"]],
    ["events.batch", { parameters: { events: [{ event: "a..b", data: {} }] } }, 422, ["/parameters/events/0/event"]],
    ["webhook_endpoints.toggle", { id: "ep_1", "a/b": 1 }, 422, ["/a~1b"]],
  ];
  const outcomes = [];
  for (const [action, args] of cases) {
    const { status, body } = await act(action, args);
    outcomes.push([action, args, status, body.errors.map((one: Parsed) => one.pointer).toSorted()]);
  }
  expect(outcomes).toEqual(cases);
});

test("an argument called action is under parameters, also with flat ones", async () => {
  const nested = { surface: "api", parameters: { action: "no.such_action", parameters: {} } };
  expect((await act("actions.run", nested)).body).toMatchObject({ code: "action_unknown" });
  const { body } = await act("actions.run", { surface: "api" });
  expect(body.errors).toMatchObject([{ pointer: "/parameters/action", code: "required" }]);
});

test("confirmed is accepted in any call", async () => {
  const answer = await act("events.fire", { event: "order.created", data: {}, confirmed: true });
  expect(answer.status).toBe(202);
  expect((await act("events.list", { confirmed: "yes" })).status).toBe(422);
});

const TEXT = { "Content-Type": "text/plain" };

test("an invalid call is refused as everywhere, with a response in the same form", async () => {
  const cases: [ApiAnswer, number, string][] = [
    [await service.api("GET", PATH), 405, "method_not_allowed"],
    [await service.api("POST", PATH, "{"), 400, "malformed_json"],
    [await service.api("POST", PATH, "{", { key: null }), 401, "credentials_missing"],
    [await service.api("POST", PATH), 422, "validation_failed"],
    [await service.api("POST", PATH, "[]"), 422, "validation_failed"],
    [await service.api("POST", `${PATH}?x=1`, { action: "events.list" }), 400, "query_invalid"],
    [await service.api("POST", PATH, "{}", { headers: TEXT }), 415, "unsupported_media_type"],
    [await service.api("POST", PATH, `{"x":"${"x".repeat(300_000)}"}`), 413, "payload_too_large"],
    [await service.api("POST", PATH, '{"action":"events.list","action":"events.get"}'), 400, "malformed_json"],
    [await service.api("POST", PATH, '{"action":"meta.actions"', { key: null }), 401, "credentials_missing"],
    // Reading a large body has a price, so it needs a credential.
    [await act("meta.actions", { x: "x".repeat(16_384) }, { key: null }), 401, "credentials_missing"],
  ];
  for (const [answer, status, code] of cases) {
    expect([answer.status, answer.body.code, answer.body.ok]).toEqual([status, code, false]);
    expect(answer.headers.get("x-service-request-id")).toBe(answer.body.request_id);
  }
  expect(cases[0]?.[0].headers.get("allow")).toBe("POST");
});
