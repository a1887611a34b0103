import { afterAll, beforeAll, expect } from "vitest";
import { covers } from "../../../../requirements/covers.ts";
import { countRows, mintKey, otherWorkspace, setKey } from "../testing/keys.ts";
import type { TestKey } from "../testing/keys.ts";
import { startService } from "../testing/service.ts";
import { DEFAULT_LIMITS } from "./operations.ts";
import type { ApiAnswer, TestService } from "../testing/test-service.ts";

let service: TestService;
let twin: TestService;
const env = { JUNCTION_RATE_LIMITS: '{"events.fire":30,"webhooks.test":3}' };

beforeAll(async () => {
  service = await startService({ env });
  twin = await startService({ env, on: service });
});
afterAll(async () => {
  await twin.close();
  await service.close();
});

async function fireWith(key: TestKey, on: TestService = service): Promise<ApiAnswer> {
  return await on.api("POST", "/v1/events/fire", { event: "order.created", data: {} }, { key: key.key });
}

async function testWith(key: TestKey): Promise<ApiAnswer> {
  const body = { url: "http://127.0.0.1:9/hook", dry_run: true };
  return await service.api("POST", "/v1/webhooks/test", body, { key: key.key });
}

/** Moves the calls in the key's minute windows into the past. */
async function letSecondsPass(key: TestKey, seconds: number): Promise<void> {
  await service.database.query(
    "update rate_window set head = head - $2 where subject = $1 and operation not in ('*', 'auth.failed')",
    [key.uuid, seconds],
  );
}

function remaining(answer: ApiAnswer): number {
  return Number(answer.headers.get("x-service-ratelimit-remaining"));
}

covers(
  [
    "limit.rate.events-fire",
    "limit.rate.actions-run",
    "limit.rate.webhooks-test",
    "limit.rate.customers-get",
    "limit.rate.tickets-list",
    "limit.rate.connectors-list",
  ],
  "the limits a minute are those of the specification",
  () => {
    expect(DEFAULT_LIMITS).toMatchObject({
      "events.fire": 1000,
      "actions.run": 200,
      "webhooks.test": 60,
      "customers.get": 2000,
      "tickets.list": 2000,
      "connectors.list": 2000,
      "management.read": 600,
      "management.write": 120,
    });
  },
);

covers(
  ["error.rate.429", "limit.rate.events-fire"],
  "of 100 calls at once exactly as many pass as the limit allows",
  async () => {
    const key = await mintKey(service);
    const before = await countRows(service, "event");
    const answers = await Promise.all(Array.from({ length: 100 }, async () => await fireWith(key)));
    const passed = answers.filter((answer) => answer.status === 202);
    const refused = answers.filter((answer) => answer.status === 429);
    expect([passed.length, refused.length]).toEqual([30, 70]);
    expect(refused.every((answer) => answer.body["code"] === "rate_limited" && answer.body["retryable"])).toBe(true);
    expect((await countRows(service, "event")) - before).toBe(30);
    expect(passed.map(remaining).toSorted((a, b) => a - b)).toEqual(Array.from({ length: 30 }, (_, left) => left));
  },
);

covers("error.rate.429", "two services on one database together never let more pass than the limit", async () => {
  const key = await mintKey(service);
  const answers = await Promise.all(
    Array.from({ length: 80 }, async (_, at) => await fireWith(key, at % 2 === 0 ? service : twin)),
  );
  expect(answers.filter((answer) => answer.status === 202)).toHaveLength(30);
});

covers(
  "error.rate.retry-after",
  "Retry-After says after how many seconds the call succeeds, and not before",
  async () => {
    const key = await mintKey(service);
    await testWith(key);
    await letSecondsPass(key, 20);
    await testWith(key);
    await testWith(key);
    const refused = await testWith(key);
    expect(refused.status).toBe(429);
    const seconds = Number(refused.headers.get("retry-after"));
    expect(seconds).toBeGreaterThanOrEqual(38);
    expect(seconds).toBeLessThanOrEqual(41);
    await letSecondsPass(key, seconds - 3);
    expect((await testWith(key)).status).toBe(429);
    await letSecondsPass(key, 3);
    expect((await testWith(key)).status).toBe(200);
    // One call has left the window. The two calls of twenty seconds later have not.
    expect((await testWith(key)).status).toBe(429);
  },
);

covers("error.rate.429", "in no window of 60 seconds are there more calls than the limit", async () => {
  const key = await mintKey(service);
  expect((await testWith(key)).status).toBe(200);
  await letSecondsPass(key, 59);
  expect((await testWith(key)).status).toBe(200);
  expect((await testWith(key)).status).toBe(200);
  expect((await testWith(key)).status).toBe(429);
  await letSecondsPass(key, 3);
  expect((await testWith(key)).status).toBe(200);
  expect((await testWith(key)).status).toBe(429);
  await letSecondsPass(key, 61);
  expect(remaining(await testWith(key))).toBe(2);
});

