import { createHmac } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { mintKey } from "../../testing/keys.ts";
import { gauge } from "../../testing/metrics.ts";
import { startService } from "../../testing/service.ts";
import { UNLIMITED } from "../../testing/subscription.ts";
import type { ApiAnswer, Parsed, TestService } from "../../testing/test-service.ts";
import { leaseIn, numbersIn, offsetsIn, pullEndpoint } from "../../testing/pull-endpoint.ts";

let service: TestService;
beforeAll(async () => {
  service = await startService({ env: { ...UNLIMITED, JUNCTION_RETRY_LADDER: "300ms,1h" } });
});
afterAll(async () => await service.close());

test("a pull gets messages in order, with the bytes of a request", async () => {
  const endpoint = await pullEndpoint(service);
  const ids = await endpoint.fire({ n: 1 }, { n: 2 });
  const answer = await endpoint.pull();
  expect([answer.status, answer.text]).toEqual([200, expect.anything()]);
  expect(answer.body).toMatchObject({ position: 1, lag: 2, lease: { id: expect.stringMatching(/^lse_/) } });
  expect(answer.body).not.toHaveProperty("skipped");
  expect(offsetsIn(answer)).toEqual([1, 2]);
  const [first] = answer.body["messages"] as Parsed[];
  expect(first).toMatchObject({ offset: 1, delivery_id: ids[0], event: endpoint.event });
  const { headers, body } = first as { headers: Record<string, string>; body: string };
  expect(headers["X-Service-Signature"]).toBe(createHmac("sha256", endpoint.secret).update(body).digest("hex"));
  expect(headers).toMatchObject({
    "X-Service-Delivery": ids[0],
    "webhook-id": ids[0],
    "Content-Type": "application/json",
  });
  expect(JSON.parse(body)).toMatchObject({ delivery_id: ids[0], data: { n: 1 } });
});

test("a pull endpoint has no settings of requests, and keeps its kind", async () => {
  const refused = await service.api("POST", "/v1/webhook-endpoints", {
    kind: "pull",
    events: ["*"],
    url: "https://example.com",
    rate_limit_per_second: 5,
    max_in_flight: 2,
  });
  expect(refused.status).toBe(422);
  expect(refused.body["errors"].map((one: Parsed) => one["pointer"])).toEqual([
    "/url",
    "/rate_limit_per_second",
    "/max_in_flight",
  ]);
  const missing = await service.api("POST", "/v1/webhook-endpoints", { events: ["*"] });
  expect(missing.body["errors"]).toMatchObject([{ pointer: "/url", code: "required" }]);
  const endpoint = await pullEndpoint(service);
  const shown = await service.api("GET", endpoint.path);
  expect(shown.body).toMatchObject({ kind: "pull", url: null, rate_limit_per_second: null, max_in_flight: null });
  expect((await service.api("PATCH", endpoint.path, { kind: "webhook" })).body["errors"]).toMatchObject([
    { pointer: "/kind" },
  ]);
  expect((await service.api("PATCH", endpoint.path, { max_in_flight: 3 })).status).toBe(422);
  expect((await service.api("PATCH", endpoint.path, { description: "x", kind: "pull" })).status).toBe(200);
});

test("messages have the form of their endpoint, as requests have", async () => {
  const endpoint = await pullEndpoint(service, { wire: "svix" });
  const next = async (): Promise<Parsed> => {
    await endpoint.fire({ n: 1 });
    const pulled = await endpoint.pull({ wait_seconds: 2 });
    await endpoint.call("commit", { consumer: "c", lease_id: leaseIn(pulled) });
    return (pulled.body["messages"] as Parsed[])[0] ?? {};
  };
  const alone = await next();
  expect(alone["body"]).toBe('{"n":1}');
  expect(alone["headers"]).toMatchObject({ "svix-id": expect.stringMatching(/^msg_/) as unknown });
  expect(Object.keys(alone["headers"] as object).filter((name) => name.startsWith("X-Service"))).toEqual([]);
  await service.api("PATCH", endpoint.path, { wire: "service" });
  expect(JSON.parse((await next())["body"] as string)).toMatchObject({ event: endpoint.event, data: { n: 1 } });
  await service.api("PATCH", endpoint.path, { wire: "svix" });
  expect((await next())["body"]).toBe('{"n":1}');
});

