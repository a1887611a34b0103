import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { absentId, otherWorkspace, tagOfId } from "../../testing/keys.ts";
import { startService } from "../../testing/service.ts";
import { provesSuccesses } from "../../testing/successes.ts";
import { UNLIMITED } from "../../testing/subscription.ts";
import { makeWorkflow } from "../../testing/workflows.ts";
import type { Parsed, TestService } from "../../testing/test-service.ts";

let service: TestService;

beforeAll(async () => {
  service = await startService({ env: UNLIMITED });
});
afterAll(async () => await service.close());

const pause = { id: "pause", type: "delay", seconds: 3600 };
const trigger = { event: "definition.test" };
const valid = { name: "Valid", trigger, steps: [pause] };

async function refusal(body: unknown): Promise<Parsed> {
  const answer = await service.api("POST", "/v1/workflows", body);
  return [answer.status, answer.body.code, (answer.body.errors ?? []).map((one: Parsed) => one.pointer)];
}

test("every operation returns its success response as documented", async () => {
  const workflow = await makeWorkflow(service, [pause]);
  const run = await workflow.fire();
  await workflow.run(run, "waiting");
  const path = `/v1/workflows/${workflow.id}`;
  const byClock = { ...valid, trigger: { schedule: { cron: "0 9 * * MON" } } };
  const { body: scheduled } = await service.api("POST", "/v1/workflows", byClock);
  await provesSuccesses(service, ["/v1/workflows"], {
    "POST /v1/workflows 201": async () => await service.api("POST", "/v1/workflows", valid),
    "GET /v1/workflows 200": async () => await service.api("GET", "/v1/workflows"),
    "GET /v1/workflows/{id} 200": async () => await service.api("GET", path),
    "GET /v1/workflows/{id}/schedule 200": async () =>
      await service.api("GET", `/v1/workflows/${scheduled.id}/schedule`),
    "PATCH /v1/workflows/{id} 200": async () => await service.api("PATCH", path, { name: "Other" }),
    "POST /v1/workflows/{id}/test 200": async () =>
      await service.api("POST", `${path}/test`, { event: workflow.event, data: {} }),
    "GET /v1/workflows/{id}/runs 200": async () => await service.api("GET", `${path}/runs`),
    "GET /v1/workflows/runs/{id} 200": async () => await service.api("GET", `/v1/workflows/runs/${run}`),
    "POST /v1/workflows/runs/{id}/cancel 200": async () =>
      await service.api("POST", `/v1/workflows/runs/${run}/cancel`),
    "POST /v1/workflows/{id}/promote 200": async () => {
      const own = await service.api("POST", "/v1/workflows", valid, { key: service.sandboxKey });
      return await service.api("POST", `/v1/workflows/${own.body.id}/promote`);
    },
    "GET /v1/workflows/{id}/headers 200": async () => await service.api("GET", `${path}/headers`),
    "GET /v1/workflows/{id}/secret 200": async () => await service.api("GET", `${path}/secret`),
    "POST /v1/workflows/{id}/secret/regenerate 200": async () =>
      await service.api("POST", `${path}/secret/regenerate`, { overlap_seconds: 60 }),
    "DELETE /v1/workflows/{id} 204": async () => await service.api("DELETE", path),
  });
});

test("201: a workflow keeps all digits as written, and its secret is shown once", async () => {
  const steps = `[{"id":"a","type":"fire_event","event":"x.y","data":{"big":12345678901234567890.10,"\\u0061":-0}}]`;
  const body = `{"name":"Exact","trigger":{"event":"exact.test","when":{"field":"data.n","op":"eq","value":9007199254740993}},"steps":${steps}}`;
  const made = await service.api("POST", "/v1/workflows", body);
  expect(made.status).toBe(201);
  expect(made.body).toMatchObject({ version: 1, enabled: true, signing_secret: expect.stringMatching(/^whsec_/) });
  const read = await service.api("GET", `/v1/workflows/${made.body.id}`);
  expect(read.text).toContain(`"steps":${steps}`);
  expect(read.text).toContain('"value":9007199254740993}');
  expect(read.text).not.toContain("whsec_");
  const tried = async (n: string): Promise<Parsed> =>
    await service.api("POST", `/v1/workflows/${made.body.id}/test`, `{"event":"exact.test","data":{"n":${n}}}`);
  expect((await tried("9007199254740992")).body).toEqual({ object: "workflow_test", matches: false, steps: [] });
  expect((await tried("9007199254740993.0")).text).toContain('"data":{"big":12345678901234567890.10,"a":-0}');
});

