import { createHmac } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { inboxKey } from "../endpoints/own-inboxes.ts";
import { actionOn, runOf } from "../../testing/actions.ts";
import { uuidOf } from "../../testing/keys.ts";
import { startService } from "../../testing/service.ts";
import type { NewInbox } from "./inbox.ts";
import type { ApiAnswer, TestService } from "../../testing/test-service.ts";

let service: TestService;

beforeAll(async () => {
  service = await startService({ env: { JUNCTION_ALLOW_TARGETS: "", JUNCTION_RETRY_LADDER: "1s,1s,1s,1s,1s" } });
});

afterAll(async () => {
  await service?.close();
});

async function newInbox(): Promise<NewInbox> {
  const { db, workspaces, tester } = service.service;
  const scope = await workspaces.keys.byText(service.key);
  if (scope === undefined) throw new Error("the harness has no key");
  return await db.transaction(async (tx) => await tester.createInbox(tx, scope));
}

async function open(
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<ApiAnswer> {
  return await service.api(method, path, body, { key: null, headers });
}

async function messages(inbox: NewInbox): Promise<Record<string, unknown>[]> {
  return (await open("GET", `/inbox/${inbox.token}`)).body["messages"] as Record<string, unknown>[];
}

test("an event's delivery arrives in the inbox with a valid signature", async () => {
  const inbox = await newInbox();
  expect(inbox.url).toMatch(/\/inbox\/[0-9A-Za-z]{43}$/);
  const endpoint = await service.endpoint(inbox.url);
  const fired = await service.fire("order.created", { order: { id: "ord_7" } });
  const delivery = await service.until(
    `/v1/deliveries/${fired["deliveries"][0].id}`,
    (body) => body["state"] === "delivered",
  );
  const view = await open("GET", `/inbox/${inbox.token}`);
  expect(view.body).toMatchObject({
    object: "inbox",
    url: inbox.url,
    behaviour: { status: 200, delay_ms: 0, fail_times: 0, body: null },
  });
  const [message] = view.body["messages"];
  expect(message).toMatchObject({
    delivery_id: delivery["id"],
    event: "order.created",
    signature: "valid",
    answered: 200,
  });
  expect(message["id"]).toMatch(/^inb_/);
  expect(message["headers"]["x-service-signature"]).toBe(
    createHmac("sha256", endpoint.secret).update(message["body"]).digest("hex"),
  );
  expect(message["body"]).toContain('"data":{"order":{"id":"ord_7"}}');
  await service.api("DELETE", `/v1/webhook-endpoints/${endpoint.id}`);
});

test("both secrets are valid while they overlap, and otherwise only the new one", async () => {
  const inbox = await newInbox();
  const endpoint = await service.endpoint(inbox.url, { active: false });
  const sent = async (): Promise<unknown> => {
    const body = '{"a":1}';
    await open("POST", `/inbox/${inbox.token}`, body, {
      "X-Service-Signature": createHmac("sha256", endpoint.secret).update(body).digest("hex"),
    });
    return (await messages(inbox))[0]?.["signature"];
  };
  expect(await sent()).toBe("valid");
  await service.api("POST", `/v1/webhook-endpoints/${endpoint.id}/secret/regenerate`, { overlap_seconds: 60 });
  expect(await sent()).toBe("valid");
  await service.api("POST", `/v1/webhook-endpoints/${endpoint.id}/secret/regenerate`, { overlap_seconds: 0 });
  expect(await sent()).toBe("invalid");
});

test("other deliveries stay valid when a secret of the inbox cannot be decrypted", async () => {
  const inbox = await newInbox();
  const broken = await service.endpoint(inbox.url, { active: false });
  const { secret } = await service.endpoint(inbox.url, { active: false, headers: { "X-Team": "support" } });
  const contract = await actionOn(service, { url: inbox.url });
  await service.api("POST", "/v1/webhooks/test", { url: inbox.url });
  const spoil = (column: string): string => `${column} = set_byte(${column}, 20, get_byte(${column}, 20) # 255)`;
  for (const [table, column, where] of [
    ["endpoint", "secret_sealed", `id = '${uuidOf(broken.id)}'`],
    ["endpoint", "headers_sealed", `url = 'inbox:${inboxKey(inbox.token)}' and headers_sealed is not null`],
    ["inbox", "secret_sealed", `token = '${inboxKey(inbox.token)}'`],
    ["action_contract", "signing_secret_sealed", `key = '${contract}'`],
  ])
    expect(
      await service.database.query(`update ${table} set ${spoil(column ?? "")} where ${where} returning 1`),
    ).toHaveLength(1);
  const body = '{"a":1}';
  const sent = await open("POST", `/inbox/${inbox.token}`, body, {
    "X-Service-Event": "action.execute",
    "X-Service-Signature": createHmac("sha256", secret).update(body).digest("hex"),
  });
  expect(sent.status).toBe(200);
  expect((await messages(inbox))[0]?.["signature"]).toBe("valid");
});

test("a wrong signature is invalid, and a missing one is unsigned", async () => {
  const inbox = await newInbox();
  await service.endpoint(inbox.url, { active: false });
  await open("POST", `/inbox/${inbox.token}`, "{}", { "X-Service-Signature": "0".repeat(64) });
  await open("POST", `/inbox/${inbox.token}`, "{}", {
    "webhook-id": "x",
    "webhook-timestamp": "1",
    "webhook-signature": "v1,AAAA",
  });
  await open("POST", `/inbox/${inbox.token}`, "{}");
  expect((await messages(inbox)).map((message) => message["signature"])).toEqual(["unsigned", "invalid", "invalid"]);
});

test("requests of a rule and a workflow to the inbox are valid", async () => {
  const inbox = await newInbox();
  const steps = [{ id: "send", type: "webhook", url: inbox.url }];
  const then = [{ type: "post_webhook", url: inbox.url }];
  await service.api("POST", "/v1/workflows", { name: "Inbox", trigger: { event: "inbox.flow" }, steps });
  const rule = await service.api("POST", "/v1/rules", { name: "Inbox", on: ["inbox.rule"], then });
  await service.fire("inbox.flow");
  await service.fire("inbox.rule");
  await expect.poll(async () => (await messages(inbox)).map(({ signature }) => signature)).toEqual(["valid", "valid"]);
  await service.api("POST", `/v1/rules/${rule.body["id"]}/secret/regenerate`, { overlap_seconds: 60 });
  await service.fire("inbox.rule");
  await expect
    .poll(async () => (await messages(inbox)).map(({ signature }) => signature))
    .toEqual(["valid", "valid", "valid"]);
});

test("an action's requests to the inbox are valid, also with their own secret", async () => {
  const inbox = await newInbox();
  const { body: secret } = await service.api("PUT", "/v1/secrets/inbox_hmac", { value: "a secret of the backend's" });
  expect(secret).toMatchObject({ name: "inbox_hmac" });
  const undo = { endpoint: inbox.url };
  const plain = await actionOn(service, { url: inbox.url }, { reversible: true, undo });
  const hmac = await actionOn(service, inbox, { auth: { type: "hmac", secret_ref: "inbox_hmac" } });
  const run = await runOf(service, plain);
  await service.api("POST", `/v1/runs/${run.body["id"]}/undo`);
  await runOf(service, hmac);
  expect((await messages(inbox)).map(({ event, signature }) => [event, signature])).toEqual([
    ["action.execute", "valid"],
    ["action.undo", "valid"],
    ["action.execute", "valid"],
  ]);
});

test("credentials in a message are not shown to readers of the inbox", async () => {
  const inbox = await newInbox();
  const own = "a-value-that-the-workspace-keeps";
  const headers = { Authorization: "Bearer of-an-endpoint", "X-Team": own, "X-Plain": "shown" };
  await service.endpoint(inbox.url, { events: ["inbox.headers"], headers });
  await service.fire("inbox.headers");
  await expect.poll(async () => (await messages(inbox)).length).toBe(1);
  const [message] = await messages(inbox);
  expect(message).toMatchObject({
    signature: "valid",
    headers: {
      authorization: "[redacted]",
      "x-team": "[redacted]",
      "x-plain": "shown",
      "webhook-signature": expect.stringMatching(/^v1,/),
    },
  });
  const kept = await service.database.query<{ headers: string }>("select headers::text from inbox_message");
  expect(kept.map((row) => row.headers).join()).not.toContain("of-an-endpoint");
});

test("another workspace's endpoint secret is not valid in this inbox", async () => {
  const inbox = await newInbox();
  const made = await service.api(
    "POST",
    "/v1/webhook-endpoints",
    { url: inbox.url, events: ["*"], active: false },
    { key: service.sandboxKey },
  );
  const body = "{}";
  await open("POST", `/inbox/${inbox.token}`, body, {
    "X-Service-Signature": createHmac("sha256", made.body["secret"]).update(body).digest("hex"),
  });
  expect(await messages(inbox)).toMatchObject([{ signature: "invalid" }]);
});

test("a test of a URL is valid in the workspace's own inbox", async () => {
  const inbox = await newInbox();
  const sent = await service.api("POST", "/v1/webhooks/test", { url: inbox.url });
  expect(sent.body).toMatchObject({ response: { status: 200, body_snippet: '{"received":true}' } });
  expect(await messages(inbox)).toMatchObject([{ signature: "valid", delivery_id: sent.body["delivery_id"] }]);
});

test("bodies of any form and method are kept as received", async () => {
  const inbox = await newInbox();
  const sent = ["not json", '{"a":1,"a":2}', "\uFEFFmark", "nul \u0000"];
  for (const body of sent)
    expect((await open("POST", `/inbox/${inbox.token}`, body, { "Content-Type": "text/plain" })).status).toBe(200);
  expect(
    (await open("PATCH", `/inbox/${inbox.token}`, "patched", { "Content-Type": "application/octet-stream" })).status,
  ).toBe(200);
  expect((await open("DELETE", `/inbox/${inbox.token}`)).status).toBe(200);
  expect((await messages(inbox)).map((message) => message["body"]).toReversed()).toEqual([
    ...sent.slice(0, 3),
    "nul \ufffd",
    "patched",
    "",
  ]);
});

test("a message of more than 256 KiB is refused and not kept", async () => {
  const inbox = await newInbox();
  const answer = await open("POST", `/inbox/${inbox.token}`, "x".repeat(256 * 1024 + 1), {
    "Content-Type": "text/plain",
  });
  expect(answer.body).toMatchObject({ status: 413, code: "payload_too_large" });
  expect(await messages(inbox)).toEqual([]);
});

test("the inbox responds with the configured status, body and delay", async () => {
  const inbox = await newInbox();
  const told = await open("PUT", `/inbox/${inbox.token}/behaviour`, {
    status: 503,
    delay_ms: 300,
    body: "<b>later</b>",
  });
  expect(told.body).toEqual({ status: 503, delay_ms: 300, fail_times: 0, body: "<b>later</b>" });
  const startedAt = performance.now();
  const response = await fetch(inbox.url, { method: "POST", body: "{}" });
  expect(performance.now() - startedAt).toBeGreaterThan(290);
  expect(response.status).toBe(503);
  expect(response.headers.get("content-type")).toBe("text/plain; charset=utf-8");
  expect(await response.text()).toBe("<b>later</b>");
  expect((await open("PUT", `/inbox/${inbox.token}/behaviour`, { status: 204 })).body).toMatchObject({
    status: 204,
    delay_ms: 0,
    body: null,
  });
  expect((await fetch(inbox.url, { method: "POST", body: "{}" })).status).toBe(204);
  expect((await messages(inbox)).map((message) => message["answered"])).toEqual([204, 503]);
});

test("an inbox with two configured failures responds with 500 exactly twice", async () => {
  const inbox = await newInbox();
  await open("PUT", `/inbox/${inbox.token}/behaviour`, { status: 201, fail_times: 2 });
  const answers = await Promise.all(
    Array.from({ length: 8 }, async () => await open("POST", `/inbox/${inbox.token}`, "{}")),
  );
  expect(answers.map((answer) => answer.status).toSorted((a, b) => a - b)).toEqual([
    201, 201, 201, 201, 201, 201, 500, 500,
  ]);
  expect((await open("GET", `/inbox/${inbox.token}`)).body["behaviour"]).toMatchObject({ fail_times: 0, status: 201 });
});

test("the retry of a delivery that the inbox fails has the same delivery id", async () => {
  const inbox = await newInbox();
  await open("PUT", `/inbox/${inbox.token}/behaviour`, { fail_times: 1 });
  const endpoint = await service.endpoint(inbox.url);
  const fired = await service.fire();
  const id = fired["deliveries"].find((one: { endpoint_id: string }) => one.endpoint_id === endpoint.id)?.id;
  await expect.poll(async () => (await messages(inbox)).length).toBe(2);
  expect(await messages(inbox)).toMatchObject([
    { delivery_id: id, answered: 200, signature: "valid" },
    { delivery_id: id, answered: 500, signature: "valid" },
  ]);
  await service.api("DELETE", `/v1/webhook-endpoints/${endpoint.id}`);
});

test("an invalid behaviour, or text that the database cannot store, is refused", async () => {
  const inbox = await newInbox();
  for (const wrong of [
    { status: 199 },
    { status: 600 },
    { delay_ms: 20_001 },
    { fail_times: -1 },
    { colour: "red" },
    '{"body":"\\u0000"}',
    '{"body":"\\ud800"}',
  ]) {
    expect((await open("PUT", `/inbox/${inbox.token}/behaviour`, wrong)).body).toMatchObject({
      status: 422,
      code: "validation_failed",
    });
  }
});

test("a behaviour takes the longest body, however it is escaped, and no longer one", async () => {
  const { token } = await newInbox();
  const put = async (characters: number): Promise<unknown> => {
    const body = `{"body":"${"\\u00e9".repeat(characters)}"}`;
    return (await open("PUT", `/inbox/${token}/behaviour`, body)).status;
  };
  expect([await put(16_384), await put(16_385)]).toEqual([200, 422]);
});

test("an unknown or malformed token gets 404 for every method", async () => {
  for (const token of ["0".repeat(43), "short", "%00", "x'--"]) {
    expect((await open("GET", `/inbox/${token}`)).body).toMatchObject({ status: 404, code: "not_found" });
    expect((await open("POST", `/inbox/${token}`, "{}")).body).toMatchObject({ status: 404, code: "not_found" });
    expect((await open("PUT", `/inbox/${token}/behaviour`, {})).body).toMatchObject({ status: 404, code: "not_found" });
  }
});

test("an inbox keeps its last 200 messages and shows the newest 100", async () => {
  const inbox = await newInbox();
  for (let round = 0; round < 21; round += 1) {
    await Promise.all(
      Array.from({ length: 10 }, async (_, at) => await open("POST", `/inbox/${inbox.token}`, String(round * 10 + at))),
    );
  }
  await open("POST", `/inbox/${inbox.token}`, "last");
  const shown = await messages(inbox);
  expect(shown).toHaveLength(100);
  expect(shown[0]?.["body"]).toBe("last");
  expect(
    await service.database.query("select count(*)::int as n from inbox_message where token = $1", [
      inboxKey(inbox.token),
    ]),
  ).toEqual([{ n: 200 }]);
});
