import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { covers } from "../../../../../requirements/covers.ts";
import { actionOn, auditAbout, confirmedActionOn, eventsAbout, toldTo } from "../../testing/actions.ts";
import { mintKey, setKey, uuidOf } from "../../testing/keys.ts";
import { startReceiver } from "../../testing/receiver.ts";
import type { Receiver } from "../../testing/receiver.ts";
import { freshEvent, ruleOn, runsOf } from "../../testing/rules.ts";
import { startService } from "../../testing/service.ts";
import { UNLIMITED } from "../../testing/subscription.ts";
import { makeWorkflow } from "../../testing/workflows.ts";
import type { Parsed, TestService } from "../../testing/test-service.ts";

const SURFACES = { surface: ["api", "rule", "workflow"] };

let service: TestService;
let receiver: Receiver;

beforeAll(async () => {
  [service, receiver] = await Promise.all([startService({ env: UNLIMITED }), startReceiver()]);
  receiver.answer((response) => response.writeHead(200).end('{"done":1}'));
});
afterAll(async () => {
  await service.close();
  await receiver.close();
});

function running(action: string, parameters: object = { order: "${data.order}" }): object {
  return { type: "run_action", action, parameters };
}

async function approve(proposal: string): Promise<Parsed> {
  const { body } = await service.api("GET", `/v1/proposals/${proposal}`);
  return (await service.api("POST", `/v1/proposals/${proposal}/approve`, { params_hash: body.params_hash })).body;
}

