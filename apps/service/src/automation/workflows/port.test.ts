import { afterAll, beforeAll, expect, test } from "vitest";
import { mintKey, uuidOf } from "../../testing/keys.ts";
import { startService } from "../../testing/service.ts";
import { makeWorkflow, stepStates } from "../../testing/workflows.ts";
import type { StepCall, StepEnd, StepOutcome, StepPort } from "../definitions/step-port.ts";
import type { TestService } from "../../testing/test-service.ts";

/** Records the port's calls by run. `outcome` is its next result. */
const asked = new Map<string, StepCall>();
const cancelled: string[] = [];
let outcome: StepOutcome = { kind: "waits" };
let failures = 0;

/** Replaces the module for approvals. It writes in the run's own transaction. */
const port: StepPort = {
  type: "wait_approval",
  check: async (_scope, { approver_roles: roles }) =>
    await Promise.resolve(
      Array.isArray(roles) && roles.includes("owner")
        ? []
        : [{ pointer: "/approver_roles/0", code: "role", message: "must be owner" }],
    ),
  async begin(tx, call) {
    asked.set(call.runId, call);
    await tx.query.updateTable("workflow_run").set({ error: "asked" }).where("id", "=", call.runId).execute();
    if (failures > 0) {
      failures -= 1;
      throw new Error("not now");
    }
    return outcome;
  },
  async cancel(_tx, { runId, stepId }) {
    cancelled.push(`${runId} ${stepId}`);
    await Promise.resolve();
  },
};

let service: TestService;
beforeAll(async () => {
  service = await startService({ provides: { stepPorts: [port] } });
});
afterAll(async () => await service.close());

const ask = { id: "ask", type: "wait_approval", approver_roles: ["owner"], expires_in_seconds: 60 };
const after = { id: "after", type: "fire_event", event: "port.after", data: { by: "${$.steps.ask.by}" } };

async function decide(id: string, end: StepEnd, fails = false): Promise<boolean> {
  const call = asked.get(uuidOf(id));
  if (call === undefined) throw new Error("nobody was asked");
  const { db, workflows } = service.service;
  const settle = async (): Promise<boolean> =>
    await db.transaction(async (tx) => {
      const isResumed = await workflows.resume(tx, call, end);
      if (fails) throw new Error("the decision comes to nothing");
      return isResumed;
    });
  return await db.at(call.scope.bucket, settle);
}

test("another module's step waits and resumes once, in the transaction that ends it", async () => {
  const workflow = await makeWorkflow(service, [ask, after]);
  const id = await workflow.fire({ order: 7 });
  const waiting = await workflow.run(id, "waiting");
  expect([waiting.continues_at, stepStates(waiting)]).toEqual([null, ["ask waiting"]]);
  expect(asked.get(uuidOf(id))).toMatchObject({
    stepId: "ask",
    owner: { kind: "workflow", id: uuidOf(workflow.id) },
    author: { kind: "key" },
    input: '{"approver_roles":["owner"],"expires_in_seconds":60}',
  });
  expect(asked.get(uuidOf(id))?.event).toMatchObject({ id: uuidOf(waiting.event_id), chain: [] });
  const done: StepEnd = { kind: "done", output: '{"by":12345678901234567890}' };
  await expect(decide(id, done, true)).rejects.toThrow("comes to nothing");
  expect((await service.api("GET", `/v1/workflows/runs/${id}`)).body.state).toBe("waiting");
  const answers = await Promise.all(Array.from({ length: 8 }, async () => await decide(id, done)));
  expect(answers.filter(Boolean)).toHaveLength(1);
  const run = await workflow.run(id, "completed");
  expect(stepStates(run)).toEqual(["ask completed", "after completed"]);
  const fired = await service.api("GET", `/v1/events/${run.steps[1].output.event_id}`);
  expect(fired.text).toContain('"by":12345678901234567890');
  expect(await decide(id, done)).toBe(false);
});

