import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { uuidOf } from "../../testing/keys.ts";
import { startService } from "../../testing/service.ts";
import type { TestService } from "../../testing/test-service.ts";

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => await service.close());

async function fired(id: string): Promise<number> {
  return (await service.api("GET", `/v1/events?subject=${id}`)).body.data.length;
}

/** Holds a schedule as a node does that fires it, and makes it due. */
async function heldSchedule(): Promise<{ id: string; client: pg.Client; pid: number }> {
  const trigger = { schedule: { cron: "0 0 1 1 *" } };
  const steps = [{ id: "check", type: "condition", when: { field: "data.missed", op: "eq", value: 0 }, then: null }];
  const made = await service.api("POST", "/v1/workflows", { name: "Report", trigger, steps });
  const workflow = [uuidOf(made.body.id)];
  const client = new pg.Client(service.database.url);
  client.on("error", () => undefined);
  await client.connect();
  const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
  await client.query("begin");
  await client.query("update workflow_schedule set next_at = now(), due_at = now() where workflow_id = $1", workflow);
  await client.query("commit; begin");
  await client.query("select 1 from workflow_schedule where workflow_id = $1 for update", workflow);
  return { id: made.body.id, client, pid: rows[0]?.pid ?? 0 };
}

test("a killed node leaves the occurrence to another one", async () => {
  const { id, pid } = await heldSchedule();
  await service.database.query("select pg_terminate_backend($1)", [pid]);
  await service.until(`/v1/events?subject=${id}`, ({ data }) => data.length > 0);
  const moved = "select 1 from workflow_schedule where workflow_id = $1 and next_at > now()";
  await expect.poll(async () => (await service.database.query(moved, [uuidOf(id)])).length).toBe(1);
  expect(await fired(id)).toBe(1);
});

test.each([
  ["disabled", "PATCH", { enabled: false }],
  ["edited", "PATCH", { trigger: { schedule: { cron: "0 5 1 1 *" } } }],
  ["deleted", "DELETE", undefined],
])("a workflow that is %s waits for it, and no longer fires", async (_done, method, body) => {
  const { id, client } = await heldSchedule();
  const before = await fired(id);
  const changed = service.api(method, `/v1/workflows/${id}`, body);
  const waiting = "select 1 from pg_stat_activity where wait_event_type = 'Lock' and query ~* 'workflow_schedule'";
  await expect.poll(async () => (await service.database.query(waiting)).length).toBeGreaterThan(0);
  await client.query("rollback");
  await client.end();
  expect((await changed).status).toBe(method === "DELETE" ? 204 : 200);
  expect(await fired(id)).toBe(before);
});
