import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runConnector } from "../../testing/connector-runs.ts";
import { connectorApi, connectorFiles, freshKey, newSigner, signed } from "../../testing/connectors.ts";
import { mintKey } from "../../testing/keys.ts";
import { outcome } from "../../testing/people.ts";
import { startService } from "../../testing/service.ts";
import { UNLIMITED } from "../../testing/subscription.ts";
import type { TestService } from "../../testing/test-service.ts";

let service: TestService;

beforeAll(async () => {
  service = await startService({ env: UNLIMITED });
});
afterAll(async () => await service.close());

test.each<[string, string, object, string]>([
  [
    "an event more",
    `subscribers() { return { "a.b": ["x"], "c.d": ["x"] }; } x() {}`,
    { events: ["a.b"] },
    "subscribers() has c.d",
  ],
  ["an event less", `subscribers() { return {}; }`, { events: ["a.b"] }, "subscribers() lacks a.b"],
  ["another key", `key() { return "other"; }`, {}, 'key() is "other"'],
  ["a provider", `contextProviders() { return { all: "x" }; } x() {}`, {}, "contextProviders() has all"],
  ["no provider", "", { identity_providers: ["crm"] }, "identityProviders() lacks crm"],
  ["an action", `registerActions() { return { "x.y": "x" }; } x() {}`, {}, "registerActions() has x.y"],
  ["a webhook", "handleWebhook() {}", {}, "webhook is not declared"],
])("code with %s than its files say is not enabled: 409 code_mismatch", async (_what, members, description, words) => {
  const { enabled, show } = await runConnector(service, { members, description: { ...description } });
  expect([outcome(enabled), enabled.body["reason"]]).toEqual(["409 conflict", "code_mismatch"]);
  expect(enabled.body["detail"]).toContain(words);
  expect(await show()).toMatchObject({ state: "verified", enabled: false });
});

test("an action without a handler, or with another connector's address, is refused", async () => {
  const key = freshKey();
  const action = {
    key: `${key.replaceAll("-", "_")}.refund`,
    label: "x",
    surface: ["api"],
    roles: ["owner"],
    requires_confirmation: false,
    audit: true,
    params: {},
  };
  const lacking = await runConnector(service, { members: "", actions: [action] }, key);
  expect([lacking.enabled.body["reason"], lacking.enabled.body["detail"]]).toEqual([
    "code_mismatch",
    expect.stringContaining("registerActions() lacks"),
  ]);
  const lying = await runConnector(
    service,
    { members: "", actions: [{ ...action, endpoint: "connector://other/x.y" }] },
    key,
  );
  expect(await lying.show()).toMatchObject({ folder: { reason: { code: "actions_malformed" } } });
  // Nor can a user register such an address.
  const mine = await service.api("POST", "/v1/action-contracts", {
    ...action,
    key: "mine.refund",
    endpoint: `connector://${key}/mine.refund`,
  });
  expect(outcome(mine)).toBe("422 url_blocked");
});

test.each<[string, string]>([
  ["does not parse", "this is no code"],
  ["throws at once", "constructor() { super(); throw new Error('no'); }"],
  ["never answers", "subscribers() { for (;;); }"],
  ["answers nonsense", "subscribers() { return 5; }"],
])("code that %s is not enabled, with the reason: 409", async (_what, members) => {
  const { enabled } = await runConnector(service, { members });
  expect(outcome(enabled)).toBe("409 conflict");
  expect(["code_failed", "code_mismatch"]).toContain(enabled.body["reason"]);
  expect(enabled.body["detail"]).not.toContain("/");
});

test("a connector whose runtime is missing on the node is refused: 409", async () => {
  const { enabled } = await runConnector(service, {
    members: "",
    description: { runtime: "php" },
    files: { "connector.php": "<?php class A extends \\Junction\\AbstractConnector {}" },
  });
  // If there are two languages in one folder, the declared one decides.
  expect(outcome(enabled)).toBe("409 conflict");
});

test("code without a trusted signature never runs, not even for its description", async () => {
  const api = connectorApi(service);
  const key = freshKey();
  await api.put(key, signed(key, connectorFiles(key), { by: [newSigner()] }));
  const answer = await api.enable(key, { settings: {} });
  expect(outcome(answer)).toBe("409 conflict");
  expect((await service.service.telemetry.metrics()).match(/^junction_connector_processes (\d+)/m)?.[1]).toBe("0");
});

