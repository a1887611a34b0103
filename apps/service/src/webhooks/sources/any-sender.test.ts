import { createHmac, generateKeyPairSync, sign } from "node:crypto";
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { instant, systemClock } from "../../lib/lib.ts";
import type { Instant } from "../../lib/lib.ts";
import { makeSource } from "../../testing/inbound.ts";
import type { TestSource } from "../../testing/inbound.ts";
import { startService } from "../../testing/service.ts";
import { UNLIMITED } from "../../testing/subscription.ts";
import type { Parsed, TestService } from "../../testing/test-service.ts";
import { senders } from "./senders.ts";

let service: TestService;
/** A service whose clock stands at the time of the vectors. */
let then: TestService;
let at: Instant = instant(Date.parse("2026-11-25T12:00:00Z"));
beforeAll(async () => {
  service = await startService({ env: UNLIMITED });
  then = await startService({ env: UNLIMITED, on: service, deps: { clock: { ...systemClock, now: () => at } } });
});
afterAll(async () => {
  await then.close();
  await service.close();
});

interface Vector {
  readonly name: string;
  readonly valid?: boolean;
  readonly at: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly secret: string;
}

/** Schemes that sign the URL of the source, have a token in it, or read an address, have tests of their own. */
const SENDABLE = senders.filter(
  ({ scheme }) =>
    scheme.kind !== "sns" && !("query" in scheme) && !("signed" in scheme && /\{url\}/.test(scheme.signed ?? "")),
);

test.each(SENDABLE.map(({ key }) => key))(
  "an event of %s is accepted, fired once and shown as it came",
  async (key) => {
    const vectors = JSON.parse(
      readFileSync(new URL(`senders/${key}.vectors.json`, import.meta.url), "utf8"),
    ) as Vector[];
    const [right, wrong] = [true, false].map((valid) => vectors.find((vector) => vector.valid === valid));
    if (right === undefined || wrong === undefined) throw new Error("the sender has no vectors");
    at = instant(Date.parse(right.at));
    const source = await makeSource(then, { sender: key, secret: right.secret });
    expect(source.shown).toMatchObject({ sender: key, signature_scheme: "sender", preset: "custom" });
    const { respond } = source.shown;
    const answer = await source.sendAs({ ...right.headers }, right.body);
    expect(answer.status).toBe(respond?.status ?? 200);
    const [receipt] = await source.receipts();
    expect([receipt.status, receipt.signed, receipt.event_type === null]).toEqual(["ok", true, false]);
    const event = (await then.api("GET", `/v1/events/${receipt.event_id}`)).body;
    expect(event["data"]).toMatchObject({
      receipt_id: receipt.id,
      source_id: source.id,
      contact_id: receipt.contact_id,
      source_event_type: receipt.event_type,
    });
    const refused = await source.sendAs({ ...wrong.headers }, wrong.body);
    expect([refused.status, refused.body.code]).toEqual([401, "signature_invalid"]);
  },
);

async function receiptOf(source: TestSource, body: string, headers: Record<string, string>): Promise<Parsed> {
  const answer = await source.send(body, headers);
  return await source.receipt(answer.body.receipt_id);
}

describe("sources without contacts", () => {
  test("an event without an address fires, and has no contact and no activity", async () => {
    const source = await makeSource(service, { event_type_path: "$.type" });
    expect(source.shown).toMatchObject({ contact: "if_present" });
    const answer = await source.send('{"type":"build.done","n":12345678901234567890}');
    expect(answer.body).toEqual({ receipt_id: expect.any(String), status: "ok" });
    const receipt = await source.receipt(answer.body.receipt_id);
    expect(receipt).toMatchObject({ contact_id: null, activity_id: null, event_type: "build.done" });
    const event = await service.api("GET", `/v1/events/${receipt.event_id}`);
    expect(event.body).toMatchObject({ event: "inbound.build.done", subject: source.id });
    expect(event.text).toContain('"n":12345678901234567890');
  });

  test("an invalid address is omitted with a warning, unless it is required", async () => {
    const fields = { contact_email_path: "$.email", event_type_path: "$.type" };
    const body = '{"type":"a","email":"nobody"}';
    const relaxed = await makeSource(service, { ...fields, contact: "if_present" });
    expect(await receiptOf(relaxed, body, {})).toMatchObject({
      status: "ok",
      contact_id: null,
      extracted: { warnings: [{ field: "contact_email" }] },
    });
    const strict = await makeSource(service, fields);
    expect(await receiptOf(strict, body, {})).toMatchObject({
      status: "unmapped",
      reason_code: "contact_email_invalid",
    });
    const never = await makeSource(service, { ...fields, contact: "none" });
    const person = '{"type":"a","email":"someone@example.com"}';
    expect(await receiptOf(never, person, {})).toMatchObject({ status: "ok", contact_id: null });
  });

  test("an unmapped receipt announces its payload, with all digits", async () => {
    const source = await makeSource(service, { contact: "required" });
    await source.send('{"amount":12345678901234567890.5}');
    const found = await service.until("/v1/events?event=inbound.receipt.unmapped&limit=50", ({ data }) =>
      data.some((one: Parsed) => one.data.source_id === source.id),
    );
    const { id } = found["data"].find((one: Parsed) => one.data.source_id === source.id);
    expect((await service.api("GET", `/v1/events/${id}`)).text).toContain(
      '"payload":{"amount":12345678901234567890.5}',
    );
  });
});

