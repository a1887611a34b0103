import { gzipSync } from "node:zlib";
import type { Socket } from "node:net";
import { expect, test } from "vitest";
import { callOnce, openNet } from "../testing/backend.ts";
import { closedUrl, startRawReceiver } from "../../testing/raw-receiver.ts";
import type { ContractInput } from "../contracts/contracts.schemas.ts";
import type { CallOutcome } from "./backend-call.ts";

const KIB = 1024;

async function against(
  talk: (socket: Socket) => void,
  more: Partial<ContractInput> = {},
): Promise<{ outcome: CallOutcome; requests: number }> {
  let requests = 0;
  const { url } = await startRawReceiver((socket) => {
    requests += 1;
    talk(socket);
  });
  const { outcome } = await callOnce({ endpoint: url, timeout_ms: 1500, ...more });
  return { outcome, requests };
}

function answer(
  body: string | Buffer,
  headers = "Content-Type: application/json",
  status = "200 OK",
): (socket: Socket) => void {
  return (socket) => {
    socket.write(`HTTP/1.1 ${status}\r\n${headers}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n`);
    socket.write(body);
  };
}

test("at most 256 KiB of a response are read", async () => {
  const text = (bytes: number): string => `"${"x".repeat(bytes - 2)}"`;
  const { outcome: whole } = await against(answer(text(256 * KIB)));
  expect(whole).toMatchObject({ ok: true, result: text(256 * KIB) });
  const { outcome } = await against(answer(text(256 * KIB + 1)));
  expect(outcome).toMatchObject({
    ok: false,
    errorCode: "action_endpoint_failed",
    status: 200,
    detail: expect.stringContaining("256 KiB"),
    outcomeUnknown: true,
    retryable: false,
  });
});

test("at most 256 KiB of a decompressed response are read", async () => {
  const gzip = "Content-Type: application/json\r\nContent-Encoding: gzip";
  expect((await against(answer(gzipSync('{"a":1}'), gzip))).outcome).toMatchObject({ ok: true, result: '{"a":1}' });
  const bomb = gzipSync(Buffer.alloc(200 * KIB * KIB, 0x20));
  expect(bomb.length).toBeLessThan(256 * KIB);
  expect((await against(answer(bomb, gzip))).outcome).toMatchObject({
    ok: false,
    detail: expect.stringContaining("256 KiB"),
    outcomeUnknown: true,
  });
  const broken = (await against(answer(gzipSync('{"a":1}').subarray(0, 15), gzip))).outcome;
  expect(broken).toMatchObject({ ok: false, errorCode: "action_endpoint_failed", outcomeUnknown: true });
  expect((await against(answer("not gzip", gzip))).outcome).toMatchObject({ ok: false, outcomeUnknown: true });
});

test("timeout_ms bounds the whole call, in every phase of the response", async () => {
  const head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n";
  const silent = await against(() => undefined, { timeout_ms: 200 });
  expect(silent.outcome).toMatchObject({
    ok: false,
    errorCode: "action_endpoint_timeout",
    status: null,
    outcomeUnknown: true,
    retryable: false,
  });
  const dripping = await against(
    (socket) => {
      socket.write(`${head}Transfer-Encoding: chunked\r\n\r\n`);
      const timer = setInterval(() => socket.write("1\r\n \r\n"), 20);
      socket.once("close", () => clearInterval(timer));
    },
    { timeout_ms: 300 },
  );
  expect(dripping.outcome).toMatchObject({
    ok: false,
    errorCode: "action_endpoint_timeout",
    status: 200,
    outcomeUnknown: true,
  });
  const slowHead = await against((socket) => socket.write("HTTP/1.1 200 OK\r\nX-"), { timeout_ms: 200 });
  expect(slowHead.outcome).toMatchObject({ ok: false, errorCode: "action_endpoint_timeout", outcomeUnknown: true });
});

test("only an idempotent contract allows a call to be repeated after it was sent", async () => {
  const { outcome } = await against(() => undefined, { timeout_ms: 200, idempotent: true });
  expect(outcome).toMatchObject({ errorCode: "action_endpoint_timeout", outcomeUnknown: true, retryable: true });
  for (const [status, isPassing] of [
    ["500 Error", true],
    ["503 Busy", true],
    ["429 Slow down", true],
    ["400 Bad", false],
    ["404 Gone", false],
  ] as const) {
    const idempotent = await against(answer("{}", "X: y", status), { idempotent: true });
    const other = await against(answer("{}", "X: y", status));
    expect([status, idempotent.outcome, other.outcome]).toMatchObject([
      status,
      { ok: false, errorCode: "action_endpoint_failed", retryable: isPassing },
      { ok: false, status: Number(status.slice(0, 3)), retryable: false, outcomeUnknown: false },
    ]);
  }
  const gateway = await against(answer("", "X: y", "504 Gateway Timeout"));
  expect(gateway.outcome).toMatchObject({ errorCode: "action_endpoint_failed", outcomeUnknown: true });
});

