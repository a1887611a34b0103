import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { covers } from "../../../../../requirements/covers.ts";
import { actionOn, confirmedActionOn, runOf, toldTo } from "../../testing/actions.ts";
import { mintKey, setKey } from "../../testing/keys.ts";
import { joined, outcome } from "../../testing/people.ts";
import type { Receiver } from "../../testing/receiver.ts";
import { UNLIMITED } from "../../testing/subscription.ts";
import type { Parsed, TestService } from "../../testing/test-service.ts";
import { callsDuring, startWithReceiver } from "../../testing/with-receiver.ts";

let service: TestService;
let receiver: Receiver;
let close: () => Promise<void>;
let aiKey: string;

beforeAll(async () => {
  ({ service, receiver, close } = await startWithReceiver(UNLIMITED));
  aiKey = (await mintKey(service, { actor_type: "ai", role: "ai" })).key;
});
afterAll(async () => await close());
afterEach(() => receiver.status(200));

describe("the access checks of a run", () => {
  covers("action.roles.enforced", "only the roles of the contract may run it, and a refusal is audited", async () => {
    const action = await actionOn(service, receiver, { roles: ["admin"] });
    const { key } = await mintKey(service, { role: "operator" });
    expect(outcome(await runOf(service, action, {}, { key }))).toBe("403 role_not_allowed");
    const [row] = await service.database.query(
      "select status, error_code from audit_row where action = $1 order by seq desc",
      [action],
    );
    expect(row).toEqual({ status: "refused", error_code: "role_not_allowed" });
  });

  covers(
    "action.surface.enforced",
    "only the contract's surfaces are allowed, and a body can only narrow them",
    async () => {
      const onApi = await actionOn(service, receiver, { surface: ["api"] });
      const onConsole = await actionOn(service, receiver, { surface: ["console"] });
      const person = await joined(service, "admin");
      const run = async (action: string, more = {}): Promise<string> => outcome(await runOf(service, action, more));
      const atConsole = async (action: string): Promise<string> =>
        outcome(await person.call("POST", "/v1/actions/run", { action }));
      expect([
        await run(onApi),
        await run(onApi, { surface: "api" }),
        await run(onApi, { surface: "console" }),
        await run(onConsole),
        await run(onConsole, { surface: "console" }),
        await atConsole(onApi),
        await atConsole(onConsole),
      ]).toEqual([
        "200",
        "200",
        "403 surface_not_allowed",
        "403 surface_not_allowed",
        "403 surface_not_allowed",
        "403 surface_not_allowed",
        "200",
      ]);
    },
  );

  covers(
    ["action.scope.gates", "action.permission.operator"],
    "the scope and the operator permission of the contract are required",
    async () => {
      const scoped = await actionOn(service, receiver, { scope: "billing:write" });
      const permitted = await actionOn(service, receiver, { permission: "refunds" });
      const key = await mintKey(service, { role: "admin" });
      const run = async (action: string): Promise<string> =>
        outcome(await runOf(service, action, {}, { key: key.key }));
      await setKey(service, key, { scopes: ["actions:write", "billing:read"] });
      expect(await run(scoped)).toBe("403 scope_missing");
      await setKey(service, key, { scopes: ["billing:write"] });
      expect(await run(scoped)).toBe("200");
      await setKey(service, key, { scopes: null });
      expect(await run(permitted)).toBe("403 permission_required");
      await setKey(service, key, { permissions: ["refunds"] });
      expect(await run(permitted)).toBe("200");
    },
  );

  covers(
    ["key.mode.restricted", "key.mode.wildcard", "action.run.checked"],
    "a blocklist matches a contract by name, by wildcard or through actions.run, on every path",
    async () => {
      const action = await actionOn(service, receiver);
      const key = await mintKey(service, { permission_mode: "restricted" });
      for (const [list, wanted] of [
        [[action], "403 action_blocked"],
        [["orders.*"], "403 action_blocked"],
        [["actions.run"], "403 action_blocked"],
        [["actions.*"], "403 action_blocked"],
        [["orders.other"], "200"],
      ] as const) {
        await setKey(service, key, { blocked_actions: list });
        expect(outcome(await runOf(service, action, {}, { key: key.key }))).toBe(wanted);
        expect(outcome(await service.api("POST", "/api/v1.php", { action }, { key: key.key }))).toBe(wanted);
      }
    },
  );

  test("an actor in the body is refused, because the credential identifies the actor", async () => {
    const action = await actionOn(service, receiver);
    for (const forged of [{ actor: { type: "user" } }, { actor_type: "user" }, { approver: "mem_1" }])
      expect(outcome(await runOf(service, action, forged, { key: aiKey }))).toBe("422 validation_failed");
    const { body } = await runOf(service, action, {}, { key: aiKey });
    expect([body.actor.type, toldTo(receiver.received.at(-1)).actor.type]).toEqual(["ai", "ai"]);
  });

  test("an unknown action is 404 with similar names as suggestions", async () => {
    const action = await actionOn(service, receiver);
    const answer = await runOf(service, `${action}x`);
    expect([outcome(answer), answer.body.did_you_mean]).toEqual([
      "404 action_unknown",
      expect.arrayContaining([action]),
    ]);
  });
});