covers("limit.rate.per-key", "one key's use takes nothing from another's", async () => {
  const [first, second] = [await mintKey(service), await mintKey(service)];
  for (let call = 0; call < 4; call += 1) await testWith(first);
  expect((await testWith(first)).status).toBe(429);
  const answer = await testWith(second);
  expect([answer.status, remaining(answer)]).toEqual([200, 2]);
});

covers("limit.rate.webhooks-test", "the limits of two operations are apart", async () => {
  const key = await mintKey(service);
  for (let call = 0; call < 4; call += 1) await testWith(key);
  expect((await testWith(key)).status).toBe(429);
  expect((await fireWith(key)).status).toBe(202);
});

covers("key.rate.hourly", "a key's own limit of calls an hour holds across its operations", async () => {
  const key = await mintKey(service, { rate_limit_per_hour: 3 });
  const read = await service.api("GET", "/v1/events", undefined, { key: key.key });
  expect([read.headers.get("x-service-ratelimit-limit"), remaining(read)]).toEqual(["3", 2]);
  expect((await fireWith(key)).status).toBe(202);
  expect((await fireWith(key)).status).toBe(202);
  const refused = await fireWith(key);
  expect([refused.status, refused.body["code"]]).toEqual([429, "rate_limited"]);
  const seconds = Number(refused.headers.get("retry-after"));
  expect(seconds).toBeGreaterThan(3480);
  expect(seconds).toBeLessThanOrEqual(3660);
  // The hourly windows count in minutes.
  await service.database.query("update rate_window set head = head - $2 where subject = $1", [
    key.uuid,
    Math.ceil(seconds / 60),
  ]);
  await letSecondsPass(key, 60);
  expect((await fireWith(key)).status).toBe(202);
});

covers("key.rate.hourly", "a lowered limit is obeyed by the next request, on every node", async () => {
  const key = await mintKey(service);
  expect((await fireWith(key)).status).toBe(202);
  await setKey(service, key, { rate_limit_per_hour: 1 });
  expect((await fireWith(key)).status).toBe(429);
  expect((await fireWith(key, twin)).status).toBe(429);
});

covers("limit.header.remaining", "every answer says what remains, also if it is a refusal", async () => {
  const key = await mintKey(service);
  const readOnly = await mintKey(service, { permission_mode: "read_only" });
  const other = await otherWorkspace(service);
  const answers = await Promise.all([
    fireWith(key),
    service.api("GET", "/v1/events"),
    service.api("GET", "/v1/nowhere"),
    service.api("DELETE", "/v1/events"),
    service.api("GET", "/v1/events", undefined, { key: null }),
    service.api("GET", "/v1/events", undefined, { key: "nonsense" }),
    fireWith(readOnly),
    service.api("GET", `/v1/events/${other.id("evt")}`),
    service.api("POST", "/v1/events/fire", "{"),
    service.api("POST", "/v1/events/fire", {}),
    service.api("POST", "/v1/events/fire", `{"event":"${"x".repeat(300_000)}"}`),
    service.api("GET", "/livez", undefined, { key: null }),
    service.api("GET", "/openapi.json", undefined, { key: null }),
  ]);
  expect(answers.map((answer) => answer.status)).toEqual([
    202, 200, 404, 405, 401, 401, 403, 403, 400, 422, 413, 200, 200,
  ]);
  for (const answer of answers) {
    for (const name of ["limit", "remaining", "reset"])
      expect(answer.headers.get(`x-service-ratelimit-${name}`)).toMatch(/^\d+$/);
  }
});

covers("limit.header.remaining", "the tighter policy is shown, and a refusal shows the key's own limit", async () => {
  const key = await mintKey(service);
  const fired = await fireWith(key);
  expect(["limit", "remaining", "reset"].map((name) => fired.headers.get(`x-service-ratelimit-${name}`))).toEqual([
    "30",
    "29",
    "60",
  ]);
  await setKey(service, key, { permission_mode: "read_only" });
  const refused = await fireWith(key);
  expect([refused.status, refused.headers.get("x-service-ratelimit-limit"), remaining(refused)]).toEqual([
    403,
    "30",
    29,
  ]);
});

covers("key.allowlist.cidr", "a call that the allowlist refuses gives its token back", async () => {
  const key = await mintKey(service, { ip_allowlist: ["203.0.113.0/24"] });
  for (let call = 0; call < 35; call += 1) {
    const refused = await fireWith(key);
    expect([refused.status, refused.body["code"], remaining(refused)]).toEqual([403, "ip_not_allowed", 30]);
  }
  await setKey(service, key, { ip_allowlist: [] });
  expect(remaining(await fireWith(key))).toBe(29);
});
