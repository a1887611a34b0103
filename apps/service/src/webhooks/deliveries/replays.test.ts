import { afterAll, beforeAll, expect, test } from "vitest";
import { absentId, otherWorkspace, tagOfId } from "../../testing/keys.ts";
import { startService } from "../../testing/service.ts";
import { SHORT_LADDER, subscribe } from "../../testing/subscription.ts";
import type { Subscription } from "../../testing/subscription.ts";
import { provesSuccesses } from "../../testing/successes.ts";
import type { Parsed, TestService } from "../../testing/test-service.ts";

let service: TestService;
beforeAll(async () => {
  service = await startService({ env: { ...SHORT_LADDER, JUNCTION_RETRY_LADDER: "5ms" } });
});
afterAll(async () => {
  await service.close();
});

async function fired({ event }: Subscription, count: number, state: string): Promise<string[]> {
  const events = Array.from({ length: count }, (_, n) => ({ event, data: { n, order: { id: `o-${n}` } } }));
  const { body } = await service.api("POST", "/v1/events/batch", { events });
  await service.until(`/v1/deliveries?event=${event}&state=${state}&limit=100`, ({ data }) => data.length >= count);
  return body.data.map((one: Parsed) => one.deliveries[0].id);
}

const replay = async (body: object): Promise<Parsed> => (await service.api("POST", "/v1/replays", body)).body;
const finished = async (id: string): Promise<Parsed> =>
  await service.until(`/v1/replays/${id}`, ({ state }) => state === "finished");

/** Puts the jobs into their state before they finished, as if another node were at work on them. */
const unfinished = async (): Promise<unknown> =>
  await service.database.query(
    "update replay_job set finished_at = null, cancelled_at = null, due_at = now() + interval '1 hour'",
  );

test("every successful response that the routes declare", async () => {
  const made = await replay({ filter: { event: "no.such" } });
  await provesSuccesses(service, ["/v1/replays"], {
    "POST /v1/replays 200": async () => await service.api("POST", "/v1/replays", { filter: {}, dry_run: true }),
    "POST /v1/replays 202": async () => await service.api("POST", "/v1/replays", { filter: { event: "no.such" } }),
    "GET /v1/replays 200": async () => await service.api("GET", "/v1/replays"),
    "GET /v1/replays/{id} 200": async () => await service.api("GET", `/v1/replays/${made.id}`),
    "POST /v1/replays/{id}/cancel 200": async () => {
      await unfinished();
      return await service.api("POST", `/v1/replays/${made.id}/cancel`);
    },
  });
});

test("a filter's failed deliveries are counted and then replayed once each", async () => {
  const failing = await subscribe(service, { status: 503 });
  const ids = await fired(failing, 5, "failed");
  const other = await subscribe(service, { status: 404 });
  await fired(other, 2, "failed");
  failing.receiver.status(200);
  const filter = { status_class: "5xx", event: failing.event, attempt_count: 2, error_class: "http_status" };
  expect(await replay({ filter, dry_run: true })).toEqual({ count: 5, capped: false });
  const job = await replay({ filter });
  expect(job).toMatchObject({ object: "replay", state: "running", total: 5, total_capped: false, ended_at: null });
  expect(await finished(job.id)).toMatchObject({ done: 5 });
  await service.until(`/v1/deliveries?event=${failing.event}&state=delivered`, ({ data }) => data.length === 5);
  expect(
    failing.receiver.received
      .slice(10)
      .map((one) => one.headers["x-service-delivery"])
      .toSorted(),
  ).toEqual(ids.toSorted());
  expect(other.receiver.received).toHaveLength(4);
  expect(await replay({ filter, dry_run: true })).toEqual({ count: 0, capped: false });
});

test("delivered deliveries are replayed by id or by a filter", async () => {
  const fine = await subscribe(service);
  const [first = "", second = ""] = await fired(fine, 3, "delivered");
  const job = await replay({ delivery_ids: [first, second] });
  expect(await finished(job.id)).toMatchObject({ total: 2, done: 2 });
  await service.until(`/v1/deliveries?event=${fine.event}&state=delivered`, ({ data }) => data.length === 3);
  expect(fine.receiver.received).toHaveLength(5);
  const all = await replay({ filter: { state: "delivered", endpoint_id: fine.endpoint.id } });
  expect(await finished(all.id)).toMatchObject({ total: 3, done: 3, endpoint_id: fine.endpoint.id });
});

