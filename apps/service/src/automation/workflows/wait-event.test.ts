import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { mintKey, otherWorkspace } from "../../testing/keys.ts";
import { startService } from "../../testing/service.ts";
import { UNLIMITED } from "../../testing/subscription.ts";
import { makeWorkflow, stepStates } from "../../testing/workflows.ts";
import type { TestWorkflow } from "../../testing/workflows.ts";
import type { Parsed, TestService } from "../../testing/test-service.ts";

let service: TestService;
let names = 0;

beforeAll(async () => {
  service = await startService({ env: UNLIMITED });
});
afterAll(async () => await service.close());

const freshName = (): string => `awaited.event-${(names += 1)}`;
const byOrder = { field: "data.order", op: "eq", value: "${$.data.order}" };
const after = {
  id: "after",
  type: "fire_event",
  event: "awaited.after",
  data: { got: "${steps.wait.data}" },
  next: null,
};
const late = { id: "late", type: "fire_event", event: "awaited.late" };

function waitFor(event: string, more: object = {}): object {
  return { id: "wait", type: "wait_event", event, timeout_seconds: 3600, ...more };
}

/** Starts a run, and returns its id once it waits. */
async function waitingRun(workflow: TestWorkflow, data: object = {}): Promise<string> {
  const id = await workflow.fire(data);
  await workflow.run(id, "waiting");
  return id;
}

async function stateOf(run: string): Promise<string> {
  return (await service.api("GET", `/v1/workflows/runs/${run}`)).body.state;
}

async function waits(): Promise<number> {
  const [row] = await service.database.query<{ n: number }>("select count(*)::int as n from workflow_wait");
  return row?.n ?? 0;
}

/** Waits until the reactions to an event have ended. */
async function settled({ id }: Parsed): Promise<void> {
  await service.until(`/v1/events/${id}`, ({ stages }) => stages.every(({ state }: Parsed) => state === "done"));
}

const makeDue = async (): Promise<unknown> =>
  await service.database.query("update workflow_run set due_at = now() where state = 'waiting' and due_at is not null");

test("a run continues with the first event that meets its match", async () => {
  const event = freshName();
  const workflow = await makeWorkflow(service, [waitFor(event, { match: byOrder }), after]);
  await service.fire(event, { order: "ord_1" });
  const [first, second] = [
    await waitingRun(workflow, { order: "ord_1" }),
    await waitingRun(workflow, { order: "ord_2" }),
  ];
  await settled(await service.fire(event, { order: "ord_3" }));
  await settled(await service.fire(event, {}));
  expect([await stateOf(first), await stateOf(second)]).toEqual(["waiting", "waiting"]);
  const data = '{"order":"ord_1","total":12345678901234567890.10}';
  const { body: fired } = await service.api("POST", "/v1/events/fire", `{"event":"${event}","data":${data}}`);
  const run = await workflow.run(first, "completed");
  expect(stepStates(run)).toEqual(["wait completed", "after completed"]);
  expect(run.steps[0].output).toMatchObject({ id: fired.id, type: event, data: { order: "ord_1" } });
  expect((await service.api("GET", `/v1/events/${run.steps[1].output.event_id}`)).text).toContain(data);
  expect(await stateOf(second)).toBe("waiting");
  expect((await service.api("GET", `/v1/workflows/runs/${second}`)).body.steps[0].output).toMatchObject({
    event,
    expires_at: expect.any(String),
  });
});

test("an event of another environment or workspace continues no run", async () => {
  const event = freshName();
  const workflow = await makeWorkflow(service, [waitFor(event)]);
  const run = await waitingRun(workflow);
  const sandbox = await service.api("POST", "/v1/events/fire", { event, data: {} }, { key: service.sandboxKey });
  const other = await otherWorkspace(service);
  const foreign = await service.api("POST", "/v1/events/fire", { event, data: {} }, { key: other.key });
  expect([sandbox.status, foreign.status]).toEqual([202, 202]);
  expect(
    (await service.api("GET", `/v1/events/${foreign.body.id}`, undefined, { key: other.key })).body.stages,
  ).toEqual([]);
  expect(await stateOf(run)).toBe("waiting");
  await service.fire(event, {});
  await workflow.run(run, "completed");
});

test("events for which no run waits get no reaction", async () => {
  const event = freshName();
  const workflow = await makeWorkflow(service, [waitFor(event)]);
  expect((await service.api("GET", `/v1/events/${(await service.fire(event, {})).id}`)).body.stages).toEqual([]);
  const run = await waitingRun(workflow);
  const fired = await service.fire(event, {});
  await workflow.run(run, "completed");
  const { stages } = (await service.api("GET", `/v1/events/${fired.id}`)).body;
  expect(stages).toMatchObject([{ kind: "workflow", key: "waiting_runs" }]);
  expect((await service.api("GET", `/v1/events/${(await service.fire(event, {})).id}`)).body.stages).toEqual([]);
});

