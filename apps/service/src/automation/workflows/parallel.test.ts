import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bucketOf } from "../../lib/lib.ts";
import { createMaintenance } from "../../platform/db/db.ts";
import { tagOfId } from "../../testing/keys.ts";
import type { Receiver } from "../../testing/receiver.ts";
import { UNLIMITED } from "../../testing/subscription.ts";
import { makeWorkflow, stepStates } from "../../testing/workflows.ts";
import type { Parsed, TestService } from "../../testing/test-service.ts";
import { startWithReceiver } from "../../testing/with-receiver.ts";

let service: TestService;
let receiver: Receiver;
let close: () => Promise<void>;
beforeAll(async () => {
  ({ service, receiver, close } = await startWithReceiver(UNLIMITED));
});
afterAll(async () => await close());

const quiet = { info: () => undefined, warn: (fields: object) => expect(fields).toBeUndefined() };
const set = (id: string, more: object = {}): object => ({ id, type: "set", values: { id }, ...more });
const ask = (id: string): object => ({ id, type: "wait_approval", approver_roles: ["owner"] });

async function show(id: string): Promise<Parsed> {
  return (await service.api("GET", `/v1/workflows/runs/${id}`)).body;
}

async function faults(steps: readonly object[]): Promise<Parsed> {
  const body = { name: "Refused", trigger: { event: "parallel.refused" }, steps };
  const answer = await service.api("POST", "/v1/workflows", body);
  return [answer.status, ...(answer.body.errors ?? []).map(({ pointer, code }: Parsed) => `${pointer} ${code}`)];
}

