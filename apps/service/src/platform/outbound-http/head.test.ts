import { once } from "node:events";
import { expect, test } from "vitest";
import { http, perRequest, startRawReceiver } from "./testing/receivers.ts";
import { startNet } from "../../testing/net-setup.ts";

/** The status line decides, regardless of what follows it (contract, section 5). */

const LOOPBACK = "127.0.0.0/8";

const OK = http("HTTP/1.1 200 OK\ncontent-length: 2\n\nok");

test.each([
  ["lines end with LF alone", "HTTP/1.1 200 OK\nx-a: 1\ncontent-length: 2\n\nok"],
  ["the length is given twice", http("HTTP/1.1 200 OK\nx-a: 1\ncontent-length: 2\ncontent-length: 2\n\nok")],
  ["two lengths differ", http("HTTP/1.1 200 OK\nx-a: 1\ncontent-length: 1\ncontent-length: 2\n\nok")],
  ["a space stands before a colon", http("HTTP/1.1 200 OK\nx-a : 1\ncontent-length : 2\n\nok")],
  [
    "there are a length and chunks",
    http("HTTP/1.1 200 OK\nx-a: 1\ncontent-length: 2\ntransfer-encoding: chunked\n\n2\nok\n0\n\n"),
  ],
  ["a line has no colon", http("HTTP/1.1 200 OK\nx-a: 1\nnonsense\ncontent-length: 2\n\nok")],
  ["headers flood", http(`HTTP/1.1 200 OK\nx-a: 1\n${"x-filler: 0123456789\n".repeat(2000)}\n`)],
  ["a header is endless", http(`HTTP/1.1 200 OK\nx-a: 1\nx-filler: ${"0".repeat(100_000)}`)],
  ["it follows an interim response", http("HTTP/1.1 103 Early Hints\n\nHTTP/1.1 200 OK\nx-a: 1\nnonsense\n\n")],
  ["the reason is missing", http("HTTP/1.0 200\nx-a: 1\nx-b : 1\n\n")],
])("2xx delivers even if %s, with a truncated response", async (_case, answer) => {
  await using setup = await startNet({ allow: LOOPBACK });
  const pieces = [answer, ...[7, 12, 15].map((at) => [answer.slice(0, at), answer.slice(at)])].map((one) =>
    [one].flat(),
  );
  const receiver = await setup.use(
    startRawReceiver(async (socket, nth) => {
      await once(socket, "data");
      for (const piece of pieces[nth - 1] ?? []) {
        socket.write(piece);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    }),
  );
  for (const _one of pieces) {
    const exchange = await setup.post(`http://127.0.0.1:${receiver.port}/`);
    expect(exchange).toMatchObject({ status: 200, errorClass: null, truncated: true, cut: "broken" });
    expect(exchange.headers).toMatchObject({ "x-a": "1" });
  }
  // Nothing more is read from such a connection, nor sent.
  expect(receiver.connections()).toBe(pieces.length);
});

test("another status and its Retry-After are read in the same way", async () => {
  await using setup = await startNet({ allow: LOOPBACK });
  const receiver = await setup.use(
    startRawReceiver((socket) =>
      perRequest(socket, () => socket.write("HTTP/1.1 503 Busy\nretry-after: 7\nretry-after: 8\n\n")),
    ),
  );
  expect(await setup.post(`http://127.0.0.1:${receiver.port}/`)).toMatchObject({
    status: 503,
    errorClass: "http_status",
    headers: { "retry-after": "7, 8" },
  });
});

test("an incomplete head has the status of its first line", async () => {
  await using setup = await startNet({ allow: LOOPBACK });
  const receiver = await setup.use(
    startRawReceiver((socket, nth) =>
      perRequest(socket, () => {
        socket.write(http("HTTP/1.1 204 No Content\nx-a: 1\nx-b: "));
        if (nth > 1) socket.end();
      }),
    ),
  );
  for (const cut of ["time", "broken"]) {
    const exchange = await setup.post(`http://127.0.0.1:${receiver.port}/`, { totalTimeoutMs: 300 });
    expect(exchange).toMatchObject({ status: 204, errorClass: null, headers: { "x-a": "1" }, cut });
  }
});

test("the head of an earlier response is never read again", async () => {
  await using setup = await startNet({ allow: LOOPBACK });
  const receiver = await setup.use(
    startRawReceiver((socket) => perRequest(socket, (nth) => nth === 1 && socket.write(OK))),
  );
  const url = `http://127.0.0.1:${receiver.port}/`;
  expect(await setup.post(url)).toMatchObject({ status: 200, cut: null });
  expect(await setup.post(url, { totalTimeoutMs: 200 })).toMatchObject({ status: null, errorClass: "timeout" });
  expect(receiver.connections()).toBe(1);
});