test("a commit moves the consumer, in part and as a whole", async () => {
  const endpoint = await pullEndpoint(service);
  await endpoint.fire({ n: 1 }, { n: 2 }, { n: 3 });
  const lease_id = leaseIn(await endpoint.pull({ limit: 2 }));
  const commit = async (more: object): Promise<number> =>
    (await endpoint.call("commit", { consumer: "c", lease_id, ...more })).status;
  expect(await commit({ offset: 1 })).toBe(204);
  expect((await endpoint.pull()).body["code"]).toBe("consumer_busy");
  expect(await commit({ offset: 3 })).toBe(422);
  expect(await commit({})).toBe(204);
  expect(await commit({})).toBe(204);
  expect(await commit({ offset: 1 })).toBe(204);
  const rest = await endpoint.pull();
  expect([offsetsIn(rest), rest.body["position"]]).toEqual([[3], 3]);
  expect((await endpoint.call("commit", { consumer: "c", lease_id })).body["code"]).toBe("lease_lost");
  expect((await endpoint.call("commit", { consumer: "nobody", lease_id })).status).toBe(404);
});

test("a repeated key gets the running lease, and release ends it", async () => {
  const endpoint = await pullEndpoint(service);
  await endpoint.fire({ n: 1 });
  const key = { headers: { "Idempotency-Key": "again-1" } };
  const first = await endpoint.pull({}, key);
  const again = await endpoint.pull({}, key);
  expect(again.body["lease"]).toEqual(first.body["lease"]);
  expect(offsetsIn(again)).toEqual([1]);
  const busy = await endpoint.pull();
  expect([busy.status, Number(busy.headers.get("retry-after")) > 50]).toEqual([409, true]);
  const leased = { consumer: "c", lease_id: first.body["lease"]["id"] as string };
  expect((await endpoint.call("release", leased)).status).toBe(204);
  const next = await endpoint.pull();
  expect(offsetsIn(next)).toEqual([1]);
  expect((await endpoint.call("release", leased)).body["code"]).toBe("lease_lost");
});

test("seek moves to an offset, a time, the start and the end", async () => {
  const endpoint = await pullEndpoint(service);
  await endpoint.fire({ n: 1 }, { n: 2 });
  await new Promise((resolve) => setTimeout(resolve, 30));
  const time = new Date().toISOString();
  await new Promise((resolve) => setTimeout(resolve, 30));
  await endpoint.fire({ n: 3 });
  const lease_id = leaseIn(await endpoint.pull());
  const from = async (to: unknown): Promise<number[]> => {
    const sought = await endpoint.call("seek", { consumer: "c", to });
    expect([sought.status, sought.text]).toEqual([204, expect.anything()]);
    return offsetsIn(await endpoint.pull());
  };
  expect(await from({ offset: 2 })).toEqual([2, 3]);
  expect(await from({ time })).toEqual([3]);
  expect(await from("start")).toEqual([1, 2, 3]);
  expect(await from("end")).toEqual([]);
  expect(await from({ time: "1999-01-01T00:00:00Z" })).toEqual([1, 2, 3]);
  expect(await from({ time: "2999-01-01T00:00:00Z" })).toEqual([]);
  expect((await endpoint.call("commit", { consumer: "c", lease_id })).body["code"]).toBe("lease_lost");
  const beyond = await endpoint.call("seek", { consumer: "c", to: { offset: 5 } });
  expect([beyond.status, beyond.body["errors"][0]["pointer"]]).toEqual([422, "/to/offset"]);
  expect((await endpoint.call("seek", { consumer: "c", to: { offset: 0 } })).status).toBe(422);
  expect((await endpoint.call("seek", { consumer: "c", to: { offset: 1, time } })).status).toBe(422);
  expect((await endpoint.call("seek", { consumer: "c", to: "middle" })).status).toBe(422);
});

test("a waiting pull gets the next message, and one of two gets it", async () => {
  const endpoint = await pullEndpoint(service);
  const pulls = [endpoint.pull({ wait_seconds: 10 }), endpoint.pull({ wait_seconds: 10 })];
  await new Promise((resolve) => setTimeout(resolve, 200));
  const since = performance.now();
  await endpoint.fire({ n: 1 });
  const answers = await Promise.all(pulls);
  expect(performance.now() - since).toBeLessThan(3000);
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
  expect(offsetsIn(answers.find(({ status }) => status === 200) as ApiAnswer)).toEqual([1]);
});

