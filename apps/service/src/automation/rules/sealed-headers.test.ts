import { afterAll, beforeAll, expect, test } from "vitest";
import { sha256 } from "../../lib/lib.ts";
import { absentId, mintKey, otherWorkspace, tagOfId, uuidOf } from "../../testing/keys.ts";
import type { Receiver } from "../../testing/receiver.ts";
import { freshEvent, runsOf } from "../../testing/rules.ts";
import { refusal } from "../../testing/refusal.ts";
import { UNLIMITED } from "../../testing/subscription.ts";
import type { Parsed, TestService } from "../../testing/test-service.ts";
import { startWithReceiver } from "../../testing/with-receiver.ts";

let service: TestService;
let receiver: Receiver;
let close: () => Promise<void>;
let developer: string;
beforeAll(async () => {
  ({ service, receiver, close } = await startWithReceiver(UNLIMITED));
  developer = (await mintKey(service, { role: "developer" })).key;
});
afterAll(async () => await close());

const TOKEN = "Bearer of-a-rule-of-the-owner";
const HIDDEN = { Authorization: "[redacted]" };

function hook(headers: object = { Authorization: TOKEN }, more: object = {}): object {
  return { type: "post_webhook", url: receiver.url, headers, ...more };
}

interface Made {
  readonly path: string;
  readonly id: string;
  readonly on: string;
}

async function rule(then: unknown[], key = service.key): Promise<Made> {
  const on = freshEvent();
  const made = await service.api("POST", "/v1/rules", { name: "Sealed", on: [on], then }, { key });
  expect([made.status, made.text.includes("of-a-rule")]).toEqual([201, false]);
  return { path: `/v1/rules/${made.body.id}`, id: made.body.id, on };
}

async function revealed(path: string): Promise<unknown> {
  return (await service.api("GET", `${path}/headers`)).body["webhooks"].map((one: Parsed) => one.headers);
}

test("values of a rule's headers are sealed and [redacted]; the rest keeps its spelling", async () => {
  const on = freshEvent();
  const first = `{"type":"fire_event","event":"x.y","data":{"big":12345678901234567890.10,"headers":{"A":"as it is"}}}`;
  const then = `[${first}, {"type":"post_webhook","url":"${receiver.url}","he\\u0061ders":{ "10":"ten", "Authorization" : "${TOKEN}" },"body":{"n":1.0}}]`;
  const made = await service.api("POST", "/v1/rules", `{"name":"R","on":["${on}"],"then":${then}}`);
  const path = `/v1/rules/${made.body.id}`;
  const answers = [made, await service.api("GET", path), await service.api("PATCH", path, { priority: 7 })];
  answers.push(await service.api("GET", "/v1/rules"), await service.api("POST", `${path}/secret/regenerate`, {}));
  for (const { text } of answers) {
    expect(text).toContain(first);
    expect(text).toContain('"he\\u0061ders":{"10":"[redacted]","Authorization":"[redacted]"},"body":{"n":1.0}');
    expect(text).not.toContain("of-a-rule");
  }
  const [row] = await service.database.query<{ text: string }>("select rule::text as text from rule where id = $1", [
    uuidOf(made.body.id),
  ]);
  expect([row?.text.includes("of-a-rule"), row?.text.includes('"ten"')]).toEqual([false, false]);
  expect(await revealed(path)).toEqual([{ "10": "ten", Authorization: TOKEN }]);
});

test("each webhook is sent with its own values, which logs, tests and endpoints omit", async () => {
  const made = await rule([hook(), hook({ "X-Key": "short" }), hook({})]);
  await service.fire(made.on);
  const sent = await receiver.count(3);
  const keys = sent.map(({ headers }) => headers["authorization"] ?? headers["x-key"] ?? "none").toSorted();
  expect(keys).toEqual([TOKEN, "none", "short"]);
  await runsOf(service, made.id);
  const shown = [
    await service.api("GET", `${made.path}/runs`),
    await service.api("POST", `${made.path}/test`, { event: made.on, data: {} }),
    await service.api("GET", "/v1/deliveries"),
  ];
  for (const { text } of shown) expect(text).not.toContain("of-a-rule");
  const rows = await service.database.query<{ text: string }>(
    "select e::text as text from endpoint e union all select c::text from channel_endpoint c union all select r::text from rule_run r",
  );
  expect(rows.length).toBeGreaterThan(6);
  expect(rows.filter(({ text }) => /of-a-rule|short/.test(text))).toEqual([]);
  // The next event uses the same endpoint.
  const endpoints = async (): Promise<number> => (await service.database.query("select id from endpoint")).length;
  const before = await endpoints();
  await service.fire(made.on);
  await receiver.count(6);
  expect(await endpoints()).toBe(before);
});

