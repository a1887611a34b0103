import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { after, systemClock } from "../../lib/lib.ts";
import { mintKey, otherWorkspace } from "../../testing/keys.ts";
import { ruleOn } from "../../testing/rules.ts";
import { startService } from "../../testing/service.ts";
import { subscribe, UNLIMITED } from "../../testing/subscription.ts";
import type { Subscription } from "../../testing/subscription.ts";
import type { ApiAnswer, Parsed, TestService } from "../../testing/test-service.ts";

let service: TestService;
let aheadMs = 0;
beforeAll(async () => {
  const clock = { ...systemClock, now: () => after(systemClock.now(), aheadMs) };
  service = await startService({ env: { ...UNLIMITED, JUNCTION_RETRY_LADDER: "1h" }, deps: { clock } });
});
afterAll(async () => await service.close());

const HOUR = 3_600_000;
const hourAgo = (): string => new Date(Date.now() - HOUR).toISOString();

async function fireMany(events: readonly object[]): Promise<string[]> {
  const { body } = await service.api("POST", "/v1/events/batch", { events });
  return body["data"].map(({ id }: Parsed) => id);
}

/** Fires events while the endpoint is off, and turns it on again. */
async function missed({ path, event }: Subscription, count: number, more: object = {}): Promise<string[]> {
  await service.api("POST", `${path}/toggle`);
  const ids = await fireMany(Array.from({ length: count }, (_, n) => ({ event, data: { n }, ...more })));
  await service.api("POST", `${path}/toggle`);
  return ids;
}

const backfill = async ({ path }: Subscription, body: object = {}, on = service): Promise<ApiAnswer> =>
  await on.api("POST", `${path}/backfill`, { from: hourAgo(), ...body });
const ended = async (job: string): Promise<Parsed> =>
  await service.until(`/v1/replays/${job}`, ({ state }) => state !== "running");
const received = ({ receiver }: Subscription): string[] =>
  receiver.received.map(({ body }) => (JSON.parse(body) as { id: string }).id);

test("a backfill sends what an endpoint missed, once, and nothing that it has", async () => {
  const sub = await subscribe(service, { more: { max_in_flight: 1 } });
  await sub.fire();
  await sub.receiver.count(1);
  const ids = await missed(sub, 40);
  expect(await backfill(sub, { dry_run: true })).toMatchObject({ status: 200, body: { count: 40 } });
  const made = await backfill(sub);
  expect([made.status, made.body]).toEqual([202, { count: 40, job_id: expect.stringMatching(/^job_/) }]);
  expect(await ended(made.body["job_id"])).toMatchObject({
    kind: "backfill",
    state: "finished",
    total: 40,
    done: 40,
    endpoint_id: sub.endpoint.id,
  });
  await sub.receiver.count(41);
  expect(received(sub).slice(1)).toEqual(ids);
  const shown = (await service.api("GET", `/v1/events/${ids[0]}`)).body;
  expect(shown["deliveries"]).toMatchObject([{ endpoint_id: sub.endpoint.id, event_id: ids[0] }]);
  expect((await backfill(sub, { dry_run: true })).body).toEqual({ count: 0 });
  const again = await backfill(sub, { missing_only: false });
  expect(await ended(again.body["job_id"])).toMatchObject({ done: 41 });
  await sub.receiver.count(82);
});

test("filter, tenant, versions and patterns are judged as they are now", async () => {
  const sub = await subscribe(service, { more: { tenant: "acme", events: ["shop.*"] } });
  await service.api("POST", `${sub.path}/toggle`);
  const meant = { event: "shop.sold", data: { n: 7 }, tenant: "acme" };
  const [wanted] = await fireMany([
    meant,
    { ...meant, data: { n: 1 } },
    { ...meant, tenant: "globex" },
    { event: "shop.sold", data: { n: 7 } },
    { ...meant, event: "shopping.sold" },
    { ...meant, deliver_at: new Date(Date.now() + HOUR).toISOString() },
  ]);
  const filter = { field: "data.n", op: "gt", value: 5 };
  await service.api("PATCH", sub.path, { active: true, filter });
  const { job_id: job } = (await backfill(sub, { events: ["shop.sold"] })).body;
  expect(await ended(job)).toMatchObject({ total: 1, done: 1 });
  await sub.receiver.count(1);
  expect(received(sub)).toEqual([wanted]);
});

