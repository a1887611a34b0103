/** Tests what the service does at a time, as it is started with no variable set: HTTPS receivers with host names, and the real clock. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { namespacesFault } from "./namespaces.ts";
import { announced, createWorld } from "./world.ts";
import type { Answer, World } from "./world.ts";

const PUBLIC = "93.184.216.34";
const OWNER = { email: "ines@shop.example", name: "Ines Costa", password: "correct horse battery staple" };
const MINUTE_MS = 60_000;

describe.skipIf(namespacesFault() !== undefined)("the service at a time", () => {
  let world: World;
  let key: string;
  let receiver: number;

  beforeAll(async () => {
    world = await createWorld();
    await world.addresses([`${PUBLIC}/32`]);
    await world.name("hooks.shop.example", [PUBLIC]);
    receiver = await world.receiver({ address: PUBLIC, certificate: { names: ["hooks.shop.example"] } });
    const { token } = announced(await world.npmStart());
    key = (await world.api("POST", "/v1/auth/setup", { token, ...OWNER })).body.api_key;
  });
  afterAll(async () => await world?.close());

  async function api(method: string, path: string, body?: unknown): Promise<Answer["body"]> {
    const answer = await world.api(method, path, body, { key });
    expect({ status: answer.status < 300, text: answer.text }).toEqual({ status: true, text: answer.text });
    return answer.body;
  }

  /** Returns the time in milliseconds at which a request arrived. */
  async function arrival(path: string, limitMs: number): Promise<number> {
    const has = async (): Promise<boolean> => (await world.received(receiver)).some((request) => request.path === path);
    await expect.poll(has, { timeout: limitMs, interval: 50 }).toBe(true);
    return Date.now();
  }

  test("a workflow with a schedule starts in the next minute", { timeout: 3 * MINUTE_MS }, async () => {
    const workflow = await api("POST", "/v1/workflows", {
      name: "Every minute",
      trigger: { schedule: { cron: "* * * * *", time_zone: "Europe/Lisbon" } },
      steps: [{ id: "tell", type: "webhook", url: "https://hooks.shop.example/minute" }],
    });
    const { next } = await api("GET", `/v1/workflows/${workflow.id}/schedule`);
    const dueMs = Date.parse(next[0].at);
    expect(dueMs - Date.now()).toBeLessThanOrEqual(MINUTE_MS);
    expect(await arrival("/minute", 2 * MINUTE_MS)).toBeGreaterThanOrEqual(dueMs);
    const runs = await world.until(
      `/v1/workflows/${workflow.id}/runs`,
      key,
      ({ data }) => data[0]?.state === "completed",
    );
    expect(runs.data[0]).toMatchObject({ event: "schedule.due" });
    await api("PATCH", `/v1/workflows/${workflow.id}`, { enabled: false });
  });

  test("an event with deliver_at reaches its endpoint then, and not before", async () => {
    await api("POST", "/v1/webhook-endpoints", { url: "https://hooks.shop.example/later", events: ["order.reminded"] });
    const dueMs = Date.now() + 6000;
    const fired = await api("POST", "/v1/events/fire", {
      event: "order.reminded",
      data: { order: "1001" },
      deliver_at: new Date(dueMs).toISOString(),
    });
    expect(fired).toMatchObject({ status: "scheduled", deliveries: [] });
    expect(await arrival("/later", MINUTE_MS)).toBeGreaterThanOrEqual(dueMs);
    const found = (await world.received(receiver)).filter(({ path }) => path === "/later");
    expect(found.map(({ body }) => JSON.parse(body).id)).toEqual([fired.id]);
  });

  test("a signed call reaches an API by host name", async () => {
    const call = { method: "POST", url: "https://hooks.shop.example/call", body: { order: "1001" }, sign: true };
    const rule = await api("POST", "/v1/rules", {
      name: "Call",
      on: ["order.called"],
      then: [{ type: "http", ...call }],
    });
    await api("POST", "/v1/events/fire", { event: "order.called", data: {} });
    await world.until(`/v1/http-calls?rule_id=${rule.id}`, key, ({ data }) => data[0]?.state === "succeeded");
    const sent = (await world.received(receiver)).find(({ path }) => path === "/call");
    expect(sent?.headers).toMatchObject({ "webhook-id": expect.stringMatching(/^call_/) });
  });
});
