import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { canonicalJson, sha256 } from "../../lib/lib.ts";
import { confirmedActionOn, eventsAbout } from "../../testing/actions.ts";
import { uuidOf } from "../../testing/keys.ts";
import { startReceiver } from "../../testing/receiver.ts";
import type { Receiver } from "../../testing/receiver.ts";
import { startService } from "../../testing/service.ts";
import { UNLIMITED } from "../../testing/subscription.ts";
import { makeWorkflow, stepStates } from "../../testing/workflows.ts";
import type { TestWorkflow } from "../../testing/workflows.ts";
import type { ApiAnswer, Parsed, TestService } from "../../testing/test-service.ts";

let service: TestService;
let receiver: Receiver;

beforeAll(async () => {
  [service, receiver] = await Promise.all([startService({ env: UNLIMITED }), startReceiver()]);
  receiver.status(200);
});
afterAll(async () => {
  await service.close();
  await receiver.close();
});

const ask = { id: "ask", type: "wait_approval", approver_roles: ["owner"] };
const yes = { id: "yes", type: "fire_event", event: "decided.yes", next: null };
const no = { id: "no", type: "fire_event", event: "decided.no", data: { state: "${steps.ask.state}" }, next: null };
const late = { id: "late", type: "fire_event", event: "decided.late", next: null };
const ways = { on_approved: "yes", on_rejected: "no", on_expired: "late" };

interface Waiting {
  readonly workflow: TestWorkflow;
  readonly run: string;
  readonly proposal: Parsed;
}

async function waitingOn(workflow: TestWorkflow, data: unknown = {}): Promise<Waiting> {
  const run = await workflow.fire(data);
  const waiting = await workflow.run(run, "waiting");
  const { body } = await service.api("GET", `/v1/proposals/${waiting.steps.at(-1).output.proposal_id}`);
  return { workflow, run, proposal: body };
}

const waiting = async (steps: readonly object[], data: unknown = {}): Promise<Waiting> =>
  await waitingOn(await makeWorkflow(service, steps), data);

async function approve({ proposal }: Waiting, on: TestService = service): Promise<ApiAnswer> {
  return await on.api("POST", `/v1/proposals/${proposal.id}/approve`, { params_hash: proposal.params_hash });
}

async function reject({ proposal }: Waiting): Promise<ApiAnswer> {
  return await service.api("POST", `/v1/proposals/${proposal.id}/reject`, { reason: "no" });
}

async function expire({ proposal }: Waiting): Promise<unknown> {
  const past = "update action_proposal set expires_at = now() - interval '1 second' where id = $1";
  return await service.database.query(past, [uuidOf(proposal.id)]);
}

