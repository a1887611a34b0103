import { createHmac } from "node:crypto";
import { brotliCompressSync, gzipSync, zstdCompressSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hexMac, makeSource } from "../../testing/inbound.ts";
import type { TestSource } from "../../testing/inbound.ts";
import { sendRaw } from "../../testing/raw-http.ts";
import { startService } from "../../testing/service.ts";
import { UNLIMITED } from "../../testing/subscription.ts";
import type { Parsed, TestService } from "../../testing/test-service.ts";

let service: TestService;
beforeAll(async () => {
  service = await startService({ env: UNLIMITED });
});
afterAll(async () => {
  await service.close();
});

const FORM = "application/x-www-form-urlencoded";
const BOM = Buffer.from([0xef, 0xbb, 0xbf]);
const latin1 = (text: string): Buffer => Buffer.from(text, "latin1");
const EVENT = '{"event":"a.b"}';

async function source(fields: Record<string, unknown> = {}): Promise<TestSource> {
  return await makeSource(service, { event_type_path: "$.event", ...fields });
}

/** Returns the receipt of a signed request, and the payload of its event. */
async function received(
  to: TestSource,
  body: string | Uint8Array,
  headers: Record<string, string | string[]> = {},
): Promise<{ readonly receipt: Parsed; readonly payload: unknown }> {
  const answer = await to.send(body, headers);
  expect(answer.status).toBe(200);
  const receipt = await to.receipt(answer.body.receipt_id);
  if (receipt["event_id"] === null) return { receipt, payload: undefined };
  const event = await service.api("GET", `/v1/events/${receipt["event_id"]}`);
  return { receipt, payload: event.body["data"].payload };
}

const field = (name: string, value: string, more = ""): string =>
  `--b\r\nContent-Disposition: form-data; name="${name}"\r\n${more}\r\n${value}\r\n`;

