import { afterAll, beforeAll, expect, test } from "vitest";
import { absentId, mintKey, otherWorkspace, tagOfId } from "../../testing/keys.ts";
import { dropStage, endedEvent, freshEvent, ruleOn, runsOf } from "../../testing/rules.ts";
import { startService } from "../../testing/service.ts";
import { makeWorkflow } from "../../testing/workflows.ts";
import type { TestWorkflow } from "../../testing/workflows.ts";
import type { Parsed, TestService } from "../../testing/test-service.ts";

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => await service.close());

function starting({ id }: Pick<TestWorkflow, "id">, input?: unknown): Record<string, unknown> {
  return { type: "start_workflow", workflow_id: id, ...(input === undefined ? {} : { input }) };
}

async function startedBy(rule: string, workflow: TestWorkflow): Promise<Parsed[]> {
  const { body } = await service.api("GET", `/v1/workflows/${workflow.id}/runs?limit=100`);
  return body.data.filter((run: Parsed) => run.started_by === rule);
}

async function failureOf(rule: string): Promise<Parsed> {
  return (await runsOf(service, rule))[0]?.actions[0];
}

test("start_workflow starts the current version with the rule's event and an exact input", async () => {
  const workflow = await makeWorkflow(service, [
    {
      id: "big",
      type: "condition",
      when: {
        all: [
          { field: "input.total", op: "eq", value: 0.1 },
          { field: "data.n", op: "eq", value: 1 },
        ],
      },
      then: null,
      else: "say",
    },
    {
      id: "say",
      type: "fire_event",
      event: "started.said",
      data: { total: "${$.input.total}", text: "${input.text}", n: "${data.n}", event: "${event}" },
    },
  ]);
  const on = freshEvent();
  const then = [starting(workflow, { total: "${data.total}", text: "of ${event}" })];
  const rule = await ruleOn(service, { on: [on], then });
  const fired = await service.api(
    "POST",
    "/v1/events/fire",
    `{"event":"${on}","data":{"total":0.10000000000000000001,"n":1}}`,
  );
  const [run] = await runsOf(service, rule);
  expect(run).toMatchObject({ status: "ok", actions: [{ type: "start_workflow", status: "done" }] });
  const of = await workflow.run(run.actions[0].workflow_run_id, "completed");
  expect(of).toMatchObject({ started_by: rule, event: on, event_id: fired.body.id, workflow_version: 1 });
  const raw = await service.api("GET", `/v1/workflows/runs/${of.id}`);
  expect(raw.text).toContain('"input":{"total":0.10000000000000000001,"text":');
  const said = await service.api("GET", `/v1/events/${of.steps[1].output.event_id}`);
  expect(said.text).toContain('"total":0.10000000000000000001');
  expect(said.body.data).toMatchObject({ n: 1, event: on, text: `of ${on}` });
});

test("each start_workflow action starts its run once, in addition to the trigger's", async () => {
  const workflow = await makeWorkflow(service, [{ id: "pause", type: "delay", seconds: 3600 }]);
  const then = [starting(workflow, { n: 1 }), starting(workflow)];
  const rules = [
    await ruleOn(service, { on: [workflow.event], then }),
    await ruleOn(service, { on: [workflow.event], then: [starting(workflow)] }),
  ];
  const fired = await service.fire(workflow.event, {});
  await endedEvent(service, fired.id);
  await dropStage(service, fired.id);
  const other = await startService({ on: service });
  await endedEvent(service, fired.id);
  await other.close();
  const { body } = await service.api("GET", `/v1/workflows/${workflow.id}/runs`);
  const whose = body.data.map((run: Parsed) => run.started_by);
  expect([whose.length, whose.filter((one: unknown) => one === null).length]).toEqual([4, 1]);
  expect((await startedBy(rules[0] ?? "", workflow)).length).toBe(2);
  const inputs = await service.database.query<{ input: string }>(
    "select input from workflow_run where started_by = $1 order by cause",
    [rules[0]],
  );
  expect(inputs.map(({ input }) => input)).toEqual(['{"n":1}', "{}"]);
});

test("events of a started workflow do not run the rule or the workflow again", async () => {
  const workflow = await makeWorkflow(service, [{ id: "back", type: "fire_event", event: "chain.back" }]);
  const on = freshEvent();
  const rule = await ruleOn(service, { on: [on, "chain.back"], then: [starting(workflow)] });
  const second = await ruleOn(service, { on: ["chain.back"], then: [starting(workflow)] });
  await service.fire(on);
  const runs = await runsOf(service, rule, 2);
  expect(runs.map(({ status, reason_code: code }) => [status, code])).toEqual([
    ["ok", null],
    ["skipped", "once_per_chain"],
  ]);
  expect(await failureOf(second)).toMatchObject({
    type: "start_workflow",
    status: "failed",
    workflow_id: workflow.id,
    reason_code: "once_per_chain",
  });
  expect((await service.api("GET", `/v1/workflows/${workflow.id}/runs`)).body.data).toHaveLength(1);
});

test("rules and workflows that start each other stop at the maximum chain length", async () => {
  const events = Array.from({ length: 7 }, () => freshEvent());
  const rules: string[] = [];
  for (const [at, on] of events.entries()) {
    const next = await makeWorkflow(service, [{ id: "on", type: "fire_event", event: events[at + 1] ?? "chain.end" }]);
    rules.push(await ruleOn(service, { on: [on], then: [starting(next)] }));
  }
  await service.fire(events[0]);
  const [last] = await runsOf(service, rules[5] ?? "");
  expect(last).toMatchObject({ status: "skipped", reason_code: "chain_too_deep" });
  expect((await service.api("GET", `/v1/rules/${rules[6] ?? ""}/runs`)).body.data).toEqual([]);
});

