import { afterAll, beforeAll, expect, test } from "vitest";
import { deliveryLog } from "../../testing/delivery-log.ts";
import { absentId, mintKey, otherWorkspace, tagOfId, uuidOf } from "../../testing/keys.ts";
import { startReceiver } from "../../testing/receiver.ts";
import { refusal } from "../../testing/refusal.ts";
import { startService } from "../../testing/service.ts";
import { subscribe, UNLIMITED } from "../../testing/subscription.ts";
import type { TestService } from "../../testing/test-service.ts";

let service: TestService;
let developer: string;
beforeAll(async () => {
  service = await startService({ env: UNLIMITED });
  developer = (await mintKey(service, { role: "developer" })).key;
});
afterAll(async () => await service.close());

const TOKEN = "Bearer of-the-owner-alone";
const SHOWN = { Authorization: "[redacted]", "X-Team": "[redacted]" };
const SENT = { Authorization: TOKEN, "X-Team": "billing" };

async function endpoint(more: Record<string, unknown> = {}): Promise<string> {
  const body = { url: "http://127.0.0.1:9/hook", events: ["headers.sealed"], active: false, headers: SENT, ...more };
  const made = await service.api("POST", "/v1/webhook-endpoints", body);
  expect([made.status, made.text.includes(TOKEN)]).toEqual([201, false]);
  return `/v1/webhook-endpoints/${made.body["id"]}`;
}

async function revealed(path: string): Promise<unknown> {
  return (await service.api("GET", `${path}/headers`)).body["headers"];
}

test("header values are [redacted] in every response and sealed in the database", async () => {
  const path = await endpoint();
  const answers = [
    await service.api("GET", path),
    await service.api("GET", "/v1/webhook-endpoints?limit=100"),
    await service.api("PATCH", path, { description: "x" }),
    await service.api("POST", `${path}/toggle`),
    await service.api("POST", `${path}/secret/regenerate`, {}),
    await service.api("GET", path, undefined, { key: (await mintKey(service, { role: "viewer" })).key }),
    await service.api("GET", path, undefined, { key: (await mintKey(service, { permission_mode: "read_only" })).key }),
  ];
  for (const { text } of answers) expect([text.includes(TOKEN), text.includes("[redacted]")]).toEqual([false, true]);
  expect(answers[0]?.body["headers"]).toEqual(SHOWN);
  const [row] = await service.database.query<{ text: string }>("select endpoint::text as text from endpoint");
  expect([row?.text.includes(TOKEN), row?.text.includes(Buffer.from(TOKEN).toString("hex"))]).toEqual([false, false]);
});

test("attempts, replays and tests send the values, and the delivery shows the names", async () => {
  const { path, receiver, fire, endpoint: made } = await subscribe(service, { more: { headers: SENT } });
  const log = deliveryLog(service);
  const id = await fire();
  await log.in(id, "delivered");
  await service.api("POST", `/v1/deliveries/${id}/replay`);
  await receiver.count(2);
  const tested = await service.api("POST", "/v1/webhooks/test", { endpoint_id: made.id });
  const dry = await service.api("POST", "/v1/webhooks/test", { endpoint_id: made.id, dry_run: true });
  const sent = await receiver.count(3);
  for (const { headers } of sent) expect(headers).toMatchObject({ authorization: TOKEN, "x-team": "billing" });
  const detail = await service.api("GET", `/v1/deliveries/${id}`);
  for (const { body, text } of [tested, dry, detail]) {
    expect(body["request"].headers).toMatchObject(SHOWN);
    expect(text).not.toContain(TOKEN);
  }
  // Values are read at each attempt, like secrets.
  await service.api("PATCH", path, { headers: { Authorization: "Bearer of-another-day" } });
  await log.in(await fire(), "delivered");
  expect((await receiver.count(4))[3]?.headers["authorization"]).toBe("Bearer of-another-day");
});

test("200: an owner sees the values, and the audit log omits them", async () => {
  const path = await endpoint();
  const answer = await service.api("GET", `${path}/headers`);
  expect([answer.status, answer.body]).toEqual([200, { headers: SENT }]);
  const { body, text } = await service.api("GET", "/v1/audit?limit=5");
  expect(body["data"][0]).toMatchObject({ kind: "endpoint", action: "webhook_endpoints.headers", status: "ok" });
  expect(text).not.toContain("of-the-owner-alone");
});

test("200: the response is empty for an endpoint without headers", async () => {
  expect(await revealed(await endpoint({ headers: {} }))).toEqual({});
});

test("401, 403, 404: others are refused, including the developer who wrote the headers", async () => {
  const path = await endpoint();
  const reveal = async (key: string | null): Promise<unknown[]> =>
    refusal(await service.api("GET", `${path}/headers`, undefined, { key }));
  expect(await reveal(null)).toEqual([401, "credentials_missing"]);
  for (const role of ["admin", "developer", "operator", "viewer"])
    expect(await reveal((await mintKey(service, { role })).key)).toEqual([403, "role_not_allowed"]);
  expect((await reveal(service.sandboxKey)).slice(0, 1)).toEqual([403]);
  expect((await reveal((await otherWorkspace(service)).key)).slice(0, 1)).toEqual([403]);
  const absent = absentId({ tag: tagOfId(path.slice("/v1/webhook-endpoints/".length)) }, "ep");
  expect(refusal(await service.api("GET", `/v1/webhook-endpoints/${absent}/headers`))).toEqual([404, "not_found"]);
  expect((await service.api("PATCH", path, { headers: { A: "mine" } }, { key: developer })).status).toBe(200);
  expect(await reveal(developer)).toEqual([403, "role_not_allowed"]);
});