describe("a rule", () => {
  test("runs an action as itself, with the values of its event", async () => {
    const action = await actionOn(service, receiver, SURFACES);
    const on = freshEvent();
    const rule = await ruleOn(service, { on: [on], then: [running(action)] });
    await service.fire(on, { order: "ord_7" });
    const [run] = await runsOf(service, rule);
    expect(run.actions[0]).toMatchObject({ type: "run_action", status: "done", result_status: "executed" });
    const { body } = await service.api("GET", `/v1/runs/${run.actions[0].action_run_id}`);
    expect(body).toMatchObject({ surface: "rule", actor: { type: "rule", id: rule }, status: "executed" });
    expect(toldTo(receiver.received.at(-1))).toMatchObject({
      action,
      parameters: { order: "ord_7" },
      actor: { type: "rule", id: rule },
    });
  });

  test("proposes confirmed actions, which its author may approve unless second-person approval forbids it", async () => {
    const on = freshEvent();
    const plain = await confirmedActionOn(service, receiver, SURFACES);
    const strict = await confirmedActionOn(service, receiver, { ...SURFACES, destructive: true });
    const rule = await ruleOn(service, { on: [on], then: [running(plain), running(strict)] });
    await service.fire(on, { order: "ord_7" });
    const [run] = await runsOf(service, rule);
    const [first, second] = run.actions;
    expect([first.result_status, second.result_status]).toEqual(["pending_confirmation", "pending_confirmation"]);
    expect((await approve(first.proposal_id)).state).toBe("executed");
    expect((await approve(second.proposal_id)).code).toBe("self_approval_forbidden");
  });

  test("acts with its author's current rights, or as an AI if one wrote it", async () => {
    const on = freshEvent();
    const humans = await actionOn(service, receiver, { ...SURFACES, roles: ["owner", "admin", "developer"] });
    const author = await mintKey(service, { role: "developer" });
    const rule = await ruleOn(service, { on: [on], then: [running(humans)] }, author.key);
    await setKey(service, author, { blocked_actions: ["orders.*"], permission_mode: "restricted" });
    await service.fire(on, { order: "ord_7" });
    const [refused] = await runsOf(service, rule);
    expect(refused.actions[0]).toMatchObject({ status: "failed", reason_code: "action_blocked" });
    await setKey(service, author, { blocked_actions: [], actor_type: "ai" });
    const guarded = await confirmedActionOn(service, receiver, SURFACES);
    const second = await ruleOn(service, { on: [on], then: [running(guarded)] }, author.key);
    await service.fire(on, { order: "ord_7" });
    const [asked] = await runsOf(service, second);
    expect(asked.actions[0]).toMatchObject({ status: "done", result_status: "pending_confirmation" });
  });

  test("ends if its action's event triggers it again, and so do two mutual rules", async () => {
    const one = await actionOn(service, receiver, SURFACES);
    const two = await actionOn(service, receiver, SURFACES);
    const on = freshEvent();
    const rules: string[] = [];
    // Each executed action triggers both rules: the first, the second, and the first again.
    for (const action of [one, two])
      rules.push(await ruleOn(service, { on: [on, "action.executed"], then: [running(action, { order: "loop" })] }));
    await service.fire(on, {});
    const [first, second] = [await runsOf(service, rules[0] ?? "", 3), await runsOf(service, rules[1] ?? "", 3)];
    for (const runs of [first, second]) {
      expect(runs[0]?.status).toBe("ok");
      expect(runs.slice(1).every(({ status }) => status === "skipped" || status === "ok")).toBe(true);
    }
    const calls = (): number =>
      receiver.received.filter(({ body }) => JSON.parse(body).parameters.order === "loop").length;
    // Each rule runs once for the event, and once for the action of the other rule.
    expect(calls()).toBeLessThanOrEqual(4);
    for (const rule of rules) await service.api("DELETE", `/v1/rules/${rule}`);
  });

  test("cannot be saved with an unknown or closed action, or an unknown parameter", async () => {
    const elsewhere = await actionOn(service, receiver);
    const here = await actionOn(service, receiver, SURFACES);
    const faults = async (then: object): Promise<string[]> => {
      const answer = await service.api("POST", "/v1/rules", { name: "R", on: ["a.b"], then: [then] });
      return [String(answer.status), ...(answer.body.errors ?? []).map((one: Parsed) => one.pointer)];
    };
    expect(await faults(running("no.such"))).toEqual(["422", "/then/0/action"]);
    expect(await faults(running(elsewhere))).toEqual(["422", "/then/0/action"]);
    expect(await faults(running(here, { no: 1 }))).toEqual(["422", "/then/0/parameters/no"]);
    expect(await faults(running(here))).toEqual(["201"]);
  });

  covers("rule.approve.action", "approves only if an owner named it in the contract", async () => {
    const name = `approver ${freshEvent()}`;
    const named = await confirmedActionOn(service, receiver, { approval: { allow_rule: [name] } });
    const unnamed = await confirmedActionOn(service, receiver);
    const parameters = { proposal_id: "${data.proposal_id}" };
    const then = [{ type: "run_action", action: "proposals.approve", parameters }];
    const rule = await ruleOn(service, { name, on: ["action.proposed"], then });
    const impostor = await mintKey(service, { role: "developer" });
    const same = await ruleOn(service, { name, on: ["action.proposed"], then }, impostor.key);
    const propose = async (action: string): Promise<string> =>
      (await service.api("POST", "/v1/actions/run", { action, parameters: {} }, { key: (await mintKey(service)).key }))
        .body.proposal.id;
    const first = await propose(named);
    const second = await propose(unnamed);
    const runs = await runsOf(service, rule, 2);
    const outcomes = new Map(runs.map((run) => [run.actions[0].proposal_id ?? "none", run.actions[0]]));
    expect(outcomes.get(first)).toMatchObject({ status: "done", result_status: "executed" });
    expect(runs.map((run) => run.actions[0].reason_code)).toContain("human_approval_required");
    const approved = await service.api("GET", `/v1/proposals/${first}`);
    expect(approved.body.approvals[0].by).toMatchObject({ type: "rule", id: rule });
    expect((await service.api("GET", `/v1/proposals/${second}`)).body.state).toBe("proposed");
    const forged = await runsOf(service, same, 2);
    expect(forged.map((run) => run.actions[0].reason_code).toSorted()).toEqual([
      "human_approval_required",
      "human_approval_required",
    ]);
    for (const one of [rule, same]) await service.api("DELETE", `/v1/rules/${one}`);
  });
});