describe("types and ids from headers", () => {
  test("a header names the type and the id, before the body", async () => {
    const source = await makeSource(service, {
      event_type_header: "X-GitHub-Event",
      event_type_path: "$.type",
      idempotency_key_header: "X-GitHub-Delivery",
    });
    const headers = { "X-GitHub-Event": "pull request/a", "X-GitHub-Delivery": "d1" };
    const receipt = await receiptOf(source, '{"type":"other"}', headers);
    expect(receipt).toMatchObject({ event_type: "pull request/a", extracted: { idempotency_key: "d1" } });
    const event = (await service.api("GET", `/v1/events/${receipt["event_id"]}`)).body;
    expect(event).toMatchObject({
      event: "inbound.pull_request_a",
      data: { source_event_type: "pull request/a" },
    });
    expect(await receiptOf(source, '{"type":"third"}', headers)).toMatchObject({ status: "duplicate" });
    expect(await receiptOf(source, '{"type":"other","n":1}', {})).toMatchObject({ status: "ok", event_type: "other" });
  });

  test("a receipt shows the headers without credentials, and is processed again with them", async () => {
    const source = await makeSource(service, { contact: "required", event_type_header: "X-Topic" });
    const receipt = await receiptOf(source, '{"email":"h@example.com"}', {
      "X-Topic": "orders/paid",
      Cookie: "session=secret",
      Authorization: "Bearer hidden",
    });
    expect(receipt["headers"]).toMatchObject({ "x-topic": "orders/paid" });
    expect(JSON.stringify(receipt)).not.toMatch(/session=secret|hidden/);
    await service.api("PATCH", `/v1/inbound-endpoints/${source.id}`, { contact_email_path: "$.email" });
    const again = await service.api("POST", `/v1/inbound-receipts/${receipt["id"]}/reprocess`);
    expect(again.body).toMatchObject({ status: "ok", event_type: "orders/paid" });
  });
});