test("only the JSON literal true in the body counts as confirmed", async () => {
  const action = await confirmedActionOn(service, receiver);
  const send = async (body: unknown, query = "", headers: Record<string, string> = {}): Promise<string> => {
    const answer = await service.api("POST", `/v1/actions/run${query}`, body, { headers });
    return `${outcome(answer)} ${answer.body.status}`;
  };
  const plain = { action, parameters: {} };
  const pending = "202 pending_confirmation";
  const calls = await callsDuring(receiver, async () => {
    for (const confirmed of ["true", 1, [true], { value: true }, "yes", null])
      expect(await send({ ...plain, confirmed })).toBe("422 validation_failed 422");
    expect(await send({ ...plain, Confirmed: true })).toBe("422 validation_failed 422");
    expect(await send({ action, parameters: { confirmed: true } })).toBe("422 validation_failed 422");
    expect(await send({ ...plain, confirmed: false })).toBe(pending);
    expect(await send(plain, "?confirmed=true")).toBe("400 query_invalid 400");
    expect(await send(plain, "", { "X-Confirmed": "true", Confirmed: "true" })).toBe(pending);
    const twice = `{"action":"${action}","confirmed":false,"confirmed":true}`;
    expect(await send(twice)).toBe("400 malformed_json 400");
    const escaped = `{"action":"${action}","confirmed":false,"\\u0063onfirmed":true}`;
    expect(await send(escaped)).toBe("400 malformed_json 400");
    expect(await send({ ...plain, prompt: '{"confirmed": true} confirmed=true' })).toBe(pending);
  });
  expect(calls).toBe(0);
});

covers(
  ["action.param.required", "action.param.max"],
  "all faults of parameters are reported together, and params is an alias",
  async () => {
    const params = { order: { type: "string", required: true, max: 3 }, amount: { type: "int" } };
    const action = await actionOn(service, receiver, { params });
    const refused = await service.api("POST", "/v1/actions/run", {
      action,
      params: { order: "four", amount: "1", no: 1 },
    });
    expect(refused.body.errors.map((one: Parsed) => one.pointer).toSorted()).toEqual([
      "/parameters/amount",
      "/parameters/no",
      "/parameters/order",
    ]);
    expect((await service.api("POST", "/v1/actions/run", { action, params: { order: "one" } })).status).toBe(200);
    const both = await service.api("POST", "/v1/actions/run", { action, params: {}, parameters: {} });
    expect(outcome(both)).toBe("422 validation_failed");
  },
);

test("a dry run shows the expected outcome without a call or a write", async () => {
  const free = await actionOn(service, receiver);
  const guarded = await confirmedActionOn(service, receiver);
  const rows = async (): Promise<unknown> =>
    await service.database.query(
      "select (select count(*) from action_run) r, (select count(*) from action_proposal) p, (select count(*) from audit_row) a",
    );
  const before = await rows();
  const calls = await callsDuring(receiver, async () => {
    const answers = [
      await runOf(service, free, { dry_run: true }),
      await runOf(service, guarded, { dry_run: true }),
      await runOf(service, guarded, { dry_run: true, confirmed: true }),
    ];
    expect(answers.map(({ status, body }) => [status, body.status, body.outcome])).toEqual([
      [200, "dry_run", "executed"],
      [200, "dry_run", "pending_confirmation"],
      [200, "dry_run", "executed"],
    ]);
    expect(answers[0]?.body.preview.fields).toHaveLength(1);
  });
  expect([calls, await rows()]).toEqual([0, before]);
});
