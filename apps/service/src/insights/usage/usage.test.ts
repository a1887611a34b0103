import { afterAll, beforeAll, expect, test } from "vitest";
import { otherWorkspace } from "../../testing/keys.ts";
import { startService } from "../../testing/service.ts";
import { SHORT_LADDER, subscribe } from "../../testing/subscription.ts";
import { provesSuccesses } from "../../testing/successes.ts";
import type { Parsed, TestService } from "../../testing/test-service.ts";

let service: TestService;
beforeAll(async () => {
  service = await startService({ env: SHORT_LADDER });
});
afterAll(async () => await service.close());

const today = (): string => new Date().toISOString().slice(0, 10);
const usageOf = async (query = "", key = service.key): Promise<Parsed> =>
  (await service.api("GET", `/v1/usage${query}`, undefined, { key })).body;

test("every operation returns its success response", async () => {
  await provesSuccesses(service, ["/v1/usage", "/v1/attention"], {
    "GET /v1/usage 200": async () => await service.api("GET", "/v1/usage"),
    "GET /v1/usage/series 200": async () => await service.api("GET", "/v1/usage/series?hours=2"),
    "GET /v1/usage/events 200": async () => await service.api("GET", "/v1/usage/events"),
    "GET /v1/attention 200": async () => await service.api("GET", "/v1/attention"),
  });
});

test("usage is counted by day and hour, separately for each workspace and environment", async () => {
  const before = await usageOf();
  const good = await subscribe(service);
  const bad = await subscribe(service, { status: 500 });
  for (const { event } of [good, good, bad]) await service.api("POST", "/v1/events/fire", { event, data: {} });
  const { body: source } = await service.api("POST", "/v1/inbound-endpoints", { preset: "custom", name: "Shop" });
  await fetch(source.url, { method: "POST", body: "{}", headers: { "Content-Type": "application/json" } });
  const grown = (after: Parsed, of: string): number => after.total[of] - before.total[of];
  const after = await service.until(
    "/v1/usage",
    (body) => grown(body, "failed") === 1 && grown(body, "receipts") === 1,
  );
  // The failed delivery fires another event, webhook.delivery.failed, and so does the unsigned receipt.
  expect(grown(after, "events")).toBeGreaterThanOrEqual(3);
  expect([grown(after, "deliveries"), grown(after, "delivered"), grown(after, "failed")]).toEqual([3, 2, 1]);
  expect([grown(after, "attempts"), grown(after, "failed_attempts")]).toEqual([8, 6]);
  expect(after).toMatchObject({ object: "usage", time_zone: "UTC", to: today() });
  expect(after.data).toHaveLength(30);
  expect(after.data.at(-1)).toMatchObject({ day: today(), attempts: after.total.attempts });
  for (const key of [service.sandboxKey, (await otherWorkspace(service)).key])
    expect((await usageOf("", key)).total.deliveries).toBe(0);

  const { body: series } = await service.api("GET", "/v1/usage/series?hours=2");
  expect(series.data).toHaveLength(2);
  const sum = (of: string): number => series.data.reduce((total: number, hour: Parsed) => total + hour[of], 0);
  expect([sum("attempts"), sum("failed_attempts")]).toEqual([after.total.attempts, after.total.failed_attempts]);
  const hour = series.data.findLast((one: Parsed) => one.attempts > 0);
  expect(hour.success_rate).toBeGreaterThan(0);
  expect(hour.success_rate).toBeLessThan(1);
  expect(hour.ack_p50_ms).toBeGreaterThan(0);
  expect(hour.ack_p99_ms).toBeGreaterThanOrEqual(hour.ack_p50_ms);

  const { body: events } = await service.api("GET", "/v1/usage/events?hours=2");
  expect(events.data.find((one: Parsed) => one.event === good.event)).toMatchObject({
    object: "event_usage",
    count: 2,
  });
});

test("endpoint lists and statistics show the last day's attempts, rates, times and backlog", async () => {
  const failing = await subscribe(service, { status: 500 });
  await service.api("POST", "/v1/events/fire", { event: failing.event, data: {} });
  const { data } = await service.until("/v1/webhook-endpoints?with=stats&limit=1", (body) =>
    body.data[0].stats.hours.some((hour: Parsed) => hour.failed === 6),
  );
  const [{ id, stats }] = data;
  expect(id).toBe(failing.endpoint.id);
  expect(stats.hours).toHaveLength(24);
  expect(stats).toMatchObject({ success_rate: 0, pending: 0, pending_capped: false, next_attempt_at: null });
  expect(stats.p95_ms).toBeGreaterThan(0);
  const { body } = await service.api("GET", `${failing.path}/stats`);
  expect(body).toMatchObject({ failed: 1, success_rate: 0, hours: stats.hours });
  expect((await service.api("GET", "/v1/webhook-endpoints?limit=1")).body.data[0].stats).toBeUndefined();
});

test("a range contains its first and last day, and an invalid one is 400", async () => {
  const days = await usageOf("?from=2026-02-27&to=2026-03-01");
  expect(days.data.map((one: Parsed) => one.day)).toEqual(["2026-02-27", "2026-02-28", "2026-03-01"]);
  for (const query of ["?from=2026-02-30", "?from=yesterday", "?from=2026-03-02&to=2026-03-01", "?from=2020-01-01"])
    expect([query, (await usageOf(query)).code]).toEqual([query, "query_invalid"]);
});

test("attention shows failing endpoints, failed deliveries, receipts and the backlog", async () => {
  const { body: before } = await service.api("GET", "/v1/attention");
  const failing = await subscribe(service, { status: 500 });
  await service.api("POST", "/v1/events/fire", { event: failing.event, data: {} });
  const { body: source } = await service.api("POST", "/v1/inbound-endpoints", { preset: "custom", name: "Shop" });
  await fetch(source.url, { method: "POST", body: "{}", headers: { "Content-Type": "application/json" } });
  const after = await service.until(
    "/v1/attention",
    (body) => body.parked_deliveries.count === before.parked_deliveries.count + 1,
  );
  expect(after.failing_endpoints.count).toBe(before.failing_endpoints.count + 1);
  expect(after.failing_endpoints.ids).toContain(failing.endpoint.id);
  expect(after.receipts.error.count).toBe(before.receipts.error.count + 1);
  expect(after.receipts.unmapped).toEqual({ count: 0, capped: false });
  expect(after.proposals).toEqual({ count: 0, capped: false, low: 0, medium: 0, high: 0 });
  expect(after.backlog.capped).toBe(false);
});