test("a dry run shows the steps that an event would take, and changes nothing", async () => {
  const workflow = await makeWorkflow(service, [
    { id: "vip", type: "condition", when: { field: "data.vip", op: "eq", value: true }, then: "hook", else: "slow" },
    { id: "hook", type: "webhook", url: "http://127.0.0.1:9/", body: { hi: "${$.data.name}!" }, next: "tell" },
    { id: "slow", type: "delay", seconds: 5 },
    { id: "tell", type: "fire_event", event: "dry.told", data: { was: "${$.steps.vip.result}", all: "${$.data}" } },
  ]);
  const path = `/v1/workflows/${workflow.id}/test`;
  const data = { vip: true, name: "Ada" };
  expect((await service.api("POST", path, { event: workflow.event, data })).body).toEqual({
    object: "workflow_test",
    matches: true,
    steps: [
      { id: "vip", type: "condition", branch: null, output: { result: true } },
      {
        id: "hook",
        type: "webhook",
        branch: null,
        output: { delivery_id: null, url: "http://127.0.0.1:9/", data: { hi: "Ada!" } },
      },
      {
        id: "tell",
        type: "fire_event",
        branch: null,
        output: { event_id: null, event: "dry.told", data: { was: true, all: data } },
      },
    ],
  });
  const other = await service.api("POST", path, { event: workflow.event, data: {} });
  expect(other.body.steps.map((step: Parsed) => step.id)).toEqual(["vip", "slow", "tell"]);
  expect((await service.api("GET", `/v1/workflows/${workflow.id}/runs`)).body.data).toEqual([]);
  expect((await service.api("GET", "/v1/events?event=dry.told")).body.data).toEqual([]);
});

describe("422: an invalid definition is refused with a pointer to the fault", () => {
  const at = (steps: readonly object[]): object => ({ ...valid, steps });
  const when = (condition: unknown): object => ({ ...valid, trigger: { ...trigger, when: condition } });
  const deep = (levels: number): object =>
    levels === 0 ? { field: "event", op: "exists" } : { all: [deep(levels - 1)] };
  const cases: readonly (readonly [string, object, readonly string[]])[] = [
    ["no step", at([]), ["/steps"]],
    ["51 steps", at(Array.from({ length: 51 }, (_step, n) => ({ ...pause, id: `s${n}` }))), ["/steps"]],
    ["an unknown member", { ...valid, cron: "* * * * *" }, ["/cron"]],
    ["a step's unknown member", at([{ ...pause, url: "http://127.0.0.1/" }]), ["/steps/0/url"]],
    ["an id twice", at([pause, pause]), ["/steps/1/id"]],
    ["an id that is none", at([{ ...pause, id: "__proto__" }]), ["/steps/0/id"]],
    ["a target that is not there", at([{ ...pause, next: "nowhere" }]), ["/steps/0/next"]],
    ["a target by the name of a built-in", at([{ ...pause, next: "constructor" }]), ["/steps/0/next"]],
    ["a step that leads to itself", at([{ ...pause, next: "pause" }]), ["/steps/0"]],
    ["a cycle", at([pause, { ...pause, id: "b", next: "pause" }]), ["/steps/1"]],
    [
      "a cycle over a failure",
      at([pause, { id: "b", type: "webhook", url: "http://127.0.0.1:9/", on_failure: "pause" }]),
      ["/steps/1"],
    ],
    ["a delay of nothing", at([{ ...pause, seconds: 0 }]), ["/steps/0/seconds"]],
    ["a delay of years", at([{ ...pause, seconds: 99_999_999 }]), ["/steps/0/seconds"]],
    ["a missing member", at([{ id: "a", type: "webhook" }]), ["/steps/0/url"]],
    [
      "a reserved header",
      at([{ id: "a", type: "webhook", url: "http://127.0.0.1:9/", headers: { Host: "x" } }]),
      ["/steps/0/headers/Host"],
    ],
    ["an event name that is none", at([{ id: "a", type: "fire_event", event: "a..b" }]), ["/steps/0/event"]],
    ["a trigger that is none", { ...valid, trigger: { event: "*.created" } }, ["/trigger/event"]],
    [
      "a template of many",
      at([{ id: "a", type: "fire_event", event: "a.b", data: { x: ["${$..y}"] } }]),
      ["/steps/0/data/x/0"],
    ],
    [
      "a template that does not end",
      at([{ id: "a", type: "fire_event", event: "a.b", data: { x: "${$.data" } }]),
      ["/steps/0/data/x"],
    ],
    [
      "a template of something else",
      at([{ id: "a", type: "fire_event", event: "a.b", data: { x: "${$.secret}" } }]),
      ["/steps/0/data/x"],
    ],
    ["a condition with another operator", when({ field: "data.a", op: "matches", value: ".*" }), ["/trigger/when/op"]],
    ["a condition on something else", when({ field: "process.env", op: "exists" }), ["/trigger/when/field"]],
    ["a condition with too much", when({ all: [], any: [] }), ["/trigger/when"]],
    ["a comparison with an object", when({ field: "data.a", op: "eq", value: {} }), ["/trigger/when/value"]],
    ["an order of truth", when({ field: "data.a", op: "gt", value: true }), ["/trigger/when/value"]],
    ["six levels", when(deep(6)), ["/trigger/when/all/0/all/0/all/0/all/0/all/0/all"]],
    ["an action of no contract", at([{ id: "a", type: "action", action: "crm.tag" }]), ["/steps/0/action"]],
    [
      "an approval by nobody",
      at([{ id: "a", type: "wait_approval", approver_roles: ["ai"], expires_in_seconds: 0 }]),
      ["/steps/0/approver_roles", "/steps/0/expires_in_seconds"],
    ],
    [
      "more than 64 Ki characters",
      at([{ id: "a", type: "fire_event", event: "a.b", data: { x: "y".repeat(70_000) } }]),
      ["/steps"],
    ],
  ];
  test.each(cases)("%s", async (_name, body, pointers) => {
    expect(await refusal(body)).toEqual([422, "validation_failed", pointers]);
  });

  test("five nested groups are accepted", async () => {
    expect((await service.api("POST", "/v1/workflows", when(deep(5)))).status).toBe(201);
  });

  test("a URL of an internal address is refused on creation and on change", async () => {
    for (const url of [
      "http://10.0.0.1/",
      "https://169.254.169.254/",
      "ftp://example.com/",
      "https://a:b@example.com/",
    ]) {
      const steps = [{ id: "a", type: "webhook", url }];
      expect((await refusal({ ...valid, steps })).slice(0, 2)).toEqual([422, "url_blocked"]);
      const { id } = await makeWorkflow(service, [pause]);
      const changed = await service.api("PATCH", `/v1/workflows/${id}`, { steps });
      expect(changed.body.code).toBe("url_blocked");
      expect((await service.api("GET", `/v1/workflows/${id}`)).body).toMatchObject({ version: 1, steps: [pause] });
    }
  });
});