test("system events are sent to an endpoint that names them, never its own", async () => {
  const failing = await subscribe(service, { status: 410 });
  await failing.fire();
  await service.until(failing.path, ({ active }) => active === false);
  const named = "webhook.endpoint.disabled";
  await service.until(`/v1/events?event=${named}`, ({ data }) => data.length > 0);
  const all = await subscribe(service, { more: { events: ["*"] } });
  const system = await subscribe(service, { more: { events: [named] } });
  expect((await backfill(system, { dry_run: true })).body["count"]).toBeGreaterThan(0);
  expect((await backfill(all, { events: [named] })).body["errors"]).toMatchObject([{ pointer: "/events/0" }]);
  await service.api("PATCH", failing.path, { active: true, events: [named] });
  const before = (await backfill(system, { dry_run: true })).body["count"];
  expect((await backfill(failing, { dry_run: true })).body["count"]).toBe(before - 1);
});

test("the events that rules make for their own webhooks are sent to no endpoint", async () => {
  const target = await subscribe(service);
  const all = await subscribe(service, { more: { events: ["*"], active: false } });
  const counted = async (): Promise<number> => (await backfill(all, { dry_run: true })).body["count"];
  await ruleOn(service, { on: ["test.ruled"], then: [{ type: "post_webhook", url: target.receiver.url }] });
  const before = await counted();
  await fireMany([{ event: "test.ruled", data: {} }]);
  await target.receiver.count(1);
  expect(await counted()).toBe(before + 1);
});

test("what cannot be sent is refused with its reason", async () => {
  const sub = await subscribe(service);
  const code = async (body: object): Promise<unknown[]> => {
    const answer = await backfill(sub, body);
    return [answer.status, answer.body["code"], answer.body["errors"]?.[0]?.pointer];
  };
  expect(await code({ events: ["other.event"] })).toEqual([422, "validation_failed", "/events/0"]);
  expect(await code({ events: ["*"] })).toEqual([422, "validation_failed", "/events/0"]);
  expect(await code({ events: ["a..b"] })).toEqual([422, "validation_failed", "/events/0"]);
  expect(await code({ from: "yesterday" })).toEqual([422, "validation_failed", "/from"]);
  expect(await code({ to: hourAgo(), from: new Date().toISOString() })).toEqual([422, "validation_failed", "/from"]);
  expect(await code({ since: hourAgo() })).toEqual([422, "validation_failed", expect.anything()]);
  const foreign = await otherWorkspace(service);
  expect(
    (await service.api("POST", `/v1/webhook-endpoints/${foreign.id("ep")}/backfill`, { from: hourAgo() })).status,
  ).toBe(403);
  await service.api("POST", `${sub.path}/toggle`);
  expect(await code({})).toEqual([409, "conflict", undefined]);
  expect((await code({ dry_run: true }))[0]).toBe(200);
});

test("a portal credential backfills the endpoints of its tenant only", async () => {
  const mine = await subscribe(service, { more: { tenant: "acme" } });
  const other = await subscribe(service, { more: { tenant: "globex" } });
  const own = await subscribe(service);
  const ids = await missed(mine, 2, { tenant: "acme" });
  await missed(mine, 1, { tenant: "globex" });
  for (const capability of ["replay", "endpoints"]) {
    const key = await portalKey([capability]);
    const path = (sub: Subscription): string => `${sub.path}/backfill`;
    const asked = { from: hourAgo(), dry_run: true };
    expect((await service.api("POST", path(mine), asked, { key })).body).toEqual({ count: 2 });
    for (const sub of [other, own]) expect((await service.api("POST", path(sub), asked, { key })).status).toBe(404);
  }
  const refused = await service.api(
    "POST",
    `${mine.path}/backfill`,
    { from: hourAgo() },
    { key: await portalKey(["deliveries"]) },
  );
  expect(refused.body["code"]).toBe("scope_missing");
  const key = await portalKey(["replay"]);
  const { job_id: job } = (await service.api("POST", `${mine.path}/backfill`, { from: hourAgo() }, { key })).body;
  expect((await service.api("GET", `/v1/replays/${job}`, undefined, { key })).body["kind"]).toBe("backfill");
  expect(await ended(job)).toMatchObject({ done: 2 });
  await mine.receiver.count(2);
  expect(received(mine)).toEqual(ids);
});

async function portalKey(capabilities: readonly string[]): Promise<string> {
  const session = await service.api("POST", "/v1/portal-sessions", { tenant: "acme", capabilities });
  const token = new URL(session.body["url"]).hash.slice(1).replace(/^token=/, "");
  return (await service.api("POST", "/v1/portal-sessions/exchange", { token }, { key: null })).body["credential"];
}