test("consumers are listed with their lag, and forgotten", async () => {
  const endpoint = await pullEndpoint(service);
  await endpoint.fire({ n: 1 }, { n: 2 });
  await endpoint.pull({ consumer: "late", start: "end" });
  const leased = await endpoint.pull({ consumer: "early", limit: 1 });
  const list = await service.api("GET", `${endpoint.path}/consumers`);
  expect(list.body["data"]).toEqual([
    {
      consumer: "early",
      position: 1,
      lag: 2,
      epoch: leased.body["epoch"],
      oldest_unread_at: expect.any(String),
      lease_expires_at: leased.body["lease"]["expires_at"],
      last_pulled_at: expect.any(String),
    },
    expect.objectContaining({ consumer: "late", position: 3, lag: 0, oldest_unread_at: null, lease_expires_at: null }),
  ]);
  const page = await service.api("GET", `${endpoint.path}/consumers?limit=1`);
  const next = await service.api("GET", `${endpoint.path}/consumers?limit=1&cursor=${page.body["next_cursor"]}`);
  expect(next.body["data"]).toMatchObject([{ consumer: "late" }]);
  expect((await service.api("DELETE", `${endpoint.path}/consumers/early`)).status).toBe(204);
  expect((await service.api("DELETE", `${endpoint.path}/consumers/early`)).status).toBe(404);
  expect(offsetsIn(await endpoint.pull({ consumer: "early" }))).toEqual([1, 2]);
});

test("a delivery is pending until a consumer is behind it", async () => {
  const endpoint = await pullEndpoint(service);
  const [id] = await endpoint.fire({ n: 1 });
  const lease_id = leaseIn(await endpoint.pull());
  const state = async (): Promise<unknown> => (await service.api("GET", `/v1/deliveries/${id}`)).body["state"];
  const listed = async (wanted: string): Promise<unknown[]> =>
    (await service.api("GET", `/v1/deliveries?endpoint_id=${endpoint.id}&state=${wanted}`)).body["data"];
  expect([await state(), (await listed("pending")).length, (await listed("delivered")).length]).toEqual([
    "pending",
    1,
    0,
  ]);
  expect((await service.api("GET", `${endpoint.path}/stats`)).body).toMatchObject({ pending: 1, delivered: 0 });
  expect((await service.api("POST", `/v1/deliveries/${id}/cancel`)).status).toBe(409);
  await endpoint.call("commit", { consumer: "c", lease_id });
  expect([await state(), (await listed("pending")).length, (await listed("delivered")).length]).toEqual([
    "delivered",
    0,
    1,
  ]);
  expect((await service.api("GET", `${endpoint.path}/stats`)).body).toMatchObject({ pending: 0, delivered: 1 });
  const replay = await service.api("POST", `/v1/deliveries/${id}/replay`);
  expect([replay.status, replay.body["code"]]).toEqual([409, "conflict"]);
  const many = await service.api("POST", "/v1/replays", { delivery_ids: [id], dry_run: true });
  expect(many.body).toMatchObject({ count: 0 });
});

test("a transformation makes the message before it gets its offset", async () => {
  const transform = { kind: "template", body: { got: "${$.data.n}" } };
  const endpoint = await pullEndpoint(service, { transform });
  await endpoint.fire({ n: 1 }, { n: 2 });
  const answer = await endpoint.pull({ wait_seconds: 5 });
  expect([answer.status, answer.text]).toEqual([200, expect.anything()]);
  expect((answer.body["messages"] as Parsed[]).map(({ body }) => body)).toEqual(['{"got":1}', '{"got":2}']);
});

test("an inactive endpoint refuses pulls and accepts commits", async () => {
  const endpoint = await pullEndpoint(service);
  await endpoint.fire({ n: 1 });
  const lease_id = leaseIn(await endpoint.pull());
  await service.api("POST", `${endpoint.path}/toggle`);
  expect((await endpoint.pull()).status).toBe(409);
  expect((await endpoint.call("commit", { consumer: "c", lease_id })).status).toBe(204);
  await service.api("POST", `${endpoint.path}/toggle`);
  expect((await endpoint.pull()).body).toMatchObject({ messages: [], lease: null, position: 2, lag: 0 });
});

