import { afterAll, beforeAll, expect, test } from "vitest";
import { dump } from "../../testing/dump.ts";
import { scopeOf, uuidOf } from "../../testing/keys.ts";
import { startReceiver } from "../../testing/receiver.ts";
import type { Receiver } from "../../testing/receiver.ts";
import { freshEvent, ruleOn, runsOf } from "../../testing/rules.ts";
import { startService } from "../../testing/service.ts";
import { makeWorkflow, stepStates } from "../../testing/workflows.ts";
import type { StepPort } from "../definitions/step-port.ts";
import type { Parsed, TestService } from "../../testing/test-service.ts";

/** Returns its input as its output, and waits. */
const cancelled: string[] = [];
const port: StepPort = {
  type: "wait_approval",
  check: async () => await Promise.resolve([]),
  begin: async (_tx, { input }) => await Promise.resolve({ kind: "waits", output: `{"asked":${input}}` }),
  async cancel(_tx, { runId }) {
    cancelled.push(runId);
    await overtaking();
  },
};
/** Runs while a step is cancelled. */
let overtaking = async (): Promise<void> => await Promise.resolve();

let service: TestService;
let receiver: Receiver;
beforeAll(async () => {
  service = await startService({ provides: { stepPorts: [port] } });
  receiver = await startReceiver();
});
afterAll(async () => {
  await service.close();
  await receiver.close();
});

const CANARY = "canary-7f3a91";
/** Tables that keep personal data until retention under decision 0038: events as they were fired, with their deliveries. */
const LEFT = ["event", "delivery", "attempt", "pending_delivery"];

async function tablesWith(text: string): Promise<string[]> {
  const found = [...(await dump(service))].flatMap(([name, rows]) => (rows.includes(text) ? [name] : []));
  return found.filter((name) => !LEFT.includes(name));
}

const ask = { id: "ask", type: "wait_approval", approver_roles: ["${data.customer.name}"] };

test("an export shows a person's workflow and rule runs, and an erasure empties them", async () => {
  const on = freshEvent();
  const email = `${CANARY}@example.com`;
  const { id: contactId } = (await service.api("POST", "/v1/contacts", { email })).body;
  const waiting = await makeWorkflow(service, [ask]);
  const sending = await makeWorkflow(service, [{ id: "hook", type: "webhook", url: receiver.url }]);
  const failing = await makeWorkflow(service, [
    { id: "tell", type: "fire_event", event: "personal.told", data: { big: ["${data.big}", "${data.big}"] } },
  ]);
  const start = ({ id }: { readonly id: string }): object => ({
    type: "start_workflow",
    workflow_id: id,
    input: { said: "${data.customer.name}" },
  });
  // The condition only reads the event's data.
  const rule = await ruleOn(service, {
    on: [on],
    when: { field: "data.customer.name", op: "exists" },
    then: [waiting, sending, failing].map(start),
  });
  receiver.status(503);
  const customer = { email, name: `${CANARY} Jones` };
  await service.fire(on, { customer, big: "x".repeat(140_000) });
  const [run] = await runsOf(service, rule);
  const [asked, sent, failed]: string[] = run.actions.map((action: Parsed) => action.workflow_run_id);
  const ended = async (id: string | undefined, state: string): Promise<Parsed> =>
    await service.until(`/v1/workflows/runs/${id ?? ""}`, (body) => body.state === state);
  await ended(asked, "waiting");
  await ended(failed, "failed");
  const { steps } = await ended(sent, "waiting");
  await service.until(`/v1/deliveries/${steps[0].output.delivery_id}`, (body) => body.attempt_count === 1);
  const before = receiver.received.length;
  expect(await tablesWith(CANARY)).toEqual(expect.arrayContaining(["workflow_run", "workflow_step", "rule_run"]));

  const exported = (await service.api("GET", `/v1/contacts/${contactId}/export`)).body;
  expect(exported.workflow_runs.map((one: Parsed) => one.id).toSorted()).toEqual([asked, sent, failed].toSorted());
  const whole = exported.workflow_runs.find((one: Parsed) => one.id === asked);
  expect(whole).toMatchObject({
    data: { customer },
    input: { said: customer.name },
    steps: [{ output: { asked: { approver_roles: [customer.name] } } }],
  });
  expect(exported.rule_runs).toMatchObject([{ rule_id: rule, leaves: [{ actual: customer.name }] }]);

  expect((await service.api("DELETE", `/v1/contacts/${contactId}`)).status).toBe(204);
  expect(await tablesWith(CANARY)).toEqual([]);
  expect(cancelled).toEqual([uuidOf(asked ?? "")]);
  for (const [id, state] of [
    [asked, "cancelled"],
    [sent, "cancelled"],
    [failed, "failed"],
  ] as const) {
    const { body } = await service.api("GET", `/v1/workflows/runs/${id ?? ""}`);
    expect(body).toMatchObject({ state, error: "The contact was erased.", input: null, steps: [{ output: null }] });
  }
  const delivery = await service.api("GET", `/v1/deliveries/${steps[0].output.delivery_id}`);
  expect(delivery.body.state).toBe("cancelled");
  expect(receiver.received.length).toBe(before);
});