test("concurrent jobs on two nodes send each event once", async () => {
  const other = await startService({ on: service, env: { ...UNLIMITED, JUNCTION_RETRY_LADDER: "1h" } });
  try {
    const sub = await subscribe(service, { more: { max_in_flight: 64 } });
    const ids = await missed(sub, 500);
    // The statements of all jobs overlap.
    await service.database.query(`create function slow_insert() returns trigger language plpgsql as $$ begin
        perform pg_sleep(0.3); return null; end $$;
      create trigger slow_insert before insert on pending_delivery for each statement execute function slow_insert()`);
    const jobs = await Promise.all(
      Array.from(
        { length: 6 },
        async (_, n) => (await backfill(sub, {}, n % 2 === 0 ? service : other)).body["job_id"],
      ),
    );
    const done = await Promise.all(jobs.map(async (job) => (await ended(job))["done"]));
    await service.database.query("drop trigger slow_insert on pending_delivery");
    expect(done.toSorted()).toEqual([0, 0, 0, 0, 0, 500]);
    await sub.receiver.count(500);
    await service.until(`${sub.path}/stats`, ({ pending }) => pending === 0);
    expect(received(sub).toSorted()).toEqual(ids.toSorted());
  } finally {
    await other.close();
  }
});

test("an endpoint says since when it is off, however it was turned off", async () => {
  const sub = await subscribe(service, { status: 410 });
  const before = Date.now() - 1000;
  const since = async ({ path } = sub): Promise<number | null> => {
    const at = (await service.api("GET", path)).body["inactive_since"];
    return at === null ? null : Date.parse(at);
  };
  expect(await since()).toBeNull();
  const off = (await service.api("POST", `${sub.path}/toggle`)).body["inactive_since"];
  expect(Date.parse(off)).toBeGreaterThan(before);
  expect((await service.api("PATCH", sub.path, { active: false, description: "off" })).body["inactive_since"]).toBe(
    off,
  );
  await service.api("PATCH", sub.path, { active: true });
  expect(await since()).toBeNull();
  await sub.fire();
  await service.until(sub.path, ({ active }) => active === false);
  expect(await since()).toBeGreaterThan(Date.parse(off));
  expect(await since(await subscribe(service, { more: { active: false } }))).toBeGreaterThan(before);
});

test("the backfills of one endpoint take turns, so that new events wait for few", async () => {
  const sub = await subscribe(service, { more: { rate_limit_per_second: 1 } });
  await missed(sub, 30);
  const jobs = await Promise.all(Array.from({ length: 8 }, async () => await backfill(sub, { missing_only: false })));
  const isOwn = (job: Parsed): boolean => job.endpoint_id === sub.endpoint.id;
  await service.until("/v1/replays", ({ data }) => data.some((job: Parsed) => isOwn(job) && job.done >= 10));
  await sleep(1000);
  const done = await Promise.all(
    jobs.map(async ({ body }) => (await service.api("GET", `/v1/replays/${body["job_id"]}`)).body["done"]),
  );
  // One of them makes ten deliveries, and one more for each that the endpoint takes.
  expect(done.filter((count) => count > 0)).toHaveLength(1);
  await service.api("POST", `${sub.path}/toggle`);
  for (const { body } of jobs) expect((await ended(body["job_id"]))["state"]).toBe("cancelled");
});

test("a tenant can have 100 open jobs, which do not count for others", async () => {
  const mine = await subscribe(service, { more: { tenant: "initech", rate_limit_per_second: 1 } });
  await missed(mine, 30, { tenant: "initech" });
  const { key } = await mintKey(service, { tenant: "initech" });
  const start = async (as = key): Promise<ApiAnswer> =>
    await service.api("POST", `${mine.path}/backfill`, { from: hourAgo(), missing_only: false }, { key: as });
  const made = await Promise.all(Array.from({ length: 104 }, async () => await start()));
  expect(made.filter(({ status }) => status === 202)).toHaveLength(100);
  expect(made.find(({ status }) => status !== 202)?.body).toMatchObject({
    code: "conflict",
    detail: expect.stringContaining("cancel one"),
  });
  expect((await start(service.key)).status).toBe(202);
  await service.api("POST", `${mine.path}/toggle`);
  for (const { body } of made) if (body["job_id"] !== undefined) await ended(body["job_id"]);
});

test("a backfill is cancelled by a call, and by turning its endpoint off", async () => {
  const sub = await subscribe(service, { more: { rate_limit_per_second: 1 } });
  await missed(sub, 2);
  const { job_id: first } = (await backfill(sub)).body;
  await ended(first);
  await service.database.query(
    "update replay_job set finished_at = null, due_at = now() + interval '1 hour' where id = (select id from replay_job order by id desc limit 1)",
  );
  expect((await service.api("POST", `/v1/replays/${first}/cancel`)).body).toMatchObject({
    state: "cancelled",
    done: 2,
  });
  const { job_id: second } = (await backfill(sub)).body;
  await ended(second);
  await service.api("POST", `${sub.path}/toggle`);
  await service.database.query(
    "update replay_job set finished_at = null where id = (select id from replay_job order by id desc limit 1)",
  );
  const next = await startService({ on: service, env: UNLIMITED });
  try {
    expect(await ended(second)).toMatchObject({ state: "cancelled" });
  } finally {
    await next.close();
  }
});