test("403 for another workspace's id, and 404 for an unknown one", async () => {
  const { id } = await makeWorkflow(service, [pause]);
  const other = await otherWorkspace(service);
  const tag = tagOfId(id);
  const calls = [
    ["GET", (of: string) => `/v1/workflows/${of}`, "wf", undefined],
    ["PATCH", (of: string) => `/v1/workflows/${of}`, "wf", { name: "x" }],
    ["DELETE", (of: string) => `/v1/workflows/${of}`, "wf", undefined],
    ["POST", (of: string) => `/v1/workflows/${of}/test`, "wf", { event: "a.b", data: {} }],
    ["GET", (of: string) => `/v1/workflows/${of}/runs`, "wf", undefined],
    ["GET", (of: string) => `/v1/workflows/runs/${of}`, "wfr", undefined],
    ["POST", (of: string) => `/v1/workflows/runs/${of}/cancel`, "wfr", undefined],
  ] as const;
  for (const [method, path, prefix, body] of calls) {
    const foreign = await service.api(method, path(absentId({ tag }, prefix)), body, { key: other.key });
    expect([method, path(""), foreign.status, foreign.body.code]).toEqual([
      method,
      path(""),
      403,
      "workspace_mismatch",
    ]);
    const nothing = await service.api(method, path(absentId({ tag }, prefix)), body);
    expect([method, path(""), nothing.status]).toEqual([method, path(""), 404]);
  }
});

test("concurrent edits create separate versions", async () => {
  const { id } = await makeWorkflow(service, [pause]);
  const edits = Array.from({ length: 8 }, async (_edit, n) => {
    const steps = [{ ...pause, seconds: n + 1 }];
    return (await service.api("PATCH", `/v1/workflows/${id}`, { steps })).body.version;
  });
  expect((await Promise.all(edits)).toSorted()).toEqual([2, 3, 4, 5, 6, 7, 8, 9]);
});