describe("a source reads what senders really send", () => {
  test.each<[string, string | string[], Uint8Array | string, unknown]>([
    [
      "all fields of a form in parts",
      "multipart/form-data; boundary=b",
      `${field("event", "a.b")}${field("amount", "12")}${field("note", "last one")}--b--\r\n`,
      { event: "a.b", amount: "12", note: "last one" },
    ],
    [
      "a part of bytes without a file name",
      "multipart/form-data; boundary=b",
      `${field("event", "a.b", "Content-Type: application/octet-stream\r\n")}${field("x", "1")}--b--`,
      { event: "a.b", x: "1" },
    ],
    ["a mark in front of JSON", "application/json", Buffer.concat([BOM, Buffer.from(EVENT)]), { event: "a.b" }],
    ["a type that was sent twice", "application/json,application/json", EVENT, { event: "a.b" }],
    ["a type that is none", "json", EVENT, { event: "a.b" }],
    ["two headers of a type", ["application/json", "text/plain"], EVENT, { event: "a.b" }],
    [
      "a form in Latin-1",
      `${FORM}; charset=ISO-8859-1`,
      latin1("event=a.b&x=Zo%EB&y=Zo\u00EB"),
      { event: "a.b", x: "Zo\u00EB", y: "Zo\u00EB" },
    ],
    [
      "JSON in Latin-1",
      "application/json; charset=ISO-8859-1",
      latin1('{"event":"a.b","x":"Zo\u00EB"}'),
      { event: "a.b", x: "Zo\u00EB" },
    ],
  ])("%s", async (_name, type, body, payload) => {
    const found = await received(await source(), body, { "Content-Type": type });
    expect(found.receipt).toMatchObject({ status: "ok", event_type: "a.b" });
    expect(found.payload).toEqual(payload);
  });

  test("lines of JSON, each of which is an event", async () => {
    const to = await source();
    const answer = await to.send('{"event":"a.b"}\n{"event":"a.c"}\n', { "Content-Type": "application/x-ndjson" });
    const { items } = await to.receipt(answer.body.receipt_id);
    expect(items).toMatchObject([
      { status: "ok", event_type: "a.b" },
      { status: "ok", event_type: "a.c" },
    ]);
  });

  test("a list of one element in XML", async () => {
    const to = await makeSource(service, { each: "$.events.event", event_type_path: "$.type" });
    const { receipt, payload } = await received(to, "<events><event><type>a.b</type></event></events>", {
      "Content-Type": "text/xml",
    });
    expect(receipt).toMatchObject({ status: "ok", items: [{ status: "ok", event_type: "a.b" }] });
    expect(payload).toEqual({ type: "a.b" });
    expect((await received(to, "<events/>", { "Content-Type": "text/xml" })).receipt).toMatchObject({ items: [] });
  });

  test("one part with the JSON of Plex", async () => {
    const plex = await makeSource(service, { event_type_path: "$.payload.event" });
    const found = await received(plex, `${field("payload", '{"event":"media.play"}')}--b--`, {
      "Content-Type": "multipart/form-data; boundary=b",
    });
    expect(found.receipt).toMatchObject({ status: "ok", event_type: "media.play", read: { kind: "multipart" } });
  });

  test("the character set of its setting, where the request names none", async () => {
    const one = await source({ charset: "windows-1252" });
    expect(one.shown).toMatchObject({ charset: "windows-1252" });
    const body = "event=a.b&x=Zo%EB+%80&charset=windows-1252";
    expect((await received(one, body, { "Content-Type": FORM })).payload).toMatchObject({ x: "Zo\u00EB \u20AC" });
    const plain = await received(one, "event=a.b&x=Zo%C3%AB", { "Content-Type": `${FORM}; charset=utf-8` });
    expect(plain.payload).toMatchObject({ x: "Zo\u00EB" });
    const changed = await service.api("PATCH", `/v1/inbound-endpoints/${one.id}`, { charset: null });
    expect(changed.body).toMatchObject({ charset: null });
    const refused = await received(one, body, { "Content-Type": FORM });
    expect(refused.receipt).toMatchObject({ status: "unmapped", reason: expect.stringContaining("not valid utf-8") });
    await service.api("PATCH", `/v1/inbound-endpoints/${one.id}`, { charset: "cp1252" });
    const again = await service.api("POST", `/v1/inbound-receipts/${refused.receipt["id"]}/reprocess`);
    expect(again.body).toMatchObject({ status: "ok", read: { charset: "windows-1252", kind: "form" } });
    const unknown = await service.api("PATCH", `/v1/inbound-endpoints/${one.id}`, { charset: "utf-7" });
    expect([unknown.status, unknown.body["errors"][0].pointer]).toEqual([422, "/charset"]);
  });

  test("an empty body is null, so that a header can name the type", async () => {
    const one = await makeSource(service, { event_type_header: "ce-type" });
    const found = await received(one, "", { "ce-type": "com.example.empty" });
    expect(found.receipt).toMatchObject({ status: "ok", event_type: "com.example.empty", read: { kind: "empty" } });
    expect(found.payload).toBeNull();
  });

  test("a repeated name has its last value, and the receipt warns", async () => {
    const found = await received(await source(), '{"event":"WARNING","name":"x","event":"a.b"}');
    expect(found.receipt).toMatchObject({
      status: "ok",
      event_type: "a.b",
      extracted: { warnings: [{ field: "payload", message: expect.stringContaining('"event" is repeated') }] },
    });
    expect(found.payload).toEqual({ event: "a.b", name: "x" });
  });

  test("a body that cannot be read is unmapped with the reason and kept", async () => {
    const body = latin1('{"event":"a.b","x":"Zo\u00EB"}');
    const { receipt } = await received(await source(), body, { "Content-Type": "application/json; charset=x-none" });
    expect(receipt).toMatchObject({
      status: "unmapped",
      reason: 'The character set "x-none" is not known',
      raw_payload: body.toString("base64"),
      read: { content_type: "application/json", charset: null, kind: null },
    });
  });
});