test("an event is sent to one endpoint on request, once for each request", async () => {
  const sub = await subscribe(service);
  const beside = await subscribe(service, { more: { events: [sub.event] } });
  const [id = ""] = await missed(sub, 1);
  await beside.receiver.count(1);
  const path = `/v1/events/${id}/refire`;
  const body = { endpoint_id: sub.endpoint.id };
  const key = { idempotencyKey: "send-to-one" };
  const answers = await Promise.all(
    [1, 2, 3].map(
      async () => await service.api("POST", path, body, { headers: { "Idempotency-Key": key.idempotencyKey } }),
    ),
  );
  const made = answers.find(({ status }) => status === 202);
  expect(made?.body).toMatchObject({
    id,
    event: sub.event,
    deliveries: [{ endpoint_id: sub.endpoint.id, state: "pending" }],
  });
  await sub.receiver.count(1);
  expect(received(sub)).toEqual([id]);
  expect((await service.api("POST", path, body)).status).toBe(202);
  await sub.receiver.count(2);
  expect(beside.receiver.received).toHaveLength(1);
  expect((await service.api("GET", `/v1/events/${id}`)).body["deliveries"]).toHaveLength(3);
  // Without a body, it is a new event for all subscribers.
  const anew = await service.api("POST", path);
  expect(anew.body["id"]).not.toBe(id);
  await beside.receiver.count(2);
});

test("an event is not sent to an endpoint that may not get it", async () => {
  const sub = await subscribe(service);
  const globex = await subscribe(service, { more: { tenant: "globex", events: ["*"] } });
  const unsubscribed = await subscribe(service);
  const [id = ""] = await fireMany([{ event: sub.event, data: {}, tenant: "acme" }]);
  const send = async (endpoint: string, key?: string): Promise<unknown[]> => {
    const answer = await service.api(
      "POST",
      `/v1/events/${id}/refire`,
      { endpoint_id: endpoint },
      key === undefined ? {} : { key },
    );
    return [answer.status, answer.body["code"], answer.body["errors"]?.[0]?.pointer];
  };
  expect(await send(globex.endpoint.id)).toEqual([422, "validation_failed", "/endpoint_id"]);
  expect(await send(unsubscribed.endpoint.id)).toEqual([422, "validation_failed", "/endpoint_id"]);
  expect(await send((await otherWorkspace(service)).id("ep"))).toEqual([403, "workspace_mismatch", undefined]);
  const acme = await mintKey(service, { tenant: "acme" });
  expect(await send(sub.endpoint.id, acme.key)).toEqual([404, "not_found", undefined]);
  const own = await subscribe(service, { more: { tenant: "acme", events: [sub.event] } });
  expect((await send(own.endpoint.id, acme.key))[0]).toBe(202);
  await own.receiver.count(1);
  await service.api("POST", `${sub.path}/toggle`);
  expect(await send(sub.endpoint.id)).toEqual([409, "conflict", undefined]);
});

test("an event that commits after a backfill passed its place is sent too", async () => {
  const sub = await subscribe(service);
  await service.api("POST", `${sub.path}/toggle`);
  await service.database.query(`create function late_commit() returns trigger language plpgsql as $$ begin
      perform pg_sleep(2); return new; end $$;
    create trigger late_commit before insert on event for each row when (new.name = '${sub.event}') execute function late_commit()`);
  const firing = fireMany([{ event: sub.event, data: {} }]);
  // The event is planned while the endpoint is off.
  await expect
    .poll(async () => await service.database.query("select from pg_stat_activity where wait_event = 'PgSleep'"))
    .toHaveLength(1);
  await service.api("POST", `${sub.path}/toggle`);
  const { job_id: job } = (await backfill(sub)).body;
  expect(await ended(job)).toMatchObject({ state: "finished", done: 0 });
  const ids = await firing;
  await service.database.query("drop trigger late_commit on event");
  // The last test of the file, because ids never go back.
  aheadMs = 31_000;
  await sub.receiver.count(1);
  expect(received(sub)).toEqual(ids);
  await service.until(`/v1/replays/${job}`, ({ done }) => done === 1);
  expect((await backfill(sub)).body["count"]).toBe(0);
});
