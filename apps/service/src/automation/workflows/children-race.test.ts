import { afterAll, beforeAll, expect, test } from "vitest";
import { startService } from "../../testing/service.ts";
import { UNLIMITED } from "../../testing/subscription.ts";
import { makeWorkflow } from "../../testing/workflows.ts";
import type { Parsed, TestService } from "../../testing/test-service.ts";

const RUNS = 20;

let service: TestService;
let second: TestService;
beforeAll(async () => {
  service = await startService({ env: UNLIMITED });
  second = await startService({ on: service, env: UNLIMITED });
});
afterAll(async () => {
  await second.close();
  await service.close();
});

test("two nodes run ten branches of many runs once each", async () => {
  const branches = Array.from({ length: 10 }, (_, at) => [
    { id: `first${at}`, type: "fire_event", event: "raced.branch", data: { run: "${$.data.n}", at } },
    { id: `second${at}`, type: "set", values: { at } },
  ]);
  const workflow = await makeWorkflow(service, [
    { id: "all", type: "parallel", branches },
    { id: "after", type: "fire_event", event: "raced.after", data: { run: "${$.data.n}" } },
  ]);
  const events = Array.from({ length: RUNS }, (_, n) => ({ event: workflow.event, data: { n } }));
  await service.api("POST", "/v1/events/batch", { events });
  const completed = async (): Promise<Parsed> =>
    (await service.api("GET", `/v1/workflows/${workflow.id}/runs?limit=100&state=completed`)).body.data.length;
  await expect.poll(completed, { timeout: 60_000 }).toBe(RUNS);
  const [counts] = await service.database.query<{ branches: number; distinct: number; after: number; open: number }>(
    `select (select count(*)::int from event where name = 'raced.branch') as branches,
      (select count(distinct data)::int from event where name = 'raced.branch') as distinct,
      (select count(*)::int from event where name = 'raced.after') as after,
      (select count(*)::int from workflow_run where ended_at is null) as open`,
  );
  expect(counts).toEqual({ branches: 10 * RUNS, distinct: 10 * RUNS, after: RUNS, open: 0 });
});

test("a cancelled run with items in progress starts no more of them", async () => {
  const workflow = await makeWorkflow(service, [
    {
      id: "loop",
      type: "for_each",
      in: "${$.data.lines}",
      concurrency: 10,
      steps: [{ id: "tell", type: "fire_event", event: "raced.item" }],
    },
  ]);
  const id = await workflow.fire({ lines: Array.from({ length: 500 }, (_, at) => at) });
  await service.until(`/v1/workflows/runs/${id}`, (run) => run.steps[0]?.output?.completed > 20);
  expect((await second.api("POST", `/v1/workflows/runs/${id}/cancel`)).status).toBe(200);
  const open = "select 1 from workflow_run where parent_id is not null and (ended_at is null or due_at is not null)";
  await expect.poll(async () => await service.database.query(open)).toEqual([]);
  const count = async (): Promise<Parsed> =>
    await service.database.query("select count(*)::int as n from event where name = 'raced.item'");
  const before = await count();
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(await count()).toEqual(before);
  expect(before[0].n).toBeLessThan(500);
});
