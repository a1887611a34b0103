import { afterAll, beforeAll, expect, test } from "vitest";
import { covers } from "../../../../../requirements/covers.ts";
import { registerContract } from "../../testing/contracts.ts";
import { mintKey } from "../../testing/keys.ts";
import type { TestKey } from "../../testing/keys.ts";
import { signIn } from "../../testing/people.ts";
import { startReceiver } from "../../testing/receiver.ts";
import type { Receiver } from "../../testing/receiver.ts";
import { startService } from "../../testing/service.ts";
import type { ApiAnswer, Parsed, TestService } from "../../testing/test-service.ts";

const GENERAL = "/api/v1.php";

let service: TestService;
let receiver: Receiver;
beforeAll(async () => {
  service = await startService({
    env: { JUNCTION_RATE_LIMITS: '{"management.write": 100000, "management.read": 100000}' },
  });
  receiver = await startReceiver();
  receiver.answer((response) => response.writeHead(200, { "Content-Type": "application/json" }).end('{"done":true}'));
});
afterAll(async () => {
  await receiver.close();
  await service.close();
});

const restricted = async (...blocked: string[]): Promise<TestKey> =>
  await mintKey(service, { permission_mode: "restricted", blocked_actions: blocked });

async function byKey(action: string, more: object = {}, key = service.key): Promise<ApiAnswer> {
  return await service.api("POST", GENERAL, { action, ...more }, { key });
}

async function trial(of: TestKey, operation: string): Promise<Parsed> {
  const { status, body } = await service.api("POST", `/v1/keys/${of.id}/test`, { operation });
  return status === 200 ? [body.operation, body.allowed, body.step ?? null, body.code ?? null] : [status, body.code];
}

covers("generalapi.call.post", "a contract is called by its key, with flat or nested parameters", async () => {
  const { key } = await registerContract(service, { endpoint: receiver.url });
  for (const more of [{ reason: "r" }, { parameters: { reason: "r" } }]) {
    const { status, body } = await byKey(key, more);
    expect([status, body.ok, body.action, body.result.result]).toEqual([200, true, key, { done: true }]);
    expect(JSON.parse(receiver.received.at(-1)?.body ?? "")).toMatchObject({
      action: key,
      parameters: { reason: "r" },
    });
  }
  for (const [more, pointer] of [
    [{ reason: 5 }, "/reason"],
    [{ parameters: { reason: 5 } }, "/parameters/reason"],
    [{ other: 5 }, "/other"],
  ] as const) {
    const { status, body } = await byKey(key, more);
    expect([status, body.ok, body.errors.map((one: Parsed) => one.pointer)]).toEqual([422, false, [pointer]]);
  }
});

covers(
  ["key.mode.restricted", "key.mode.wildcard"],
  "a list blocks a contract by key, by area or through actions.run, on every path",
  async () => {
    const { key } = await registerContract(service, { endpoint: receiver.url, key: "blocking.one.deep" });
    await registerContract(service, { endpoint: receiver.url, key: "blocking.two" });
    const blocking = ["blocking.one.deep", "blocking.one.*", "blocking.*", "actions.run", "actions.*", "*"];
    const before = receiver.received.length;
    for (const pattern of blocking) {
      const blocked = await restricted(pattern);
      const general = await byKey(key, {}, blocked.key);
      const run = await service.api("POST", "/v1/actions/run", { action: key, parameters: {} }, { key: blocked.key });
      const named = await byKey("actions.run", { parameters: { action: key, parameters: {} } }, blocked.key);
      for (const { status, body } of [general, run, named])
        expect([pattern, status, body.code]).toEqual([pattern, 403, "action_blocked"]);
      expect(await trial(blocked, key)).toEqual([key, false, "permission", "action_blocked"]);
    }
    expect(receiver.received.length).toBe(before);
    const other = await restricted("blocking.two", "blocking.one.deeper", "blocking.one.deep.*");
    expect((await byKey(key, {}, other.key)).status).toBe(200);
    expect(await trial(other, key)).toEqual([key, true, null, null]);
    expect((await byKey("blocking.two", {}, other.key)).body["code"]).toBe("action_blocked");
  },
);