describe("the proposal of an approval step", () => {
  test("shows the filled texts, the workflow, the run, the step and the trigger", async () => {
    const workflow = await makeWorkflow(service, [
      {
        ...ask,
        title: "Release order ${$.data.order}",
        summary: "For ${$.data.customer.name}, by ${event}",
        fields: [
          { label: "Total", value: "${$.data.total}" },
          { label: "Items", value: "${$.data.items}" },
        ],
      },
    ]);
    const data = '{"order":"ord_1","customer":{"name":"Ada"},"total":12345678901234567890.10,"items":[1,"a"]}';
    await service.api("POST", "/v1/events/fire", `{"event":"${workflow.event}","data":${data}}`);
    const page = await service.until(`/v1/workflows/${workflow.id}/runs`, (body) => body.data[0]?.state === "waiting");
    const run: string = page.data[0].id;
    const { body: started } = await service.api("GET", `/v1/workflows/runs/${run}`);
    const { body: proposal } = await service.api("GET", `/v1/proposals/${started.steps[0].output.proposal_id}`);
    expect(proposal.preview).toMatchObject({
      title: "Release order ord_1",
      summary: `For Ada, by ${workflow.event}`,
      fields: [
        { name: "Total", value: "12345678901234567890.10", masked: false },
        { name: "Items", value: '[1,"a"]' },
      ],
    });
    const origin = {
      id: workflow.id,
      name: "Test",
      version: 1,
      run_id: run,
      step_id: "ask",
      event: { id: started.event_id, type: workflow.event },
    };
    expect(proposal.workflow).toEqual(origin);
    expect(proposal.proposer).toMatchObject({ type: "workflow", id: workflow.id, display: "Test" });
    const list = await service.api("GET", "/v1/proposals?state=proposed&action=workflow.wait_approval");
    expect(list.body.data.find(({ id }: Parsed) => id === proposal.id).workflow).toEqual(origin);
    const events = await service.api("GET", `/v1/events?subject=${proposal.id}`);
    expect(events.body.data[0].data).toMatchObject({
      workflow: origin,
      title: "Release order ord_1",
      fields: [
        { label: "Total", value: "12345678901234567890.10" },
        { label: "Items", value: '[1,"a"]' },
      ],
    });
    const { action, contract_version, parameters, params_hash: hash } = proposal;
    expect(sha256(canonicalJson({ action, contract_version, parameters })).toString("hex")).toBe(hash);
    expect(parameters).toMatchObject({ title: "Release order ord_1", step: "ask" });
    await reject({ workflow, run, proposal });
    expect((await service.api("GET", `/v1/events?subject=${proposal.id}`)).body.data[0].data.workflow).toEqual(origin);
  });

  test("marks missing and empty values, and hides secrets and invisible characters", async () => {
    const value = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U";
    const { proposal } = await waiting(
      [
        {
          ...ask,
          title: "${$.data.name}",
          summary: "Order ${$.data.order.id}${steps.later.x} ${$.data.nothing}",
          fields: [
            { label: "Note", value: "${$.data.password}" },
            { label: "Password", value: "${$.data.word}" },
            { label: "Shape", value: "is ${$.data.shape}!" },
            { label: "Inside", value: "${$.data.inside}" },
            { label: "Hidden", value: "${$.data.hidden}" },
            { label: "Long", value: "${$.data.long}" },
          ],
        },
      ],
      {
        name: "",
        nothing: null,
        password: "hunter22",
        word: "hunter23",
        shape: value,
        inside: { token: "hunter24", n: 1 },
        hidden: "a\u202Eb\nc",
        long: "x".repeat(20_000),
      },
    );
    const { preview } = proposal;
    expect(preview.title).toBe("[empty]");
    expect(preview.summary).toBe("Order [missing: $.data.order.id][missing: $.steps.later.x] null");
    const values = preview.fields.map((field: Parsed) => field.value);
    expect(values[4]).toBe("a\\u{202e}b\\u{000a}c");
    expect(values[5].length).toBeLessThan(540);
    const text = JSON.stringify(proposal);
    for (const secret of ["hunter22", "hunter23", "hunter24", value]) expect(text).not.toContain(secret);
  });

  test("of an action names the workflow too, and keeps the contract's preview", async () => {
    const action = await confirmedActionOn(service, receiver, { surface: ["workflow"] });
    const { proposal, workflow, run } = await waiting([{ id: "do", type: "action", action }]);
    expect(proposal.workflow).toMatchObject({ id: workflow.id, run_id: run, step_id: "do" });
    expect(proposal.preview.title).toBe("Refund an order");
    const events = await service.api("GET", `/v1/events?subject=${proposal.id}`);
    expect(events.body.data[0].data.fields).toBeUndefined();
  });
});