test("pending deliveries whose retry waits are sent now, once each, with others or alone", async () => {
  const slow = await startService({ env: { ...SHORT_LADDER, JUNCTION_RETRY_LADDER: "1h" } });
  try {
    const sub = await subscribe(slow, { status: 500 });
    const { event, receiver, endpoint, path } = sub;
    const fire = async (count: number): Promise<string[]> => {
      const events = Array.from({ length: count }, () => ({ event, data: {} }));
      const { body } = await slow.api("POST", "/v1/events/batch", { events });
      return body.data.map((one: Parsed) => one.deliveries[0].id);
    };
    const start = async (at: string, body: object): Promise<Parsed> => (await slow.api("POST", at, body)).body;
    const counted = async (query: string, count: number): Promise<unknown> =>
      await slow.until(`/v1/deliveries?event=${event}&limit=100&${query}`, ({ data }) => data.length === count);
    const [cancelled = "", ...waiting] = await fire(7);
    await counted("attempt_count=1", 7);
    await slow.api("POST", `/v1/deliveries/${cancelled}/cancel`);

    const filter = { state: "pending", endpoint_id: endpoint.id };
    expect(await start("/v1/replays", { filter, dry_run: true })).toEqual({ count: 6, capped: false });
    const answers: (() => void)[] = [];
    receiver.answer((response) => answers.push(() => response.writeHead(500).end()));
    const jobs = await Promise.all([1, 2, 3].map(async () => await start("/v1/replays", { filter })));
    await receiver.count(7 + 6);
    for (const answer of answers) answer();
    await counted("state=failed&attempt_count=2", 6);
    for (const { id } of jobs) await slow.until(`/v1/replays/${id}`, ({ state }) => state === "finished");
    receiver.status(500);
    expect(receiver.received).toHaveLength(7 + 6);

    const [late = ""] = await fire(1);
    await counted("state=pending&attempt_count=1", 1);
    const range = { since: new Date(Date.now() - 60_000).toISOString(), until: new Date().toISOString() };
    expect(await start(`${path}/replay-failed`, { ...range, dry_run: true })).toEqual({ count: 6 });
    const all = { ...range, include_pending: true };
    expect(await start(`${path}/replay-failed`, { ...all, dry_run: true })).toEqual({ count: 7 });
    receiver.status(200);
    expect(await start(`${path}/replay-failed`, all)).toMatchObject({ count: 7 });
    await counted("state=delivered", 7);
    expect((await slow.api("GET", `/v1/deliveries/${late}`)).body).toMatchObject({ attempt_count: 2 });

    const ids = { delivery_ids: [cancelled, late, ...waiting] };
    expect(await start("/v1/replays", { ...ids, dry_run: true })).toEqual({ count: 8, capped: false });
    expect(await start("/v1/replays", { filter: { state: "cancelled" } })).toMatchObject({ kind: "replay", total: 1 });
    await counted("state=delivered", 8);
  } finally {
    await slow.close();
  }
});

test("deliveries of an inactive endpoint are not replayed", async () => {
  const failing = await subscribe(service, { status: 500 });
  await fired(failing, 1, "failed");
  await service.api("POST", `${failing.path}/toggle`);
  expect(await replay({ filter: { endpoint_id: failing.endpoint.id }, dry_run: true })).toEqual({
    count: 0,
    capped: false,
  });
});

test("a replay's total is capped only above the number that is counted", async () => {
  const job = await replay({ filter: { event: "no.such" } });
  const shown = async (total: number): Promise<Parsed> => {
    await service.database.query("update replay_job set total = $1", [total]);
    return (await service.api("GET", `/v1/replays/${job.id}`)).body;
  };
  expect(await shown(100_000)).toMatchObject({ total: 100_000, total_capped: false });
  expect(await shown(100_001)).toMatchObject({ total: 100_000, total_capped: true });
});

test("a replay continues after an error of the database", async () => {
  const failing = await subscribe(service, { status: 503 });
  await fired(failing, 2, "failed");
  failing.receiver.status(200);
  await service.database.query(
    `create sequence replay_failures;
     create function fail_replay() returns trigger language plpgsql as $$ begin
       perform nextval('replay_failures'); raise 'lost'; end $$;
     grant usage on sequence replay_failures to public;
     create trigger fail_replay before update on replay_job for each row execute function fail_replay()`,
  );
  const job = await replay({ filter: { event: failing.event } });
  const failures = async (): Promise<unknown> =>
    (await service.database.query("select is_called from replay_failures"))[0];
  await expect.poll(failures).toEqual({ is_called: true });
  await service.database.query("drop trigger fail_replay on replay_job");
  expect(await finished(job.id)).toMatchObject({ done: 2 });
});

