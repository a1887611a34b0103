import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { uuidOf } from "../testing/keys.ts";
import { startReceiver } from "../testing/receiver.ts";
import { startService } from "../testing/service.ts";
import { subscribe, UNLIMITED } from "../testing/subscription.ts";
import type { Subscription } from "../testing/subscription.ts";
import type { Parsed, TestService } from "../testing/test-service.ts";

/** Three attempts, which open an issue. */
const THREE = { ...UNLIMITED, JUNCTION_RETRY_LADDER: "20ms,20ms" };

let service: TestService;

beforeAll(async () => {
  service = await startService({ env: THREE });
});
afterAll(async () => await service.close());

const issuesOf = async (object: string, on = service): Promise<Parsed[]> =>
  (await on.api("GET", `/v1/issues?object_id=${object}`)).body["data"] as Parsed[];

/** Waits until the only issue of the object is in a state, and returns it. */
async function issueIn(object: string, state: string): Promise<Parsed> {
  await expect
    .poll(async () => (await issuesOf(object)).map((one) => one["state"]), { timeout: 30_000 })
    .toEqual([state]);
  const [issue] = await issuesOf(object);
  if (issue === undefined) throw new Error("the issue is gone");
  return issue;
}

/** Waits until nothing that was reported waits. */
async function judged(): Promise<void> {
  const waiting = async (): Promise<number> => (await service.database.query("select 1 from issue_report")).length;
  await expect.poll(waiting, { timeout: 30_000 }).toBe(0);
}

const ended = async (delivery: string): Promise<Parsed> =>
  await service.until(`/v1/deliveries/${delivery}`, ({ state }) => state !== "pending");

/** Makes an endpoint with an open issue. */
async function failing(more: Record<string, unknown> = {}): Promise<Subscription & { readonly issue: Parsed }> {
  const subscription = await subscribe(service, { status: 500, more });
  await ended(await subscription.fire());
  return { ...subscription, issue: await issueIn(subscription.endpoint.id, "open") };
}

async function deliver({ receiver, fire }: Subscription, count: number, status = 200): Promise<void> {
  receiver.status(status);
  for (let n = 0; n < count; n += 1) await ended(await fire());
  await judged();
}

describe("an issue of deliveries", () => {
  test("is opened by the third failed attempt, and lists its fingerprints", async () => {
    const { issue, endpoint } = await failing({ description: "Shop" });
    await judged();
    expect(await issueIn(endpoint.id, "open")).toMatchObject({
      object: "issue",
      kind: "delivery",
      object_id: endpoint.id,
      object_name: expect.stringContaining("Shop"),
      count: 3,
      fingerprints: [{ code: "500", message: null, count: 3 }],
      sample: { code: "500", delivery_id: expect.stringContaining("dlv_"), event_id: expect.stringContaining("evt_") },
      reopened_count: 0,
      owner: null,
      ignored_until: null,
      environment: "live",
    });
    const { body } = await service.api("GET", `/v1/issues/${issue["id"]}`);
    expect(body["series"]).toEqual([{ hour: expect.stringContaining(":00:00.000Z"), count: 3 }]);
    expect(body["samples"]).toHaveLength(3);
    expect(body["tenants"]).toEqual([]);
  });

  test("is one issue for all of its error classes", async () => {
    const { receiver, endpoint, fire } = await subscribe(service, { status: 503 });
    await ended(await fire());
    receiver.status(404);
    await ended(await fire());
    await judged();
    const codes = (await issueIn(endpoint.id, "open"))["fingerprints"] as Parsed[];
    expect(codes.map(({ code, count }) => [code, count])).toEqual([
      ["404", 3],
      ["503", 3],
    ]);
  });

  test("is resolved by five successes in a row, and reopened by the next failure", async () => {
    const subscription = await failing();
    const { endpoint, issue } = subscription;
    await deliver(subscription, 4);
    expect((await issueIn(endpoint.id, "open"))["resolved_at"]).toBeNull();
    await deliver(subscription, 1);
    expect(await issueIn(endpoint.id, "resolved")).toMatchObject({ id: issue["id"], resolved_by: "service" });
    await deliver(subscription, 1, 500);
    expect(await issueIn(endpoint.id, "open")).toMatchObject({ id: issue["id"], reopened_count: 1, resolved_at: null });
  });

  test("is not opened by two failures, and five successes begin again", async () => {
    const subscription = await subscribe(service, { status: 500, more: { retry_schedule: [3600] } });
    const { endpoint, fire, receiver } = subscription;
    const fail = async (count: number): Promise<void> => {
      receiver.status(500);
      for (let n = 0; n < count; n += 1)
        await service.until(`/v1/deliveries/${await fire()}`, ({ attempt_count: made }) => made === 1);
      await judged();
    };
    await fail(2);
    expect(await issuesOf(endpoint.id)).toEqual([]);
    await deliver(subscription, 5);
    await fail(2);
    expect(await issuesOf(endpoint.id)).toEqual([]);
    await fail(1);
    await issueIn(endpoint.id, "open");
  });

  test("counts failures within ten minutes alone", async () => {
    const { endpoint, fire } = await subscribe(service, { status: 500, more: { retry_schedule: [3600] } });
    const fail = async (): Promise<void> => {
      await service.until(`/v1/deliveries/${await fire()}`, ({ attempt_count: made }) => made === 1);
      await judged();
    };
    await fail();
    await fail();
    await service.database.query(
      `update issue set recent = replace(recent, '20', '19') where state = 'watching' and object = $1`,
      [uuidOf(endpoint.id)],
    );
    await fail();
    expect(await issuesOf(endpoint.id)).toEqual([]);
  });

  test("costs a success of a healthy endpoint no write", async () => {
    const subscription = await subscribe(service);
    await deliver(subscription, 3);
    const rows = await service.database.query("select 1 from issue where object = $1", [
      uuidOf(subscription.endpoint.id),
    ]);
    expect(rows).toEqual([]);
    await service.database.query(`create table reported (object text);
      create function reported() returns trigger language plpgsql security definer as $$
        begin insert into reported values (new.object); return null; end $$;
      create trigger reported after insert on issue_report for each row execute function reported()`);
    const other = await subscribe(service);
    await deliver(other, 1, 500);
    await deliver(subscription, 3);
    const reported = await service.database.query<{ object: string }>("select distinct object from reported");
    expect(reported).toEqual([{ object: uuidOf(other.endpoint.id) }]);
  });

  test("ends with its endpoint", async () => {
    const { endpoint, path } = await failing();
    await service.api("DELETE", path);
    const issue = await issueIn(endpoint.id, "resolved");
    expect(issue).toMatchObject({ resolved_by: "deletion", object_name: null });
    expect((await service.api("PATCH", `/v1/issues/${issue["id"]}`, { state: "open" })).status).toBe(409);
  });

  test("shows the tenants whose events failed", async () => {
    const { endpoint, event, receiver } = await subscribe(service, { status: 500 });
    for (const tenant of ["acme", "globex", "acme"]) {
      const { body } = await service.api("POST", "/v1/events/fire", { event, data: {}, tenant });
      await ended((body["deliveries"] as Parsed[])[0]?.["id"]);
    }
    await judged();
    const { id } = (await issueIn(endpoint.id, "open")) as { id: string };
    const { body } = await service.api("GET", `/v1/issues/${id}`);
    expect(body["tenants"]).toMatchObject([
      { tenant: "acme", count: 6 },
      { tenant: "globex", count: 3 },
    ]);
    receiver.status(200);
  });
});

