import { connect } from "node:net";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { sql } from "../../platform/db/db.ts";
import { confirmedActionOn, proposalOf } from "../../testing/actions.ts";
import { mintKey, otherWorkspace, setKey, uuidOf } from "../../testing/keys.ts";
import { joined } from "../../testing/people.ts";
import { startService } from "../../testing/service.ts";
import { openStream } from "../../testing/stream.ts";
import { SHORT_LADDER, subscribe } from "../../testing/subscription.ts";
import type { TestService } from "../../testing/test-service.ts";

let service: TestService;
/** Another node of the same installation. */
let other: TestService;
beforeAll(async () => {
  service = await startService({ env: SHORT_LADDER });
  other = await startService({ on: service, env: SHORT_LADDER });
});
afterAll(async () => {
  await other.close();
  await service.close();
});

test("200: a stream of server-sent events starts with its position and its kinds", async () => {
  const stream = await openStream(service);
  expect(stream.status).toBe(200);
  expect(stream.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
  expect(stream.headers.get("cache-control")).toBe("no-store");
  expect(stream.text()).toMatch(/^retry: 3000\n\n/);
  const open = await stream.until(({ event }) => event === "open");
  expect(open.data).toEqual({
    object: "stream_open",
    kinds: ["delivery", "receipt", "proposal", "health"],
    resumed: false,
  });
  stream.leave();
});

test("a delivery appears as in its list, on both the firing and another node", async () => {
  const { endpoint, event } = await subscribe(service);
  const near = await openStream(service);
  const far = await openStream(other);
  const fired = await service.api("POST", "/v1/events/fire", { event, data: {} });
  const id = fired.body.deliveries[0].id;
  for (const stream of [near, far]) {
    const told = await stream.until((one) => one.data.id === id && one.data.state === "delivered");
    expect(told.event).toBe("delivery");
    const {
      request: _request,
      ladder_seconds: _ladder,
      transform: _transform,
      ...row
    } = (await service.api("GET", `/v1/deliveries/${id}`)).body;
    expect(told.data).toEqual(row);
    expect(told.data.endpoint_id).toBe(endpoint.id);
    stream.leave();
  }
});

test("the stream contains endpoints' health, replayed deliveries, receipts and deleted endpoints", async () => {
  const stream = await openStream(service);
  const failing = await subscribe(service, { status: 500 });
  const { body: fired } = await service.api("POST", "/v1/events/fire", { event: failing.event, data: {} });
  await stream.until(
    ({ event, data }) => event === "health" && data.id === failing.endpoint.id && data.health === "amber",
  );
  const { id } = fired.deliveries[0];
  await stream.until(({ data }) => data.id === id && data.state === "failed");
  failing.receiver.status(200);
  await service.api("POST", `/v1/deliveries/${id}/replay`);
  await stream.until(({ data }) => data.id === id && data.state === "delivered");
  const { body: source } = await service.api("POST", "/v1/inbound-endpoints", { preset: "custom", name: "Shop" });
  await fetch(source.url, { method: "POST", body: "{}", headers: { "Content-Type": "application/json" } });
  const receipt = await stream.until(({ event }) => event === "receipt");
  expect(receipt.data).toMatchObject({ object: "inbound_receipt", source_id: source.id, status: "error" });
  await service.api("DELETE", failing.path);
  const gone = await stream.until(({ event, data }) => event === "health" && data.deleted === true);
  expect(gone.data).toEqual({ id: failing.endpoint.id, object: "webhook_endpoint", deleted: true });
  stream.leave();
});

test("a client that reconnects with its last id misses and repeats nothing", async () => {
  const { event } = await subscribe(service);
  const before = await openStream(service, "?kinds=delivery");
  const first = (await service.api("POST", "/v1/events/fire", { event, data: {} })).body.deliveries[0].id;
  await before.until(({ data }) => data.id === first && data.state === "delivered");
  await service.service.news.readNow();
  const last = before.lastId();
  before.leave();
  const missed = await Promise.all(
    Array.from(
      { length: 20 },
      async () => (await other.api("POST", "/v1/events/fire", { event, data: {} })).body.deliveries[0].id,
    ),
  );
  await other.until(`/v1/deliveries?event=${event}&state=delivered&limit=100`, ({ data }) => data.length === 21);
  for (const query of [`?kinds=delivery&last_event_id=${last}`, "?kinds=delivery"]) {
    const headers = {
      Authorization: `Bearer ${service.key}`,
      ...(query.includes("last") ? {} : { "Last-Event-ID": last }),
    };
    const after = await openStream(other, query, headers);
    expect((await after.until((one) => one.event === "open")).data.resumed).toBe(true);
    for (const id of missed) await after.until(({ data }) => data.id === id && data.state === "delivered");
    const told = after.messages.map(({ data }) => data.id).filter((id) => id !== undefined);
    expect(told).not.toContain(first);
    expect(new Set(told).size).toBe(told.length);
    after.leave();
  }
});

test("changes of a long transaction are not lost, and do not delay other changes", async () => {
  const { event } = await subscribe(service);
  const stream = await openStream(service, "?kinds=delivery");
  const fire = async (): Promise<string> =>
    (await service.api("POST", "/v1/events/fire", { event, data: {} })).body.deliveries[0].id;
  const known = (id: string) => (one: { data: { id: string } }) => one.data.id === id;
  const first = await fire();
  await stream.until((one) => known(first)(one) && one.data.state === "delivered");
  const told = (): number => stream.messages.filter(known(first)).length;
  await service.service.db.transaction(async (tx) => {
    await sql`insert into news (bucket, tag, kind, id) select bucket, tag, 'delivery', id
      from delivery where id = ${uuidOf(first)}`.execute(tx.query);
    const second = await fire();
    await stream.until((one) => known(second)(one) && one.data.state === "delivered");
    expect(told()).toBeLessThanOrEqual(2);
  });
  const before = told();
  await service.service.news.readNow();
  await stream.until(() => told() > before);
  stream.leave();
});

test("a proposal appears when it is created and when it is decided", async () => {
  const stream = await openStream(service, "?kinds=proposal");
  const { id } = await proposalOf(service, await confirmedActionOn(service, { url: "http://127.0.0.1:9/" }));
  expect((await stream.until(({ data }) => data.id === id)).data.state).toBe("proposed");
  await service.api("POST", `/v1/proposals/${id}/reject`, { reason: "no" });
  const { data } = await stream.until((one) => one.data.id === id && one.data.state === "rejected");
  expect(data).toEqual((await service.api("GET", `/v1/proposals?limit=1`)).body.data[0]);
  expect((await service.api("GET", "/v1/attention")).body.proposals.count).toBe(0);
  stream.leave();
});

test("an id that is too old or invalid starts the stream with a reset", async () => {
  for (const id of ["1:1:", "99999999999999999:99999999999999999:", "nonsense"]) {
    const stream = await openStream(service, `?last_event_id=${id}`);
    expect(stream.messages.map((one) => one.event).slice(0, 2)).toEqual(["reset", "open"]);
    expect(stream.messages[0]?.data).toEqual({ object: "stream_reset", reason: "too_old" });
    stream.leave();
  }
});

test("an interruption in the recording of changes sends a reset to open streams", async () => {
  const stream = await openStream(service);
  // This is the state after a crash of the database.
  await service.database.query("delete from news_interest");
  await service.fire();
  expect((await stream.until(({ event }) => event === "reset")).data.reason).toBe("interrupted");
  const { event } = await subscribe(service);
  const fired = await service.api("POST", "/v1/events/fire", { event, data: {} });
  await stream.until(({ data }) => data.id === fired.body.deliveries[0].id);
  stream.leave();
});

test("a stream contains only what its caller may read, in one workspace and environment", async () => {
  const { event } = await subscribe(service);
  const minted = await mintKey(service);
  await setKey(service, minted, { scopes: ["stream:read", "proposals:read"] });
  const { key } = minted;
  const bearer = (text: string): Record<string, string> => ({ Authorization: `Bearer ${text}` });
  const scoped = await openStream(service, "", bearer(key));
  expect(scoped.messages[0]?.data.kinds).toEqual(["proposal"]);
  const asking = await openStream(service, "?kinds=delivery", bearer(key));
  expect(asking.status).toBe(403);
  const blocked = await mintKey(service, { permission_mode: "restricted", blocked_actions: ["deliveries.*"] });
  const restricted = await openStream(service, "", bearer(blocked.key));
  expect(restricted.messages[0]?.data.kinds).toEqual(["receipt", "proposal", "health"]);
  const sandbox = await openStream(service, "", bearer(service.sandboxKey));
  const foreign = await openStream(service, "", bearer((await otherWorkspace(service)).key));
  const owner = await openStream(service);
  const fired = await service.api("POST", "/v1/events/fire", { event, data: {} });
  await owner.until(({ data }) => data.id === fired.body.deliveries[0].id && data.state === "delivered");
  for (const stream of [scoped, restricted, sandbox, foreign]) {
    expect(stream.messages.map((one) => one.event)).toEqual(["open"]);
    stream.leave();
  }
  owner.leave();
});

test("400 for an unknown kind, and 429 with Retry-After for too many streams", async () => {
  expect((await service.api("GET", "/v1/stream?kinds=gossip")).body.code).toBe("query_invalid");
  const open = await openStream(service);
  await service.database.query(
    `insert into news_interest select bucket, tag, gen_random_uuid(), 50, 1, now() + interval '1 minute' from news_interest`,
  );
  const refused = await service.api("GET", "/v1/stream?max_seconds=0");
  expect([refused.status, refused.body.code, refused.headers.get("retry-after")]).toEqual([
    429,
    "too_many_streams",
    "30",
  ]);
  await service.database.query("delete from news_interest where listeners = 50");
  open.leave();
});

test("a console session can open a stream, which ends at sign-out", async () => {
  const person = await joined(service, "viewer");
  const stream = await openStream(service, "", { Cookie: person.cookie });
  expect(stream.status).toBe(200);
  await person.call("POST", "/v1/auth/sign-out");
  await service.service.news.beat();
  expect((await stream.until(({ event }) => event === "close")).data.reason).toBe("session_invalid");
  await stream.ended;
});

test("a stream ends when its key is revoked, expires or loses its access", async () => {
  const changes = {
    key_revoked: { revoked_at: new Date() },
    key_expired: { expires_at: new Date(1000) },
    ip_not_allowed: { ip_allowlist: ["192.0.2.1"] },
    role_not_allowed: { role: "nobody" },
  };
  for (const [code, columns] of Object.entries(changes)) {
    const key = await mintKey(service);
    const stream = await openStream(service, "", { Authorization: `Bearer ${key.key}` });
    await service.service.news.beat();
    await setKey(service, key, columns);
    await service.service.news.beat();
    const { data } = await stream.until(({ event }) => event === "close");
    expect(data).toEqual({ object: "stream_close", reason: code });
    await stream.ended;
  }
});

test("the position advances and heartbeats are sent without messages", async () => {
  const stream = await openStream(service);
  const open = stream.lastId();
  await service.fire();
  await service.service.news.readNow();
  await service.service.news.beat();
  while (stream.lastId() === open || !stream.text().includes(": here\n\n"))
    await new Promise((resolve) => setTimeout(resolve, 10));
  stream.leave();
});

test("a client that does not read loses its place with its time or key", async () => {
  const { hostname, port } = new URL(service.baseUrl);
  const { listeners } = service.service.news;
  await expect.poll(listeners, { timeout: 5000 }).toBe(0);
  const { id, key } = await mintKey(service);
  for (const seconds of [2, 3600]) {
    const socket = connect(Number(port), hostname);
    onTestFinished(() => void socket.destroy());
    socket.on("error", () => undefined).pause();
    socket.write(
      `GET /v1/stream?max_seconds=${seconds} HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${key}\r\n\r\n`,
    );
  }
  await expect.poll(listeners, { timeout: 6000 }).toBe(2);
  await expect.poll(listeners, { timeout: 6000 }).toBe(1);
  await service.api("POST", `/v1/keys/${id}/revoke`);
  await expect.poll(listeners, { timeout: 2500 }).toBe(0);
});

test("max_seconds ends the stream, and 0 ends it after all existing changes", async () => {
  const { event } = await subscribe(service);
  const stream = await openStream(service, "?max_seconds=0");
  await stream.ended;
  await service.api("POST", "/v1/events/fire", { event, data: {} });
  await service.until(`/v1/deliveries?event=${event}`, ({ data }) => data[0]?.state === "delivered");
  const again = await openStream(service, `?max_seconds=0&last_event_id=${stream.lastId()}`);
  await again.ended;
  expect(again.messages.map((one) => [one.event, one.data.event ?? null])).toEqual([
    ["open", null],
    ["delivery", event],
  ]);
});

test("concurrent changes are sent up to a maximum, with a count of the rest", async () => {
  const { event } = await subscribe(service);
  const begun = await openStream(service, "?max_seconds=0");
  await begun.ended;
  const events = Array.from({ length: 250 }, () => ({ event, data: {} }));
  await service.api("POST", "/v1/events/batch", { events });
  await service.until(
    `/v1/usage/series?hours=2`,
    ({ data }) => data.reduce((sum: number, hour: { deliveries: number }) => sum + hour.deliveries, 0) >= 250,
  );
  const path = `/v1/deliveries?event=${event}&state=pending`;
  await service.until(path, ({ data }) => data.length === 0);
  const stream = await openStream(service, `?max_seconds=0&last_event_id=${begun.lastId()}`);
  await stream.ended;
  expect(stream.messages.filter((one) => one.event === "delivery")).toHaveLength(100);
  expect(stream.messages.find((one) => one.event === "more")?.data).toEqual({
    object: "stream_more",
    kind: "delivery",
    count: 150,
  });
});

test("changes are not recorded while no stream is open", async () => {
  while (service.service.news.listeners() + other.service.news.listeners() > 0)
    await new Promise((resolve) => setTimeout(resolve, 10));
  await service.database.query("delete from news_interest");
  await service.database.query("delete from news");
  const { event } = await subscribe(service);
  await service.api("POST", "/v1/events/fire", { event, data: {} });
  await service.until(`/v1/deliveries?event=${event}`, ({ data }) => data[0]?.state === "delivered");
  expect(await service.database.query("select count(*)::int as n from news")).toEqual([{ n: 0 }]);
});

test("a stopping process closes its streams, and clients resume on another one", async () => {
  const third = await startService({ on: service, env: SHORT_LADDER });
  const stream = await openStream(third, "?kinds=delivery");
  await third.close();
  expect((await stream.until(({ event }) => event === "close")).data.reason).toBe("shutdown");
  await stream.ended;
  const { event } = await subscribe(service);
  const fired = await service.api("POST", "/v1/events/fire", { event, data: {} });
  const again = await openStream(service, `?kinds=delivery&last_event_id=${stream.lastId()}`);
  expect(again.messages[0]?.data.resumed).toBe(true);
  await again.until(({ data }) => data.id === fired.body.deliveries[0].id);
  again.leave();
});