describe("parallel branches", () => {
  test("all run, and the next step reads what each did", async () => {
    const workflow = await makeWorkflow(service, [
      {
        id: "both",
        type: "parallel",
        branches: [
          [set("a"), set("b")],
          [set("c", { next: null }), set("d")],
        ],
      },
      set("after", { values: { c: "${steps.both.branches[1].c.id}" } }),
    ]);
    const run = await workflow.run(await workflow.fire(), "completed");
    expect(run.steps[0].output).toEqual({
      branches: [{ a: { id: "a" }, b: { id: "b" } }, { c: { id: "c" } }],
      count: 2,
      completed: 2,
      failed: 0,
      failures: [],
    });
    expect(run.steps[1].output).toEqual({ c: "c" });
    expect(run.children).toMatchObject([
      { parent_step: "both", index: 0, state: "completed" },
      { parent_step: "both", index: 1, state: "completed" },
    ]);
  });

  test("wait for webhooks, events, delays and approvals at the same time", async () => {
    const workflow = await makeWorkflow(service, [
      {
        id: "all",
        type: "parallel",
        branches: [
          [{ id: "hook", type: "webhook", url: receiver.url }],
          [{ id: "pause", type: "delay", seconds: 1 }],
          [{ id: "wait", type: "wait_event", event: "parallel.go", timeout_seconds: 60 }],
          [ask("ask"), set("asked", { values: { state: "${steps.ask.state}" } })],
        ],
      },
    ]);
    const id = await workflow.fire();
    const states = async (): Promise<Parsed> => (await show(id)).children.map((child: Parsed) => child.state);
    await expect.poll(states, { timeout: 20_000 }).toEqual(["completed", "completed", "waiting", "waiting"]);
    const child = (await show(id)).children[3];
    const [step] = (await show(child.id)).steps;
    const { body: proposal } = await service.api("GET", `/v1/proposals/${step.output.proposal_id}`);
    expect(proposal.workflow).toMatchObject({ id: workflow.id, run_id: child.id, step_id: "ask" });
    await service.api("POST", `/v1/proposals/${proposal.id}/approve`, { params_hash: proposal.params_hash });
    await service.fire("parallel.go");
    const run = await workflow.run(id, "completed");
    expect(run.steps[0].output.branches[3].asked).toEqual({ state: "approved" });
  });

  test("fail the step when all have ended, or continue at on_failure", async () => {
    const bad = {
      id: "bad",
      type: "wait_event",
      event: "x.y",
      timeout_seconds: 9,
      match: { field: "data.a", op: "eq", value: "${$.data.none}" },
    };
    const both = { id: "both", type: "parallel", branches: [[bad], [set("ok")]] };
    const error = "Step both failed: Branch 0 failed: Step bad failed: The match needs a value for $.data.none.";
    const failing = await makeWorkflow(service, [both]);
    const failed = await failing.run(await failing.fire(), "failed");
    expect([failed.error, failed.children.map((one: Parsed) => one.state)]).toEqual([error, ["failed", "completed"]]);
    const going = await makeWorkflow(service, [{ ...both, on_failure: "sorry" }, set("sorry")]);
    expect(stepStates(await going.run(await going.fire(), "completed"))).toEqual(["both failed", "sorry completed"]);
  });

  test("continue with their run when a failed delivery is replayed", async () => {
    receiver.status(410);
    const workflow = await makeWorkflow(service, [
      {
        id: "both",
        type: "parallel",
        branches: [[{ id: "hook", type: "webhook", url: receiver.url }, set("then")], [set("ok")]],
      },
      set("after"),
    ]);
    const failed = await workflow.run(await workflow.fire(), "failed");
    receiver.status(200);
    const [{ output }] = (await show(failed.children[0].id)).steps;
    await service.api("POST", `/v1/deliveries/${output.delivery_id}/replay`);
    const run = await workflow.run(failed.id, "completed");
    expect(stepStates(run)).toEqual(["both completed", "after completed"]);
    expect(run.error).toBeNull();
  });

  test("are cancelled with their run, and their approvals too", async () => {
    const workflow = await makeWorkflow(service, [
      {
        id: "both",
        type: "parallel",
        branches: [[ask("one")], [ask("two")], [{ id: "pause", type: "delay", seconds: 3600 }]],
      },
    ]);
    const id = await workflow.fire();
    await expect
      .poll(async () => (await show(id)).children.map((one: Parsed) => one.state))
      .toEqual(["waiting", "waiting", "waiting"]);
    const { children } = await show(id);
    const proposals = await Promise.all(
      children.slice(0, 2).map(async (one: Parsed) => (await show(one.id)).steps[0].output.proposal_id),
    );
    expect((await service.api("POST", `/v1/workflows/runs/${id}/cancel`)).status).toBe(200);
    const run = await show(id);
    expect([run.state, run.children.map((one: Parsed) => one.state)]).toEqual([
      "cancelled",
      ["cancelled", "cancelled", "cancelled"],
    ]);
    for (const proposal of proposals)
      expect((await service.api("GET", `/v1/proposals/${proposal}`)).body.state).not.toBe("proposed");
    const due = "select 1 from workflow_run where due_at is not null";
    await expect.poll(async () => await service.database.query(due)).toEqual([]);
  });

  test("are erased with the contact of their run", async () => {
    const email = "canary-parallel@example.com";
    const { id: contactId } = (await service.api("POST", "/v1/contacts", { email })).body;
    const customer = { id: "mine", type: "set", values: { email: "${item}" } };
    const workflow = await makeWorkflow(service, [
      { id: "loop", type: "for_each", in: ["${$.data.customer.email}", "two"], steps: [customer, ask("ask")] },
    ]);
    const id = await workflow.fire({ customer: { email } });
    await expect.poll(async () => (await show(id)).children[0]?.step).toBe("ask");
    const exported = (await service.api("GET", `/v1/contacts/${contactId}/export`)).body;
    expect(exported.workflow_runs).toMatchObject([{ id }, { item: { value: email } }, { item: { value: "two" } }]);
    expect((await service.api("DELETE", `/v1/contacts/${contactId}`)).status).toBe(204);
    const run = await show(id);
    expect([run.state, run.children.map((one: Parsed) => one.state)]).toEqual([
      "cancelled",
      ["cancelled", "cancelled"],
    ]);
    const left = await service.database.query(
      "select r::text from workflow_run r where r::text like '%canary-parallel%' union all select s::text from workflow_step s where s::text like '%canary-parallel%'",
    );
    expect(left).toEqual([]);
  });

  test("are deleted with their run, not before it", async () => {
    const workflow = await makeWorkflow(service, [
      { id: "both", type: "parallel", branches: [[set("a")], [ask("ask")]] },
    ]);
    const id = await workflow.fire();
    await expect
      .poll(async () => (await show(id)).children.map((one: Parsed) => one.state))
      .toEqual(["completed", "waiting"]);
    const age = async (): Promise<void> => {
      const old =
        "update workflow_run set ended_at = now() - interval '400 days' where bucket = $1 and ended_at is not null";
      await service.database.query(old, [bucketOf(tagOfId(id))]);
    };
    await age();
    const forget = async (): Promise<void> => {
      const maintenance = createMaintenance({ db: service.service.db, log: quiet, retentionDays: 30 });
      await maintenance.start();
      await maintenance.stop();
    };
    await forget();
    expect((await show(id)).children).toHaveLength(2);
    await service.api("POST", `/v1/workflows/runs/${id}/cancel`);
    await age();
    for (let pass = 0; pass < 2; pass += 1) await forget();
    expect(
      await service.database.query(
        "select 1 from workflow_run where parent_id is not null and ended_at < now() - interval '30 days'",
      ),
    ).toEqual([]);
    expect((await service.api("GET", `/v1/workflows/runs/${id}`)).status).toBe(404);
  });
});