describe("a decision", () => {
  test("leads to its own step, and the run completes", async () => {
    const cases: [(one: Waiting) => Promise<unknown>, string][] = [
      [approve, "yes"],
      [reject, "no"],
      [expire, "late"],
    ];
    const workflow = await makeWorkflow(service, [{ ...ask, ...ways }, yes, no, late]);
    for (const [decide, step] of cases) {
      const one = await waitingOn(workflow);
      await decide(one);
      const run = await workflow.run(one.run, "completed");
      expect(stepStates(run)).toEqual(["ask completed", `${step} completed`]);
    }
    const { data } = (await service.api("GET", "/v1/events?event=decided.no")).body;
    expect(data[0].data).toEqual({ state: "rejected" });
  });

  test("can end the run, and fails it without a way", async () => {
    const ending = await waiting([{ ...ask, on_rejected: null }, yes]);
    await reject(ending);
    expect(stepStates(await ending.workflow.run(ending.run, "completed"))).toEqual(["ask completed"]);
    const failing = await waiting([{ ...ask, on_rejected: "yes" }, yes]);
    await expire(failing);
    expect((await failing.workflow.run(failing.run, "failed")).error).toBe("Step ask failed: The proposal expired.");
    const cancelled = await waiting([{ ...ask, ...ways }, yes, no, late]);
    await service.api("POST", `/v1/proposals/${cancelled.proposal.id}/cancel`);
    await cancelled.workflow.run(cancelled.run, "failed");
  });

  test("about an action leads on, and on_failure takes all other failures", async () => {
    const action = await confirmedActionOn(service, receiver, { surface: ["workflow"] });
    const broken = await confirmedActionOn(service, { url: "http://127.0.0.1:9/" }, { surface: ["workflow"] });
    const step = { id: "ask", type: "action", action };
    const sorry = { id: "sorry", type: "fire_event", event: "decided.sorry", next: null };
    const cases: [object, (one: Waiting) => Promise<unknown>, string[]][] = [
      [{ ...step, ...ways }, approve, ["ask completed", "yes completed"]],
      [{ ...step, ...ways }, reject, ["ask completed", "no completed"]],
      [{ ...step, ...ways, on_failure: "sorry" }, expire, ["ask completed", "late completed"]],
      [{ ...step, on_failure: "sorry" }, reject, ["ask failed", "sorry completed"]],
      [{ ...step, action: broken, on_failure: "sorry" }, approve, ["ask failed", "sorry completed"]],
    ];
    for (const [first, decide, states] of cases) {
      const one = await waiting([first, yes, no, late, sorry]);
      await decide(one);
      expect(stepStates(await one.workflow.run(one.run, "completed"))).toEqual(states);
    }
    const refused = await makeWorkflow(service, [
      { ...step, parameters: { order: "${$.data.order}" }, on_failure: "sorry" },
      sorry,
    ]);
    const run = await refused.run(await refused.fire({ order: 7 }), "completed");
    expect(stepStates(run)).toEqual(["ask failed", "sorry completed"]);
    await service.api("DELETE", `/v1/action-contracts/${broken}`);
  });

  test("counts once if approval, rejection and expiry arrive at the same time", async () => {
    const second = await startService({ on: service, env: UNLIMITED });
    const workflow = await makeWorkflow(service, [{ ...ask, ...ways }, yes, no, late]);
    const all = await Promise.all(Array.from({ length: 8 }, async () => await waitingOn(workflow)));
    await Promise.all(
      all.flatMap((one, at) => [
        approve(one),
        approve(one, second),
        ...(at % 2 === 0
          ? [reject(one)]
          : [expire(one), service.service.actions.sweep(), second.service.actions.sweep()]),
      ]),
    );
    const stepOf: Parsed = { approved: "yes", rejected: "no", expired: "late" };
    for (const { run, proposal } of all) {
      const ended = await workflow.run(run, "completed");
      const { state } = (await service.api("GET", `/v1/proposals/${proposal.id}`)).body;
      expect(stepStates(ended)).toEqual(["ask completed", `${stepOf[state]} completed`]);
      expect(await eventsAbout(service, run)).toEqual([`decided.${stepOf[state]}`]);
    }
    await second.close();
  });

  test("and a cancellation of the run exclude each other", async () => {
    const workflow = await makeWorkflow(service, [{ ...ask, ...ways }, yes, no, late]);
    const all = await Promise.all(Array.from({ length: 6 }, async () => await waitingOn(workflow)));
    const outcomes = await Promise.all(
      all.map(async (one) => {
        const [cancelled, decided] = await Promise.all([
          service.api("POST", `/v1/workflows/runs/${one.run}/cancel`),
          reject(one),
        ]);
        return { ...one, cancelled: cancelled.status, decided: decided.status };
      }),
    );
    for (const { run, decided, cancelled } of outcomes) {
      const ended = await service.until(`/v1/workflows/runs/${run}`, ({ state }) => state !== "running");
      expect(stepStates(ended)[0]).toBe(decided === 200 ? "ask completed" : "ask cancelled");
      expect(ended.state).toBe(cancelled === 200 ? "cancelled" : "completed");
    }
  });

  test("follows the version with which the run started", async () => {
    const workflow = await makeWorkflow(service, [{ ...ask, ...ways }, yes, no, late]);
    const one = await waitingOn(workflow);
    await service.api("PATCH", `/v1/workflows/${workflow.id}`, {
      steps: [
        { ...ask, on_rejected: "other" },
        { ...yes, id: "other" },
      ],
    });
    await reject(one);
    expect(stepStates(await workflow.run(one.run, "completed"))).toEqual(["ask completed", "no completed"]);
  });
});