describe("a workflow", () => {
  test("runs an action as itself and continues with the outcome", async () => {
    const action = await actionOn(service, receiver, SURFACES);
    const said = freshEvent();
    const workflow = await makeWorkflow(service, [
      { id: "do", type: "action", action, parameters: { order: "${data.order}" } },
      { id: "say", type: "fire_event", event: said, data: { status: "${steps.do.status}" } },
    ]);
    const run = await workflow.run(await workflow.fire({ order: "ord_5" }), "completed");
    const [did, told] = run.steps;
    expect(did.output).toMatchObject({
      object: "run",
      status: "executed",
      actor: { type: "workflow", id: workflow.id },
    });
    const event = await service.api("GET", `/v1/events/${told.output.event_id}`);
    expect(event.body.data).toEqual({ status: "executed" });
  });

  test("fails if the backend fails, and if its action is closed to workflows", async () => {
    const failing = await actionOn(service, { url: "http://127.0.0.1:9/" }, SURFACES);
    const workflow = await makeWorkflow(service, [{ id: "do", type: "action", action: failing, parameters: {} }]);
    const run = await workflow.run(await workflow.fire({}), "failed");
    expect(run.error).toContain("do");
  });

  test("waits for approval of an action or a step, and follows the decision", async () => {
    const action = await confirmedActionOn(service, receiver, SURFACES);
    const cases: [object, (id: string) => Promise<unknown>, string][] = [
      [{ type: "action", action, parameters: {} }, approve, "completed"],
      [{ type: "wait_approval", approver_roles: ["owner"] }, approve, "completed"],
      [{ type: "wait_approval", approver_roles: ["owner"] }, reject, "failed"],
      [{ type: "action", action, parameters: {} }, reject, "failed"],
    ];
    for (const [step, decide, wanted] of cases) {
      const workflow = await makeWorkflow(service, [{ id: "ask", ...step }]);
      const waiting = await workflow.run(await workflow.fire({}), "waiting");
      const id = waiting.steps[0].output.proposal_id;
      expect(await eventsAbout(service, id)).toEqual(["action.proposed"]);
      await decide(id);
      await workflow.run(waiting.id, wanted);
    }
  });

  test("ends its queued action with audit entry and event when it is cancelled", async () => {
    const slow = await startReceiver();
    slow.answer(() => undefined);
    const action = await actionOn(service, slow, SURFACES);
    const silent = await actionOn(service, slow, { ...SURFACES, audit: false });
    const cancelled = async (key: string): Promise<Parsed> => {
      const workflow = await makeWorkflow(service, [{ id: "do", type: "action", action: key, parameters: {} }]);
      const waiting = await workflow.run(await workflow.fire({}), "waiting");
      const id: string = waiting.steps[0].output.action_run_id;
      await service.until(`/v1/runs/${id}`, (body) => body.status === "executing");
      const requeue = "update action_run set status = 'queued', lease_id = null, due_at = now() + interval '1 hour'";
      await service.database.query(`${requeue} where id = $1`, [uuidOf(id)]);
      expect((await service.api("POST", `/v1/workflows/runs/${waiting.id}/cancel`)).status).toBe(200);
      return (await service.api("GET", `/v1/runs/${id}`)).body;
    };
    const run = await cancelled(action);
    expect(run).toMatchObject({ status: "failed", error: { code: "cancelled" }, audit_id: expect.any(String) });
    expect(await auditAbout(service, "run_id", run.id)).toEqual(["run failed cancelled"]);
    expect(await eventsAbout(service, run.id)).toEqual(["action.failed"]);
    const unaudited = await cancelled(silent);
    expect(unaudited.audit_id).toBe(null);
    expect(await auditAbout(service, "run_id", unaudited.id)).toEqual([]);
    await slow.close();
  });

  test("cancels its open proposal when it is cancelled", async () => {
    const workflow = await makeWorkflow(service, [{ id: "ask", type: "wait_approval", approver_roles: ["owner"] }]);
    const waiting = await workflow.run(await workflow.fire({}), "waiting");
    await service.api("POST", `/v1/workflows/runs/${waiting.id}/cancel`);
    const { body } = await service.api("GET", `/v1/proposals/${waiting.steps[0].output.proposal_id}`);
    expect(body.state).toBe("cancelled");
  });
});

async function reject(id: string): Promise<unknown> {
  return await service.api("POST", `/v1/proposals/${id}/reject`, { reason: "no" });
}