describe("events about an issue", () => {
  test("are fired when it is opened and resolved, but not to the endpoint itself", async () => {
    const listener = await startReceiver();
    const other = await service.endpoint(listener.url, { events: ["issue.opened", "issue.resolved"] });
    const subscription = await subscribe(service, { status: 500 });
    const { endpoint, fire, path, event, receiver } = subscription;
    await service.api("PATCH", path, { events: [event, "issue.opened", "issue.resolved"] });
    await ended(await fire());
    await issueIn(endpoint.id, "open");
    await deliver(subscription, 5);
    const about = (): Parsed[] =>
      listener.received
        .map(({ body }): Parsed => JSON.parse(body))
        .filter(({ data }) => data["object_id"] === endpoint.id);
    await expect.poll(() => about().map((one) => one["event"])).toEqual(["issue.opened", "issue.resolved"]);
    expect(about()[0]).toMatchObject({ data: { kind: "delivery", code: "500", count: 3 } });
    expect(about()[1]).toMatchObject({ data: { resolved_by: "service" } });
    const got = receiver.received.map(({ body }) => JSON.parse(body)["event"]);
    expect(new Set(got)).toEqual(new Set([event]));
    await service.api("DELETE", `/v1/webhook-endpoints/${other.id}`);
    await listener.close();
  });
});