test.each([
  ["an erasure", "DELETE", (contactId: string) => `/v1/contacts/${contactId}`, 204],
  ["a cancellation", "POST", (_contactId: string, runId: string) => `/v1/workflows/runs/${runId}/cancel`, 200],
])("%s ends a run when it advances to another step at that moment", async (name, method, path, status) => {
  const email = `${name.replace(" ", "-")}@example.com`;
  const { id: contactId } = (await service.api("POST", "/v1/contacts", { email })).body;
  const workflow = await makeWorkflow(service, [
    { ...ask, approver_roles: ["owner"] },
    { ...ask, id: "again", approver_roles: ["owner"] },
  ]);
  const { id } = await workflow.run(await workflow.fire({ customer: { email } }), "waiting");
  const [reached, advanced] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  overtaking = async () => {
    reached.resolve();
    await advanced.promise;
  };
  const ending = service.api(method, path(contactId, id));
  await reached.promise;
  const place = { scope: await scopeOf(service, service.key), runId: uuidOf(id), stepId: "ask" };
  await service.service.db.transaction(
    async (tx) => await service.service.workflows.resume(tx, place, { kind: "done", output: "{}" }),
  );
  await service.until(`/v1/workflows/runs/${id}`, (body) => body.steps.length === 2 && body.state === "waiting");
  advanced.resolve();
  expect((await ending).status).toBe(status);
  const run = await workflow.run(id, "cancelled");
  expect(stepStates(run)).toEqual(["ask completed", "again cancelled"]);
});

test("a replayed delivery does not resume its failed run after the contact was erased", async () => {
  receiver.status(200);
  const email = "later@example.com";
  const { id: contactId } = (await service.api("POST", "/v1/contacts", { email })).body;
  const workflow = await makeWorkflow(service, [
    { id: "hook", type: "webhook", url: receiver.url },
    { id: "tell", type: "fire_event", event: "personal.after" },
  ]);
  receiver.status(410);
  const run = await workflow.run(await workflow.fire({ customer: { email } }), "failed");
  expect(run.error).toBe("Step hook failed: The delivery failed, with no further attempt.");
  await service.api("DELETE", `/v1/contacts/${contactId}`);
  receiver.status(200);
  const id: string = run.steps[0].output.delivery_id;
  expect((await service.api("POST", `/v1/deliveries/${id}/replay`)).status).toBe(202);
  await service.until(`/v1/deliveries/${id}`, (body) => body.state === "delivered");
  await expect.poll(async () => await service.database.query("select 1 from delivery_outcome")).toEqual([]);
  expect((await service.api("GET", `/v1/workflows/runs/${run.id}`)).body.state).toBe("failed");
  expect((await service.api("GET", "/v1/events?event=personal.after")).body.data).toEqual([]);
});