test("200: an owner can read the values, and the audit log omits them", async () => {
  const { path } = await rule([{ type: "fire_event", event: freshEvent(), data: {} }, hook(), hook({})]);
  const answer = await service.api("GET", `${path}/headers`);
  expect(answer.body).toEqual({
    webhooks: [
      { path: "/then/1", url: receiver.url, headers: { Authorization: TOKEN } },
      { path: "/then/2", url: receiver.url, headers: {} },
    ],
  });
  const { body, text } = await service.api("GET", "/v1/audit?limit=5");
  expect(body["data"][0]).toMatchObject({ kind: "rule", action: "rules.headers", status: "ok" });
  expect(text).not.toContain("of-a-rule");
});

test("401, 403, 404, 409: others are refused, and unreadable values are a conflict", async () => {
  const { path, id } = await rule([hook()]);
  const reveal = async (key: string | null, at = path): Promise<unknown[]> =>
    refusal(await service.api("GET", `${at}/headers`, undefined, { key }));
  expect(await reveal(null)).toEqual([401, "credentials_missing"]);
  for (const role of ["admin", "developer", "operator", "viewer"])
    expect(await reveal((await mintKey(service, { role })).key)).toEqual([403, "role_not_allowed"]);
  await service.database.query("update api_key set role = 'owner' where key_hash = $1", [sha256(service.sandboxKey)]);
  expect(await reveal(service.sandboxKey)).toEqual([403, "environment_mismatch"]);
  expect((await reveal((await otherWorkspace(service)).key))[0]).toBe(403);
  expect(await reveal(service.key, `/v1/rules/${absentId({ tag: tagOfId(id) }, "rule")}`)).toEqual([404, "not_found"]);
  await service.database.query("update rule set headers_sealed = headers_sealed || '\\x00' where id = $1", [
    uuidOf(id),
  ]);
  expect(await reveal(service.key)).toEqual([409, "conflict"]);
});

test("a redacted value that is sent back stays with its webhook when actions move", async () => {
  const { path } = await rule([hook(), hook({ Authorization: "other" }, { url: `${receiver.url}/b` })]);
  const { then } = (await service.api("GET", path)).body;
  expect((await service.api("PATCH", path, { then }, { key: developer })).status).toBe(200);
  expect(await revealed(path)).toEqual([{ Authorization: TOKEN }, { Authorization: "other" }]);
  await service.api("PATCH", path, { then: [{ type: "add_tag", tag: "t" }, ...then.toReversed()] });
  expect(await revealed(path)).toEqual([{ Authorization: "other" }, { Authorization: TOKEN }]);
  await service.api("PATCH", path, { then: [hook({ authorization: "[redacted]", "X-New": "1" })] });
  expect(await revealed(path)).toEqual([{ authorization: TOKEN, "X-New": "1" }]);
});

test("webhooks with one URL keep their own values, and an ambiguous one is 422", async () => {
  const { path } = await rule([hook({ A: "1" }), hook({ A: "2" })]);
  const kept = hook({ A: "[redacted]" });
  await service.api("PATCH", path, { then: [{ type: "add_tag", tag: "t" }, kept, kept] });
  expect(await revealed(path)).toEqual([{ A: "1" }, { A: "2" }]);
  expect(refusal(await service.api("PATCH", path, { then: [kept] }))).toEqual([
    422,
    "validation_failed",
    "/then/0/headers/A header_value_not_kept",
  ]);
  expect(await revealed(path)).toEqual([{ A: "1" }, { A: "2" }]);
});

test("422: values do not move to another URL, rule or header", async () => {
  const { path } = await rule([hook()]);
  const refused = [422, "validation_failed", "/then/0/headers/Authorization header_value_not_kept"];
  for (const url of [`${receiver.url}/thief`, `${receiver.url}?x`]) {
    const moved = await service.api("PATCH", path, { then: [hook(HIDDEN, { url })] }, { key: developer });
    expect(refusal(moved)).toEqual(refused);
  }
  const copied = { name: "Copy", on: [freshEvent()], then: [hook(HIDDEN)] };
  for (const key of [service.key, developer, service.sandboxKey])
    expect(refusal(await service.api("POST", "/v1/rules", copied, { key }))).toEqual(refused);
  const other = await service.api("PATCH", path, { then: [hook({ "X-Other": "[redacted]" })] });
  expect(refusal(other)[2]).toBe("/then/0/headers/X-Other header_value_not_kept");
  expect(await revealed(path)).toEqual([{ Authorization: TOKEN }]);
});

test("webhooks whose values cannot be decrypted fail, and the other actions run", async () => {
  const made = await rule([
    hook(),
    hook({ "X-Key": "plain enough" }),
    { type: "fire_event", event: "x.done", data: {} },
  ]);
  await service.database.query("update rule set headers_sealed = '\\x0000' where id = $1", [uuidOf(made.id)]);
  await service.fire(made.on);
  const [run] = await runsOf(service, made.id);
  const unreadable = { status: "failed", reason_code: "headers_unreadable" };
  expect(run.actions).toMatchObject([unreadable, unreadable, { status: "done" }]);
});
