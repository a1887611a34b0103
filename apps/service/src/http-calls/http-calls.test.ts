import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { mintKey, otherWorkspace } from "../testing/keys.ts";
import { putSecret, startHttpCalls } from "../testing/http-calls.ts";
import type { HttpCallTest } from "../testing/http-calls.ts";
import type { Receiver } from "../testing/receiver.ts";
import { freshEvent, ruleOn, runsOf } from "../testing/rules.ts";
import type { Parsed, TestService } from "../testing/test-service.ts";
import { makeWorkflow, stepStates } from "../testing/workflows.ts";

let service: TestService;
let receiver: Receiver;
let origin: string;
let tryCall: HttpCallTest["tryCall"];
let close: () => Promise<void>;

beforeAll(async () => {
  ({ service, receiver, origin, tryCall, close } = await startHttpCalls());
});
afterEach(() => receiver.status(200));
afterAll(async () => await close());

function answerJson(body: unknown, status = 200): void {
  receiver.answer((response) =>
    response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body)),
  );
}

async function callOf(path: string, state: string): Promise<Parsed> {
  const list = await service.until(path, ({ data }) => data[0]?.state === state);
  return list["data"][0];
}

describe("rules", () => {
  test("send a call, which is logged with its response and can be replayed", async () => {
    answerJson({ ok: true });
    const event = freshEvent();
    const rule = await ruleOn(service, {
      on: [event],
      then: [{ type: "http", method: "POST", url: `${origin}/hook/\${$.data.id}`, body: { id: "${$.data.id}" } }],
    });
    await service.fire(event, { id: 7 });
    const [run] = await runsOf(service, rule);
    expect(run?.actions).toEqual([{ type: "http", status: "done", http_call_id: expect.stringMatching(/^call_/) }]);
    const call = await callOf(`/v1/http-calls?rule_id=${rule}`, "succeeded");
    expect(call).toMatchObject({
      id: run?.actions[0].http_call_id,
      rule_id: rule,
      workflow_id: null,
      run_id: run?.id,
      step: "0",
      attempts: 1,
      status_code: 200,
      request: { url: `${origin}/hook/7`, body: '{"id":7}' },
      response: { body: { ok: true } },
    });
    const ofRun = await service.api("GET", `/v1/http-calls?run_id=${run?.id}`);
    expect(ofRun.body.data.map((each: { id: string }) => each.id)).toEqual([call.id]);
    for (const filter of ["run_id=anything", "rule_id=anything", "workflow_id=anything"])
      expect((await service.api("GET", `/v1/http-calls?${filter}`)).status).toBe(404);
    const replayed = await service.api("POST", `/v1/http-calls/${call.id}/replay`);
    expect([replayed.status, replayed.body.replay_of]).toEqual([202, call.id]);
    await service.until(`/v1/http-calls/${replayed.body.id}`, ({ state }) => state === "succeeded");
    const keys = receiver.received
      .filter(({ path }) => path === "/hook/7")
      .map(({ headers }) => headers["idempotency-key"]);
    expect(new Set(keys)).toEqual(new Set([call.id, replayed.body.id]));
  });

  test("show a missing value as a failed action, and run the others", async () => {
    const event = freshEvent();
    const rule = await ruleOn(service, {
      on: [event],
      then: [
        { type: "http", method: "GET", url: `${origin}/\${$.data.no}` },
        { type: "fire_event", event: freshEvent(), data: {} },
      ],
    });
    await service.fire(event, {});
    const [run] = await runsOf(service, rule);
    expect(run?.actions).toMatchObject([{ status: "failed", reason_code: "value_missing" }, { status: "done" }]);
  });

  test("a trial shows the request", async () => {
    const rule = await ruleOn(service, {
      on: ["a.b"],
      then: [{ type: "http", method: "GET", url: `${origin}/\${$.data.id}` }],
    });
    const { body } = await service.api("POST", `/v1/rules/${rule}/test`, { event: "a.b", data: { id: 1 } });
    expect(body.actions).toMatchObject([
      { type: "http", method: "GET", url: `${origin}/1`, foresight: { sends: true } },
    ]);
  });
});

