import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { gauge } from "../../testing/metrics.ts";
import { absentId, otherWorkspace, tagOfId, uuidOf } from "../../testing/keys.ts";
import { startService } from "../../testing/service.ts";
import { UNLIMITED } from "../../testing/subscription.ts";
import type { Parsed, TestService } from "../../testing/test-service.ts";

let service: TestService;
beforeAll(async () => {
  service = await startService({ env: UNLIMITED });
});
afterAll(async () => await service.close());

/** Next January, so that it fires only when a test makes it due. */
const YEARLY = { cron: "0 0 1 1 *", time_zone: "Europe/Berlin" };
const STEPS = [{ id: "check", type: "condition", when: { field: "data.missed", op: "eq", value: 0 }, then: null }];

interface Making {
  readonly schedule?: object;
  readonly when?: object;
  readonly key?: string;
  readonly name?: string;
}

async function scheduled({
  schedule = YEARLY,
  when,
  key = service.key,
  name = "Report",
}: Making = {}): Promise<string> {
  const trigger = when === undefined ? { schedule } : { schedule, when };
  const made = await service.api("POST", "/v1/workflows", { name, trigger, steps: STEPS }, { key });
  expect(made.text).toContain('"signing_secret"');
  return made.body.id;
}

async function scheduleOf(id: string): Promise<Parsed> {
  return (await service.api("GET", `/v1/workflows/${id}/schedule`)).body;
}

/** Makes a schedule due, as if it had not fired since `ago`. */
async function makeDue(id: string, ago = "0"): Promise<void> {
  const due = "update workflow_schedule set next_at = now() - $2::interval, due_at = now() where workflow_id = $1";
  await service.database.query(due, [uuidOf(id), ago]);
}

async function hasMoved(id: string): Promise<void> {
  const moved = "select 1 from workflow_schedule where workflow_id = $1 and next_at > now()";
  await expect
    .poll(async () => (await service.database.query(moved, [uuidOf(id)])).length, { timeout: 60_000 })
    .toBe(1);
}

async function firedFor(id: string, key = service.key): Promise<Parsed[]> {
  return (await service.api("GET", `/v1/events?subject=${id}&limit=100`, undefined, { key })).body.data;
}

async function runsOf(id: string): Promise<Parsed[]> {
  return (await service.api("GET", `/v1/workflows/${id}/runs`)).body.data;
}

test("a due schedule fires one event, which starts its workflow and no other", async () => {
  const [id, other] = [await scheduled(), await scheduled()];
  const subscribed = { name: "Audit", trigger: { event: "schedule.due" }, steps: STEPS };
  const subscriber = (await service.api("POST", "/v1/workflows", subscribed)).body.id;
  await makeDue(id);
  await service.until(`/v1/workflows/${id}/runs`, ({ data }) => data[0]?.state === "completed");
  const [event, ...more] = await firedFor(id);
  expect(more).toEqual([]);
  expect(event).toMatchObject({ event: "schedule.due", canonical: false, environment: "live" });
  const { due_at: dueAt, scheduled_at: local } = event.data;
  expect(event.data).toEqual({
    workflow_id: id,
    workflow_name: "Report",
    due_at: event.occurred_at,
    scheduled_at: local,
    time_zone: "Europe/Berlin",
    previous_due_at: null,
    missed: 0,
  });
  expect(Date.parse(local)).toBe(Math.floor(Date.parse(dueAt) / 1000) * 1000);
  expect(await runsOf(id)).toMatchObject([{ event: "schedule.due", event_id: event.id, started_by: null }]);
  expect(await runsOf(other)).toEqual([]);
  await service.until(`/v1/workflows/${subscriber}/runs`, ({ data }) => data.length === 1);
  const [row] = await service.database.query("select contact_id from workflow_run where workflow_id = $1", [
    uuidOf(id),
  ]);
  expect(row).toEqual({ contact_id: null });
  expect(await scheduleOf(id)).toMatchObject({ last_fired: { at: dueAt, event_id: event.id }, skipped: null });
  await service.api("DELETE", `/v1/workflows/${subscriber}`);
});

test("the schedule shows five times, in UTC and on local clocks", async () => {
  const id = await scheduled({ schedule: { ...YEARLY, missed: "once" } });
  const shown = await scheduleOf(id);
  const year = Number(shown.next[0].at.slice(0, 4)) + 1;
  expect(shown).toMatchObject({
    object: "workflow_schedule",
    workflow_id: id,
    ...YEARLY,
    missed: "once",
    enabled: true,
    last_fired: null,
    skipped: null,
    environment: "live",
  });
  expect(shown.next).toHaveLength(5);
  expect(shown.next[0]).toEqual({ at: `${year - 1}-12-31T23:00:00.000Z`, local: `${year}-01-01T00:00:00+01:00` });
});

