import { afterAll, beforeAll, expect, test } from "vitest";
import { startHttpCalls } from "../testing/http-calls.ts";
import type { HttpCallTest } from "../testing/http-calls.ts";
import { freshEvent, ruleOn, runsOf } from "../testing/rules.ts";
import type { Parsed, TestService } from "../testing/test-service.ts";
import { makeWorkflow, stepStates } from "../testing/workflows.ts";

let service: TestService;
let tests: HttpCallTest;
beforeAll(async () => {
  tests = await startHttpCalls();
  ({ service } = tests);
});
afterAll(async () => await tests.close());

const leaf = { field: "data.a", op: "contains", value: 1.5 };
const COSTLY = { any: Array.from({ length: 100 }, () => leaf) };
/** The numbers equal 1.5 as doubles, and differ from it in their spelling. */
const LARGE = `{"id":"o-1","a":[${Array.from({ length: 9000 }, () => "1.50000000000000000001").join(",")}]}`;

test("a rule whose condition is too expensive has a failed run, and others run", async () => {
  const on = freshEvent();
  const then = [{ type: "fire_event", event: freshEvent(), data: {} }];
  const costly = await ruleOn(service, { on: [on], when: COSTLY, then });
  const other = await ruleOn(service, { on: [on], then });
  await fire(on);
  expect(await runsOf(service, costly)).toMatchObject([
    { status: "failed", reason_code: "too_expensive", actions: [] },
  ]);
  expect(await runsOf(service, other)).toMatchObject([{ status: "ok" }]);
});

test("a rule's template that repeats a long value fails its action alone", async () => {
  const on = freshEvent();
  const long = { type: "fire_event", event: freshEvent(), data: { x: "${$.data.a}".repeat(100) } };
  const rule = await ruleOn(service, { on: [on], then: [long, { type: "fire_event", event: freshEvent(), data: {} }] });
  await fire(on);
  const [run] = await runsOf(service, rule);
  expect(run?.actions).toMatchObject([{ status: "failed", reason_code: "template_too_large" }, { status: "done" }]);
});

test("a workflow whose trigger is too expensive has a run that says so", async () => {
  const workflow = await makeWorkflow(service, [{ id: "keep", type: "set", values: {} }], { when: COSTLY });
  await fire(workflow.event);
  const runs = await service.until(`/v1/workflows/${workflow.id}/runs`, ({ data }) => data.length > 0);
  expect(runs["data"]).toMatchObject([{ state: "failed", error: expect.stringContaining("too_expensive") }]);
  expect(runs["data"][0].ended_at).not.toBeNull();
});

test("a condition step that is too expensive fails the run", async () => {
  const workflow = await makeWorkflow(service, [{ id: "check", type: "condition", when: COSTLY, then: null }]);
  await fire(workflow.event);
  const runs = await service.until(`/v1/workflows/${workflow.id}/runs`, ({ data }) => data[0]?.state === "failed");
  expect(runs["data"][0].error).toContain("too_expensive");
});

test("a wait continues after an event that is too expensive, and shows it", async () => {
  const awaited = freshEvent();
  const match = { any: [...COSTLY.any.slice(1), { field: "data.id", op: "eq", value: "o-2" }] };
  const step = { id: "wait", type: "wait_event", event: awaited, match, timeout_seconds: 3600 };
  const workflow = await makeWorkflow(service, [step]);
  const id = await workflow.fire({});
  await workflow.run(id, "waiting");
  await fire(awaited);
  const shown = await service.until(`/v1/workflows/runs/${id}`, ({ steps }) => steps[0].error !== null);
  expect([shown["state"], shown["steps"][0].error]).toEqual(["waiting", expect.stringContaining("too_expensive")]);
  await service.fire(awaited, { id: "o-2" });
  const run = await workflow.run(id, "completed");
  expect([stepStates(run), run.steps[0].error]).toEqual([["wait completed"], null]);
});

test("an HTTP call whose success_when is too expensive fails once with the reason", async () => {
  const { receiver, origin } = tests;
  receiver.answer((response) =>
    response.writeHead(200, { "Content-Type": "application/json" }).end(`{"a":[${"1,".repeat(32_000)}1]}`),
  );
  const one = '{"field":"body.a","op":"contains","value":1.00000000000000001}';
  const condition = `{"any":[${Array.from({ length: 50 }, () => one).join(",")}]}`;
  const call = `{"method":"POST","url":"${origin}","success_when":${condition}}`;
  const { body } = await service.api("POST", "/v1/http-calls/test", `{"request":${call}}`);
  expect(body).toMatchObject({ succeeded: false, error_class: "too_expensive" });
  const on = freshEvent();
  const then = `[{"type":"http",${call.slice(1)}]`;
  const rule = await ruleFrom(`{"name":"Calls","on":["${on}"],"then":${then}}`);
  await service.fire(on, {});
  const path = `/v1/http-calls?rule_id=${rule}`;
  const list = await service.until(path, ({ data }) => data[0]?.state === "failed");
  expect(list["data"][0]).toMatchObject({ attempts: 1, error_class: "too_expensive" });
});

test("a test of a rule or a workflow with too much data is refused", async () => {
  const on = freshEvent();
  const rule = await ruleOn(service, {
    on: [on],
    when: COSTLY,
    then: [{ type: "fire_event", event: "a.b", data: {} }],
  });
  const workflow = await makeWorkflow(service, [{ id: "keep", type: "set", values: {} }], { when: COSTLY });
  for (const [path, event] of [
    [`/v1/rules/${rule}/test`, on],
    [`/v1/workflows/${workflow.id}/test`, workflow.event],
  ]) {
    const { status, body } = await service.api("POST", path ?? "", `{"event":"${event}","data":${LARGE}}`);
    expect([status, body["errors"]?.[0]?.code]).toEqual([422, "too_expensive"]);
  }
});

async function fire(event: string): Promise<Parsed> {
  const fired = await service.api("POST", "/v1/events/fire", `{"event":"${event}","data":${LARGE}}`);
  expect(fired.status).toBe(202);
  return fired.body;
}

async function ruleFrom(text: string): Promise<string> {
  const made = await service.api("POST", "/v1/rules", text);
  expect(made.status).toBe(201);
  return made.body["id"];
}
