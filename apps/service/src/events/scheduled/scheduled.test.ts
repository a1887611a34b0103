import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { after, uuidFloor } from "../../lib/lib.ts";
import type { Instant } from "../../lib/lib.ts";
import { gauge } from "../../testing/metrics.ts";
import { absentId, otherWorkspace, tagOfId, uuidOf } from "../../testing/keys.ts";
import { startService } from "../../testing/service.ts";
import { UNLIMITED } from "../../testing/subscription.ts";
import { makeWorkflow } from "../../testing/workflows.ts";
import type { Parsed, TestService } from "../../testing/test-service.ts";

let service: TestService;
beforeAll(async () => {
  service = await startService({ env: UNLIMITED });
});
afterAll(async () => await service.close());

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

function inMs(ms: number): string {
  return new Date(Date.now() + ms).toISOString();
}

async function schedule(more: object = {}, key = service.key): Promise<Parsed> {
  const event = { event: "order.created", data: { order: { id: "ord_1" } }, deliver_at: inMs(HOUR_MS), ...more };
  const made = await service.api("POST", "/v1/events/fire", event, { key });
  expect([made.status, made.text]).toEqual([202, expect.stringContaining('"scheduled"')]);
  return made.body;
}

/** Makes scheduled events due. */
async function makeDue(...ids: readonly string[]): Promise<void> {
  const due = "update scheduled_event set due_at = now() where id = any($1::uuid[]) and due_at is not null";
  await service.database.query(due, [ids.map(uuidOf)]);
}

async function fired(id: string): Promise<Parsed> {
  return await service.until(`/v1/events/${id}`, ({ status }) => status === "accepted");
}

async function cancel(id: string, key = service.key): Promise<{ status: number; body: Parsed }> {
  return await service.api("DELETE", `/v1/events/${id}/schedule`, undefined, { key });
}

test("an event with deliver_at waits, and then everything reacts to it", async () => {
  const workflow = await makeWorkflow(service, [{ id: "pause", type: "delay", seconds: 3600 }]);
  const endpoint = await service.endpoint("http://127.0.0.1:9/", { events: [workflow.event] });
  const deliverAt = inMs(HOUR_MS);
  const data = '{"customer":{"external_id":"c_1"},"total":12345678901234567890}';
  const subject = "order:1";
  const made = await service.api(
    "POST",
    "/v1/events/fire",
    `{"event":"${workflow.event}","data":${data},"subject":"${subject}","deliver_at":"${deliverAt}"}`,
  );
  const { id } = made.body;
  const waiting = { id, event: workflow.event, status: "scheduled", deliver_at: deliverAt, occurred_at: deliverAt };
  expect(made.body).toMatchObject({ ...waiting, object: "event", subscribers: [], deliveries: [] });
  expect((await service.api("GET", `/v1/events/${id}`)).body).toMatchObject({ ...waiting, stages: [], deliveries: [] });
  expect((await service.api("GET", "/v1/events?limit=100")).text).not.toContain(id);
  const listed = await service.api("GET", `/v1/events?status=scheduled&event=${workflow.event}&subject=${subject}`);
  expect(listed.body.data).toMatchObject([{ ...waiting, subject }]);
  await makeDue(id);
  const shown = await fired(id);
  expect(shown).toMatchObject({ id, event: workflow.event, subject, occurred_at: deliverAt });
  expect(shown["deliver_at"]).toBeUndefined();
  expect(shown.deliveries).toMatchObject([{ endpoint_id: endpoint.id }]);
  expect((await service.api("GET", `/v1/events/${id}`)).text).toContain(data);
  await service.until(`/v1/workflows/${workflow.id}/runs`, (body) => body.data[0]?.event_id === id);
  expect((await service.api("GET", `/v1/events?event=${workflow.event}`)).body.data).toMatchObject([{ id }]);
  const left = await service.api("GET", `/v1/events?status=scheduled&event=${workflow.event}`);
  expect(left.body.data).toEqual([]);
});

test("a contact appears when the event is delivered, with its own time", async () => {
  const occurredAt = inMs(-DAY_MS);
  const data = { order: { external_id: "o-1" }, customer: { external_id: "later-1", email: "later@example.com" } };
  const { id } = await schedule({ data, occurred_at: occurredAt });
  const contacts = async (): Promise<string> => (await service.api("GET", "/v1/contacts?limit=100")).text;
  expect(await contacts()).not.toContain("later@example.com");
  await makeDue(id);
  expect(await fired(id)).toMatchObject({ occurred_at: occurredAt });
  await expect.poll(contacts, { timeout: 30_000 }).toContain("later@example.com");
});

