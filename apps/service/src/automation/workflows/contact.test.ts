import { afterAll, beforeAll, expect, test } from "vitest";
import { startService } from "../../testing/service.ts";
import { endDelays, makeWorkflow } from "../../testing/workflows.ts";
import type { Parsed, TestService } from "../../testing/test-service.ts";

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => await service.close());

let people = 0;

async function somebody(): Promise<{ readonly id: string; readonly email: string }> {
  people += 1;
  const email = `workflow-${people}@example.com`;
  return { id: (await service.api("POST", "/v1/contacts", { email })).body.id, email };
}

async function tag(id: string, ...tags: readonly string[]): Promise<void> {
  expect((await service.api("PATCH", `/v1/contacts/${id}`, { tags })).status).toBe(200);
}

test("a step's conditions and templates use the contact as it is at that time", async () => {
  const { id, email } = await somebody();
  const workflow = await makeWorkflow(service, [
    { id: "pause", type: "delay", seconds: 3600 },
    {
      id: "vip",
      type: "condition",
      when: { field: "contact.tags", op: "contains", value: "vip" },
      then: "tell",
      else: null,
    },
    {
      id: "tell",
      type: "fire_event",
      event: "contact.told",
      data: { to: "${contact.email}", name: "<${contact.name}>" },
    },
  ]);
  const run = await workflow.fire({ contact_id: id });
  await workflow.run(run, "waiting");
  await tag(id, "vip");
  await endDelays(service);
  const done = await workflow.run(run, "completed");
  const fired = await service.api("GET", `/v1/events/${done.steps[2].output.event_id}`);
  // A name that is null becomes an empty text.
  expect(fired.body.data).toEqual({ to: email, name: "<>" });
  const nobody = await workflow.fire({ customer: { email: "nobody@example.com" } });
  await workflow.run(nobody, "waiting");
  await endDelays(service);
  expect((await workflow.run(nobody, "completed")).steps[1].output).toEqual({ result: false });
});

test("a trigger with a contact condition is evaluated after the projections", async () => {
  const when = { all: [{ field: "contact.lifecycle_stage", op: "eq", value: "customer" }] };
  const made = await service.api("POST", "/v1/workflows", {
    name: "Customers",
    trigger: { event: "customer.signed_up", when },
    steps: [{ id: "pause", type: "delay", seconds: 3600 }],
  });
  const data = { customer: { external_id: "cus_1", email: "first@example.com" } };
  const fired = await service.fire("customer.signed_up", data);
  expect(fired.subscribers).toMatchObject([{ kind: "projection" }, { kind: "workflow", key: made.body.id }]);
  const path = `/v1/workflows/${made.body.id}`;
  const { data: runs } = await service.until(`${path}/runs`, (page) => page.data.length === 1);
  expect(runs[0].event_id).toBe(fired.id);
  await service.api("PATCH", path, { trigger: { event: "some.note", when } });
  const { id } = await somebody();
  const ignored = await service.fire("some.note", { contact_id: id });
  await service.until(`/v1/events/${ignored.id}`, (event) =>
    event.stages.every((stage: Parsed) => stage.state === "done"),
  );
  expect((await service.api("GET", `${path}/runs`)).body.data).toHaveLength(1);
});

test("a dry run reads the contact, and a trigger cannot use steps or input", async () => {
  const { id, email } = await somebody();
  const workflow = await makeWorkflow(
    service,
    [{ id: "tell", type: "fire_event", event: "contact.told", data: { to: "${contact.email}" } }],
    { when: { field: "contact.email", op: "ends_with", value: "@example.com" } },
  );
  const tried = await service.api("POST", `/v1/workflows/${workflow.id}/test`, {
    event: workflow.event,
    data: { contact_id: id },
  });
  expect(tried.body).toMatchObject({ matches: true, steps: [{ output: { data: { to: email } } }] });
  for (const field of ["steps.tell.x", "input.x"]) {
    const trigger = { event: "a.b", when: { field, op: "exists" } };
    const refused = await service.api("PATCH", `/v1/workflows/${workflow.id}`, { trigger });
    expect(refused.body.errors).toMatchObject([{ pointer: "/trigger/when/field", code: "path" }]);
  }
});

test("a template that becomes too large or deep fails its step with the reason", async () => {
  const workflow = await makeWorkflow(service, [
    { id: "tell", type: "fire_event", event: "contact.told", data: { twice: [["${data.text}", "${data.text}"]] } },
  ]);
  const run = await workflow.run(await workflow.fire({ text: "ü".repeat(70_000) }), "failed");
  expect(run.error).toBe("Step tell failed: The input of the step would be larger than 262144 bytes.");
  const nested = `${"[".repeat(62)}${"]".repeat(62)}`;
  const fired = await service.api("POST", "/v1/events/fire", `{"event":"${workflow.event}","data":{"text":${nested}}}`);
  const { data } = await service.until(
    `/v1/workflows/${workflow.id}/runs?state=failed`,
    (page) => page.data.length === 2,
  );
  expect(data[0]).toMatchObject({ event_id: fired.body.id, error: expect.stringContaining("nested too deep") });
});