describe("an issue that people change", () => {
  const change = async (issue: Parsed, body: object) => await service.api("PATCH", `/v1/issues/${issue["id"]}`, body);

  test("has an owner, who is a member", async () => {
    const { issue } = await failing();
    const me = ((await service.api("GET", "/v1/members")).body["data"] as Parsed[])[0]?.["id"];
    expect((await change(issue, { owner: me, state: "acknowledged" })).body).toMatchObject({
      owner: me,
      state: "acknowledged",
    });
    expect(((await service.api("GET", `/v1/issues?owner=${me}`)).body["data"] as Parsed[]).map(({ id }) => id)).toEqual(
      [issue["id"]],
    );
    expect((await change(issue, { owner: null })).body).toMatchObject({ owner: null });
    const stranger = `${String(me).slice(0, -1)}${String(me).endsWith("0") ? "1" : "0"}`;
    expect((await change(issue, { owner: stranger })).status).toBe(422);
  });

  test("stays ignored until its time ends, and is open then if it still fails", async () => {
    const subscription = await failing();
    const { issue, endpoint } = subscription;
    const until = new Date(Date.now() + 3_600_000).toISOString();
    expect((await change(issue, { state: "ignored", ignored_until: until })).body).toMatchObject({
      state: "ignored",
      ignored_until: until,
    });
    await deliver(subscription, 1, 500);
    expect((await issueIn(endpoint.id, "ignored"))["count"]).toBeGreaterThan(3);
    await service.database.query("update issue set ignored_until = now() where id = $1", [uuidOf(issue["id"])]);
    const node = await startService({ on: service, env: THREE });
    expect(await issueIn(endpoint.id, "open")).toMatchObject({ ignored_until: null, reopened_count: 0 });
    await node.close();
  });

  test("is another issue after it was resolved by hand", async () => {
    const subscription = await failing();
    const { issue, endpoint, fire, receiver } = subscription;
    await judged();
    expect((await change(issue, { state: "resolved" })).body).toMatchObject({
      state: "resolved",
      resolved_by: "member",
    });
    receiver.status(500);
    await ended(await fire());
    await judged();
    const [next, first, ...more] = await issuesOf(endpoint.id);
    expect(more).toEqual([]);
    expect(first).toMatchObject({ id: issue["id"], state: "resolved", count: 3 });
    expect(next).toMatchObject({ state: "open", count: 3, reopened_count: 0 });
    expect((await change(issue, { state: "open" })).body).toMatchObject({ code: "conflict" });
  });

  test("refuses what is malformed or does not fit the state", async () => {
    const { issue } = await failing();
    const cases: readonly (readonly [object, number])[] = [
      [{}, 422],
      [{ state: "watching" }, 422],
      [{ ignored_until: "2030-01-01T00:00:00Z" }, 422],
      [{ state: "ignored", ignored_until: "2020-01-01T00:00:00Z" }, 422],
      [{ state: "ignored", ignored_until: "soon" }, 422],
      [{ owner: "ada" }, 404],
      [{ severity: "high" }, 422],
    ];
    for (const [body, status] of cases) expect([body, (await change(issue, body)).status]).toEqual([body, status]);
  });

  test("is recorded in the audit log", async () => {
    const { issue } = await failing();
    await change(issue, { state: "acknowledged" });
    const { body } = await service.api("GET", "/v1/audit?kind=issue&limit=1");
    expect(JSON.stringify(body["data"])).toContain(issue["id"]);
  });
});

describe("a replay of an issue", () => {
  test("counts and sends what failed since it began", async () => {
    const subscription = await failing();
    const { issue, receiver, endpoint } = subscription;
    await deliver(subscription, 1, 500);
    const path = `/v1/issues/${issue["id"]}/replay`;
    expect((await service.api("POST", path, { dry_run: true })).body).toEqual({ count: 2 });
    receiver.status(200);
    const { status, body } = await service.api("POST", path, {});
    expect([status, body["count"]]).toEqual([202, 2]);
    await service.until(`/v1/replays/${body["job_id"]}`, ({ state }) => state === "finished");
    const failed = async () =>
      (await service.api("GET", `/v1/deliveries?state=failed&endpoint_id=${endpoint.id}`)).body["data"];
    await expect.poll(failed).toEqual([]);
  });

  test("is refused for an inactive endpoint", async () => {
    const { issue, path } = await failing();
    await service.api("PATCH", path, { active: false });
    expect((await service.api("POST", `/v1/issues/${issue["id"]}/replay`, {})).body).toMatchObject({
      code: "conflict",
    });
  });
});

test("a failed transformation is an issue of its own", async () => {
  // A header's value cannot contain a line break.
  const transform = { kind: "template", body: {}, headers: { "X-Order": "${$.data.order.id}" } };
  const { endpoint, fire, path, receiver } = await subscribe(service, { more: { transform } });
  await ended(await fire({ order: { id: "a\r\nb" } }));
  await judged();
  expect(receiver.received).toEqual([]);
  const all = await issuesOf(endpoint.id);
  expect(all.map(({ kind, state }) => [kind, state])).toEqual([["transform", "open"]]);
  expect((await service.api("POST", `/v1/issues/${all[0]?.["id"]}/replay`, { dry_run: true })).body).toEqual({
    count: 1,
  });
  await service.api("PATCH", path, { transform: null });
  for (let n = 0; n < 5; n += 1) await ended(await fire());
  await issueIn(endpoint.id, "resolved");
});

test("the list is filtered by state and kind, and bound to its filter", async () => {
  for (let n = 0; n < 3; n += 1) await failing();
  const page = (await service.api("GET", "/v1/issues?state=open&kind=delivery&limit=1")).body;
  expect([(page["data"] as Parsed[]).length, page["has_more"]]).toEqual([1, true]);
  const next = `/v1/issues?state=open&kind=delivery&limit=1&cursor=${page["next_cursor"]}`;
  expect(((await service.api("GET", next)).body["data"] as Parsed[])[0]?.["id"]).not.toBe(
    (page["data"] as Parsed[])[0]?.["id"],
  );
  expect((await service.api("GET", `/v1/issues?cursor=${page["next_cursor"]}`)).status).toBe(400);
  expect((await service.api("GET", "/v1/issues?kind=action")).body["data"]).toEqual([]);
  expect((await service.api("GET", "/v1/issues?state=watching")).status).toBe(400);
  expect((await service.api("GET", "/v1/issues?owner=ada")).status).toBe(404);
});
