import { afterAll, beforeAll, expect, test } from "vitest";
import { startReceiver } from "../../testing/receiver.ts";
import type { Receiver } from "../../testing/receiver.ts";
import { startService } from "../../testing/service.ts";
import { UNLIMITED } from "../../testing/subscription.ts";
import { makeWorkflow } from "../../testing/workflows.ts";
import type { TestWorkflow } from "../../testing/workflows.ts";
import type { Parsed, TestService } from "../../testing/test-service.ts";

let service: TestService;
let receiver: Receiver;

beforeAll(async () => {
  service = await startService({ env: UNLIMITED });
  receiver = await startReceiver();
});
afterAll(async () => {
  await service.close();
  await receiver.close();
});

/** Fires all events in one request, so that their runs are due together. */
async function fireAll(workflow: TestWorkflow, data: readonly object[]): Promise<void> {
  const events = data.map((one) => ({ event: workflow.event, data: one }));
  expect(await service.api("POST", "/v1/events/batch", { events })).toMatchObject({ status: 202 });
}

async function runsOf(workflow: TestWorkflow, state: string, count: number): Promise<Parsed[]> {
  const path = `/v1/workflows/${workflow.id}/runs?limit=100&state=${state}`;
  const page = await service.until(path, (body) => body.data.length === count);
  return await Promise.all(
    page.data.map(async ({ id }: Parsed) => (await service.api("GET", `/v1/workflows/runs/${id}`)).body),
  );
}

async function firedOf(name: string): Promise<Parsed[]> {
  return (await service.api("GET", `/v1/events?event=${name}&limit=100`)).body.data;
}

test("consecutive steps that fire events or decide conditions change their run once", async () => {
  const workflow = await makeWorkflow(service, [
    { id: "one", type: "fire_event", event: "together.one" },
    { id: "big", type: "condition", when: { field: "data.n", op: "gte", value: 50 }, then: "two", else: "two" },
    {
      id: "two",
      type: "fire_event",
      event: "together.two",
      data: { n: "${$.data.n}", one: "${$.steps.one.event_id}" },
    },
    { id: "three", type: "fire_event", event: "together.three", data: { two: "${$.steps.two.event_id}" } },
  ]);
  const changes = `create table changes (n int); insert into changes values (0);
    create function count_change() returns trigger language plpgsql security definer as $$ begin
      update changes set n = n + 1; return new; end $$;
    create trigger count_change after update of position on workflow_run for each row
      when (new.position is distinct from old.position) execute function count_change()`;
  await service.database.query(changes);
  await fireAll(
    workflow,
    Array.from({ length: 100 }, (_one, n) => ({ n })),
  );
  const runs = await runsOf(workflow, "completed", 100);
  expect(await service.database.query("select n from changes")).toEqual([{ n: 100 }]);
  await service.database.query("drop trigger count_change on workflow_run");
  for (const run of runs)
    expect(run.steps.map((step: Parsed) => `${step.id} ${step.state}`)).toEqual(
      ["one", "big", "two", "three"].map((id) => `${id} completed`),
    );
  // Each run has its own events: each event contains the id of the one that the previous step fired.
  const [ones, twos, threes] = await Promise.all(["together.one", "together.two", "together.three"].map(firedOf));
  expect(new Set(twos?.map(({ data }) => data.n))).toEqual(new Set(Array.from({ length: 100 }, (_one, n) => n)));
  expect(new Set(twos?.map(({ data }) => data.one))).toEqual(new Set(ones?.map(({ id }) => id)));
  expect(new Set(threes?.map(({ data }) => data.two))).toEqual(new Set(twos?.map(({ id }) => id)));
});

test("a run whose step cannot be written is retried and stops no other run", async () => {
  const workflow = await makeWorkflow(service, [
    { id: "tell", type: "fire_event", event: "together.told" },
    { id: "again", type: "fire_event", event: "together.again" },
  ]);
  await service.database.query(`create function refuse_poison() returns trigger language plpgsql as $$ begin
      if new.step_id = 'again' and (select data from workflow_run where id = new.run_id) like '%poison%' then raise 'poison'; end if;
      return new; end $$;
    create trigger refuse_poison before insert on workflow_step for each row execute function refuse_poison()`);
  await fireAll(
    workflow,
    Array.from({ length: 100 }, (_one, n) => ({ text: n === 37 ? "poison" : "good" })),
  );
  await runsOf(workflow, "completed", 99);
  const retried = async (): Promise<Parsed> =>
    await service.database.query("select step from workflow_run where data like '%poison%' and attempts > 0");
  // The run advances alone as far as possible.
  await expect.poll(retried).toEqual([{ step: "again" }]);
  await service.database.query("drop trigger refuse_poison on workflow_step");
  await service.database.query("update workflow_run set due_at = now() where data like '%poison%'");
  await runsOf(workflow, "completed", 100);
  for (const name of ["together.told", "together.again"]) expect(await firedOf(name)).toHaveLength(100);
});

test("runs that reach a webhook together send one each and continue", async () => {
  const workflow = await makeWorkflow(service, [
    { id: "before", type: "fire_event", event: "together.before" },
    { id: "hook", type: "webhook", url: receiver.url },
    { id: "after", type: "fire_event", event: "together.after", data: { status: "${$.steps.hook.status_code}" } },
  ]);
  await fireAll(
    workflow,
    Array.from({ length: 40 }, (_one, n) => ({ n })),
  );
  await runsOf(workflow, "completed", 40);
  expect(receiver.received).toHaveLength(40);
  const after = await firedOf("together.after");
  expect(after.map(({ data }) => data.status)).toEqual(Array.from({ length: 40 }, () => 200));
});
