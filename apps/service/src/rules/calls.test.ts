import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { startReceiver } from "../testing/receiver.ts";
import type { Receiver } from "../testing/receiver.ts";
import { dropStage, endedEvent, freshEvent, ruleOn, runsOf, someContact } from "../testing/rules.ts";
import { startService } from "../testing/service.ts";
import type { Parsed, TestService } from "../testing/service.ts";
import { UNLIMITED } from "../testing/subscription.ts";
import type { Capability } from "./rules.ts";

let service: TestService;
let receiver: Receiver;
let taken: TestService[] = [];
/** What the plugged-in capability was asked to do. */
const asked: Parsed[] = [];

const capability: Capability = {
  check: async (_scope, { action }) =>
    await Promise.resolve(action === "crm.update" ? [] : [{ pointer: "/action", code: "unknown", message: "is none" }]),
  foresee: async (_scope, action) => await Promise.resolve({ length: action.length }),
  when: "after",
  run: async (caller, call) => {
    asked.push({ ruleId: caller.ruleId, key: call.key, action: JSON.parse(call.action) });
    return await Promise.resolve({ state: "done" as const, told: { run_id: "run_1" } });
  },
};

beforeAll(async () => {
  receiver = await startReceiver();
  service = await startService({ env: UNLIMITED, deps: { capabilities: { run_action: capability } } });
});
afterEach(async () => {
  for (const one of taken) await one.close();
  taken = [];
  receiver.status(200);
});
afterAll(async () => {
  await service.close();
  await receiver.close();
});

/** The event's rules are taken up anew by another node. */
async function again(eventId: string): Promise<void> {
  await dropStage(service, eventId);
  taken.push(await startService({ on: service, env: UNLIMITED }));
}

test("post_webhook sends the event, or a body of its own, with what makes a repeat known", async () => {
  const on = freshEvent();
  const url = `${receiver.url}/${on}`;
  const id = await ruleOn(service, {
    on: [on],
    then: [
      { type: "post_webhook", url, headers: { Authorization: "Bearer x" }, body: { total: "${data.total}" } },
      { type: "post_webhook", url },
    ],
  });
  const fired = await service.api("POST", "/v1/events/fire", `{"event":"${on}","data":{"total":1.10}}`);
  const [run] = await runsOf(service, id);
  expect(run).toMatchObject({
    status: "ok",
    actions: [{ status: "done", attempts: 1, response_status: 200 }, { status: "done" }],
  });
  const [own, whole] = receiver.received.filter((one) => one.path.endsWith(on));
  expect(own?.body).toBe('{"total":1.10}');
  expect(own?.headers).toMatchObject({
    authorization: "Bearer x",
    "content-type": "application/json",
    "x-service-rule": id,
    "x-service-run": run.id,
    "x-service-environment": "live",
    "idempotency-key": `${run.id}-0`,
  });
  expect(JSON.parse(whole?.body ?? "")).toMatchObject({
    event: on,
    id: fired.body["id"],
    environment: "live",
    data: { total: 1.1 },
  });
});

test("a call that fails is tried again by whoever takes over, with the same key, and nothing else is done twice", async () => {
  const on = freshEvent();
  const { id: contactId, data } = await someContact(service);
  const id = await ruleOn(service, {
    on: [on],
    then: [
      { type: "adjust_score", by: 5 },
      { type: "post_webhook", url: `${receiver.url}/${on}` },
    ],
  });
  receiver.status(503);
  const fired = await service.fire(on, data);
  const path = `/v1/rules/${id}/runs`;
  const waiting = await service.until(path, (body) => body["data"][0]?.actions[1]?.attempts === 1);
  expect(waiting["data"][0]).toMatchObject({
    status: "running",
    actions: [{ status: "done" }, { status: "pending", response_status: 503 }],
  });
  await service.until(`/v1/events/${fired["id"]}`, (body) =>
    body["stages"].some((stage: Parsed) => stage.kind === "rule" && stage.state === "waiting"),
  );
  receiver.status(200);
  await again(fired["id"]);
  expect((await runsOf(service, id))[0]).toMatchObject({
    status: "ok",
    actions: [{ status: "done" }, { status: "done", attempts: 2 }],
  });
  const keys = receiver.received.filter((one) => one.path.endsWith(on)).map((one) => one.headers["idempotency-key"]);
  expect([keys.length, new Set(keys).size]).toEqual([2, 1]);
  expect((await service.api("GET", `/v1/contacts/${contactId}`)).body["score"]).toBe(5);
});

test("a call whose rule was deleted meanwhile is not made again", async () => {
  const on = freshEvent();
  const id = await ruleOn(service, { on: [on], then: [{ type: "post_webhook", url: `${receiver.url}/${on}` }] });
  receiver.status(503);
  const fired = await service.fire(on, {});
  await service.until(`/v1/events/${fired["id"]}`, (body) =>
    body["stages"].some((stage: Parsed) => stage.kind === "rule" && stage.state === "waiting"),
  );
  await service.api("PATCH", `/v1/rules/${id}`, { enabled: false });
  await again(fired["id"]);
  expect((await runsOf(service, id))[0]).toMatchObject({
    status: "failed",
    actions: [{ status: "failed", reason_code: "rule_gone", attempts: 1 }],
  });
  expect(receiver.received.filter((one) => one.path.endsWith(on))).toHaveLength(1);
});

test("what a receiver refuses for good is not tried again", async () => {
  const on = freshEvent();
  const id = await ruleOn(service, { on: [on], then: [{ type: "post_webhook", url: `${receiver.url}/${on}` }] });
  receiver.status(400);
  const fired = await service.fire(on, {});
  expect((await runsOf(service, id))[0]).toMatchObject({
    status: "failed",
    actions: [{ status: "failed", attempts: 1, response_status: 400, reason_code: "http_status" }],
  });
  expect((await endedEvent(service, fired["id"]))["stages"]).toMatchObject([{ kind: "rule", state: "done" }]);
});

test("a capability is asked when a rule is saved, and does its part with a key that stays", async () => {
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
  expect(asked).toEqual([
    { ruleId: id, key: `${run.id}-0`, action: { type: "run_action", action: "crm.update", parameters: { n: 4 } } },
  ]);
});