test("only workflows with a schedule show one, to their own workspace", async () => {
  const trigger = { event: "order.created" };
  const made = await service.api("POST", "/v1/workflows", { name: "Plain", trigger, steps: STEPS });
  expect((await service.api("GET", `/v1/workflows/${made.body.id}/schedule`)).status).toBe(404);
  const absent = absentId({ tag: tagOfId(made.body.id) }, "wf");
  expect((await service.api("GET", `/v1/workflows/${absent}/schedule`)).status).toBe(404);
  const { key } = await otherWorkspace(service);
  const foreign = await service.api("GET", `/v1/workflows/${await scheduled()}/schedule`, undefined, { key });
  expect([foreign.status, foreign.body.code]).toEqual([403, "workspace_mismatch"]);
});

describe("a schedule is refused at the save", () => {
  test.each([
    [{ schedule: { cron: "61 * * * *" } }, "/trigger/schedule/cron"],
    [{ schedule: { cron: "0 0 30 2 *" } }, "/trigger/schedule/cron"],
    [{ schedule: { cron: "* * * * *", time_zone: "Europe/Bonn" } }, "/trigger/schedule/time_zone"],
    [{ schedule: { cron: "* * * * *", missed: "twice" } }, "/trigger/schedule/missed"],
    [{ schedule: { cron: "* * * * *", seconds: 1 } }, "/trigger/schedule/seconds"],
    [{ schedule: {} }, "/trigger/schedule/cron"],
    [{ schedule: { cron: 5 } }, "/trigger/schedule/cron"],
    [{ schedule: { cron: "* * * * *" }, event: "order.created" }, "/trigger/event"],
    [{}, "/trigger/event"],
  ])("%j", async (trigger, pointer) => {
    const refused = await service.api("POST", "/v1/workflows", { name: "Bad", trigger, steps: STEPS });
    expect([refused.status, refused.body.code]).toEqual([422, "validation_failed"]);
    expect(refused.body.errors.map((one: Parsed) => one.pointer)).toContain(pointer);
  });

  test("also by a change, which then changes nothing", async () => {
    const id = await scheduled();
    const before = await scheduleOf(id);
    const trigger = { schedule: { cron: "@reboot" } };
    expect((await service.api("PATCH", `/v1/workflows/${id}`, { trigger })).status).toBe(422);
    expect(await scheduleOf(id)).toEqual(before);
  });
});

test("the trigger's condition reads the event, and finds no contact", async () => {
  const onTime = await scheduled({ when: { field: "data.missed", op: "eq", value: 0 } });
  const late = await scheduled({ when: { field: "data.missed", op: "gt", value: 0 } });
  const known = await scheduled({ when: { field: "contact.email", op: "exists" } });
  for (const id of [late, known, onTime]) await makeDue(id);
  await service.until(`/v1/workflows/${onTime}/runs`, ({ data }) => data.length === 1);
  for (const id of [late, known]) {
    const [event] = await firedFor(id);
    await service.until(`/v1/events/${event.id}`, ({ stages }) => stages[0]?.state === "done");
    expect(await runsOf(id)).toEqual([]);
  }
});

test("a workflow of the sandbox fires in the sandbox only", async () => {
  const id = await scheduled({ key: service.sandboxKey, name: "Of the sandbox" });
  await makeDue(id);
  await hasMoved(id);
  const [event] = await firedFor(id, service.sandboxKey);
  expect(event).toMatchObject({ event: "schedule.due", environment: "sandbox", data: { workflow_id: id } });
  expect(await firedFor(id)).toEqual([]);
  expect(await scheduleOf(id)).toMatchObject({ environment: "sandbox", last_fired: { event_id: event.id } });
  const promoted = await service.api("POST", `/v1/workflows/${id}/promote`, {});
  expect(promoted.status).toBe(200);
  const live = promoted.body.live_id;
  await makeDue(live);
  await hasMoved(live);
  expect(await firedFor(live)).toMatchObject([{ environment: "live" }]);
});

