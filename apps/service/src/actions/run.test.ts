import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { covers } from "../../../../requirements/covers.ts";
import { actionOn, auditAbout, confirmedActionOn, eventsAbout, runOf, toldTo } from "../testing/actions.ts";
import { mintKey, setKey } from "../testing/keys.ts";
import { joined, outcome } from "../testing/people.ts";
import { startReceiver } from "../testing/receiver.ts";
import type { Receiver } from "../testing/receiver.ts";
import { startService } from "../testing/service.ts";
import type { ApiAnswer, Parsed, TestService } from "../testing/service.ts";
import { UNLIMITED } from "../testing/subscription.ts";

let service: TestService;
let receiver: Receiver;
let aiKey: string;

beforeAll(async () => {
  [service, receiver] = await Promise.all([startService({ env: UNLIMITED }), startReceiver()]);
  aiKey = (await mintKey(service, { actor_type: "ai", role: "ai" })).key;
});
afterAll(async () => {
  await service.close();
  await receiver.close();
});
afterEach(() => receiver.status(200));

/** How many calls the backend got during the work. */
async function callsDuring(work: () => Promise<unknown>): Promise<number> {
  const before = receiver.received.length;
  await work();
  return receiver.received.length - before;
}

function answersJson(text: string): void {
  receiver.answer((response) => response.writeHead(200, { "Content-Type": "application/json" }).end(text));
}