covers(
  ["action.roles.enforced", "action.surface.enforced", "action.permission.operator", "action.scope.gates"],
  "the trial of a key reports the result of a real call",
  async () => {
    const cases: [object, object, string | null][] = [
      [{ roles: ["operator"] }, { role: "operator" }, null],
      [{ roles: ["owner"] }, { role: "operator" }, "role_not_allowed"],
      [{ roles: ["operator"], surface: ["console"] }, { role: "operator" }, "surface_not_allowed"],
      [{ permission: "refunds" }, { role: "developer" }, "permission_required"],
      [{ permission: "refunds" }, { role: "developer", permissions: ["refunds"] }, null],
      [{ scope: "billing:write" }, { scopes: ["actions:write"] }, "scope_missing"],
      [{ scope: "billing:write" }, { scopes: ["billing:write"] }, null],
      [{ scope: "billing:read" }, { scopes: ["billing:write"] }, null],
      [{}, { scopes: ["actions:write"] }, null],
      [{}, { scopes: ["test:write"] }, null],
      [{}, { scopes: ["test:read", "events:write"] }, "scope_missing"],
      [{}, { permission_mode: "read_only" }, "key_read_only"],
    ];
    for (const [more, spec, code] of cases) {
      const { key } = await registerContract(service, { endpoint: receiver.url, ...more });
      const of = await mintKey(service, { ...spec });
      const { status, body } = await byKey(key, {}, of.key);
      expect([more, spec, status, body.code]).toEqual([more, spec, code === null ? 200 : 403, code ?? undefined]);
      expect(await trial(of, key)).toEqual([key, code === null, code === null ? null : "permission", code]);
    }
    const any = await mintKey(service);
    expect(await trial(any, "no.such_contract")).toEqual([404, "action_unknown"]);
  },
);

covers(
  ["action.run.checked", "gate.order.checks"],
  "a contract's refusal precedes the rate limit, does not count, and is audited",
  async () => {
    const on = await startService({ env: { JUNCTION_RATE_LIMITS: '{"actions.run": 1}' } });
    await registerContract(on, { key: "order.owners", roles: ["owner"], endpoint: receiver.url });
    await registerContract(on, { key: "order.developers", roles: ["developer"], endpoint: receiver.url });
    const { key } = await mintKey(on, { role: "developer" });
    const call = async (action: string): Promise<unknown[]> => {
      const { status, body } = await on.api("POST", "/v1/actions/run", { action, parameters: {} }, { key });
      return [status, body["code"]];
    };
    expect(await call("order.owners")).toEqual([403, "role_not_allowed"]);
    expect(await call("order.developers")).toEqual([200, undefined]);
    expect(await call("order.developers")).toEqual([429, "rate_limited"]);
    expect(await call("order.owners")).toEqual([403, "role_not_allowed"]);
    expect(await call("order.nobody")).toEqual([429, "rate_limited"]);
    const { body } = await on.api("GET", "/v1/audit?limit=100");
    const refusals = body["data"].filter((one: Parsed) => one.kind === "run" && one.status === "refused");
    expect(refusals.map((one: Parsed) => [one.action, one.error_code])).toEqual([
      ["order.owners", "role_not_allowed"],
      ["order.owners", "role_not_allowed"],
    ]);
    await on.close();
  },
);

test("meta.actions lists the contracts that a valid key may run", async () => {
  const on = await startService();
  await registerContract(on, { key: "listed.open", label: "Open it", roles: ["operator", "owner"] });
  await registerContract(on, { key: "listed.console", surface: ["console"], roles: ["owner"] });
  await registerContract(on, { key: "listed.owners", roles: ["owner"] });
  const names = async (headers: Record<string, string>): Promise<string[]> => {
    const { body } = await on.api("POST", GENERAL, { action: "meta.actions" }, { key: null, headers });
    const all: Parsed[] = body["result"].data;
    expect(all.map((one) => one.name)).toEqual(all.map((one) => one.name).toSorted());
    expect(all.some((one) => one.name === "events.fire")).toBe(true);
    return all.map((one) => one.name).filter((name: string) => name.startsWith("listed."));
  };
  const bearer = (key: string): Record<string, string> => ({ Authorization: `Bearer ${key}` });
  expect(await names({})).toEqual([]);
  expect(await names(bearer("jn_live_nonsense"))).toEqual([]);
  expect(await names(bearer(on.key))).toEqual(["listed.open", "listed.owners"]);
  expect(await names(bearer((await mintKey(on, { role: "operator" })).key))).toEqual(["listed.open"]);
  const blocked = await mintKey(on, { role: "operator", permission_mode: "restricted", blocked_actions: ["listed.*"] });
  expect(await names(bearer(blocked.key))).toEqual([]);
  const away = await mintKey(on, { role: "operator", ip_allowlist: ["203.0.113.0/24"] });
  expect(await names(bearer(away.key))).toEqual([]);
  const { cookie, csrfToken } = await signIn(on);
  expect(await names({ Cookie: cookie, "X-CSRF-Token": csrfToken })).toEqual(["listed.console"]);
  const { body } = await on.api("POST", GENERAL, { action: "meta.actions" });
  expect(body["result"].data.find((one: Parsed) => one.name === "listed.open")).toEqual({
    object: "action",
    name: "listed.open",
    access: "write",
    description: "Open it",
    parameters: {
      type: "object",
      properties: { reason: { type: "string", maxLength: 500 } },
      required: [],
      additionalProperties: false,
    },
    limits: { per_minute: 200, shared: "actions.run" },
  });
  await on.close();
});