test("without an event in time, the run takes on_timeout or fails", async () => {
  const before = await waits();
  const [one, two] = [
    await makeWorkflow(service, [waitFor(freshName(), { timeout_seconds: 1, on_timeout: "late" }), after, late]),
    await makeWorkflow(service, [waitFor(freshName(), { timeout_seconds: 1 })]),
  ];
  const ids = [await one.fire({}), await two.fire({})] as const;
  const run = await one.run(ids[0], "completed");
  expect(stepStates(run)).toEqual(["wait completed", "late completed"]);
  expect(run.steps[0].output).toMatchObject({ id: null, timed_out: true });
  expect((await two.run(ids[1], "failed")).error).toMatch(
    /^Step wait failed: No matching .+ event arrived within 1 sec/,
  );
  expect(await waits()).toBe(before);
});

test("two nodes continue each run once when all arrives together", async () => {
  const second = await startService({ on: service, env: UNLIMITED });
  const event = freshName();
  const workflow = await makeWorkflow(service, [waitFor(event, { match: byOrder }), { ...after, data: {} }]);
  const runs = await Promise.all(
    Array.from({ length: 20 }, async (_one, n) => await waitingRun(workflow, { order: `ord_${n}` })),
  );
  await Promise.all([
    ...runs.flatMap((_run, n) =>
      [service, second].map(
        async (node) => await node.api("POST", "/v1/events/fire", { event, data: { order: `ord_${n}` } }),
      ),
    ),
    makeDue(),
  ]);
  for (const id of runs) {
    const run = await workflow.run(id, "completed");
    expect(stepStates(run)).toEqual(["wait completed", "after completed"]);
    expect((await service.api("GET", `/v1/events?subject=${id}`)).body.data).toHaveLength(1);
  }
  await second.close();
});

test("a run can wait for a pattern, and the first selected event continues it", async () => {
  const event = freshName();
  const workflow = await makeWorkflow(service, [waitFor(`${event}.*`, { match: byOrder })]);
  const run = await waitingRun(workflow, { order: "ord_1" });
  await settled(await service.fire(event, { order: "ord_1" }));
  await settled(await service.fire(`${event}.paid`, { order: "ord_2" }));
  expect(await stateOf(run)).toBe("waiting");
  const fired = await service.fire(`${event}.paid.late`, { order: "ord_1" });
  expect((await workflow.run(run, "completed")).steps[0].output).toMatchObject({
    id: fired.id,
    type: `${event}.paid.late`,
  });
});

test("two steps that wait for the same event need two events", async () => {
  const event = freshName();
  const workflow = await makeWorkflow(service, [waitFor(event), { ...waitFor(event), id: "again" }]);
  const run = await waitingRun(workflow);
  const first = await service.fire(event, { n: 1 });
  await service.until(`/v1/workflows/runs/${run}`, ({ step, state }) => step === "again" && state === "waiting");
  await settled(first);
  await makeDue();
  expect(await stateOf(run)).toBe("waiting");
  const second = await service.fire(event, { n: 2 });
  const { steps } = await workflow.run(run, "completed");
  expect(steps.map(({ output }: Parsed) => output.id)).toEqual([first.id, second.id]);
});

test("a cancelled run is continued by no event, even at the same time", async () => {
  const event = freshName();
  const workflow = await makeWorkflow(service, [waitFor(event)]);
  const runs = await Promise.all(Array.from({ length: 6 }, async () => await waitingRun(workflow)));
  const [, ...answers] = await Promise.all([
    service.fire(event, {}),
    ...runs.map(async (id) => await service.api("POST", `/v1/workflows/runs/${id}/cancel`)),
  ]);
  for (const [at, id] of runs.entries()) {
    const run = await service.until(
      `/v1/workflows/runs/${id}`,
      ({ state }) => state !== "waiting" && state !== "running",
    );
    expect(run.state).toBe(answers[at]?.status === 200 ? "cancelled" : "completed");
  }
  const left = "select 1 from workflow_wait where event = $1";
  expect(await service.database.query(left, [event])).toEqual([]);
});

test("a run keeps its wait when its workflow or its node changes", async () => {
  const event = freshName();
  const workflow = await makeWorkflow(service, [waitFor(event, { match: byOrder }), after]);
  const run = await waitingRun(workflow, { order: "ord_1" });
  await service.api("PATCH", `/v1/workflows/${workflow.id}`, { steps: [late] });
  const second = await startService({ on: service, env: UNLIMITED });
  await second.api("POST", "/v1/events/fire", { event, data: { order: "ord_1" } });
  expect(stepStates(await workflow.run(run, "completed"))).toEqual(["wait completed", "after completed"]);
  await second.close();
});

test("a match without its value, or with an invalid one, fails the step", async () => {
  const event = freshName();
  const run = async (match: object, data: object): Promise<string> => {
    const workflow = await makeWorkflow(service, [waitFor(event, { match, on_timeout: null })]);
    return (await workflow.run(await workflow.fire(data), "failed")).error;
  };
  expect(await run(byOrder, {})).toContain("The match needs a value for $.data.order.");
  expect(await run(byOrder, { order: null })).toContain("needs a value");
  expect(await run(byOrder, { order: { id: 1 } })).toContain("The match is invalid with its values: /value must be");
});