describe("the table of POST /v1/actions/run", () => {
  covers(
    ["action.run.direct", "action.run.api", "action.state.executed", "audit.row.flag"],
    "what needs no confirmation runs: 200 with the result as the backend spelled it, and an audit row",
    async () => {
      answersJson('{"refund":12345678901234567890}');
      const action = await actionOn(service, receiver);
      const answer = await runOf(service, action);
      expect([answer.status, answer.body.status, answer.body.action]).toEqual([200, "executed", action]);
      expect(answer.text).toContain('"result":{"refund":12345678901234567890}');
      expect(answer.body).toMatchObject({
        id: expect.stringMatching(/^run_/),
        audit_id: expect.stringMatching(/^aud_/),
        reversible: false,
        duration_ms: expect.any(Number),
        proposal_id: null,
        actor: { type: "user", display: "Owner", ip: "127.0.0.1" },
      });
      expect(await auditAbout(service, "run_id", answer.body.id)).toEqual(["run executed"]);
      expect(toldTo(receiver.received.at(-1))).toMatchObject({ action, parameters: { order: "ord_1" } });
    },
  );

  covers(
    ["proposal.preview.card", "proposal.preview.no-effect", "action.run.api"],
    "what needs a confirmation and has none waits: 202 with a preview, and nothing ran",
    async () => {
      const action = await confirmedActionOn(service, receiver, { label: "Refund", risk: "medium" });
      let answer: ApiAnswer | undefined;
      expect(await callsDuring(async () => (answer = await runOf(service, action)))).toBe(0);
      const { proposal, ...rest } = answer?.body ?? {};
      expect([answer?.status, rest]).toEqual([202, { status: "pending_confirmation", action }]);
      expect(proposal).toMatchObject({
        id: expect.stringMatching(/^prop_/),
        state: "proposed",
        params_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
        expires_at: expect.any(String),
        approve_url: `${service.baseUrl}/approvals/${proposal.id}`,
        preview: {
          title: "Refund",
          fields: [{ name: "order", value: "ord_1", masked: false }],
          risk: "medium",
          target_host: new URL(receiver.url).host,
          reversible: false,
        },
      });
      expect(await eventsAbout(service, proposal.id)).toEqual(["action.proposed"]);
      expect(await auditAbout(service, "proposal_id", proposal.id)).toEqual(["proposal proposed"]);
    },
  );

  covers(
    ["proposal.state.approved", "action.event.executed", "action.run.lifecycle"],
    "a person's or a service's confirmation is proposal, approval and execution in one go: 200",
    async () => {
      const action = await confirmedActionOn(service, receiver);
      const { key } = await mintKey(service, { actor_type: "service", role: "operator" });
      for (const by of [service.key, key]) {
        let answer: ApiAnswer | undefined;
        const run = async (): Promise<unknown> =>
          (answer = await runOf(service, action, { confirmed: true }, { key: by }));
        expect(await callsDuring(run)).toBe(1);
        expect([answer?.status, answer?.body.status]).toEqual([200, "executed"]);
        const { id, proposal_id: proposalId } = answer?.body ?? {};
        const { body: proposal } = await service.api("GET", `/v1/proposals/${proposalId}`);
        expect(proposal).toMatchObject({ state: "executed", run_id: id, approvals: [{ kind: "inline" }] });
        expect(await eventsAbout(service, id)).toEqual(["action.executed"]);
        expect(await auditAbout(service, "proposal_id", proposalId)).toEqual(["proposal approved", "run executed"]);
      }
    },
  );

  covers(
    ["proposal.required.high-risk", "proposal.required.destructive"],
    "what is destructive, of high risk, wants four eyes or several people is not confirmed by the call: 202 approval_required",
    async () => {
      const kinds = [
        { destructive: true },
        { risk: "high" },
        { approval: { four_eyes: true } },
        { approval: { required: 2 } },
      ];
      for (const kind of kinds) {
        const action = await confirmedActionOn(service, receiver, kind);
        let answer: ApiAnswer | undefined;
        const run = async (): Promise<unknown> => (answer = await runOf(service, action, { confirmed: true }));
        expect([kind, await callsDuring(run)]).toEqual([kind, 0]);
        const { status, code } = answer?.body ?? {};
        expect([answer?.status, status, code]).toEqual([202, "pending_confirmation", "approval_required"]);
      }
    },
  );

  test("a workspace can ask that no call confirms itself", async () => {
    const action = await confirmedActionOn(service, receiver);
    const set = async (inline: boolean): Promise<unknown> =>
      await service.api("PATCH", "/v1/workspaces/current", { settings: { inline_confirmation: inline } });
    await set(false);
    const answer = await runOf(service, action, { confirmed: true });
    await set(true);
    expect([answer.status, answer.body.code]).toEqual([202, "approval_required"]);
  });

  covers(
    ["assistant.actions.no-destructive", "proposal.preview.no-effect"],
    "an AI's confirmation is not one: 202 with the reason, audited, and nothing runs",
    async () => {
      const action = await confirmedActionOn(service, receiver);
      const surfaces = await confirmedActionOn(service, receiver, { surface: ["api", "mcp", "assistant"] });
      const cases: [string, Record<string, unknown>, string][] = [
        [action, {}, aiKey],
        [surfaces, { surface: "mcp" }, service.key],
        [surfaces, { surface: "assistant" }, service.key],
      ];
      for (const [key, more, by] of cases) {
        let answer: ApiAnswer | undefined;
        const run = async (): Promise<unknown> =>
          (answer = await runOf(service, key, { ...more, confirmed: true }, { key: by }));
        expect(await callsDuring(run)).toBe(0);
        expect(answer?.status).toBe(202);
        expect(answer?.body).toMatchObject({
          status: "pending_confirmation",
          confirmation: { accepted: false, reason: "actor_is_ai" },
        });
        expect(await auditAbout(service, "proposal_id", answer?.body.proposal.id)).toEqual([
          "proposal proposed",
          "proposal refused actor_is_ai",
        ]);
      }
    },
  );

  test("what needs no confirmation runs for an AI too; the assistant only ever proposes", async () => {
    const action = await actionOn(service, receiver, { surface: ["api", "assistant"] });
    expect((await runOf(service, action, {}, { key: aiKey })).body.status).toBe("executed");
    const proposed = await runOf(service, action, { surface: "assistant" });
    expect([proposed.status, proposed.body.status]).toEqual([202, "pending_confirmation"]);
  });

  covers(
    "target.action.redirect",
    "a backend that fails is 502 or 504 with the failed execution, an event and an audit row",
    async () => {
      const cases: [string, Record<string, unknown>, () => void][] = [
        ["502 action_endpoint_failed", {}, () => receiver.status(500)],
        ["502 action_endpoint_redirect", {}, () => receiver.status(302, { Location: receiver.url })],
        ["504 action_endpoint_timeout", { timeout_ms: 200 }, () => receiver.answer(() => undefined)],
        ["504 action_endpoint_timeout", { timeout_ms: 300 }, endless],
      ];
      for (const [wanted, more, prepare] of cases) {
        const action = await actionOn(service, receiver, more);
        prepare();
        let answer: ApiAnswer | undefined;
        expect(await callsDuring(async () => (answer = await runOf(service, action)))).toBe(1);
        const { execution, code } = answer?.body ?? {};
        expect([wanted, `${answer?.status} ${code}`, execution.status]).toEqual([wanted, wanted, "failed"]);
        expect(await auditAbout(service, "run_id", execution.id)).toEqual([`run failed ${code}`]);
        expect(await eventsAbout(service, execution.id)).toEqual(["action.failed"]);
        const { body: run } = await service.api("GET", `/v1/runs/${execution.id}`);
        expect([run.status, run.error.code]).toEqual(["failed", code]);
      }
    },
  );
});