test("a deleted, disabled or sandbox-only workflow fails only its own action", async () => {
  const on = freshEvent();
  const pause = [{ id: "pause", type: "delay", seconds: 3600 }];
  const gone = await makeWorkflow(service, pause);
  const off = await makeWorkflow(service, pause);
  const fine = await makeWorkflow(service, pause);
  const tried = await service.api(
    "POST",
    "/v1/workflows",
    { name: "Tried", trigger: { event: "never.fired" }, steps: pause },
    { key: service.sandboxKey },
  );
  const rule = await ruleOn(service, {
    on: [on],
    then: [starting(gone), starting(off), starting(tried.body as TestWorkflow), starting(fine)],
  });
  await service.api("DELETE", `/v1/workflows/${gone.id}`);
  await service.api("PATCH", `/v1/workflows/${off.id}`, { enabled: false });
  await service.fire(on);
  const [run] = await runsOf(service, rule);
  expect(run.status).toBe("failed");
  expect(run.actions).toMatchObject([
    { status: "failed", workflow_id: gone.id, reason_code: "workflow_gone" },
    { status: "failed", workflow_id: off.id, reason_code: "workflow_disabled" },
    { status: "failed", workflow_id: tried.body.id, reason_code: "workflow_sandbox_only" },
    { status: "done", workflow_id: fine.id },
  ]);
});

test("a rule is refused when its workflow does not exist in the workspace", async () => {
  const other = await otherWorkspace(service);
  const { tag } = { tag: tagOfId((await service.fire()).id) };
  const gone = await makeWorkflow(service, [{ id: "pause", type: "delay", seconds: 1 }]);
  await service.api("DELETE", `/v1/workflows/${gone.id}`);
  for (const id of [absentId({ tag }, "wf"), other.id("wf"), absentId({ tag }, "rule"), gone.id, "wf_x"]) {
    const then = [{ type: "add_tag", tag: "x" }, starting({ id })];
    const refused = await service.api("POST", "/v1/rules", { name: "r", on: ["a.b"], then });
    expect([refused.status, refused.body.errors]).toMatchObject([
      422,
      [{ pointer: "/then/1/workflow_id", code: "workflow_unknown" }],
    ]);
  }
});

test("an author who lost workflows.start starts no workflow", async () => {
  const workflow = await makeWorkflow(service, [{ id: "pause", type: "delay", seconds: 3600 }]);
  const author = await mintKey(service, { role: "developer" });
  const on = freshEvent();
  const rule = await ruleOn(service, { on: [on], then: [starting(workflow)] }, author.key);
  const narrowed = { permission_mode: "restricted", blocked_actions: ["workflows.start"] };
  expect((await service.api("PATCH", `/v1/keys/${author.id}`, narrowed)).status).toBe(200);
  await service.fire(on);
  expect((await runsOf(service, rule))[0]).toMatchObject({ status: "refused", reason_code: "action_blocked" });
  expect(await startedBy(rule, workflow)).toEqual([]);
  const refused = await service.api(
    "POST",
    "/v1/rules",
    { name: "r", on: [on], then: [starting(workflow)] },
    {
      key: author.key,
    },
  );
  expect([refused.status, refused.body.code]).toEqual([403, "action_blocked"]);
});

test("a rule's event in the sandbox starts a sandbox run", async () => {
  const workflow = await makeWorkflow(service, [{ id: "pause", type: "delay", seconds: 3600 }]);
  const on = freshEvent();
  const rule = await ruleOn(service, { on: [on], then: [starting(workflow)] });
  await service.api("POST", "/v1/events/fire", { event: on, data: {} }, { key: service.sandboxKey });
  const [run] = await runsOf(service, rule, 1, service.sandboxKey);
  const id: string = run.actions[0].workflow_run_id;
  const read = await service.api("GET", `/v1/workflows/runs/${id}`, undefined, { key: service.sandboxKey });
  expect(read.body).toMatchObject({ environment: "sandbox", started_by: rule });
  expect(await startedBy(rule, workflow)).toEqual([]);
});

test("a rule's dry run shows the workflow that it would start, and starts nothing", async () => {
  const workflow = await makeWorkflow(service, [{ id: "pause", type: "delay", seconds: 3600 }], { name: "Pausing" });
  const on = freshEvent();
  const rule = await ruleOn(service, { on: [on], then: [starting(workflow, { n: "${data.n}" })] });
  const tried = async (): Promise<Parsed> =>
    await service.api("POST", `/v1/rules/${rule}/test`, `{"event":"${on}","data":{"n":12345678901234567890}}`);
  const seen = await tried();
  expect(seen.text).toContain('"input":{"n":12345678901234567890}');
  expect(seen.body.actions).toMatchObject([
    {
      type: "start_workflow",
      workflow_id: workflow.id,
      foresight: { workflow_name: "Pausing", workflow_version: 1 },
    },
  ]);
  expect(await startedBy(rule, workflow)).toEqual([]);
  await service.api("PATCH", `/v1/workflows/${workflow.id}`, { enabled: false });
  expect((await tried()).body.actions[0].foresight).toMatchObject({ reason_code: "workflow_disabled" });
});