test("settings can be tested before and after enabling: 200, 403, 404, 409", async () => {
  const key = freshKey();
  const form = {
    type: "object",
    properties: {
      base_url: { type: "string", format: "uri" },
      works: { type: "string", enum: ["yes", "no", "throws", "silent"] },
    },
    required: ["works"],
    test: "trySettings",
  };
  const members = `async trySettings() {
    const works = this.settings("works");
    if (works === "throws") throw new Error("the password is wrong");
    if (works === "silent") return;
    return { ok: works === "yes", message: "It says " + works };
  }`;
  const connector = await runConnector(service, { members, form, settings: { works: "yes" } }, key);
  const path = `/v1/connectors/${key}/test`;
  const tried = async (works: string): Promise<unknown> => {
    await connectorApi(service).patch(key, { works });
    return (await service.api("POST", path)).body;
  };
  expect(await tried("yes")).toEqual({ object: "connector_test", ok: true, message: "It says yes" });
  expect(await tried("no")).toEqual({ object: "connector_test", ok: false, message: "It says no" });
  expect(await tried("throws")).toMatchObject({ ok: false, message: expect.stringContaining("the password is wrong") });
  expect(await tried("silent")).toMatchObject({ ok: true });
  await connector.disable();
  expect(await tried("yes")).toMatchObject({ ok: true });
  expect((await connector.runs("&hook=test")).length).toBe(5);
  const without = await runConnector(service, { members: "" });
  const refused = await service.api("POST", `/v1/connectors/${without.key}/test`);
  expect([outcome(refused), refused.body["reason"]]).toEqual(["409 conflict", "test_missing"]);
  expect(outcome(await service.api("POST", "/v1/connectors/no-such/test"))).toBe("404 not_found");
  const reader = await mintKey(service, { permission_mode: "read_only" });
  expect(outcome(await service.api("POST", path, undefined, { key: reader.key }))).toBe("403 key_read_only");
  const { data } = (await service.api("GET", "/v1/audit?kind=connector&limit=5")).body;
  expect(data.some((row: { action: string }) => row.action === "connectors.test")).toBe(true);
});

test("a test of a disabled connector continues while connectors are enabled or disabled", async () => {
  const key = freshKey();
  const form = { type: "object", properties: {}, test: "trySettings" };
  const members = `async trySettings() { await new Promise((done) => setTimeout(done, 1500)); return { ok: true, message: "done" }; }`;
  const connector = await runConnector(service, { members, form }, key);
  const other = await runConnector(service, { members: "" });
  await connector.disable();
  const trial = service.api("POST", `/v1/connectors/${key}/test`);
  await sleep(500);
  await other.disable();
  await other.enable();
  expect((await trial).body).toEqual({ object: "connector_test", ok: true, message: "done" });
});

test("runs are listed by hook, outcome and event, page by page: 200, 400, 404", async () => {
  const connector = await runConnector(service, {
    members: `subscribers() { return { "test.listed": ["hear"] }; } async hear(event) { if (event.data.fail) throw new Error("x"); }`,
    description: { events: ["test.listed"] },
  });
  const first = await service.fire("test.listed");
  await service.fire("test.listed", { fail: true });
  await connector.until(() => true, 2);
  expect((await connector.runs("&outcome=threw")).map((run) => run.error)).toEqual([expect.stringContaining("x")]);
  expect((await connector.runs(`&event_id=${first["id"]}`)).map((run) => run.outcome)).toEqual(["ok"]);
  expect(await connector.runs("&hook=webhook")).toEqual([]);
  const path = `/v1/connectors/${connector.key}/runs`;
  const page = (await service.api("GET", `${path}?limit=1`)).body;
  const next = (await service.api("GET", `${path}?limit=1&cursor=${page["next_cursor"]}`)).body;
  expect([page["has_more"], next["has_more"]]).toEqual([true, false]);
  expect(next["data"][0].id).not.toBe(page["data"][0].id);
  expect(outcome(await service.api("GET", `${path}?cursor=x`))).toBe("400 cursor_invalid");
  expect(outcome(await service.api("GET", `${path}?hook=describe`))).toBe("400 query_invalid");
  expect(outcome(await service.api("GET", `${path}?event_id=evt_1`))).toBe("404 not_found");
  expect(outcome(await service.api("GET", "/v1/connectors/no-such/runs"))).toBe("404 not_found");
});