describe("deliver_at", () => {
  test.each([
    [inMs(31 * DAY_MS), "future"],
    ["tomorrow", "format"],
    ["2026-11-27T10:00:00", "format"],
  ])("%s is refused, and nothing of a batch is kept", async (deliverAt, code) => {
    const good = { event: "refused.good", data: {}, deliver_at: inMs(HOUR_MS) };
    const bad = { event: "refused.bad", data: {}, deliver_at: deliverAt };
    const refused = await service.api("POST", "/v1/events/batch", { events: [good, bad] });
    expect([refused.status, refused.body.errors]).toMatchObject([422, [{ pointer: "/events/1/deliver_at" }]]);
    if (code === "future") expect(refused.body.errors[0].code).toBe(code);
    expect((await service.api("GET", "/v1/events?status=scheduled&event=refused.good")).body.data).toEqual([]);
  });

  test("in the past fires at once", async () => {
    const event = { event: "order.created", data: {}, deliver_at: inMs(-1000) };
    const made = await service.api("POST", "/v1/events/fire", event);
    expect([made.status, made.body.status]).toEqual([202, "accepted"]);
  });

  test("may be 30 days ahead", async () => await schedule({ deliver_at: inMs(30 * DAY_MS - 1000) }));

  test("does not let callers fire events of the system", async () => {
    const event = { event: "schedule.due", data: {}, deliver_at: inMs(HOUR_MS) };
    expect((await service.api("POST", "/v1/events/fire", event)).status).toBe(422);
  });
});

test("a batch fires some events now and others later, in its order", async () => {
  const later = { deliver_at: inMs(HOUR_MS) };
  const events = [{ ...later }, {}, {}, { ...later }].map((more, n) => ({
    event: "batch.mixed",
    data: { n },
    ...more,
  }));
  const made = await service.api("POST", "/v1/events/batch", { events });
  const states = ["scheduled", "accepted", "accepted", "scheduled"];
  expect(made.body.data.map(({ status }: Parsed) => status)).toEqual(states);
  for (const [n, { id }] of made.body.data.entries())
    expect((await service.api("GET", `/v1/events/${id}`)).body).toMatchObject({ status: states[n], data: { n } });
  const listed = await service.api("GET", "/v1/events?status=scheduled&event=batch.mixed&limit=1");
  expect(listed.body).toMatchObject({ has_more: true, data: [{ status: "scheduled" }] });
  const next = await service.api(
    "GET",
    `/v1/events?status=scheduled&event=batch.mixed&limit=1&cursor=${listed.body.next_cursor}`,
  );
  expect(next.body).toMatchObject({ has_more: false, data: [{ status: "scheduled" }] });
});

test("a repeated call schedules its event once", async () => {
  const event = { event: "repeat.later", data: {}, deliver_at: inMs(HOUR_MS) };
  const headers = { "Idempotency-Key": "repeat-later" };
  const calls = await Promise.all(
    [1, 2, 3].map(async () => await service.api("POST", "/v1/events/fire", event, { headers })),
  );
  const again = await service.api("POST", "/v1/events/fire", event, { headers });
  expect([again.status, again.headers.get("idempotent-replayed")]).toEqual([202, "true"]);
  const ids = new Set([...calls, again].filter(({ status }) => status === 202).map(({ body }) => body.id));
  expect(ids.size).toBe(1);
  expect((await service.api("GET", "/v1/events?status=scheduled&event=repeat.later")).body.data).toHaveLength(1);
});

describe("a cancelled event", () => {
  test("is not fired, and stays visible", async () => {
    const { id } = await schedule({ event: "cancel.me" });
    expect((await cancel(id)).status).toBe(204);
    expect((await cancel(id)).status).toBe(204);
    await makeDue(id);
    expect((await service.api("GET", `/v1/events/${id}`)).body).toMatchObject({ id, status: "cancelled" });
    expect((await service.api("GET", "/v1/events?status=cancelled&event=cancel.me")).body.data).toMatchObject([{ id }]);
    const refired = await service.api("POST", `/v1/events/${id}/refire`);
    expect([refired.status, refired.body.code]).toEqual([409, "conflict"]);
  });

  test("must not have been fired, and must be known", async () => {
    const { id } = await service.fire();
    const late = await cancel(id);
    expect([late.status, late.body.code]).toEqual([409, "event_already_fired"]);
    expect((await cancel(absentId({ tag: tagOfId(id) }, "evt"))).status).toBe(404);
  });

  test("belongs to its workspace and environment", async () => {
    const { id } = await schedule();
    const { key } = await otherWorkspace(service);
    expect((await cancel(id, key)).body.code).toBe("workspace_mismatch");
    expect((await cancel(id, service.sandboxKey)).body.code).toBe("environment_mismatch");
    const sandbox = await schedule({ event: "sandbox.later" }, service.sandboxKey);
    expect((await service.api("GET", "/v1/events?status=scheduled&event=sandbox.later")).body.data).toEqual([]);
    expect((await cancel(sandbox.id, service.sandboxKey)).status).toBe(204);
  });
});