test("a match can be a tree, with numbers, the run's outputs and no key", async () => {
  const event = freshName();
  const match = {
    all: [
      { field: "data.total", op: "gte", value: "${steps.set.limit}" },
      { not: [{ field: "data.state", op: "eq", value: "void" }] },
      { field: "data.order", op: "eq", value: "${$.data.order}" },
    ],
  };
  const set = {
    id: "set",
    type: "set",
    values: { limit: "${$.data.limit}", text: "at least ${$.data.limit}", all: [1, "${event}"] },
  };
  const workflow = await makeWorkflow(service, [set, waitFor(event, { match })]);
  const run = await waitingRun(workflow, { order: 7, limit: 100.5 });
  for (const data of [
    { order: 7, total: 100 },
    { order: 8, total: 101 },
    { order: 7, total: 101, state: "void" },
  ])
    await settled(await service.fire(event, data));
  expect(await stateOf(run)).toBe("waiting");
  await service.fire(event, { order: 7, total: 101 });
  const { steps } = await workflow.run(run, "completed");
  expect(steps[0].output).toEqual({ limit: 100.5, text: "at least 100.5", all: [1, workflow.event] });
});

test("hostile texts in an event neither continue a run nor fail the reaction", async () => {
  const event = freshName();
  const workflow = await makeWorkflow(service, [waitFor(event, { match: byOrder })]);
  const run = await waitingRun(workflow, { order: "ord_1" });
  for (const order of ["x".repeat(5000), "a\u0000b", "\uD800", ["ord_1"], { ord_1: 1 }]) {
    const { status, body } = await service.api("POST", "/v1/events/fire", { event, data: { order } });
    if (status === 202) await settled(body);
  }
  expect(await stateOf(run)).toBe("waiting");
});

test("a run of a revoked key fails at the next step after its wait", async () => {
  const event = freshName();
  const author = await mintKey(service, { role: "developer" });
  const trigger = freshName();
  const body = { name: "N", trigger: { event: trigger }, steps: [waitFor(event), after] };
  const { id } = (await service.api("POST", "/v1/workflows", body, { key: author.key })).body;
  await service.fire(trigger, {});
  await service.until(`/v1/workflows/${id}/runs`, ({ data }) => data[0]?.state === "waiting");
  await service.api("POST", `/v1/keys/${author.id}/revoke`);
  await service.fire(event, {});
  const { data } = await service.until(`/v1/workflows/${id}/runs`, (page) => page.data[0]?.state === "failed");
  expect(data[0].step).toBe("after");
});

describe("a definition", () => {
  const faults = async (step: object): Promise<unknown> => {
    const body = { name: "N", trigger: { event: "a.b" }, steps: [{ id: "a", ...step }] };
    const answer = await service.api("POST", "/v1/workflows", body);
    return [answer.status, ...(answer.body.errors ?? []).map((one: Parsed) => `${one.pointer} ${one.code}`)];
  };

  test("with an invalid wait or set is refused at its place", async () => {
    const wait = { type: "wait_event", event: "a.b", timeout_seconds: 60 };
    expect(await faults({ ...wait, event: "no such" })).toEqual([422, "/steps/0/event event_name"]);
    expect(await faults({ ...wait, timeout_seconds: 0 })).toEqual([422, "/steps/0/timeout_seconds range"]);
    expect(await faults({ ...wait, timeout_seconds: 366 * 86_400 + 1 })).toEqual([
      422,
      "/steps/0/timeout_seconds range",
    ]);
    expect(await faults({ type: "wait_event", event: "a.b" })).toEqual([422, "/steps/0/timeout_seconds required"]);
    expect(await faults({ ...wait, on_timeout: "a" })).toEqual([422, "/steps/0 cycle"]);
    const match = { field: "contact.email", op: "eq", value: "x" };
    expect(await faults({ ...wait, match })).toEqual([422, "/steps/0/match/field path"]);
    expect(await faults({ ...wait, match: { ...match, field: "data.x", value: "${secret.x}" } })).toEqual([
      422,
      "/steps/0/match/value template",
    ]);
    expect(await faults({ ...wait, match: { field: "data.x", op: "in", value: "x" } })).toEqual([
      422,
      "/steps/0/match/value value",
    ]);
    expect(await faults({ type: "set", values: [1] })).toMatchObject({ 0: 422 });
    expect(await faults({ type: "set" })).toEqual([422, "/steps/0/values required"]);
  });

  test("is tried with both ends of a wait", async () => {
    const workflow = await makeWorkflow(service, [waitFor("a.b", { match: byOrder, on_timeout: "late" }), after, late]);
    const answer = await service.api("POST", `/v1/workflows/${workflow.id}/test`, {
      event: workflow.event,
      data: { order: "ord_1" },
    });
    expect(answer.body.steps).toMatchObject([
      { id: "wait", output: { id: null, match: { value: "ord_1" } } },
      { id: "after", branch: null },
      { id: "late", branch: { step: "wait", way: "on_timeout" } },
    ]);
  });
});
