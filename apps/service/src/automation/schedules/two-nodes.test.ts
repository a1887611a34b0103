import { afterAll, beforeAll, expect, test } from "vitest";
import { uuidOf } from "../../testing/keys.ts";
import { startService } from "../../testing/service.ts";
import { UNLIMITED } from "../../testing/subscription.ts";
import type { TestService } from "../../testing/test-service.ts";

const SCHEDULES = 10_000;

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

test("two nodes fire 10 000 schedules of one minute once each", async () => {
  const trigger = { schedule: { cron: "0 0 1 1 *" } };
  const steps = [{ id: "end", type: "condition", when: { field: "data.missed", op: "eq", value: 0 }, then: null }];
  const made = await service.api("POST", "/v1/workflows", { name: "Report", trigger, steps });
  const first = uuidOf(made.body.id);
  const { query } = service.database;
  const copies = `with copy as (insert into workflow (workspace_id, id, name, enabled, version, event)
      select workspace_id, gen_random_uuid(), name, enabled, version, event from workflow, generate_series(2, $2::int) where id = $1
      returning workspace_id, id),
    version as (insert into workflow_version (workspace_id, workflow_id, version, trigger, steps, author_environment, author_kind, author_id)
      select c.workspace_id, c.id, 1, v.trigger, v.steps, v.author_environment, v.author_kind, v.author_id
      from copy c, workflow_version v where v.workflow_id = $1)
    insert into workflow_schedule (bucket, workspace_id, workflow_id, environment, cron, time_zone, missed, next_at)
      select s.bucket, c.workspace_id, c.id, s.environment, s.cron, s.time_zone, s.missed, s.next_at
      from copy c, workflow_schedule s where s.workflow_id = $1`;
  await query(copies, [first, SCHEDULES]);
  await query("update workflow_schedule set next_at = now(), due_at = now()");
  const counted = async (): Promise<number> => {
    const [row] = await query<{ n: number }>("select count(*)::int as n from workflow_run");
    return row?.n ?? 0;
  };
  await expect.poll(counted, { timeout: 300_000, interval: 500 }).toBe(SCHEDULES);
  const [all] = await query<{ events: number; named: number; started: number; left: number }>(
    `select (select count(*)::int from event where name = 'schedule.due') as events,
      (select count(distinct subject)::int from event where name = 'schedule.due') as named,
      (select count(distinct workflow_id)::int from workflow_run) as started,
      (select count(*)::int from workflow_schedule where next_at <= now()) as left`,
  );
  expect(all).toEqual({ events: SCHEDULES, named: SCHEDULES, started: SCHEDULES, left: 0 });
}, 400_000);