test("a cancelled replay stops, and cancelling an ended one gets 409", async () => {
  const job = await replay({ filter: { event: "no.such" } });
  await finished(job.id);
  expect((await service.api("POST", `/v1/replays/${job.id}/cancel`)).body.code).toBe("conflict");
  const failing = await subscribe(service, { status: 500 });
  await fired(failing, 1, "failed");
  await unfinished();
  const stopped = await service.api("POST", `/v1/replays/${job.id}/cancel`);
  expect(stopped.body).toMatchObject({ state: "cancelled", ended_at: expect.any(String) });
  expect((await service.api("POST", `/v1/replays/${job.id}/cancel`)).status).toBe(409);
});

test("invalid selections get 422, and unavailable objects get 403 or 404", async () => {
  const foreign = await otherWorkspace(service);
  const tag = tagOfId((await service.fire()).id);
  const code = async (body: object): Promise<string> => (await replay(body)).code;
  expect(await code({})).toBe("validation_failed");
  expect(await code({ filter: {}, delivery_ids: [absentId({ tag }, "dlv")] })).toBe("validation_failed");
  expect(await code({ filter: { created_after: "yesterday" } })).toBe("validation_failed");
  expect(await code({ filter: { state: "retrying" } })).toBe("validation_failed");
  expect(await code({ delivery_ids: [foreign.id("dlv")] })).toBe("workspace_mismatch");
  expect(await code({ filter: { endpoint_id: foreign.id("ep") } })).toBe("workspace_mismatch");
  expect(await code({ delivery_ids: ["dlv_1"] })).toBe("not_found");
  expect((await service.api("GET", `/v1/replays/${absentId({ tag }, "job")}`)).status).toBe(404);
  expect((await service.api("GET", `/v1/replays/${foreign.id("job")}`)).status).toBe(403);
});

test("the log is searched by status class, error class, attempts and data", async () => {
  const failing = await subscribe(service, { status: 503 });
  const ids = await fired(failing, 12, "failed");
  const found = async (query: string): Promise<string[]> =>
    (await service.api("GET", `/v1/deliveries?event=${failing.event}&${query}`)).body.data.map((one: Parsed) => one.id);
  expect(await found("status_class=5xx")).toHaveLength(12);
  expect(await found("status_class=4xx")).toEqual([]);
  expect(await found("error_class=http_status&attempt_count=2")).toHaveLength(12);
  expect(await found("error_class=dns")).toEqual([]);
  expect(await found("attempt_count=1")).toEqual([]);
  expect(await found(`payload=${encodeURIComponent("$.order.id=o-3")}`)).toEqual([ids[3]]);
  expect(await found(`payload=${encodeURIComponent("$.n=11")}`)).toEqual([ids[11]]);
  // The text "1" appears in the data of other events, but not at this path.
  expect(await found(`payload=${encodeURIComponent("$.n=1")}`)).toEqual([ids[1]]);
  expect(await found(`payload=${encodeURIComponent("$.order=1")}`)).toEqual([]);
  for (const payload of ["$..x=1", "$.n", "$.n="])
    expect((await service.api("GET", `/v1/deliveries?payload=${encodeURIComponent(payload)}`)).body.code).toBe(
      "query_invalid",
    );
  expect((await service.api("GET", "/v1/deliveries?status_class=9xx")).body.code).toBe("query_invalid");
});

test("a search of the data continues from page to page", async () => {
  const fine = await subscribe(service);
  const { event } = fine;
  const events = Array.from({ length: 9 }, (_, n) => ({ event, data: { kind: n % 2 === 0 ? "even" : "odd" } }));
  await service.api("POST", "/v1/events/batch", { events });
  const seen: string[] = [];
  const path = `/v1/deliveries?event=${event}&limit=2&payload=${encodeURIComponent("$.kind=even")}`;
  for (let cursor = "", more = true; more;) {
    const { body } = await service.api("GET", path + cursor);
    seen.push(...body.data.map((one: Parsed) => one.id));
    more = body.has_more;
    cursor = `&cursor=${body.next_cursor}`;
  }
  expect(seen).toHaveLength(5);
  expect(new Set(seen).size).toBe(5);
});

test("a delivery shows the waits of the retry schedule", async () => {
  const fine = await subscribe(service);
  const [id = ""] = await fired(fine, 1, "delivered");
  expect((await service.api("GET", `/v1/deliveries/${id}`)).body.ladder_seconds).toEqual([0.005]);
});