test("a step that ends with a failure fails the run with its reason", async () => {
  const workflow = await makeWorkflow(service, [ask, after]);
  const id = await workflow.fire();
  await workflow.run(id, "waiting");
  expect(await decide(id, { kind: "failed", error: "Rejected.", output: '{"by":"mem_1"}' })).toBe(true);
  const run = await workflow.run(id, "failed");
  expect(run).toMatchObject({
    error: "Step ask failed: Rejected.",
    steps: [{ state: "failed", error: "Rejected.", output: { by: "mem_1" } }],
  });
  expect(await decide(id, { kind: "done", output: "{}" })).toBe(false);
});

test("a step that ends at once continues the run, and its input is filled", async () => {
  outcome = { kind: "done", output: '{"by":1}' };
  const workflow = await makeWorkflow(service, [{ ...ask, approver_roles: ["owner", "${data.role}"] }, after]);
  const run = await workflow.run(await workflow.fire({ role: "admin" }), "completed");
  expect(asked.get(uuidOf(run.id))?.input).toBe('{"approver_roles":["owner","admin"],"expires_in_seconds":60}');
  outcome = { kind: "failed", error: "No." };
  expect((await workflow.run(await workflow.fire({}), "failed")).error).toBe("Step ask failed: No.");
  outcome = { kind: "waits" };
});

test("an exception of a port undoes the step, which is retried", async () => {
  failures = 1;
  const workflow = await makeWorkflow(service, [ask, after]);
  const id = await workflow.fire();
  await expect
    .poll(async () => await service.database.query("select attempts from workflow_run where id = $1", [uuidOf(id)]))
    .toEqual([{ attempts: 1 }]);
  expect((await service.api("GET", `/v1/workflows/runs/${id}`)).body).toMatchObject({ error: null, steps: [] });
  await service.database.query("update workflow_run set due_at = now() where id = $1", [uuidOf(id)]);
  expect((await workflow.run(id, "waiting")).error).toBe("asked");
});

test("a cancelled run cancels the port's step, and later decisions have no effect", async () => {
  const workflow = await makeWorkflow(service, [ask, after]);
  const ids = await Promise.all(Array.from({ length: 6 }, async () => await workflow.fire()));
  for (const id of ids) await workflow.run(id, "waiting");
  const outcomes = await Promise.all(
    ids.map(async (id) => {
      const [answer, isResumed] = await Promise.all([
        service.api("POST", `/v1/workflows/runs/${id}/cancel`),
        decide(id, { kind: "done", output: "{}" }),
      ]);
      if (!isResumed) expect(cancelled).toContain(`${uuidOf(id)} ask`);
      return [id, answer.status, isResumed] as const;
    }),
  );
  for (const [id, status, isResumed] of outcomes) {
    // The run was cancelled before or after the decision. After it, the run is in progress or has ended.
    if (!isResumed) expect(status).toBe(200);
    const run = await service.until(`/v1/workflows/runs/${id}`, (body) =>
      ["completed", "cancelled"].includes(body.state),
    );
    expect(run.state).toBe(status === 200 ? "cancelled" : "completed");
    expect(stepStates(run)[0]).toBe(isResumed ? "ask completed" : "ask cancelled");
  }
});

test("the port checks the step when a workflow is saved", async () => {
  const body = { name: "n", trigger: { event: "a.b" }, steps: [after, { ...ask, approver_roles: ["viewer"] }] };
  const refused = await service.api("POST", "/v1/workflows", body);
  expect([refused.status, refused.body.errors]).toMatchObject([
    422,
    [{ pointer: "/steps/1/approver_roles/0", code: "role", message: "must be owner" }],
  ]);
});

test("a run of an author without permission fails before it reaches the port", async () => {
  const author = await mintKey(service, { role: "developer" });
  const event = "port.orphan";
  const made = await service.api(
    "POST",
    "/v1/workflows",
    { name: "n", trigger: { event }, steps: [ask] },
    { key: author.key },
  );
  await service.api("POST", `/v1/keys/${author.id}/revoke`);
  await service.fire(event);
  const page = await service.until(`/v1/workflows/${made.body.id}/runs`, (body) => body.data[0]?.state === "failed");
  expect(asked.has(uuidOf(page.data[0].id))).toBe(false);
});
