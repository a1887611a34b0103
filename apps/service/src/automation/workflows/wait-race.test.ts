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
  const { run, commit } = await uncommitted({ event, match }, { order: "ord_1" });
  await service.fire(event, { order: "ord_2" });
  const fired = await service.fire(event, { order: "ord_1" });
  expect((await service.api("GET", `/v1/events/${fired.id}`)).body.stages).toEqual([]);
  await commit();
  expect((await service.until(run, ({ state }) => state === "completed"))["steps"][0].output.id).toBe(fired.id);
});

test("an event before the commit that is too expensive stays shown after checks", async () => {
  const event = "costly.event";
  const leaf = { field: "data.a", op: "contains", value: 1.5 };
  const { run, commit } = await uncommitted({ event, match: { any: Array.from({ length: 100 }, () => leaf) } });
  const costly = Array.from({ length: 9000 }, () => "1.50000000000000000001").join(",");
  await service.api("POST", "/v1/events/fire", `{"event":"${event}","data":{"a":[${costly}]}}`);
  await commit();
  const [step] = (await service.until(run, ({ steps }) => steps[0].error !== null))["steps"];
  expect(step).toMatchObject({ state: "waiting", error: expect.stringContaining("too_expensive") });
  const checks = async (): Promise<Parsed> =>
    await service.database.query("select checks from workflow_wait where event = $1 and checks > 1", [event]);
  await expect.poll(checks, { timeout: 10_000 }).toHaveLength(1);
  expect((await service.api("GET", run)).body.steps[0].error).toBe(step.error);
});

test("a run that moved on before an event continued it keeps its next wait", async () => {
  const event = "moved.event";
  const workflow = await makeWorkflow(service, [{ id: "wait", type: "wait_event", event, timeout_seconds: 3600 }]);
  const run = await workflow.fire({});
  await workflow.run(run, "waiting");
  const other = await connect();
  await other.query("begin");
  await other.query("select 1 from workflow_run where id = $1 for update", [uuidOf(run)]);
  const fired = await service.fire(event, {});
  const held = "select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like '%for update of r'";
  await expect.poll(async () => await service.database.query(held)).toHaveLength(1);
  await other.query("update workflow_run set position = position + 1 where id = $1", [uuidOf(run)]);
  await other.query("update workflow_wait set position = position + 1 where run_id = $1", [uuidOf(run)]);
  await other.query("commit");
  await other.end();
  await service.until(`/v1/events/${fired.id}`, ({ stages }) => stages.every(({ state }: Parsed) => state === "done"));
  const left = "select position from workflow_wait where run_id = $1";
  expect(await service.database.query(left, [uuidOf(run)])).toEqual([{ position: 1 }]);
});

async function connect(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: service.database.url });
  await client.connect();
  return client;
}

/** Starts a run whose step to wait has begun and is not committed before `commit`. `run` is its path. */
async function uncommitted(
  wait: { readonly event: string; readonly match: object },
  data: object = {},
): Promise<{ readonly run: string; commit(): Promise<void> }> {
  const { database } = service;
  await database.query(`create function hold_wait() returns trigger language plpgsql as $$ begin
      if new.event = '${wait.event}' then perform pg_advisory_xact_lock(4712); end if; return new; end $$;
    create trigger hold_wait after insert on workflow_wait for each row execute function hold_wait()`);
  const holder = await connect();
  await holder.query("select pg_advisory_lock(4712)");
  const workflow = await makeWorkflow(service, [{ id: "wait", type: "wait_event", timeout_seconds: 3600, ...wait }]);
  const id = await workflow.fire(data);
  const hanging = "select 1 from pg_locks where locktype = 'advisory' and not granted and objid = 4712";
  await expect.poll(async () => await database.query(hanging)).toHaveLength(1);
  const commit = async (): Promise<void> => {
    await holder.query("select pg_advisory_unlock(4712)");
    await holder.end();
    await database.query("drop trigger hold_wait on workflow_wait; drop function hold_wait");
  };
  return { run: `/v1/workflows/runs/${id}`, commit };
}

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