describe("missed occurrences", () => {
  const hourly = (missed: string): Making => ({ schedule: { cron: "0 * * * *", missed } });

  test("are dropped by default, and shown", async () => {
    const id = await scheduled({ schedule: { cron: "0 * * * *" } });
    await makeDue(id, "3 hours 30 minutes");
    await hasMoved(id);
    const { skipped } = await scheduleOf(id);
    expect(skipped.count).toBeGreaterThanOrEqual(4);
    const late = (await firedFor(id)).filter(({ data }) => Date.now() - Date.parse(data.due_at) > 600_000);
    expect(late).toEqual([]);
  });

  test("fire one event together with `once`", async () => {
    const id = await scheduled(hourly("once"));
    await makeDue(id, "3 hours 30 minutes");
    await hasMoved(id);
    const { skipped } = await scheduleOf(id);
    const events = (await firedFor(id)).filter(({ data }) => data.missed > 0);
    expect(events).toMatchObject([{ data: { missed: skipped.count, due_at: skipped.last.at } }]);
    await service.until(`/v1/workflows/${id}/runs`, ({ data }) => data.length > 0);
  });

  test("are none while the workflow was disabled", async () => {
    const id = await scheduled(hourly("once"));
    await service.api("PATCH", `/v1/workflows/${id}`, { enabled: false });
    expect(await scheduleOf(id)).toMatchObject({ enabled: false, next: [] });
    await service.api("PATCH", `/v1/workflows/${id}`, { name: "Renamed" });
    await service.api("PATCH", `/v1/workflows/${id}`, { enabled: true });
    await hasMoved(id);
    const shown = await scheduleOf(id);
    expect([shown.enabled, shown.skipped, shown.next.length]).toEqual([true, null, 5]);
    expect(await firedFor(id)).toEqual([]);
  });
});

test("an edited schedule counts from the save, and a new name changes nothing", async () => {
  const id = await scheduled();
  const before = await scheduleOf(id);
  await service.api("PATCH", `/v1/workflows/${id}`, { name: "Renamed" });
  expect(await scheduleOf(id)).toEqual(before);
  const held =
    "update workflow_schedule set due_at = now() + interval '1 hour', next_at = now() where workflow_id = $1";
  await service.database.query(held, [uuidOf(id)]);
  const trigger = { schedule: { cron: "30 6 2 1 *", time_zone: "UTC" } };
  await service.api("PATCH", `/v1/workflows/${id}`, { trigger });
  await hasMoved(id);
  expect((await scheduleOf(id)).next[0].at).toMatch(/-01-02T06:30:00.000Z$/);
  expect(await firedFor(id)).toEqual([]);
  await service.api("PATCH", `/v1/workflows/${id}`, { trigger: { event: "order.created" } });
  expect((await service.api("GET", `/v1/workflows/${id}/schedule`)).status).toBe(404);
});

test("an occurrence fires once, also after the clock was set back", async () => {
  const id = await scheduled();
  await makeDue(id);
  await hasMoved(id);
  const [event] = await firedFor(id);
  const again = "update workflow_schedule set next_at = fired_at, due_at = now() where workflow_id = $1";
  await service.database.query(again, [uuidOf(id)]);
  await hasMoved(id);
  expect((await firedFor(id)).map((one) => one.id)).toEqual([event.id]);
});

test("a schedule that cannot fire is tried again later, and stops no other", async () => {
  const ids = [await scheduled(), await scheduled(), await scheduled()];
  const broken = "update workflow_schedule set time_zone = 'Mars/Olympus' where workflow_id = $1";
  await service.database.query(broken, [uuidOf(ids[0] ?? "")]);
  await Promise.all(ids.map(async (id) => await makeDue(id)));
  for (const id of ids.slice(1)) await hasMoved(id);
  const later = "select 1 from workflow_schedule where workflow_id = $1 and next_at < now() and due_at > now()";
  await expect.poll(async () => (await service.database.query(later, [uuidOf(ids[0] ?? "")])).length).toBe(1);
  expect(await firedFor(ids[0] ?? "")).toEqual([]);
});

test("a closed workspace fires nothing", async () => {
  const { key } = await otherWorkspace(service);
  const id = await scheduled({ key });
  await service.database.query("update workspace set closed_at = now() where tag = $1", [tagOfId(id)]);
  await makeDue(id);
  await hasMoved(id);
  expect(await service.database.query("select 1 from event where subject = $1", [id])).toEqual([]);
});

test("a schedule that is overdue for more than a minute is counted for operators", async () => {
  const id = await scheduled();
  const overdue = async (): Promise<string | undefined> => await gauge(service, "junction_overdue_schedules");
  expect(await overdue()).toBe("0");
  // It could not be fired, and is tried again a minute later.
  await service.database.query(
    `update workflow_schedule set next_at = now() - interval '70 seconds', due_at = now() + interval '50 seconds' where workflow_id = $1`,
    [uuidOf(id)],
  );
  expect(await overdue()).toBe("1");
  await service.api("PATCH", `/v1/workflows/${id}`, { enabled: false });
  expect(await overdue()).toBe("0");
});
