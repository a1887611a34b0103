import { afterAll, beforeAll, expect, test } from "vitest";
import { sha256 } from "../../lib/lib.ts";
import { exchangeAbout, listen, offered } from "../../testing/assistant.ts";
import { mintKey, otherWorkspace } from "../../testing/keys.ts";
import { startService } from "../../testing/service.ts";
import { UNLIMITED } from "../../testing/subscription.ts";
import type { Parsed, TestService } from "../../testing/test-service.ts";

let service: TestService;

beforeAll(async () => {
  service = await startService({ env: UNLIMITED });
});
afterAll(async () => await service.close());

const SCRIPT = [{ on: ["ticket.created"], say: "Nothing to do about ${$.event}." }];

test("the assistant is off until a provider is set, then lists its missing settings", async () => {
  const fresh = await service.api("GET", "/v1/assistant");
  expect(fresh).toMatchObject({
    status: 200,
    body: {
      object: "assistant",
      provider: "off",
      state: "off",
      missing: [],
      events: [],
      max_per_minute: 10,
      max_per_day: 500,
      asked: { last_minute: 0, last_day: 0 },
      updated_at: null,
    },
  });
  await service.api("PATCH", "/v1/workspaces/current", { settings: { assistant: "openai_compatible" } });
  expect((await service.api("GET", "/v1/assistant")).body).toMatchObject({
    state: "incomplete",
    missing: ["base_url", "model", "events"],
  });
  const whole = await service.api("PATCH", "/v1/assistant", {
    base_url: "http://127.0.0.1:9/v1",
    model: "small-1",
    events: ["order.refunded", "order.refunded"],
    instructions: "Be brief.",
  });
  expect(whole).toMatchObject({ status: 200, body: { state: "on", missing: [], events: ["order.refunded"] } });
  const part = await service.api("PATCH", "/v1/assistant", { max_per_day: 7 });
  expect(part.body).toMatchObject({ max_per_day: 7, model: "small-1", instructions: "Be brief." });
});

test("invalid settings are all reported together and change nothing", async () => {
  const before = await service.api("GET", "/v1/assistant");
  const bad = await service.api("PATCH", "/v1/assistant", {
    model: "other",
    events: ["a..b", "*"],
    script: [{ on: "x", say: "${", calls: [{ action: 1 }], more: true }, 1],
  });
  expect(bad).toMatchObject({ status: 422, body: { code: "validation_failed" } });
  expect(bad.body["errors"].map(({ pointer }: { pointer: string }) => pointer).toSorted()).toEqual([
    "/events/0",
    "/script/0",
    "/script/0/calls/0",
    "/script/0/on",
    "/script/0/say",
    "/script/1",
  ]);
  const blocked = await service.api("PATCH", "/v1/assistant", { base_url: "http://10.0.0.1/v1" });
  expect(blocked).toMatchObject({ status: 422, body: { code: "url_blocked" } });
  expect((await service.api("GET", "/v1/assistant")).body).toEqual(before.body);
});

test("only owners and admins change the assistant, and each workspace has its own", async () => {
  const developer = await mintKey(service, { role: "developer" });
  expect(await service.api("PATCH", "/v1/assistant", { max_per_day: 9 }, { key: developer.key })).toMatchObject({
    status: 403,
    body: { code: "role_not_allowed" },
  });
  const other = await otherWorkspace(service);
  expect((await service.api("GET", "/v1/assistant", undefined, { key: other.key })).body).toMatchObject({
    state: "off",
    model: null,
  });
});

test("a test shows the prompt and the possible proposals, and appears in the history", async () => {
  const contract = await offered(service, { requires_confirmation: true });
  const calls = [
    { action: contract["key"], arguments: { note: "about ${$.data.subject}" } },
    { action: "no.such", arguments: {} },
  ];
  await listen(service, "scripted", { events: ["test.trial"], script: [{ say: "I would.", calls }] });
  const data = { subject: "a parcel", password: "hunter2-canary" };
  const tried = await service.api("POST", "/v1/assistant/test", { event: "ticket.created", data });
  expect(tried).toMatchObject({
    status: 200,
    body: {
      status: "ok",
      response: "I would.",
      calls: [
        {
          action: contract["key"],
          arguments: '{"note":"about a parcel"}',
          outcome: { outcome: "pending_confirmation", preview: { title: expect.any(String) } },
          error_code: null,
        },
        { action: "no.such", error_code: "action_unknown" },
      ],
    },
  });
  expect(tried.body["prompt"]["tools"]).toContain(contract["key"]);
  expect(tried.text).not.toContain("hunter2-canary");
  expect((await service.api("GET", "/v1/proposals")).body["data"]).toEqual([]);
  const kept = await service.api("GET", `/v1/ai-history/${tried.body["history_id"]}`);
  expect(kept.body).toMatchObject({ trigger: "test", status: "ok", response: "I would." });
});