/** A body that never ends. */
function endless(): void {
  receiver.answer((response) => {
    response.writeHead(200);
    const drip = setInterval(() => response.write(" "), 20);
    response.on("close", () => clearInterval(drip));
  });
}

describe("who may run it, from where", () => {
  covers("action.roles.enforced", "only the roles of the contract; a refusal is audited", async () => {
    const action = await actionOn(service, receiver, { roles: ["admin"] });
    const { key } = await mintKey(service, { role: "operator" });
    expect(outcome(await runOf(service, action, {}, { key }))).toBe("403 role_not_allowed");
    const [row] = await service.database.query(
      "select status, error_code from audit_row where action = $1 order by seq desc",
      [action],
    );
    expect(row).toEqual({ status: "refused", error_code: "role_not_allowed" });
  });

  covers("action.surface.enforced", "only the surfaces of the contract; a body may only narrow it", async () => {
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
  });

  covers(
    ["action.scope.gates", "action.permission.operator"],
    "the scope and the operator permission that the contract names",
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
    "a restricted list blocks a contract by its name, by a wildcard, and all of them by actions.run, on every way",
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

  test("an actor in the body is nobody: the credential says who acts", async () => {
    const action = await actionOn(service, receiver);
    for (const forged of [{ actor: { type: "user" } }, { actor_type: "user" }, { approver: "mem_1" }])
      expect(outcome(await runOf(service, action, forged, { key: aiKey }))).toBe("422 validation_failed");
    const { body } = await runOf(service, action, {}, { key: aiKey });
    expect([body.actor.type, toldTo(receiver.received.at(-1)).actor.type]).toEqual(["ai", "ai"]);
  });

  test("an unknown action is 404 with the names that may have been meant", async () => {
    const action = await actionOn(service, receiver);
    const answer = await runOf(service, `${action}x`);
    expect([outcome(answer), answer.body.did_you_mean]).toEqual([
      "404 action_unknown",
      expect.arrayContaining([action]),
    ]);
  });
});

test("confirmed is the JSON literal true in the body, and nothing that looks like it", async () => {
  const action = await confirmedActionOn(service, receiver);
  const send = async (body: unknown, query = "", headers: Record<string, string> = {}): Promise<string> => {
    const answer = await service.api("POST", `/v1/actions/run${query}`, body, { headers });
    return `${outcome(answer)} ${answer.body.status}`;
  };
  const plain = { action, parameters: {} };
  const pending = "202 pending_confirmation";
  const calls = await callsDuring(async () => {
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
  "parameters are refused all at once, and params is another name of them",
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

test("a dry run shows what would come of it, and neither calls nor writes anything", async () => {
  const free = await actionOn(service, receiver);
  const guarded = await confirmedActionOn(service, receiver);
  const rows = async (): Promise<unknown> =>
    await service.database.query(
      "select (select count(*) from action_run) r, (select count(*) from action_proposal) p, (select count(*) from audit_row) a",
    );
  const before = await rows();
  const calls = await callsDuring(async () => {
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

describe("in the sandbox", () => {
  test("a run goes to the sandbox endpoint, and without one it is simulated", async () => {
    const box = await startReceiver();
    const here = await actionOn(service, receiver, { sandbox_endpoint: box.url });
    const nowhere = await actionOn(service, receiver);
    const calls = await callsDuring(async () => {
      const real = await runOf(service, here, {}, { key: service.sandboxKey });
      expect([real.body.status, real.body.simulated, real.body.environment]).toEqual(["executed", false, "sandbox"]);
      const simulated = await runOf(service, nowhere, {}, { key: service.sandboxKey });
      expect([simulated.body.status, simulated.body.simulated]).toEqual(["executed", true]);
      expect(outcome(await service.api("GET", `/v1/runs/${simulated.body.id}`))).toBe("403 environment_mismatch");
    });
    expect([calls, box.received.length]).toEqual([0, 1]);
    await box.close();
  });
});

test("an async contract answers 202 with its run, which tells how it ends", async () => {
  const action = await confirmedActionOn(service, receiver, { delivery: "async" });
  let letGo = (): void => undefined;
  const held = new Promise<void>((resolve) => (letGo = resolve));
  receiver.answer((response) => void held.then(() => response.writeHead(200).end("{}")));
  const answer = await runOf(service, action, { confirmed: true });
  expect([answer.status, answer.body.status]).toEqual([202, "executing"]);
  letGo();
  const ended = await service.until(`/v1/runs/${answer.body.id}`, (run) => run.status !== "executing");
  expect([ended.status, ended.audit_id]).toEqual(["executed", expect.stringMatching(/^aud_/)]);
});

describe("idempotency", () => {
  covers(
    "idempotency.op.actions-run",
    "the same key is the same answer, byte for byte, and one call, whatever the outcome",
    async () => {
      const cases: [() => void, number, boolean][] = [
        [() => receiver.status(200), 200, true],
        [() => receiver.status(500), 502, true],
        [() => receiver.status(200), 202, false],
      ];
      for (const [prepare, status, confirmed] of cases) {
        const action = await confirmedActionOn(service, receiver);
        prepare();
        const headers = { "Idempotency-Key": `same-${action}` };
        const calls = await callsDuring(async () => {
          const first = await runOf(service, action, { confirmed }, { headers });
          const again = await runOf(service, action, { confirmed }, { headers });
          expect([first.status, again.status, again.text === first.text]).toEqual([status, status, true]);
          expect([first.headers.get("idempotent-replayed"), again.headers.get("idempotent-replayed")]).toEqual([
            null,
            "true",
          ]);
        });
        expect(calls).toBe(status === 202 ? 0 : 1);
        const other = await runOf(service, action, { confirmed: !confirmed }, { headers });
        expect(outcome(other)).toBe("422 idempotency_key_reused");
      }
    },
  );

  test("while the first call is under way a copy is told to come again; a refused target lets the key go", async () => {
    const action = await actionOn(service, receiver);
    let letGo = (): void => undefined;
    const held = new Promise<void>((resolve) => (letGo = resolve));
    receiver.answer((response) => void held.then(() => response.writeHead(200).end()));
    const headers = { "Idempotency-Key": `slow-${action}` };
    const seen = receiver.received.length;
    const first = runOf(service, action, {}, { headers });
    await receiver.count(seen + 1);
    expect(outcome(await runOf(service, action, {}, { headers }))).toBe("409 idempotency_in_progress");
    letGo();
    expect((await runOf(service, action, {}, { headers })).text).toBe((await first).text);
  });

  test("over the General API a contract is called by its key, flat or nested, in its envelope, replays too", async () => {
    answersJson('{"refund":1e400}');
    const action = await confirmedActionOn(service, receiver);
    const flat = { action, confirmed: true, order: "ord_9" };
    const nested = { action, confirmed: true, parameters: { order: "ord_9" } };
    for (const [at, body] of [flat, nested].entries()) {
      const headers = { "Idempotency-Key": `general-${action}-${at}` };
      const first = await service.api("POST", "/api/v1.php", body, { headers });
      const again = await service.api("POST", "/api/v1.php", body, { headers });
      expect([first.status, first.body.ok, first.body.action, first.body.result.status]).toEqual([
        200,
        true,
        action,
        "executed",
      ]);
      expect(first.text).toContain('"result":{"refund":1e400}');
      expect(again.text).toBe(first.text);
      expect(toldTo(receiver.received.at(-1)).parameters).toEqual({ order: "ord_9" });
    }
    receiver.status(500);
    const failed = await service.api("POST", "/api/v1.php", nested);
    expect([failed.status, failed.body.ok, failed.body.execution.status]).toEqual([502, false, "failed"]);
  });
});

test("200 runs at once are 200 calls and 200 answers of their own", async () => {
  receiver.answer((response, { body }) => response.writeHead(200).end(JSON.parse(body).parameters.order));
  const action = await actionOn(service, receiver);
  const calls = await callsDuring(async () => {
    const answers = await Promise.all(
      Array.from({ length: 200 }, async (_, at) => await runOf(service, action, { parameters: { order: `"${at}"` } })),
    );
    expect(answers.map(({ body }) => body.result)).toEqual(answers.map((_, at) => String(at)));
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(200);
  });
  expect(calls).toBe(200);
  const { body } = await service.api("GET", `/v1/runs?action=${action}&limit=100`);
  const { body: rest } = await service.api("GET", `/v1/runs?action=${action}&limit=100&cursor=${body.next_cursor}`);
  expect([body.data.length, rest.data.length, rest.has_more]).toEqual([100, 100, false]);
  const verified = await service.database.query("select count(*)::int as n, max(seq)::int as last from audit_row");
  expect(verified[0]?.["n"]).toBe(verified[0]?.["last"]);
});