describe("workflows", () => {
  test("continue with the response, which later steps read with all digits", async () => {
    receiver.answer((response) => response.writeHead(200).end('{"customer":{"id":12345678901234567890},"hidden":1}'));
    const workflow = await makeWorkflow(service, [
      { id: "look", type: "http", method: "GET", url: `${origin}/c/\${$.data.id}`, expose: ["customer"] },
      {
        id: "tell",
        type: "fire_event",
        event: freshEvent(),
        data: { id: "${$.steps.look.body.customer.id}", status: "${$.steps.look.status}" },
      },
    ]);
    const run = await workflow.run(await workflow.fire({ id: 1 }), "completed");
    expect(stepStates(run)).toEqual(["look completed", "tell completed"]);
    expect(run.steps[0].output).toMatchObject({
      http_call_id: expect.stringMatching(/^call_/),
      status: 200,
      body: { customer: {} },
    });
    expect(run.steps[0].output.body.hidden).toBeUndefined();
    const fired = await service.api("GET", `/v1/events/${run.steps[1].output.event_id}`);
    expect(fired.text).toContain('"id":12345678901234567890,"status":200');
  });

  test("repeat a passing failure with the same key, then follow on_failure", async () => {
    receiver.answer((response) => response.writeHead(503, { "Retry-After": "0" }).end("busy"));
    const workflow = await makeWorkflow(service, [
      { id: "ask", type: "http", method: "POST", url: `${origin}/retry`, text: "x", retries: 1, on_failure: "sorry" },
      { id: "never", type: "fire_event", event: freshEvent() },
      { id: "sorry", type: "fire_event", event: freshEvent(), data: { was: "${$.steps.ask.status}" } },
    ]);
    const run = await workflow.run(await workflow.fire(), "completed");
    expect(stepStates(run)).toEqual(["ask failed", "sorry completed"]);
    const tries = receiver.received.filter(({ path }) => path === "/retry");
    expect(tries.length).toBe(2);
    expect(new Set(tries.map(({ headers }) => headers["idempotency-key"])).size).toBe(1);
  });

  test("fail without retries for a refusal, a redirect or an unmet condition", async () => {
    const ends: unknown[] = [];
    for (const [status, more] of [
      [404, {}],
      [302, {}],
      [200, { success_when: { field: "body.done", op: "eq", value: true } }],
    ] as const) {
      answerJson({ done: false }, status);
      const workflow = await makeWorkflow(service, [
        { id: "ask", type: "http", method: "GET", url: `${origin}/end`, ...more },
      ]);
      const run = await workflow.run(await workflow.fire(), "failed");
      ends.push([run.steps[0].output.status, run.steps[0].output.body]);
      expect((await callOf(`/v1/http-calls?workflow_id=${workflow.id}`, "failed")).attempts).toBe(1);
    }
    expect(ends).toEqual([
      [404, { done: false }],
      [302, { done: false }],
      [200, { done: false }],
    ]);
  });

  test("cancel the call of a cancelled run", async () => {
    receiver.status(503);
    const workflow = await makeWorkflow(service, [
      { id: "ask", type: "http", method: "GET", url: `${origin}/slow`, retries: 5 },
    ]);
    const id = await workflow.fire();
    await service.until(
      `/v1/http-calls?workflow_id=${workflow.id}`,
      ({ data }) => data[0]?.attempts > 0 && data[0].next_attempt_at !== null,
    );
    await service.api("POST", `/v1/workflows/runs/${id}/cancel`);
    expect((await callOf(`/v1/http-calls?workflow_id=${workflow.id}`, "cancelled")).next_attempt_at).toBeNull();
  });

  test("a dry run shows the request, or why the step would fail", async () => {
    const workflow = await makeWorkflow(service, [
      { id: "ask", type: "http", method: "GET", url: `${origin}/\${$.data.id}` },
    ]);
    const tried = async (data: object): Promise<Parsed> =>
      (await service.api("POST", `/v1/workflows/${workflow.id}/test`, { event: workflow.event, data })).body["steps"][0]
        .output.request;
    expect(await tried({ id: 3 })).toMatchObject({ method: "GET", url: `${origin}/3` });
    expect(await tried({})).toMatchObject({ error: expect.stringContaining("$.data.id, which is missing") });
  });
});