test("metrics show the lag of consumers of active endpoints", async () => {
  await service.database.query("delete from pull_consumer");
  const lag = async (): Promise<unknown[]> => [
    await gauge(service, "junction_pull_lag_messages"),
    Number(await gauge(service, "junction_pull_oldest_unread_age_seconds")) > 3599,
  ];
  const endpoint = await pullEndpoint(service);
  await endpoint.fire({ n: 1 }, { n: 2 }, { n: 3 });
  await endpoint.drain("done");
  const lease_id = leaseIn(await endpoint.pull());
  await endpoint.call("commit", { consumer: "c", lease_id, offset: 1 });
  await service.database.query("update pull_message set at = at - interval '1 hour'");
  expect(await lag()).toEqual(["2", true]);
  await service.api("POST", `${endpoint.path}/toggle`);
  expect(await lag()).toEqual(["0", false]);
  await service.api("POST", `${endpoint.path}/toggle`);
  expect(await lag()).toEqual(["2", true]);
  await service.api("DELETE", endpoint.path);
  expect(await lag()).toEqual(["0", false]);
});

test("a response has at most 8 MiB of bodies", async () => {
  const endpoint = await pullEndpoint(service);
  const text = "x".repeat(250_000);
  for (let n = 0; n < 40; n += 1) await endpoint.fire({ n, text });
  const answer = await endpoint.pull({ limit: 500 });
  const bytes = (answer.body["messages"] as Parsed[]).reduce((sum, { body }) => sum + (body as string).length, 0);
  expect(bytes).toBeLessThanOrEqual(8 * 1024 * 1024);
  expect(numbersIn(answer)).toHaveLength(33);
  expect(answer.body["lag"]).toBe(40);
});

test("a webhook endpoint cannot be pulled, and other tenants pull nothing", async () => {
  const endpoint = await pullEndpoint(service, { tenant: "acme" });
  const webhook = await service.endpoint("http://127.0.0.1:9/", { events: ["a.b"] });
  const wrong = await service.api("POST", `/v1/webhook-endpoints/${webhook.id}/pull`, { consumer: "c" });
  expect([wrong.status, wrong.body["code"]]).toEqual([409, "conflict"]);
  const other = await mintKey(service, { tenant: "other" });
  const own = await mintKey(service, { tenant: "acme" });
  expect((await endpoint.pull({}, { key: other.key })).status).toBe(404);
  expect((await endpoint.pull({}, { key: own.key })).status).toBe(200);
  expect((await endpoint.pull({}, { key: service.sandboxKey })).body["code"]).toBe("environment_mismatch");
});

test("moving and deleting a consumer are audited, pulls are not", async () => {
  const endpoint = await pullEndpoint(service, { tenant: "acme" });
  await endpoint.pull();
  await endpoint.call("seek", { consumer: "c", to: "end" });
  await service.api("DELETE", `${endpoint.path}/consumers/c`);
  const { body } = await service.api("GET", "/v1/audit?limit=3");
  const rows = body["data"] as Parsed[];
  expect(rows.map(({ action }) => action)).toEqual([
    "webhooks.consumers.delete",
    "webhooks.seek",
    "webhook_endpoints.create",
  ]);
});

test("limits of a pull are checked, and an empty one has no lease", async () => {
  const endpoint = await pullEndpoint(service);
  const pulled = await endpoint.pull({ wait_seconds: 1 });
  expect(pulled.body).toMatchObject({ messages: [], lease: null, position: 1, lag: 0 });
  for (const limit of [0, 501]) expect((await endpoint.pull({ limit })).status).toBe(422);
  for (const wait_seconds of [-1, 26]) expect((await endpoint.pull({ wait_seconds })).status).toBe(422);
  for (const lease_seconds of [4, 901]) expect((await endpoint.pull({ lease_seconds })).status).toBe(422);
  for (const consumer of ["", "-a", "a b", "x".repeat(129)])
    expect((await endpoint.pull({ consumer })).status).toBe(422);
  expect((await endpoint.pull({ start: "middle" })).status).toBe(422);
});