describe("a definition", () => {
  const faults = async (steps: readonly object[]): Promise<unknown> => {
    const { status, body } = await service.api("POST", "/v1/workflows", {
      name: "N",
      trigger: { event: "a.b" },
      steps,
    });
    return [status, ...(body.errors ?? []).map((one: Parsed) => `${one.pointer} ${one.code}`)];
  };

  test("with an unknown way, two names of one way, or a cycle is refused", async () => {
    expect(await faults([{ ...ask, on_rejected: "none" }])).toEqual([422, "/steps/0/on_rejected step_unknown"]);
    expect(await faults([{ ...ask, on_approved: "yes", next: "yes" }, yes])).toEqual([422, "/steps/0/next conflict"]);
    expect(
      await faults([
        { ...ask, on_expired: "back" },
        { ...yes, id: "back", next: "ask" },
      ]),
    ).toEqual([422, "/steps/1 cycle"]);
    expect(await faults([{ ...ask, on_failure: null }])).toEqual([422, "/steps/0/on_failure unknown_member"]);
    expect(await faults([{ ...yes, on_rejected: null }])).toEqual([422, "/steps/0/on_rejected unknown_member"]);
  });

  test("with a wrong text of an approval is refused at its place", async () => {
    const field = { label: "Total", value: "1" };
    expect(await faults([{ ...ask, title: "${secret.x}" }])).toEqual([422, "/steps/0/title template"]);
    for (const wrong of [{ title: "x".repeat(201) }, { summary: 5 }, { fields: "x" }, { fields: [{ label: "x" }] }])
      expect(await faults([{ ...ask, ...wrong }])).toMatchObject({ length: 2, 0: 422 });
    expect(await faults([{ ...ask, title: " " }])).toEqual([422, "/steps/0/title text"]);
    expect(await faults([{ ...ask, fields: Array.from({ length: 21 }, () => field) }])).toMatchObject({ 0: 422 });
    expect(await faults([{ ...ask, fields: [field, { ...field, label: " " }] }])).toEqual([
      422,
      "/steps/0/fields/1/label text",
    ]);
  });

  test("is tried with the steps of every decision", async () => {
    const workflow = await makeWorkflow(service, [
      { ...ask, ...ways, title: "Order ${$.data.order} of ${$.data.who}" },
      yes,
      no,
      { ...late, next: "no" },
    ]);
    const path = `/v1/workflows/${workflow.id}/test`;
    const { body } = await service.api("POST", path, { event: workflow.event, data: { order: 7 } });
    expect(body.steps.map(({ id, branch }: Parsed) => [id, branch])).toEqual([
      ["ask", null],
      ["yes", null],
      ["no", { step: "ask", way: "on_rejected" }],
      ["late", { step: "ask", way: "on_expired" }],
    ]);
    expect(body.steps[0].output.input.title).toBe("Order 7 of [missing: $.data.who]");
  });
});