test("a broken connection leaves the outcome unknown and is not retried silently", async () => {
  const closing = await against((socket) => socket.destroy());
  expect(closing).toMatchObject({
    outcome: { ok: false, errorCode: "action_endpoint_failed", status: null, outcomeUnknown: true, retryable: false },
    requests: 1,
  });
  const half = await against((socket) => {
    socket.end('HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"a":');
  });
  expect(half.outcome).toMatchObject({ ok: false, status: 200, outcomeUnknown: true, retryable: false });
  const nonsense = await against((socket) => socket.write("NONSENSE\r\n\r\n"));
  expect(nonsense.outcome).toMatchObject({ ok: false, status: null, outcomeUnknown: true });
});

test("a call that was certainly never sent may be repeated", async () => {
  const { outcome } = await callOnce({ endpoint: await closedUrl() });
  expect(outcome).toMatchObject({
    ok: false,
    errorCode: "action_endpoint_failed",
    status: null,
    outcomeUnknown: false,
    retryable: true,
  });
  const { outcome: unnamed } = await callOnce({ endpoint: "https://no-such-host.invalid/", timeout_ms: 3000 });
  expect(unnamed).toMatchObject({
    ok: false,
    errorCode: "action_endpoint_failed",
    outcomeUnknown: false,
    retryable: true,
  });
});

test("an idle connection that closes causes no second call of a non-idempotent contract", async () => {
  let requests = 0;
  const { url } = await startRawReceiver((socket) => {
    requests += 1;
    socket.write("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}");
    socket.on("data", () => {
      requests += 1;
      socket.destroy();
    });
  });
  const net = openNet();
  for (let calls = 1; calls <= 3; calls += 1) {
    expect((await callOnce({ endpoint: url }, { net })).outcome).toMatchObject({ ok: true });
    expect(requests).toBe(calls);
  }
});

test("a non-JSON response leaves the outcome unknown, unless the contract accepts any [contract, section 7]", async () => {
  const any = { response: { json: false } };
  for (const [body, type] of [
    ["<html>Please sign in</html>", "text/html"],
    ["<html>Please sign in</html>", "text/html; charset=utf-8"],
    ["ok", "text/plain; charset=utf-8"],
    ["ok", "application/octet-stream"],
  ] as const) {
    const taken = await against(answer(body, `Content-Type: ${type}`), any);
    expect([body, taken.outcome]).toMatchObject([body, { ok: true, result: "null", status: 200 }]);
    const refused = await against(answer(body, `Content-Type: ${type}`));
    expect([body, refused.outcome]).toMatchObject([
      body,
      { ok: false, errorCode: "action_endpoint_failed", status: 200, outcomeUnknown: true, retryable: false },
    ]);
  }
});

test("a response without a body counts by its status, unless the contract reads it", async () => {
  const read = { response: { result_path: "$.data" } };
  const ways = [
    answer("", "Content-Type: application/json"),
    answer("", "Content-Type: text/html"),
    (socket: Socket) => socket.write("HTTP/1.1 204 No Content\r\n\r\n"),
  ];
  for (const way of ways) {
    expect((await against(way)).outcome).toMatchObject({ ok: true, result: "null" });
    expect((await against(way, read)).outcome).toMatchObject({ ok: false, outcomeUnknown: true });
  }
});

test("a response with a JSON content type must be valid JSON", async () => {
  const bad: [string, Buffer][] = [
    ["cut off", Buffer.from('{"a":')],
    ["not UTF-8", Buffer.from([0x22, 0xff, 0x22])],
    ["two values", Buffer.from("{}{}")],
    ["a name twice", Buffer.from('{"a":1,"a":2}')],
    ["too deep", Buffer.from("[".repeat(20_000) + "]".repeat(20_000))],
  ];
  for (const [what, body] of bad) {
    const { outcome } = await against(answer(body));
    expect([what, outcome]).toMatchObject([
      what,
      { ok: false, errorCode: "action_endpoint_failed", status: 200, outcomeUnknown: true, retryable: false },
    ]);
  }
  const good: [string, Buffer | string][] = [
    ["application/problem+json", "{}"],
    ["application/vnd.api+json; charset=utf-8", "{}"],
    ["APPLICATION/JSON", Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from("{}")])],
  ];
  // A backend that leaves the default content type of its language.
  good.push(["text/html; charset=UTF-8", "{}"]);
  for (const [type, body] of good)
    expect((await against(answer(body, `Content-Type: ${type}`))).outcome).toMatchObject({ ok: true, result: "{}" });
  expect((await against(answer('{"__proto__":{"a":1}}'))).outcome).toMatchObject({ result: '{"__proto__":{"a":1}}' });
});