describe("bodies", () => {
  const source = async (fields: object = {}): Promise<TestSource> =>
    await makeSource(service, { event_type_path: "$.type", ...fields });

  test.each([
    [
      "a form",
      "application/x-www-form-urlencoded",
      "type=form.sent&name=Ada+Lovelace&tag=a&tag=b",
      { tag: ["a", "b"] },
    ],
    [
      "a form with JSON in payload",
      "application/x-www-form-urlencoded",
      `type=x&payload=${encodeURIComponent('{"a":1}')}`,
      { payload: { a: 1 } },
    ],
    [
      "the fields of a multipart form",
      "multipart/form-data; boundary=b",
      '--b\r\nContent-Disposition: form-data; name="type"\r\n\r\nform.sent\r\n--b\r\nContent-Disposition: form-data; name="f"; filename="a.txt"\r\n\r\nhello\r\n--b--\r\n',
      { type: "form.sent", f: { file_name: "a.txt" } },
    ],
  ])("%s is mapped as JSON", async (_name, type, body, expected) => {
    const receipt = await receiptOf(await source(), body, { "Content-Type": type });
    expect(receipt).toMatchObject({ status: "ok", raw_payload: body });
    const event = (await service.api("GET", `/v1/events/${receipt["event_id"]}`)).body;
    expect(event["data"].payload).toMatchObject(expected);
  });

  test("XML is mapped as JSON, and text as a string", async () => {
    const xml = '<?xml version="1.0"?><order id="7"><type>paid &amp; done</type><line>a</line><line>b</line></order>';
    const mapped = await source({ event_type_path: "$.order.type" });
    const receipt = await receiptOf(mapped, xml, { "Content-Type": "text/xml" });
    expect(receipt["event_type"]).toBe("paid & done");
    const event = (await service.api("GET", `/v1/events/${receipt["event_id"]}`)).body;
    expect(event["data"].payload).toEqual({ order: { "@id": "7", type: "paid & done", line: ["a", "b"] } });
    const plain = await makeSource(service, {});
    const text = await receiptOf(plain, "disk is full", { "Content-Type": "text/plain" });
    expect((await service.api("GET", `/v1/events/${text["event_id"]}`)).body["data"].payload).toBe("disk is full");
  });

  test.each([
    ["text/xml", '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>', /document type/],
    ["text/xml", "<a><b></a>", /not valid XML/],
    ["text/xml", "<a>".repeat(200), /levels|valid/],
    ["text/xml", `<a>${"<b/>".repeat(20_000)}</a>`, /more than/],
    ["application/x-www-form-urlencoded", "a=1&".repeat(20_000), /more than/],
    ["multipart/form-data", "no boundary", /multipart/],
    [
      "multipart/form-data; boundary=b",
      `${'--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n'.repeat(5000)}--b--`,
      /multipart/,
    ],
  ])("a hostile %s body is unmapped and harms nothing (%#)", async (type, body, reason) => {
    const receipt = await receiptOf(await source(), body, { "Content-Type": type });
    expect([receipt["status"], receipt["reason_code"]]).toEqual(["unmapped", "not_json"]);
    expect(receipt["reason"]).toMatch(reason);
  });

  test("a member named __proto__ is only a member", async () => {
    const receipt = await receiptOf(await source(), "type=a&__proto__=b&constructor=c", {
      "Content-Type": "application/x-www-form-urlencoded",
    });
    const event = await service.api("GET", `/v1/events/${receipt["event_id"]}`);
    expect(event.text).toContain('"__proto__":"b","constructor":"c"');
    expect(({} as Record<string, unknown>)["b"]).toBeUndefined();
  });

  test("preview shows the JSON of a form, and reads the type from a header", async () => {
    const one = await source({ event_type_header: "X-Type", event_type_path: null });
    const { body } = await service.api("POST", `/v1/inbound-endpoints/${one.id}/preview`, {
      payload: "a=1&a=2",
      headers: { "Content-Type": "application/x-www-form-urlencoded", "X-Type": "t.x" },
    });
    expect(body).toMatchObject({ status: "ok", event: "inbound.t.x", payload: { a: ["1", "2"] } });
  });
});

