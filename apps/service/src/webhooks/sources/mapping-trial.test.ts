import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeSource } from "../../testing/inbound.ts";
import { startService } from "../../testing/service.ts";
import { UNLIMITED } from "../../testing/subscription.ts";
import type { ApiAnswer, Parsed, TestService } from "../../testing/test-service.ts";

let service: TestService;
beforeAll(async () => {
  service = await startService({ env: UNLIMITED });
});
afterAll(async () => {
  await service.close();
});

/** Returns the previews of a source of its own. */
async function trials(fields: Record<string, unknown> = {}) {
  const { id, receipts } = await makeSource(service, { event_type_path: "$.event", ...fields });
  return {
    receipts,
    send: async (input: unknown): Promise<ApiAnswer> =>
      await service.api("POST", `/v1/inbound-endpoints/${id}/preview`, input),
  };
}
type Fault = { readonly pointer: string; readonly message: string };
const faultOf = ({ status, body }: ApiAnswer): [number, Fault] => [status, body["errors"][0]];
const EVENT = '{"event":"a.b"}';

test("preview reads bytes as a source does: coding, character set, kind and warnings", async () => {
  const source = await trials();
  const zipped = await source.send({
    body_base64: gzipSync(EVENT).toString("base64"),
    headers: { "Content-Encoding": "gzip", "Content-Type": "application/json; charset=utf-8" },
  });
  expect(zipped.body).toMatchObject({
    status: "ok",
    event: "inbound.a.b",
    read: { content_type: "application/json", coding: "gzip", charset: "utf-8", kind: "json" },
    warnings: [],
    payload: { event: "a.b" },
  });
  const xml = Buffer.from('<?xml version="1.0" encoding="iso-8859-1"?><event>Zo\u00EB</event>', "latin1");
  const lines = xml.toString("base64").replaceAll(/.{20}/g, "$&\r\n").replace(/=+$/, "");
  expect((await source.send({ body_base64: lines, headers: { "Content-Type": "text/xml" } })).body).toMatchObject({
    status: "ok",
    event: "inbound.Zo_",
    read: { charset: "windows-1252", kind: "xml" },
  });
  expect((await source.send({ body_base64: Buffer.from([0x7b, 0xff]).toString("base64") })).body).toMatchObject({
    status: "unmapped",
    reason_code: "not_json",
    reason: expect.stringContaining("UTF-8"),
    compared_by: [],
    payload: null,
  });
  const twice = await source.send({ payload: '{"event":"a","event":"b"}' });
  expect(twice.body).toMatchObject({ event: "inbound.b", warnings: [{ field: "payload" }] });
  expect(await source.receipts()).toEqual([]);
});

test("preview takes a whole request as it was copied, and fires nothing", async () => {
  const source = await trials({ event_type_header: "X-Type", idempotency_key_header: "X-Id" });
  const lines = ["POST /hooks?x=1 HTTP/1.1", "Host: example.com", "x-type:  a.b ", "X-Id: 7", "Accept: a", "Accept: b"];
  for (const end of ["\r\n", "\n"]) {
    const request = [...lines, "Content-Length: 7", "", '{"n":1}'].join(end);
    for (const input of [{ request }, { request_base64: Buffer.from(request).toString("base64") }])
      expect((await source.send(input)).body).toMatchObject({
        status: "ok",
        event: "inbound.a.b",
        extracted: { idempotency_key: "7" },
        compared_by: ["id", "body"],
        warnings: [],
        payload: { n: 1 },
      });
  }
  // Editors add lines before and after what is copied.
  const edited = await source.send({ request: `\n${lines.join("\n")}\nContent-Length: 7\n\n{"n":2}\n` });
  expect(edited.body).toMatchObject({ warnings: [], read: { kind: "json" }, payload: { n: 2 } });
  expect((await source.send({ request: lines.join("\n") })).body).toMatchObject({ read: { kind: "empty" } });
  expect(await source.receipts()).toEqual([]);
  const fired = await service.database.query("select 1 from event where name = 'inbound.a.b'");
  expect(fired).toEqual([]);
});