describe("a Content-Encoding", () => {
  test.each([
    ["gzip", gzipSync],
    ["br", brotliCompressSync],
    ["zstd", zstdCompressSync],
  ] as const)("%s over which the sender signs is undone", async (coding, make) => {
    const body = make(EVENT);
    const found = await received(await source(), body, { "Content-Encoding": coding });
    expect(found.receipt).toMatchObject({
      status: "ok",
      raw_payload: body.toString("base64"),
      read: { content_type: "application/json", coding, charset: "utf-8", kind: "json" },
    });
    expect(found.payload).toEqual({ event: "a.b" });
  });

  test("that is not known is 415 and a receipt, after the signature", async () => {
    const to = await source();
    const answer = await to.send(EVENT, { "Content-Encoding": "compress" });
    expect([answer.status, answer.body.code, answer.headers["accept-encoding"]]).toEqual([
      415,
      "unsupported_media_type",
      "gzip, deflate, br, zstd",
    ]);
    expect(answer.body.detail).toContain("compress");
    expect(await to.receipt(answer.body.receipt_id)).toMatchObject({
      status: "error",
      signed: true,
      reason: expect.stringContaining('"compress" is not known'),
    });
    expect((await to.sendAs({ "Content-Encoding": "compress" }, EVENT)).status).toBe(401);
  });

  test("of a bomb is a reason", async () => {
    const { receipt } = await received(await source(), gzipSync(Buffer.alloc(5_000_000)), {
      "Content-Encoding": "gzip",
    });
    expect(receipt).toMatchObject({ status: "unmapped", reason: expect.stringContaining("1 MiB") });
  });

  const PLAIN = { kind: "hmac", algorithm: "sha256", encoding: "hex", header: "X-Signature", over: "plain" };

  test("within which the sender signs is undone before the signature is judged", async () => {
    const to = await source({ scheme: PLAIN, secret: "a secret of a sender" });
    expect(to.shown).toMatchObject({ scheme: PLAIN });
    const mac = createHmac("sha256", "a secret of a sender").update(EVENT).digest("hex");
    const send = async (body: Uint8Array | string, coding: string, signature = mac) =>
      await to.sendAs({ "Content-Encoding": coding, "X-Signature": signature }, body);
    const answer = await send(gzipSync(EVENT), "gzip");
    expect(answer.body).toMatchObject({ status: "ok" });
    // The same signature means the same event, however it is compressed.
    expect((await send(gzipSync(EVENT, { level: 1 }), "gzip")).status).toBe(200);
    expect((await send(brotliCompressSync(EVENT), "br")).status).toBe(200);
    expect((await send(EVENT, "identity")).status).toBe(200);
    expect((await send(gzipSync('{"event":"a.c"}'), "gzip")).status).toBe(401);
    expect((await send(EVENT, "gzip")).status).toBe(401);
    expect((await send(EVENT, "compress")).status).toBe(415);
    const compressed = gzipSync(EVENT);
    const over = createHmac("sha256", "a secret of a sender").update(compressed).digest("hex");
    expect((await send(compressed, "gzip", over)).status).toBe(401);
  });

  test("around a signed event does not make a recorded one new", async () => {
    const to = await source({ scheme: PLAIN, secret: "a secret of a sender", dedupe_by_body: true });
    const mac = createHmac("sha256", "a secret of a sender").update(EVENT).digest("hex");
    const statuses: unknown[] = [];
    for (const level of [1, 9])
      statuses.push(
        (await to.sendAs({ "Content-Encoding": "gzip", "X-Signature": mac }, gzipSync(EVENT, { level }))).body.status,
      );
    statuses.push(
      (await to.sendAs({ "Content-Encoding": "zstd", "X-Signature": mac }, zstdCompressSync(EVENT))).body.status,
    );
    statuses.push((await to.sendAs({ "X-Signature": mac }, EVENT)).body.status);
    expect(statuses).toEqual(["ok", "duplicate", "duplicate", "duplicate"]);
  });

  test("of a retry does not matter when the first try is processed again", async () => {
    const scheme = { ...PLAIN, signed: "{body}" };
    const to = await makeSource(service, { scheme, secret: "a secret of a sender", event_type_path: "$.type" });
    const mac = createHmac("sha256", "a secret of a sender").update(EVENT).digest("hex");
    const send = async (body: Uint8Array | string, coding: string) =>
      (await to.sendAs({ "X-Signature": mac, "Content-Encoding": coding }, body)).body;
    const first = await send(gzipSync(EVENT, { level: 1 }), "gzip");
    const alone = await send(gzipSync(EVENT, { level: 2 }), "gzip");
    expect([first.status, alone.status]).toEqual(["unmapped", "unmapped"]);
    await service.api("PATCH", `/v1/inbound-endpoints/${to.id}`, { event_type_path: "$.event" });
    const retry = await send(brotliCompressSync(EVENT), "br");
    expect(retry.status).toBe("ok");
    const reprocess = async (id: string) => (await service.api("POST", `/v1/inbound-receipts/${id}/reprocess`)).body;
    expect(await reprocess(first.receipt_id)).toMatchObject({ status: "duplicate", duplicate_of: retry.receipt_id });
    const other = '{"event":"a.c"}';
    const signed = createHmac("sha256", "a secret of a sender").update(other).digest("hex");
    await service.api("PATCH", `/v1/inbound-endpoints/${to.id}`, { event_type_path: "$.type" });
    const { body } = await to.sendAs({ "X-Signature": signed, "Content-Encoding": "gzip" }, gzipSync(other));
    await service.api("PATCH", `/v1/inbound-endpoints/${to.id}`, { event_type_path: "$.event" });
    await send(EVENT, "identity");
    expect(await reprocess(body.receipt_id)).toMatchObject({ status: "ok" });
  });

  test("that a proxy names again is undone once", async () => {
    for (const make of [gzipSync, brotliCompressSync]) {
      const coding = make === gzipSync ? "gzip" : "br";
      const found = await received(await source(), make(EVENT), { "Content-Encoding": [coding, coding] });
      expect(found.payload).toEqual({ event: "a.b" });
    }
  });

  test("of strangers is bounded before the signature: eight bombs at once are refused", async () => {
    const to = await source({ scheme: PLAIN, secret: "a secret of a sender" });
    const bomb = zstdCompressSync(Buffer.alloc(20_000_000));
    const answers = await Promise.all(
      Array.from({ length: 8 }, async () => await to.sendAs({ "Content-Encoding": "zstd", "X-Signature": "00" }, bomb)),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401]));
  });

  test("does not make a signature for strangers that of an event", async () => {
    const to = await makeSource(service, { sender: "x_twitter", secret: "consumer-secret" });
    const asked = await sendRaw(service.baseUrl, { method: "GET", path: `${to.target}&crc_token=abc` });
    const signature = (asked.body as { response_token: string }).response_token;
    for (const coding of ["deflate", "gzip", "br"])
      expect(
        (await to.sendAs({ "Content-Encoding": coding, "x-twitter-webhooks-signature": signature }, "abc")).status,
      ).toBe(401);
  });
});