test("a value sent as [redacted] stays when other headers change", async () => {
  const path = await endpoint();
  const changed = await service.api("PATCH", path, {
    headers: { authorization: "[redacted]", "X-New": "1" },
    url: "http://127.0.0.1:9/hook",
  });
  expect(changed.body["headers"]).toEqual({ authorization: "[redacted]", "X-New": "[redacted]" });
  expect(await revealed(path)).toEqual({ authorization: TOKEN, "X-New": "1" });
  // Sends everything that was read, like a form does.
  const { url, events, active, headers, description } = (await service.api("GET", path)).body;
  await service.api("PATCH", path, { url, events, active, headers, description });
  expect(await revealed(path)).toEqual({ authorization: TOKEN, "X-New": "1" });
  await service.api("PATCH", path, { headers: {} });
  expect(await revealed(path)).toEqual({});
});

test("422: [redacted] is refused if no value is kept under that name", async () => {
  const kept = "header_value_not_kept";
  const made = await service.api("POST", "/v1/webhook-endpoints", {
    url: "http://127.0.0.1:9/",
    events: ["*"],
    headers: { Authorization: "[redacted]", "X-A": "a", "X-B": "[redacted]" },
  });
  expect(refusal(made)).toEqual([422, "validation_failed", `/headers/Authorization ${kept}`, `/headers/X-B ${kept}`]);
  const path = await endpoint();
  const changed = await service.api("PATCH", path, { headers: { "X-Other": "[redacted]" } });
  expect(refusal(changed)).toEqual([422, "validation_failed", `/headers/X-Other ${kept}`]);
  expect(await revealed(path)).toEqual(SENT);
});

test("422: values do not move to another URL, even on the same host", async () => {
  const thief = await startReceiver();
  const path = await endpoint();
  for (const url of [thief.url, "http://127.0.0.1:9/other", "http://127.0.0.1:9/hook?x=1"]) {
    const alone = await service.api("PATCH", path, { url }, { key: developer });
    expect(refusal(alone)).toEqual([422, "validation_failed", "/headers header_values_required"]);
    const redacted = await service.api("PATCH", path, { url, headers: SHOWN }, { key: developer });
    expect(refusal(redacted).slice(0, 3)).toEqual([
      422,
      "validation_failed",
      "/headers/Authorization header_value_not_kept",
    ]);
  }
  expect(await revealed(path)).toEqual(SENT);
  const moved = await service.api("PATCH", path, { url: thief.url, headers: { "X-Team": "mine" } }, { key: developer });
  expect([moved.status, await revealed(path)]).toEqual([200, { "X-Team": "mine" }]);
  const back = await service.api("PATCH", path, { url: "http://127.0.0.1:9/hook", headers: SHOWN }, { key: developer });
  expect(refusal(back)[0]).toBe(422);
  await thief.close();
});

test("values do not move to another URL when changes race", async () => {
  const elsewhere = "http://127.0.0.1:9/elsewhere";
  for (let round = 0; round < 10; round += 1) {
    const path = await endpoint();
    await Promise.all([
      service.api("PATCH", path, { url: elsewhere, headers: {} }, { key: developer }),
      service.api("PATCH", path, { headers: SHOWN }, { key: developer }),
      service.api("PATCH", path, { headers: SHOWN }, { key: developer }),
    ]);
    const { url } = (await service.api("GET", path)).body;
    expect([url, await revealed(path)]).toEqual([elsewhere, {}]);
  }
});

test("an endpoint whose values cannot be opened fails alone and accepts new values", async () => {
  const good = await subscribe(service, { more: { headers: SENT } });
  const bad = await subscribe(service, { more: { headers: SENT, events: [good.event] } });
  await service.database.query("update endpoint set headers_sealed = headers_sealed || '\\x00' where id = $1", [
    uuidOf(bad.endpoint.id),
  ]);
  await service.fire(good.event);
  expect((await good.receiver.count(1))[0]?.headers["authorization"]).toBe(TOKEN);
  expect(bad.receiver.received).toEqual([]);
  expect(refusal(await service.api("GET", `${bad.path}/headers`))).toEqual([409, "conflict"]);
  expect((await service.api("PATCH", bad.path, { description: "still" })).status).toBe(200);
  expect(refusal(await service.api("PATCH", bad.path, { headers: SHOWN }))[0]).toBe(422);
  expect((await service.api("PATCH", bad.path, { headers: SENT })).status).toBe(200);
  await service.fire(good.event);
  expect((await bad.receiver.count(1))[0]?.headers["authorization"]).toBe(TOKEN);
});

test("a receiver that repeats the request does not expose values", async () => {
  const {
    path,
    receiver,
    fire,
    endpoint: made,
  } = await subscribe(service, { more: { headers: { Authorization: TOKEN } } });
  // The second value crosses the end of the kept text.
  receiver.answer((response, { headers }) =>
    response
      .writeHead(401, { "X-Echo": headers.authorization ?? "" })
      .end(`${headers.authorization} ${"x".repeat(980)} ${headers.authorization}`),
  );
  const id = await fire();
  await deliveryLog(service).attempted(id, 1);
  const attempts = await service.api("GET", `/v1/deliveries/${id}/attempts`);
  const tested = await service.api("POST", "/v1/webhooks/test", { endpoint_id: made.id });
  for (const { text } of [attempts, tested]) {
    expect(text).toContain('"x-echo":"[redacted]"');
    expect(text).not.toMatch(/of-the-ow/);
  }
  await service.api("DELETE", path);
});