test("of a cancellation and a delivery, exactly one wins", async () => {
  const event = { event: "race.later", data: {}, deliver_at: inMs(HOUR_MS) };
  const made = await service.api("POST", "/v1/events/batch", { events: Array.from({ length: 40 }, () => event) });
  const ids: string[] = made.body.data.map(({ id }: Parsed) => id);
  const due = makeDue(...ids);
  const answers = await Promise.all(ids.map(async (id) => (await cancel(id)).status));
  await due;
  for (const [at, id] of ids.entries()) {
    if (answers[at] === 409) await fired(id);
    else expect((await service.api("GET", `/v1/events/${id}`)).body.status).toBe("cancelled");
  }
  expect(answers.every((status) => status === 204 || status === 409)).toBe(true);
});

test("two nodes fire 300 scheduled events once each", async () => {
  const second = await startService({ on: service, env: UNLIMITED });
  const event = { event: "nodes.later", data: {}, deliver_at: inMs(HOUR_MS) };
  const made = await service.api("POST", "/v1/events/batch", { events: Array.from({ length: 300 }, () => event) });
  const ids = made.body.data.map(({ id }: Parsed) => id);
  await makeDue(...ids);
  const counted = async (): Promise<unknown[]> =>
    await service.database.query(
      "select count(*)::int as n, count(distinct id)::int as ids from event where name = 'nodes.later'",
    );
  await expect.poll(counted, { timeout: 60_000 }).toEqual([{ n: 300, ids: 300 }]);
  await second.close();
  expect(await service.database.query("select 1 from scheduled_event where name = 'nodes.later'")).toEqual([]);
});

test("an event that a killed node had taken is fired by another one", async () => {
  const { id } = await schedule({ event: "killed.later" });
  const client = new pg.Client(service.database.url);
  client.on("error", () => undefined);
  await client.connect();
  const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
  await client.query("begin");
  await client.query("delete from scheduled_event where id = $1", [uuidOf(id)]);
  await service.database.query("select pg_terminate_backend($1::int)", [rows[0]?.pid]);
  await makeDue(id);
  expect(await fired(id)).toMatchObject({ event: "killed.later" });
});

test("an event that cannot be fired is tried again later, and stops no other", async () => {
  const [broken, good] = [await schedule({ event: "broken.later" }), await schedule({ event: "good.later" })];
  // An event with this id exists, so that it cannot be written.
  await service.database.query(
    `insert into event (bucket, tag, id, name, canonical, data, occurred_at)
      select bucket, tag, id, name, false, data, now() from scheduled_event where id = $1`,
    [uuidOf(broken.id)],
  );
  await makeDue(broken.id, good.id);
  await fired(good.id);
  const later = "select 1 from scheduled_event where id = $1 and due_at between now() and now() + interval '2 minutes'";
  await expect
    .poll(async () => (await service.database.query(later, [uuidOf(broken.id)])).length, { timeout: 30_000 })
    .toBe(1);
});

test("an event that is overdue for more than a minute is counted for operators", async () => {
  const { id } = await schedule({ event: "overdue.later" });
  const overdue = async (): Promise<string | undefined> => await gauge(service, "junction_overdue_scheduled_events");
  expect(await overdue()).toBe("0");
  // Its id contains its time, and the next try is a minute later.
  await service.database.query(
    `update scheduled_event set due_at = now() + interval '50 seconds', id = $2 where id = $1`,
    [uuidOf(id), uuidFloor(after(Date.now() as Instant, -70_000))],
  );
  await expect.poll(overdue).toBe("1");
});

test("a cancellation is in the audit log", async () => {
  const { id } = await schedule({ event: "audited.later" });
  await cancel(id);
  const { body } = await service.api("GET", "/v1/audit?kind=event&limit=10");
  expect(body.data).toContainEqual(
    expect.objectContaining({ kind: "event", action: "events.cancel", status: "ok", params_redacted: { id } }),
  );
});

test("erasing a contact removes the scheduled events about it", async () => {
  const { body: contact } = await service.api("POST", "/v1/contacts", { email: "erase@example.com" });
  const about = await schedule({ data: { contact_id: contact.id } });
  const byEmail = await schedule({ data: { customer: { email: "erase@example.com" } } });
  const other = await schedule();
  const exported = await service.api("GET", `/v1/contacts/${contact.id}/export`);
  const named = exported.body["scheduled_events"].map((one: Parsed) => one.id);
  expect(named.toSorted()).toEqual([about.id, byEmail.id].toSorted());
  expect((await service.api("DELETE", `/v1/contacts/${contact.id}`)).status).toBe(204);
  for (const { id } of [about, byEmail]) expect((await service.api("GET", `/v1/events/${id}`)).status).toBe(404);
  expect((await service.api("GET", `/v1/events/${other.id}`)).body.status).toBe("scheduled");
});

test("a closed workspace's events are dropped", async () => {
  const { key } = await otherWorkspace(service);
  const { id } = await schedule({}, key);
  await service.database.query("update workspace set closed_at = now() where tag = $1", [tagOfId(id)]);
  await makeDue(id);
  const left = async (): Promise<number> =>
    (await service.database.query("select 1 from scheduled_event where id = $1", [uuidOf(id)])).length;
  await expect.poll(left, { timeout: 30_000 }).toBe(0);
  expect(await service.database.query("select 1 from event where id = $1", [uuidOf(id)])).toEqual([]);
});