describe("the API", () => {
  test("names the Content-Encoding and the byte order mark that it does not take", async () => {
    const headers = { Authorization: `Bearer ${service.key}`, "Content-Type": "application/json" };
    const fire = async (body: Uint8Array, more: Record<string, string> = {}) =>
      await sendRaw(service.baseUrl, {
        method: "POST",
        path: "/v1/events/fire",
        headers: { ...headers, ...more },
        body,
      });
    const event = Buffer.from('{"event":"thing.done","data":{}}');
    const coded = await fire(gzipSync(event), { "Content-Encoding": "gzip" });
    expect([coded.status, coded.body.code]).toEqual([415, "unsupported_media_type"]);
    expect(coded.body.detail).toContain("gzip");
    expect((await fire(event, { "Content-Encoding": "identity" })).status).toBe(202);
    const marked = await fire(Buffer.concat([BOM, event]));
    expect([marked.status, marked.body.code, marked.body.detail]).toEqual([
      400,
      "malformed_json",
      expect.stringContaining("byte order mark"),
    ]);
    expect(
      (
        await sendRaw(service.baseUrl, {
          method: "POST",
          path: "/v1/events/fire",
          headers: { "Content-Type": "application/json", "Content-Encoding": "gzip" },
          body: gzipSync(event),
        })
      ).status,
    ).toBe(401);
  });

  test("preview reads a body by its headers", async () => {
    const one = await source();
    const { body } = await service.api("POST", `/v1/inbound-endpoints/${one.id}/preview`, {
      payload: "event=a.b&x=Zo%EB",
      headers: { "Content-Type": `${FORM}; charset=latin1` },
    });
    expect(body).toMatchObject({ status: "ok", payload: { x: "Zo\u00EB" } });
  });
});

test("a source with the own scheme keeps the bytes that it could not read", async () => {
  const one = await source();
  const body = gzipSync(EVENT).subarray(0, 20);
  const answer = await one.sendAs(
    { "X-Service-Inbound-Signature": hexMac(one.secret, body), "Content-Encoding": "gzip" },
    body,
  );
  expect(await one.receipt(answer.body.receipt_id)).toMatchObject({
    status: "unmapped",
    reason: expect.stringContaining("not complete and valid gzip"),
    raw_payload: body.toString("base64"),
    read: { coding: "gzip", kind: null },
  });
});