describe("nested steps", () => {
  const both = (...branches: object[][]): object => ({ id: "both", type: "parallel", branches });
  const loop = (steps: object[], more: object = {}): object => ({
    id: "loop",
    type: "for_each",
    in: [1],
    steps,
    ...more,
  });

  test.each<[string, object[], string[]]>([
    ["an id of another list", [both([set("a")], [set("a")])], ["/steps/0/branches/1/0/id duplicate"]],
    [
      "a way out of the branch",
      [both([set("a", { next: "out" })]), set("out")],
      ["/steps/0/branches/0/0/next step_unknown"],
    ],
    ["a way into a branch", [set("a", { next: "b" }), both([set("b")])], ["/steps/0/next step_unknown"]],
    [
      "an unknown decision's way",
      [loop([{ ...ask("ask"), on_rejected: "out" }]), set("out")],
      ["/steps/0/steps/0/on_rejected step_unknown"],
    ],
    ["an item outside a loop", [set("a", { values: { x: "${item}" } })], ["/steps/0/values/x template"]],
    ["a text that is no token", [loop([set("a")], { in: "a ${$.data.x}" })], ["/steps/0/in type"]],
    ["a number as list", [loop([set("a")], { in: 5 })], ["/steps/0/in type"]],
    ["a list with more than max items", [loop([set("a")], { in: [1, 2, 3], max: 2 })], ["/steps/0/in too_many"]],
    ["a cycle in a branch", [both([set("a"), set("b", { next: "a" })])], ["/steps/0/branches/0/1 cycle"]],
    [
      "an unknown action",
      [loop([{ id: "act", type: "action", action: "no.such" }])],
      ["/steps/0/steps/0/action action_unknown"],
    ],
  ])("with %s are refused: 422", async (_name, steps, expected) => {
    expect(await faults(steps)).toEqual([422, ...expected]);
  });

  test.each<[string, object[]]>([
    ["inside another", [both([loop([set("a")])])]],
    ["with a private address", [both([{ id: "hook", type: "webhook", url: "http://10.0.0.1/" }])]],
    ["without steps", [both([])]],
    ["without branches", [both()]],
    ["with 11 branches", [both(...Array.from({ length: 11 }, (_, at) => [set(`s${at}`)]))]],
    ["with a max of 1 001", [loop([set("a")], { max: 1001 })]],
    ["with a concurrency of 11", [loop([set("a")], { concurrency: 11 })]],
  ])("%s are refused: 422", async (_name, steps) => {
    expect((await faults(steps))[0]).toBe(422);
  });

  test("are shown by a test of the workflow, a loop with its first item", async () => {
    const workflow = await makeWorkflow(service, [
      both([set("a")], [ask("ask")]),
      {
        ...loop([set("mine", { values: { v: "${item.v}", a: "${steps.both.branches[0].a.id}" } })]),
        in: "${$.data.lines}",
      },
    ]);
    const path = `/v1/workflows/${workflow.id}/test`;
    const trial = async (data: object): Promise<Parsed> =>
      (await service.api("POST", path, { event: workflow.event, data })).body.steps;
    const steps = await trial({ lines: [{ v: 1 }, { v: 2 }] });
    expect(
      steps.map(({ id, branch }: Parsed) => `${id} ${branch === null ? "" : `${branch.step} ${branch.way}`}`),
    ).toEqual(["both ", "a both branches.0", "ask both branches.1", "loop ", "mine loop items.0"]);
    expect(steps[4].output).toEqual({ v: 1, a: "a" });
    expect(steps[3].output).toMatchObject({ items: [{ mine: { v: 1 } }], count: 2 });
    expect((await trial({}))[3].output).toEqual({ error: "The list is missing: $.data.lines has no value." });
  });

  test("keep the values of their webhooks' headers secret, and send them", async () => {
    const token = "Bearer of-a-nested-step";
    const hook = { id: "hook", type: "webhook", url: receiver.url, headers: { Authorization: token } };
    receiver.status(200);
    const workflow = await makeWorkflow(service, [both([set("a"), hook])]);
    const path = `/v1/workflows/${workflow.id}`;
    const shown = await service.api("GET", path);
    expect(shown.text).not.toContain("of-a-nested");
    expect((await service.api("GET", `${path}/headers`)).body.webhooks).toMatchObject([
      { path: "/steps/0/branches/0/1", headers: { Authorization: token } },
    ]);
    await service.api("PATCH", path, { steps: [...shown.body.steps, set("more")] });
    const before = receiver.received.length;
    await workflow.run(await workflow.fire(), "completed");
    expect(receiver.received.slice(before).map(({ headers }) => headers["authorization"])).toEqual([token]);
    const rows = await service.database.query<{ text: string }>("select v::text as text from workflow_version v");
    expect(rows.filter(({ text }) => text.includes("of-a-nested"))).toEqual([]);
  });

  test("are checked when a workflow is promoted", async () => {
    const secret = "only_sandbox_nested";
    await service.api("PUT", `/v1/secrets/${secret}`, { value: "a value" }, { key: service.sandboxKey });
    const call = {
      id: "call",
      type: "http",
      method: "GET",
      url: receiver.url,
      auth: { type: "bearer", secret_ref: secret },
    };
    const body = { name: "Nested", trigger: { event: "parallel.promoted" }, steps: [loop([call])] };
    const { id } = (await service.api("POST", "/v1/workflows", body, { key: service.sandboxKey })).body;
    const refused = await service.api("POST", `/v1/workflows/${id}/promote`);
    expect(refused.body.errors).toMatchObject([
      { pointer: "/steps/0/steps/0/auth/secret_ref", code: "secret_missing" },
    ]);
  });
});
