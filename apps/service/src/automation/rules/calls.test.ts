import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { dropStage, endedEvent, freshEvent, ruleOn, runsOf, someContact } from "../../testing/rules.ts";
import { startService } from "../../testing/service.ts";
import { UNLIMITED } from "../../testing/subscription.ts";
import { callKey, ownerWireId } from "../definitions/step-port.ts";
import type { StepEnd, StepPort, StepRetry } from "../definitions/step-port.ts";
import type { Parsed, TestService } from "../../testing/test-service.ts";

let service: TestService;
let taken: TestService[] = [];
/** Records the calls of the port. `answer` is its result, and `held` is what it waits for first. */
const asked: Parsed[] = [];
const DONE: StepEnd = { kind: "done", output: '{"run_id":"run_1"}' };
let answer: StepEnd | StepRetry = DONE;
let held: Promise<void> | undefined;

const port: StepPort = {
  type: "run_action",
  check: async (_scope, { action }) =>
    await Promise.resolve(action === "crm.update" ? [] : [{ pointer: "/action", code: "unknown", message: "is none" }]),
  foresee: async (_scope, input) => await Promise.resolve({ length: input.length }),
  run: async (call) => {
    asked.push({ ruleId: ownerWireId(call), key: callKey(call), action: JSON.parse(call.input) });
    await held;
    return answer;
  },
};

beforeAll(async () => {
  service = await startService({ env: UNLIMITED, provides: { stepPorts: [port] } });
});
afterEach(async () => {
  for (const one of taken) await one.close();
  taken = [];
  answer = DONE;
});
afterAll(async () => {
  await service.close();
});

/** Makes another node process the event's rules again. */
async function again(eventId: string): Promise<void> {
  await dropStage(service, eventId);
  taken.push(await startService({ on: service, env: UNLIMITED, provides: { stepPorts: [port] } }));
}

async function stageWaits(eventId: string): Promise<void> {
  await service.until(`/v1/events/${eventId}`, (body) =>
    body["stages"].some((stage: Parsed) => stage.kind === "rule" && stage.state === "waiting" && stage.error !== null),
  );
}

async function tried(id: string, attempts: number): Promise<Parsed> {
  const page = await service.until(
    `/v1/rules/${id}/runs`,
    (body) => body["data"][0]?.actions[0]?.attempts === attempts,
  );
  return page["data"][0];
}

test("a takeover retries a failed call with the same key and repeats nothing else", async () => {
  const on = freshEvent();
  const { id: contactId, data } = await someContact(service);
  const id = await ruleOn(service, {
    on: [on],
    then: [
      { type: "run_action", action: "crm.update", parameters: { on } },
      { type: "adjust_score", by: 5 },
    ],
  });
  answer = { kind: "retry", code: "busy", error: "Later." };
  const fired = await service.fire(on, data);
  expect(await tried(id, 1)).toMatchObject({
    status: "running",
    actions: [{ status: "pending", reason_code: "busy" }, { status: "done" }],
  });
  await stageWaits(fired["id"]);
  answer = DONE;
  await again(fired["id"]);
  expect((await runsOf(service, id))[0]).toMatchObject({
    status: "ok",
    actions: [{ status: "done", attempts: 2 }, { status: "done" }],
  });
  const keys = asked.filter((one) => one.action.parameters.on === on).map((one) => one.key);
  expect([keys.length, new Set(keys).size]).toEqual([2, 1]);
  expect((await service.api("GET", `/v1/contacts/${contactId}`)).body["score"]).toBe(5);
});

test("a call whose rule was disabled is not retried", async () => {
  const on = freshEvent();
  const id = await ruleOn(service, {
    on: [on],
    then: [{ type: "run_action", action: "crm.update", parameters: { on } }],
  });
  answer = { kind: "retry", code: "busy" };
  const fired = await service.fire(on, {});
  await stageWaits(fired["id"]);
  await service.api("PATCH", `/v1/rules/${id}`, { enabled: false });
  answer = DONE;
  await again(fired["id"]);
  expect((await runsOf(service, id))[0]).toMatchObject({
    status: "failed",
    actions: [{ status: "failed", reason_code: "rule_gone", attempts: 1 }],
  });
  expect(asked.filter((one) => one.action.parameters.on === on)).toHaveLength(1);
});

test("a permanently failed call is not retried", async () => {
  const on = freshEvent();
  const id = await ruleOn(service, {
    on: [on],
    then: [{ type: "run_action", action: "crm.update", parameters: { on } }],
  });
  answer = { kind: "failed", code: "refused", error: "No." };
  const fired = await service.fire(on, {});
  expect((await runsOf(service, id))[0]).toMatchObject({
    status: "failed",
    actions: [{ status: "failed", attempts: 1, reason_code: "refused" }],
  });
  expect((await endedEvent(service, fired["id"]))["stages"]).toMatchObject([{ kind: "rule", state: "done" }]);
});

test("a call whose contact is erased writes nothing back, and later calls are dropped", async () => {
  const on = freshEvent();
  const { id: contactId, data } = await someContact(service);
  const call = { type: "run_action", action: "crm.update", parameters: { on } };
  const id = await ruleOn(service, { on: [on], then: [call, call] });
  let letGo: () => void = () => undefined;
  held = new Promise((resolve) => (letGo = resolve));
  const fired = await service.fire(on, data);
  await expect.poll(() => asked.filter((one) => one.action.parameters.on === on)).toHaveLength(1);
  expect((await service.api("DELETE", `/v1/contacts/${contactId}`)).status).toBe(204);
  letGo();
  held = undefined;
  await endedEvent(service, fired["id"]);
  expect((await runsOf(service, id))[0]).toMatchObject({ status: "failed", reason_code: "erased", actions: [] });
  expect(asked.filter((one) => one.action.parameters.on === on)).toHaveLength(1);
});

test("a port checks rules when they are saved, and runs with a stable key", async () => {
  const on = freshEvent();
  const bad = await service.api("POST", "/v1/rules", {
    name: "r",
    on: [on],
    then: [{ type: "run_action", action: "no.such" }],
  });
  expect(bad.body["errors"]).toMatchObject([{ pointer: "/then/0/action", code: "unknown" }]);
  const id = await ruleOn(service, {
    on: [on],
    then: [{ type: "run_action", action: "crm.update", parameters: { n: "${data.n}" } }],
  });
  await service.fire(on, { n: 4 });
  const [run] = await runsOf(service, id);
  expect(run.actions).toMatchObject([{ type: "run_action", status: "done", run_id: "run_1" }]);
  expect(asked.filter((one) => one.ruleId === id)).toEqual([
    { ruleId: id, key: `${run.id}-0`, action: { type: "run_action", action: "crm.update", parameters: { n: 4 } } },
  ]);
});