describe("schemes of one's own", () => {
  test("a described HMAC verifies, and a source can answer in its own words", async () => {
    const scheme = {
      kind: "hmac",
      algorithm: "sha512",
      encoding: "base64",
      header: "X-Sig",
      signed: "{method}\n{url}\n{timestamp}\n{body}",
      timestamp_header: "X-Time",
      timestamp_unit: "milliseconds",
      tolerance_seconds: 60,
    };
    const respond = { status: 202, content_type: "text/plain", body: "thanks" };
    const source = await makeSource(service, { scheme, respond, secret: "shared-secret" });
    expect(source.shown).toMatchObject({ signature_scheme: "custom", scheme, respond, signature_header: "X-Sig" });
    const body = '{"a":1}';
    const time = String(Date.now());
    const url = source.shown["url"];
    const signature = createHmac("sha512", "shared-secret").update(`POST\n${url}\n${time}\n${body}`).digest("base64");
    const answer = await source.sendAs({ "X-Sig": signature, "X-Time": time }, body);
    expect(answer.status).toBe(202);
    const late = String(Date.now() - 61_000);
    const old = createHmac("sha512", "shared-secret").update(`POST\n${url}\n${late}\n${body}`).digest("base64");
    expect((await source.sendAs({ "X-Sig": old, "X-Time": late }, body)).status).toBe(401);
  });

  test("a public key verifies signatures, and is not a shared secret", async () => {
    const { publicKey, privateKey } = generateKeyPairSync("ed25519");
    const secret = publicKey.export({ format: "der", type: "spki" }).subarray(-32).toString("hex");
    const scheme = { kind: "ed25519", encoding: "base64", header: "X-Ed", secret_encoding: "hex" };
    const source = await makeSource(service, { scheme, secret });
    const body = '{"a":1}';
    const signed = sign(null, Buffer.from(body), privateKey).toString("base64");
    expect((await source.sendAs({ "X-Ed": signed }, body)).status).toBe(200);
    expect((await source.sendAs({ "X-Ed": signed }, '{"a":2}')).status).toBe(401);
    // The public key alone must not sign.
    expect((await source.send(body)).status).toBe(401);
    const none = await service.api("POST", "/v1/inbound-endpoints", { scheme });
    expect([none.status, none.body["errors"][0].pointer]).toEqual([422, "/secret"]);
  });

  test("a token and HTTP Basic are compared, and shown in no receipt", async () => {
    const token = await makeSource(service, {
      scheme: { kind: "token", header: "X-Token" },
      secret: "top-secret-token",
    });
    expect((await token.sendAs({ "X-Token": "top-secret-token" }, "{}")).status).toBe(200);
    expect((await token.sendAs({ "X-Token": "top-secret-tokem" }, "{}")).status).toBe(401);
    const [, shown] = await token.receipts();
    expect(JSON.stringify(await token.receipt(shown.id))).not.toContain("top-secret-token");
    const basic = await makeSource(service, { scheme: { kind: "basic" } });
    expect(basic.secret).toMatch(/^junction:/);
    const sent = { Authorization: `Basic ${Buffer.from(basic.secret).toString("base64")}` };
    expect((await basic.sendAs(sent, "{}")).status).toBe(200);
    expect((await basic.sendAs({ Authorization: "Basic YTpi" }, "{}")).status).toBe(401);
  });

  test.each([
    [{ kind: "hmac", algorithm: "sha256", encoding: "hex" }, "/scheme/header"],
    [{ kind: "hmac", encoding: "hex", header: "X" }, "/scheme/algorithm"],
    [{ kind: "hmac", algorithm: "sha256", encoding: "hex", header: "X", signed: "{timestamp}" }, "/scheme/signed"],
    [{ kind: "hmac", algorithm: "sha256", encoding: "hex", header: "X", signed: "{id}.{body}" }, "/scheme/signed"],
    [{ kind: "hmac", algorithm: "sha256", encoding: "hex", header: "X", timestamp_header: "T" }, "/scheme/signed"],
    [{ kind: "hmac", algorithm: "sha256", encoding: "hex", header: "X", query: "q" }, "/scheme/query"],
    [{ kind: "token" }, "/scheme"],
    [{ kind: "token", query: "t" }, "/scheme/query"],
    [{ kind: "jwt", header: "A", algorithms: ["HS256"], jwks_url: "https://keys.example.com" }, "/scheme/algorithms"],
    [{ kind: "jwt", header: "A", algorithms: ["RS256"], key: "secret" }, "/scheme/algorithms"],
    [{ kind: "jwt", header: "A", algorithms: ["RS256"] }, "/scheme/key"],
  ])("a scheme that contradicts itself is refused when it is saved (%j)", async (scheme, pointer) => {
    const answer = await service.api("POST", "/v1/inbound-endpoints", { scheme });
    expect([answer.status, answer.body["errors"][0].pointer]).toEqual([422, pointer]);
  });

  test("keys on a private address are refused when the source is saved", async () => {
    const scheme = { kind: "jwt", header: "Authorization", algorithms: ["RS256"], jwks_url: "https://10.0.0.1/keys" };
    const answer = await service.api("POST", "/v1/inbound-endpoints", { scheme });
    expect([answer.status, answer.body["code"]]).toEqual([422, "url_blocked"]);
  });

  test("members that exclude each other, and an unknown sender, are refused", async () => {
    for (const [body, pointer] of [
      [{ sender: "nobody" }, "/sender"],
      [{ sender: "github", preset: "custom" }, "/preset"],
      [{ signature_scheme: "github", scheme: { kind: "basic" } }, "/scheme"],
      [{ respond: { status: 204, content_type: "text/plain", body: "x" } }, "/respond/body"],
    ] as const) {
      const answer = await service.api("POST", "/v1/inbound-endpoints", body);
      expect([answer.status, answer.body["errors"][0].pointer]).toEqual([422, pointer]);
    }
  });
});

test("senders are listed with all that a source needs, and by category", async () => {
  const all = (await service.api("GET", "/v1/senders?limit=100")).body["data"];
  expect(all).toHaveLength(senders.length);
  expect(all.find(({ key }: Parsed) => key === "github")).toMatchObject({
    object: "sender",
    title: "GitHub",
    category: "code",
    scheme: { kind: "hmac" },
    mapping: { event_type_header: "X-GitHub-Event" },
    setup: expect.arrayContaining([expect.any(String)]),
  });
  const chats = (await service.api("GET", "/v1/senders?category=chat&limit=100")).body["data"];
  expect(new Set(chats.map(({ category }: Parsed) => category))).toEqual(new Set(["chat"]));
  expect((await service.api("GET", "/v1/senders", undefined, { key: null })).status).toBe(401);
});