test("captured chunks are joined, and a changed length is warned of", async () => {
  const source = await trials();
  const post = async (head: string, body: string): Promise<Parsed> =>
    (await source.send({ request: `POST / HTTP/1.1\r\n${head}\r\n\r\n${body}` })).body;
  const chunked = "Transfer-Encoding: chunked";
  expect(await post(chunked, '7\r\n{"event\r\n8;a=b\r\n":"a.b"}\r\n0\r\n\r\n')).toMatchObject({ event: "inbound.a.b" });
  for (const body of [
    EVENT,
    '7\r\n{"event\r\nff\r\n',
    "ffffffff\r\n{}",
    "0x7\r\n{}\r\n0\r\n",
    "1\r\n{}\r\n0\r\n",
    "1\n1\n".repeat(20_000),
  ])
    expect(await post(chunked, body)).toMatchObject({ read: { charset: "utf-8" } });
  for (const length of ["14", "16", "900"])
    expect(await post(`Content-Length: ${length}`, EVENT)).toMatchObject({
      status: "ok",
      warnings: [{ field: "request", message: expect.stringContaining(`has 15 bytes and not the ${length}`) }],
    });
});

test("each element of a list shows what it is compared by", async () => {
  const source = await trials({ each: "$", idempotency_key_path: "$.id" });
  const list = '[{"event":"a","id":1},{"event":"b"},{}]';
  const { body } = await source.send({ request: `POST / HTTP/2\n\n${list}` });
  expect(body["items"]).toMatchObject([
    { status: "ok", compared_by: ["id"] },
    { status: "ok", compared_by: ["body"] },
    { status: "unmapped", compared_by: [] },
  ]);
});

test.each<[string, unknown, string, string]>([
  ["nothing to read", {}, "", "must have one of payload, body_base64, request, request_base64"],
  ["two forms", { payload: null, request: "x" }, "/request", "must not be used together with payload"],
  ["headers beside a request", { request: "x", headers: {} }, "/headers", "has its own headers"],
  ["other letters than base64", { body_base64: "e30!" }, "/body_base64", "must be bytes in base64"],
  ["base64 of URLs", { body_base64: "-_-_" }, "/body_base64", "must be bytes in base64"],
  ["base64 that lacks a letter", { body_base64: "e3019" }, "/body_base64", "must be bytes in base64"],
  ["a body alone", { request: EVENT }, "/request", "must begin with its request line"],
  ["no text", { request: "" }, "/request", "must begin with its request line"],
  ["another method", { request: "GET / HTTP/1.1\n\n" }, "/request", "must be a POST: GET sends no event"],
  ["a line that is no header", { request: `POST / HTTP/1.1\nA: b\n${EVENT}` }, "/request", "in line 3"],
  ["a folded header", { request: "POST / HTTP/1.1\nA: b\n c\n\n" }, "/request", "in line 3"],
  ["endless headers", { request: `POST / HTTP/1.1\nA: ${"b".repeat(70_000)}\n\n` }, "/request", "within 64 KiB"],
  ["many headers", { request: `POST / HTTP/1.1\n${"A: b\n".repeat(201)}\n` }, "/request", "at most 200 headers"],
  ["a large body", { payload: "x".repeat(1_048_577) }, "/payload", "at most 1 MiB"],
  ["large bytes", { body_base64: Buffer.alloc(1_048_577).toString("base64") }, "/body_base64", "at most 1 MiB"],
  ["a large request", { request: `POST / HTTP/1.1\n\n${"x".repeat(1_048_577)}` }, "/request", "at most 1 MiB"],
])("a malformed trial says what to do: %s", async (_name, input, pointer, message) => {
  const source = await trials();
  expect(faultOf(await source.send(input))).toEqual([
    422,
    expect.objectContaining({ pointer, message: expect.stringContaining(message) }),
  ]);
});

test("a trial may be as large as a source's event", async () => {
  const source = await trials();
  const text = `{"event":"a","x":"${"x".repeat(1_048_000)}"}`;
  expect((await source.send({ request: `POST / HTTP/1.1\n\n${text}` })).body).toMatchObject({ status: "ok" });
  expect((await source.send({ payload: "x".repeat(2 * 1_048_576) })).status).toBe(413);
});
