import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { deliveryLog } from "../../testing/delivery-log.ts";
import { startService } from "../../testing/service.ts";
import { subscribe, UNLIMITED } from "../../testing/subscription.ts";
import type { TestService } from "../../testing/test-service.ts";

const DAY = 86_400;
const PATH = "/v1/webhook-endpoints";

let service: TestService;
let log: ReturnType<typeof deliveryLog>;

beforeAll(async () => {
  service = await startService({ env: { ...UNLIMITED, JUNCTION_RETENTION_DAYS: "7" } });
  log = deliveryLog(service);
});
afterAll(async () => await service.close());

async function failing(more: Record<string, unknown>) {
  return await subscribe(service, { status: 500, more });
}

describe("an endpoint with its own retry schedule", () => {
  test("gets one attempt more than it has waits, and then the delivery fails", async () => {
    const { path, fire, receiver } = await failing({ retry_schedule: [3600, 7200] });
    expect((await service.api("GET", path)).body).toMatchObject({ retry_schedule: [3600, 7200] });
    const id = await fire();
    const first = await log.attempted(id, 1);
    expect(first).toMatchObject({ state: "pending", ladder_seconds: [3600, 7200] });
    expect(waitOf(first)).toBeCloseTo(3600, -2);
    await log.hurry();
    expect(waitOf(await log.attempted(id, 2))).toBeCloseTo(7200, -2);
    await log.hurry();
    expect(await log.in(id, "failed")).toMatchObject({ attempt_count: 3 });
    expect(receiver.received).toHaveLength(3);
  });

  test("limits Retry-After by its next wait", async () => {
    const { fire } = await subscribe(service, {
      status: 503,
      headers: { "Retry-After": "100000" },
      more: { retry_schedule: [60, 600] },
    });
    expect(waitOf(await log.attempted(await fire(), 1))).toBeCloseTo(600, -2);
  });

  test("is changed for pending deliveries from their next attempt", async () => {
    const { path, fire } = await failing({});
    const id = await fire();
    expect(await log.attempted(id, 1)).toMatchObject({ ladder_seconds: [60, 300, 1800, 7200, 43_200] });
    const changed = await service.api("PATCH", path, { retry_schedule: [5] });
    expect(changed.body).toMatchObject({ retry_schedule: [5] });
    await log.hurry();
    expect(await log.in(id, "failed")).toMatchObject({ attempt_count: 2, ladder_seconds: [5] });
    expect((await service.api("PATCH", path, { retry_schedule: null })).body).toMatchObject({ retry_schedule: null });
    expect(await log.get(id)).toMatchObject({ ladder_seconds: [60, 300, 1800, 7200, 43_200] });
  });

  test("is named by an explanation", async () => {
    const { path, event } = await failing({ retry_schedule: [1] });
    const told = await service.api("POST", `${path}/explain`, { event, data: {} });
    expect(told.body).toMatchObject({ matched: true, ladder_seconds: [1] });
  });

  test.each([
    [[], "/retry_schedule"],
    [Array.from({ length: 21 }, () => 1), "/retry_schedule"],
    [[0], "/retry_schedule/0"],
    [[DAY + 1], "/retry_schedule/0"],
    [[1.5], "/retry_schedule/0"],
    [["60"], "/retry_schedule/0"],
    [Array.from({ length: 8 }, () => DAY), "/retry_schedule"],
    // The installation keeps events for seven days.
    [Array.from({ length: 7 }, () => DAY), "/retry_schedule"],
  ])("refuses %j", async (waits, pointer) => {
    const body = { url: "http://127.0.0.1:9/", events: ["a.b"], retry_schedule: waits };
    const { status, body: problem } = await service.api("POST", PATH, body);
    expect(status).toBe(422);
    expect(problem["errors"][0]).toMatchObject({ pointer });
  });
});

function waitOf({ next_attempt_at: at }: Record<string, unknown>): number {
  return (Date.parse(String(at)) - Date.now()) / 1000;
}
