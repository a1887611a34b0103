import { once } from "node:events";
import type { RequestListener } from "node:http";
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { startRawReceiver, startReceiver } from "./testing/receivers.ts";
import { startNet } from "../../testing/net-setup.ts";

const LOOPBACK = "127.0.0.0/8";
const KIB_64 = 64 * 1024;

function answerWith(body: Buffer, encoding?: string): RequestListener {
  return (_request, response) => {
    response.writeHead(200, encoding === undefined ? {} : { "content-encoding": encoding }).end(body);
  };
}

async function bodyOf(answer: RequestListener) {
  await using setup = await startNet({ allow: LOOPBACK });
  const receiver = await setup.use(startReceiver({ answer }));
  return await setup.post(`http://127.0.0.1:${receiver.port}/`);
}

describe("a response's body", () => {
  test("without end is cut at 64 KiB, and the connection closed", async () => {
    await using setup = await startNet({ allow: LOOPBACK });
    const closed: Promise<unknown>[] = [];
    const receiver = await setup.use(
      startReceiver({
        answer(_request, response) {
          closed.push(once(response, "close"));
          response.on("drain", () => response.write(Buffer.alloc(16_384, "a")));
          response.write(Buffer.alloc(65_536, "a"));
          response.write(Buffer.alloc(65_536, "a"));
        },
      }),
    );
    const exchange = await setup.post(`http://127.0.0.1:${receiver.port}/`);
    expect(exchange).toMatchObject({ status: 200, errorClass: null, truncated: true });
    expect(exchange.body.length).toBe(KIB_64);
    await Promise.all(closed);
  });

  test.each([
    [KIB_64, false],
    [KIB_64 + 1, true],
    [0, false],
  ])("of %d bytes has truncated %s", async (length, truncated) => {
    const exchange = await bodyOf(answerWith(Buffer.alloc(length, "a")));
    expect(exchange).toMatchObject({ status: 200, truncated });
    expect(exchange.body.length).toBe(Math.min(length, KIB_64));
  });

  test("that trickles past the total timeout keeps its status and the received part", async () => {
    await using setup = await startNet({ allow: LOOPBACK });
    const receiver = await setup.use(
      startReceiver({
        answer(_request, response) {
          response.writeHead(200);
          const drip = setInterval(() => response.write("x"), 20);
          response.once("close", () => clearInterval(drip));
        },
      }),
    );
    const exchange = await setup.post(`http://127.0.0.1:${receiver.port}/`, { totalTimeoutMs: 300 });
    expect(exchange).toMatchObject({ status: 200, errorClass: null, errorDetail: null, truncated: true });
    expect(exchange.body.toString()).toMatch(/^x+$/);
    // The default would be 15 s.
    expect(exchange.latency.total).toBeLessThan(10_000);
  });

  test("that stalls after a 500 leaves it a 500", async () => {
    await using setup = await startNet({ allow: LOOPBACK });
    const receiver = await setup.use(
      startReceiver({ answer: (_request, response) => void response.writeHead(500).write("half") }),
    );
    const exchange = await setup.post(`http://127.0.0.1:${receiver.port}/`, { totalTimeoutMs: 150 });
    expect(exchange).toMatchObject({
      status: 500,
      errorClass: "http_status",
      errorDetail: "HTTP 500",
      truncated: true,
    });
    expect(exchange.body.toString()).toBe("half");
  });

  test.each([
    ["is cut off", "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf"],
    ["has broken chunks", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4\r\nhalf\r\nzz\r\n"],
  ])("that %s does not undo the status", async (_case, answer) => {
    await using setup = await startNet({ allow: LOOPBACK });
    const receiver = await setup.use(startRawReceiver((socket) => socket.once("data", () => socket.end(answer))));
    const exchange = await setup.post(`http://127.0.0.1:${receiver.port}/`);
    expect(exchange).toMatchObject({ status: 200, errorClass: null, truncated: true });
    expect(exchange.body.toString()).toBe("half");
  });

  test("that ends with the connection is whole", async () => {
    await using setup = await startNet({ allow: LOOPBACK });
    const receiver = await setup.use(
      startRawReceiver((socket) => socket.once("data", () => socket.end("HTTP/1.0 200 OK\r\n\r\nwhole"))),
    );
    const exchange = await setup.post(`http://127.0.0.1:${receiver.port}/`);
    expect(exchange).toMatchObject({ status: 200, truncated: false });
    expect(exchange.body.toString()).toBe("whole");
  });

  const text = Buffer.from("Grüße ".repeat(500));
  test.each([
    ["gzip", gzipSync(text)],
    ["X-GZip", gzipSync(text)],
    ["deflate", deflateSync(text)],
    ["deflate", deflateRawSync(text)],
    ["br", brotliCompressSync(text)],
    ["zstd", zstdCompressSync(text)],
    ["gzip, br", brotliCompressSync(gzipSync(text))],
    ["identity", text],
    ["unheard-of", text],
  ])("in %s is given as it was before", async (encoding, coded) => {
    const exchange = await bodyOf(answerWith(coded, encoding));
    expect(exchange).toMatchObject({ status: 200, truncated: false });
    expect(exchange.body.equals(text)).toBe(true);
  });

  const zeros = Buffer.alloc(64 * 1024 * 1024);
  test.each([
    ["gzip", gzipSync(zeros)],
    ["br", brotliCompressSync(zeros)],
    ["zstd", zstdCompressSync(zeros)],
    ["gzip, gzip", gzipSync(gzipSync(zeros))],
  ])("that is a bomb in %s goes off no further than 64 KiB", async (encoding, bomb) => {
    const before = process.memoryUsage().rss;
    const exchange = await bodyOf(answerWith(bomb, encoding));
    expect(exchange).toMatchObject({ status: 200, errorClass: null, truncated: true });
    expect(exchange.body.length).toBe(KIB_64);
    expect(process.memoryUsage().rss - before).toBeLessThan(32 * 1024 * 1024);
  });

  test("whose coding is broken counts as truncated and does not undo the status", async () => {
    const noSuchBlockType = Buffer.alloc(50, 0xff);
    const broken = Buffer.concat([gzipSync(text).subarray(0, 10), noSuchBlockType]);
    expect(await bodyOf(answerWith(broken, "gzip"))).toMatchObject({ status: 200, errorClass: null, truncated: true });
  });

  test("that was cut off in its coding gives what can be read", async () => {
    const noise = Buffer.from(Array.from({ length: 200_000 }, (_, index) => (index * 7919) % 251));
    const coded = gzipSync(noise, { level: 0 });
    const exchange = await bodyOf(answerWith(coded, "gzip"));
    expect(exchange).toMatchObject({ status: 200, truncated: true });
    expect(exchange.body.equals(noise.subarray(0, KIB_64))).toBe(true);
  });
});