describe("environments and rights", () => {
  test("a live rule sends nothing from the sandbox, and its own use its secrets", async () => {
    const sandbox = { key: service.sandboxKey };
    await putSecret(service, "api_token", "token-of-the-sandbox", sandbox.key);
    const event = freshEvent();
    const then = [
      { type: "http", method: "GET", url: `${origin}/env`, auth: { type: "bearer", secret_ref: "api_token" } },
    ];
    const live = await ruleOn(service, { on: [event], then });
    const own = await ruleOn(service, { name: "Own", on: [event], then }, sandbox.key);
    await service.api("POST", "/v1/events/fire", { event, data: {} }, { key: sandbox.key });
    const [simulated] = await runsOf(service, live, 1, sandbox.key);
    expect(simulated?.actions).toEqual([{ type: "http", status: "simulated" }]);
    await runsOf(service, own, 1, sandbox.key);
    const path = `/v1/http-calls?rule_id=${own}`;
    await expect
      .poll(async () => (await service.api("GET", path, undefined, { key: sandbox.key })).body["data"][0]?.state)
      .toBe("succeeded");
    const sent = receiver.received.filter(({ path: at }) => at === "/env");
    expect(sent.map(({ headers }) => headers.authorization)).toEqual(["Bearer token-of-the-sandbox"]);
    expect((await service.api("GET", path)).body["data"]).toEqual([]);
  });

  test("calls are shown, replayed and tested only by those who may", async () => {
    answerJson({});
    const event = freshEvent();
    const rule = await ruleOn(service, { on: [event], then: [{ type: "http", method: "GET", url: origin }] });
    await service.fire(event, {});
    const { id } = await callOf(`/v1/http-calls?rule_id=${rule}`, "succeeded");
    const viewer = await mintKey(service, { role: "viewer" });
    const stranger = await otherWorkspace(service);
    const statusOf = async (method: string, path: string, key: string | null, body?: object): Promise<number> =>
      (await service.api(method, path, body, { key })).status;
    const call = { request: { method: "GET", url: origin } };
    expect([
      await statusOf("GET", `/v1/http-calls/${id}`, viewer.key),
      await statusOf("POST", `/v1/http-calls/${id}/replay`, viewer.key),
      await statusOf("POST", "/v1/http-calls/test", viewer.key, call),
      await statusOf("GET", `/v1/http-calls/${id}`, stranger.key),
      await statusOf("POST", `/v1/http-calls/${id}/replay`, stranger.key),
      await statusOf("GET", `/v1/http-calls/${id}`, null),
    ]).toEqual([200, 403, 403, 403, 403, 401]);
  });

  test("a secret that is not set fails the call and sends nothing", async () => {
    const before = receiver.received.length;
    const { body } = await tryCall({ method: "GET", url: origin, auth: { type: "bearer", secret_ref: "no_such" } });
    expect(body).toMatchObject({ succeeded: false, error_class: "secret_missing", response: null });
    expect(receiver.received.length).toBe(before);
  });

  test("a call that has not ended is not replayed", async () => {
    receiver.status(503);
    const event = freshEvent();
    const rule = await ruleOn(service, {
      on: [event],
      then: [{ type: "http", method: "GET", url: origin, retries: 5 }],
    });
    await service.fire(event, {});
    const { id } = await callOf(`/v1/http-calls?rule_id=${rule}`, "waiting");
    const answer = await service.api("POST", `/v1/http-calls/${id}/replay`);
    expect([answer.status, answer.body["code"]]).toEqual([409, "conflict"]);
  });
});

test("a token answer that is not JSON ends the call at once", async () => {
  const auth = { type: "oauth2_client_credentials", secret_ref: "api_token", token_url: receiver.url, client_id: "c" };
  const call = { method: "POST", url: receiver.url, auth, retries: 0 };
  for (const answer of [
    "hello",
    "[".repeat(100),
    '{"access_token":1}',
    '{"access_token":"t","expires_in":{"valueOf":1,"toString":1}}',
    "\0",
  ]) {
    receiver.answer((response, { headers }) =>
      response.writeHead(headers.authorization?.startsWith("Basic") === true ? 200 : 500).end(answer),
    );
    const tried = await tryCall(call);
    expect([tried["status"], tried["body"]["succeeded"]]).toEqual([200, false]);
    const on = freshEvent();
    await ruleOn(service, { on: [on], then: [{ type: "http", ...call }] });
    const fired = await service.fire(on, {});
    const mine = (body: Parsed): Parsed => body["data"].find((one: Parsed) => one["event_id"] === fired.id);
    const page = await service.until("/v1/http-calls?limit=100", (body) => mine(body)?.["state"] === "failed");
    expect(mine(page)).toMatchObject({ attempts: 1, error: expect.any(String) });
  }
});