test("a test is 409 without a setup, and 429 with Retry-After beyond the budget", async () => {
  const body = { event: "ticket.created", data: {} };
  await listen(service, "scripted", { script: SCRIPT, events: ["test.trial"], max_per_minute: 1000, max_per_day: 1 });
  const spent = await service.api("POST", "/v1/assistant/test", body);
  expect(spent).toMatchObject({ status: 429, body: { code: "rate_limited" } });
  expect(Number(spent.headers.get("Retry-After"))).toBeGreaterThan(86_000);
  await listen(service, "off", { max_per_day: 500 });
  expect(await service.api("POST", "/v1/assistant/test", body)).toMatchObject({
    status: 409,
    body: { code: "conflict" },
  });
  await listen(service, "openai_compatible", { base_url: null, model: null });
  expect(await service.api("POST", "/v1/assistant/test", body)).toMatchObject({
    status: 409,
    body: { detail: expect.stringContaining("base_url and model") },
  });
  expect(await service.api("POST", "/v1/assistant/test", { event: "a..b", data: {} })).toMatchObject({ status: 422 });
});

test("Retry-After covers all requests above a budget that was lowered", async () => {
  await listen(service, "scripted", { script: SCRIPT, events: ["test.trial"], max_per_minute: 1, max_per_day: 2 });
  const ask = async (): Promise<number> => {
    const refused = await service.api("POST", "/v1/assistant/test", { event: "ticket.created", data: {} });
    expect(refused.status).toBe(429);
    return Number(refused.headers.get("Retry-After"));
  };
  await service.database.query("delete from assistant_ask");
  await service.database.query(
    `insert into assistant_ask (bucket, workspace_id, id, asked_at) select bucket, id, gen_random_uuid(), now() - hours * interval '1 hour'
     from workspace, unnest('{23, 22, 4, 2}'::int[]) hours`,
  );
  const day = await ask();
  expect([day > 19.9 * 3600, day <= 20 * 3600]).toEqual([true, true]);
  await service.database.query("delete from assistant_ask");
  await service.database.query(
    `insert into assistant_ask (bucket, workspace_id, id, asked_at) select bucket, id, gen_random_uuid(), now() - seconds * interval '1 second'
     from workspace, unnest('{46, 44, 8, 4}'::int[]) seconds`,
  );
  await service.api("PATCH", "/v1/assistant", { max_per_day: 500 });
  const minute = await ask();
  expect([minute > 50, minute <= 56]).toEqual([true, true]);
  await service.database.query("delete from assistant_ask");
  await service.api("PATCH", "/v1/assistant", { max_per_minute: 1000 });
});

test.each([
  ["openai_compatible", { base_url: null, model: "small-1" }],
  ["openai_compatible", { base_url: "http://127.0.0.1:9/v1", model: null }],
  ["scripted", { script: null }],
])("an event has no stage for the assistant while settings are missing (%s, %j)", async (provider, lacking) => {
  const kinds = async (): Promise<string[]> =>
    (await service.fire("test.lacking", {})).subscribers.map(({ kind }: Parsed) => kind);
  await listen(service, "scripted", { script: SCRIPT, events: ["test.lacking"], max_per_minute: 1000 });
  expect(await kinds()).toContain("assistant");
  await listen(service, provider, lacking);
  expect((await service.api("GET", "/v1/assistant")).body["state"]).toBe("incomplete");
  expect(await kinds()).not.toContain("assistant");
});

test("the assistant receives the sandbox's events and requests in the sandbox", async () => {
  await listen(service, "scripted", { script: SCRIPT, events: ["ticket.created"] });
  await service.database.query("update api_key set role = 'admin' where key_hash = $1", [sha256(service.sandboxKey)]);
  const event = { event: "ticket.created", data: {} };
  const fired = await service.api("POST", "/v1/events/fire", event, { key: service.sandboxKey });
  const path = `/v1/ai-history?event_id=${fired.body["id"]}`;
  await expect
    .poll(async () => (await service.api("GET", path, undefined, { key: service.sandboxKey })).body["data"].length)
    .toBe(1);
  expect((await service.api("GET", path)).status).toBe(403);
  const live = await service.fire("ticket.created", {});
  expect(await exchangeAbout(service, live["id"])).toMatchObject({
    environment: "live",
    response: "Nothing to do about ticket.created.",
    tool_calls: [],
  });
});
