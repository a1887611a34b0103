import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { uuidOf } from "../../testing/keys.ts";
import { startService } from "../../testing/service.ts";
import { UNLIMITED } from "../../testing/subscription.ts";
import { makeWorkflow } from "../../testing/workflows.ts";
import type { Parsed, TestService } from "../../testing/test-service.ts";

let service: TestService;

beforeAll(async () => {
  service = await startService({ env: UNLIMITED });
});
afterAll(async () => await service.close());

test("an event between the begin and the commit of a step is found", async () => {
  const event = "raced.event";
  const match = { field: "data.order", op: "eq", value: "${$.data.order}" };
  await service.database.query(`create function hold_wait() returns trigger language plpgsql as $$ begin
      if new.event = '${event}' then perform pg_advisory_xact_lock(4712); end if; return new; end $$;
    create trigger hold_wait after insert on workflow_wait for each row execute function hold_wait()`);
  const holder = new pg.Client({ connectionString: service.database.url });
  await holder.connect();
  await holder.query("select pg_advisory_lock(4712)");
  const workflow = await makeWorkflow(service, [
    { id: "wait", type: "wait_event", event, timeout_seconds: 3600, match },
  ]);
  const run = await workflow.fire({ order: "ord_1" });
  const hanging = "select 1 from pg_locks where locktype = 'advisory' and not granted and objid = 4712";
  await expect.poll(async () => await service.database.query(hanging)).toHaveLength(1);
  await service.fire(event, { order: "ord_2" });
  const fired = await service.fire(event, { order: "ord_1" });
  expect((await service.api("GET", `/v1/events/${fired.id}`)).body.stages).toEqual([]);
  await holder.query("select pg_advisory_unlock(4712)");
  await holder.end();
  expect((await workflow.run(run, "completed")).steps[0].output.id).toBe(fired.id);
  await service.database.query("drop trigger hold_wait on workflow_wait");
});

test("one event continues more runs than fit in a page", async () => {
  const event = "paged.event";
  const workflow = await makeWorkflow(service, [{ id: "wait", type: "wait_event", event, timeout_seconds: 3600 }]);
  const events = Array.from({ length: 100 }, () => ({ event: workflow.event, data: {} }));
  for (let batch = 0; batch < 6; batch += 1) await service.api("POST", "/v1/events/batch", { events });
  const states = async (): Promise<Parsed> =>
    await service.database.query(
      "select state, count(*)::int as n from workflow_run where workflow_id = $1 group by 1",
      [uuidOf(workflow.id)],
    );
  await expect.poll(states, { timeout: 30_000 }).toEqual([{ state: "waiting", n: 600 }]);
  await service.fire(event, {});
  await expect.poll(states, { timeout: 30_000 }).toEqual([{ state: "completed", n: 600 }]);
});
