import { once } from "node:events";
import { describe, expect, test, vi } from "vitest";
import { covers } from "../../../../../requirements/covers.ts";
import { createAuthority } from "../../testing/certificates.ts";
import { closedPort, http, perRequest, startRawReceiver, startReceiver } from "./testing/receivers.ts";
import { startNet } from "../../testing/net-setup.ts";

const LOOPBACK = "127.0.0.0/8";
const authority = createAuthority();

const OK = http("HTTP/1.1 200 OK\ncontent-length: 2\n\nok");

describe("what arrives", () => {
  covers(
    "deliver.sign.exact-bytes",
    "the body arrives byte for byte, with the given headers and Host name",
    async () => {
      await using setup = await startNet({ allow: LOOPBACK });
      const receiver = await setup.use(startReceiver());
      setup.dns.set("receiver.test", ["127.0.0.1"]);
      const body = '{"big":12345678901234567890,"emoji":"😀","nul":"\\u0000"}';
      const headers = { "Content-Type": "application/json", "X-Service-Event": "order.created" };
      const exchange = await setup.post(`http://receiver.test:${receiver.port}/a%20b/hook?x=1&y=%2F#part`, {
        headers,
        body,
      });
      expect(exchange).toMatchObject({
        status: 200,
        errorClass: null,
        errorDetail: null,
        truncated: false,
        resolvedIp: "127.0.0.1",
      });
      expect(exchange.body.toString()).toBe("ok");
      expect(receiver.received).toMatchObject([
        {
          method: "POST",
          path: "/a%20b/hook?x=1&y=%2F",
          body,
          headers: {
            host: `receiver.test:${receiver.port}`,
            "content-type": "application/json",
            "x-service-event": "order.created",
            "content-length": String(Buffer.byteLength(body)),
          },
        },
      ]);
    },
  );

  test("TLS connects to the vetted address with the URL's name in SNI and Host", async () => {
    await using setup = await startNet({ allow: LOOPBACK, ca: [authority.cert] });
    const receiver = await setup.use(startReceiver({ certificate: authority.issue(["secure.test", "127.0.0.1"]) }));
    setup.dns.set("secure.test", ["127.0.0.1"]);
    const byName = await setup.post(`https://secure.test.:${receiver.port}/`);
    expect(byName).toMatchObject({ status: 200, errorClass: null, resolvedIp: "127.0.0.1" });
    expect(byName.latency.tls).toBeGreaterThan(0);
    expect(await setup.post(`https://127.0.0.1:${receiver.port}/`)).toMatchObject({ status: 200, errorClass: null });
    expect(receiver.received).toMatchObject([
      { sni: "secure.test", headers: { host: `secure.test.:${receiver.port}` } },
      { sni: false, headers: { host: `127.0.0.1:${receiver.port}` } },
    ]);
  });

  test("a proxy from the environment is ignored", async () => {
    await using setup = await startNet({ allow: LOOPBACK });
    const proxy = await setup.use(startReceiver());
    const receiver = await setup.use(startReceiver());
    for (const name of ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"]) {
      vi.stubEnv(name, `http://127.0.0.1:${proxy.port}`);
    }
    vi.stubEnv("NODE_USE_ENV_PROXY", "1");
    try {
      expect(await setup.post(`http://127.0.0.1:${receiver.port}/`)).toMatchObject({ status: 200 });
    } finally {
      vi.unstubAllEnvs();
    }
    expect([proxy.connections(), receiver.connections()]).toEqual([0, 1]);
  });

  test("a second request uses the same connection, and its latencies show it", async () => {
    await using setup = await startNet({ allow: LOOPBACK, ca: [authority.cert] });
    const receiver = await setup.use(startReceiver({ certificate: authority.issue(["127.0.0.1"]) }));
    const url = `https://127.0.0.1:${receiver.port}/`;
    const first = await setup.post(url);
    const second = await setup.post(url);
    expect(receiver.connections()).toBe(1);
    expect(first.latency.connect).toBeGreaterThan(0);
    expect(second.latency).toMatchObject({ connect: 0, tls: 0 });
    for (const { latency } of [first, second]) {
      expect(latency.first_byte).toBeGreaterThan(0);
      expect(latency.total).toBeGreaterThanOrEqual(latency.connect + latency.tls + latency.first_byte - 0.05);
      expect(Object.values(latency).every((ms) => Math.round(ms * 100) / 100 === ms)).toBe(true);
    }
  });

  test("the next vetted address is tried when one refuses the connection", async () => {
    await using setup = await startNet({ allow: LOOPBACK });
    const receiver = await setup.use(startReceiver());
    setup.dns.set("two.test", ["127.0.0.2", "127.0.0.1"]);
    expect(await setup.post(`http://two.test:${receiver.port}/`)).toMatchObject({
      status: 200,
      resolvedIp: "127.0.0.1",
    });
  });

  test("concurrent requests each get their own response", async () => {
    await using setup = await startNet({ allow: LOOPBACK });
    const receiver = await setup.use(startReceiver({ answer: (request, response) => response.end(request.url) }));
    const paths = Array.from({ length: 200 }, (_, index) => `/${index}`);
    const bodies = await Promise.all(
      paths.map(async (path) => (await setup.post(`http://127.0.0.1:${receiver.port}${path}`)).body.toString()),
    );
    expect(bodies).toEqual(paths);
  });
});

describe("the status line decides:", () => {
  test.each([
    [200, null, null],
    [204, null, null],
    [299, null, null],
    [301, "redirect", "redirect not followed: HTTP 301"],
    [304, "redirect", "redirect not followed: HTTP 304"],
    [307, "redirect", "redirect not followed: HTTP 307"],
    [400, "http_status", "HTTP 400"],
    [410, "http_status", "HTTP 410"],
    [500, "http_status", "HTTP 500"],
    [599, "http_status", "HTTP 599"],
  ])("%d is %s", async (status, errorClass, errorDetail) => {
    await using setup = await startNet({ allow: LOOPBACK });
    const receiver = await setup.use(
      startReceiver({ answer: (_request, response) => response.writeHead(status).end() }),
    );
    expect(await setup.post(`http://127.0.0.1:${receiver.port}/`)).toMatchObject({ status, errorClass, errorDetail });
  });

  covers("target.action.redirect", "a redirect is not followed", async () => {
    await using setup = await startNet({ allow: LOOPBACK });
    const elsewhere = await setup.use(startReceiver());
    const location = `http://127.0.0.1:${elsewhere.port}/`;
    const receiver = await setup.use(
      startReceiver({ answer: (_request, response) => response.writeHead(302, { location }).end("moved") }),
    );
    const exchange = await setup.post(`http://127.0.0.1:${receiver.port}/`);
    expect(exchange).toMatchObject({ status: 302, errorClass: "redirect", headers: { location } });
    expect(exchange.body.toString()).toBe("moved");
    expect(elsewhere.connections()).toBe(0);
  });

  test("interim responses before it are skipped, however they are split", async () => {
    await using setup = await startNet({ allow: LOOPBACK });
    const script = http(
      "HTTP/1.1 100 Continue\n\nHTTP/1.1 103 Early Hints\nlink: </a>\n\nHTTP/1.1 201 Created\ncontent-length: 4\n\ndone",
    );
    const receiver = await setup.use(
      startRawReceiver((socket) =>
        perRequest(socket, async () => {
          for (const piece of script.match(/[^]{1,9}/g) ?? []) {
            socket.write(piece);
            await new Promise((resolve) => setTimeout(resolve, 2));
          }
        }),
      ),
    );
    const url = `http://127.0.0.1:${receiver.port}/`;
    for (const exchange of [await setup.post(url), await setup.post(url)]) {
      expect(exchange).toMatchObject({ status: 201, errorClass: null });
      expect(exchange.body.toString()).toBe("done");
    }
    expect(receiver.connections()).toBe(1);
  });

  test("repeated headers are joined", async () => {
    await using setup = await startNet({ allow: LOOPBACK });
    const receiver = await setup.use(
      startReceiver({ answer: (_request, response) => response.writeHead(200, { "X-A": ["1", "2"] }).end() }),
    );
    expect((await setup.post(`http://127.0.0.1:${receiver.port}/`)).headers).toMatchObject({ "x-a": "1, 2" });
  });
});

describe("without a status, the error class names the cause:", () => {
  test("connect, when the port is closed", async () => {
    await using setup = await startNet({ allow: LOOPBACK });
    const exchange = await setup.post(`http://127.0.0.1:${await closedPort()}/`);
    expect(exchange).toMatchObject({ status: null, errorClass: "connect", errorDetail: "connect ECONNREFUSED" });
    expect(exchange.latency.total).toBeGreaterThan(0);
  });

  test("dns, when the name server is silent, within the request's own time", async () => {
    await using setup = await startNet();
    setup.dns.fallSilent();
    const exchange = await setup.post("https://receiver.test/", { totalTimeoutMs: 150 });
    expect(exchange).toMatchObject({ status: null, errorClass: "dns", errorDetail: "DNS lookup timed out" });
    expect(exchange.latency.dns).toBeGreaterThan(140);
  });

  test("timeout, when the receiver accepts and stays silent", async () => {
    await using setup = await startNet({ allow: LOOPBACK });
    const receiver = await setup.use(startRawReceiver(() => undefined));
    const exchange = await setup.post(`http://127.0.0.1:${receiver.port}/`, { totalTimeoutMs: 200 });
    expect(exchange).toMatchObject({ status: null, errorClass: "timeout", errorDetail: "no response within 0.2 s" });
    // The default would be 15 s.
    expect(exchange.latency.total).toBeLessThan(10_000);
  });

  test("timeout, when a tarpit sends its status line byte by byte", async () => {
    await using setup = await startNet({ allow: LOOPBACK });
    const receiver = await setup.use(
      startRawReceiver((socket) => {
        socket.write("HTTP/1.1 200 ");
        const drip = setInterval(() => socket.write("x"), 10);
        socket.once("close", () => clearInterval(drip));
      }),
    );
    const exchange = await setup.post(`http://127.0.0.1:${receiver.port}/`, { totalTimeoutMs: 200 });
    expect(exchange).toMatchObject({ status: null, errorClass: "timeout" });
  });

  test("timeout, when the TLS handshake never ends, after the connect timeout", async () => {
    await using setup = await startNet({ allow: LOOPBACK });
    const receiver = await setup.use(startRawReceiver(() => undefined));
    const exchange = await setup.post(`https://127.0.0.1:${receiver.port}/`, { connectTimeoutMs: 150 });
    expect(exchange).toMatchObject({ status: null, errorClass: "timeout", errorDetail: "no connection within 0.15 s" });
  });

  test.each([
    ["certificate is not trusted", { names: ["secure.test"], trusted: false, valid: true }, /unable to|self-signed/],
    ["certificate is for another name", { names: ["other.test"], trusted: true, valid: true }, /another host name/],
    ["certificate has expired", { names: ["secure.test"], trusted: true, valid: false }, /certificate has expired/],
  ])("tls, when the %s, even if the environment would allow it", async (_case, { names, trusted, valid }, detail) => {
    await using setup = await startNet({ allow: LOOPBACK, ...(trusted ? { ca: [authority.cert] } : {}) });
    const days = valid ? { from: -1, to: 1 } : { from: -3, to: -1 };
    const receiver = await setup.use(startReceiver({ certificate: authority.issue(names, days) }));
    setup.dns.set("secure.test", ["127.0.0.1"]);
    vi.stubEnv("NODE_TLS_REJECT_UNAUTHORIZED", "0");
    try {
      const exchange = await setup.post(`https://secure.test:${receiver.port}/`);
      expect(exchange).toMatchObject({ status: null, errorClass: "tls", errorDetail: expect.stringMatching(detail) });
    } finally {
      vi.unstubAllEnvs();
    }
    expect(receiver.received).toEqual([]);
  });

  test("reset without a retry, when a fresh connection closes without a response", async () => {
    await using setup = await startNet({ allow: LOOPBACK });
    const receiver = await setup.use(startRawReceiver((socket) => perRequest(socket, () => socket.destroy())));
    expect(await setup.post(`http://127.0.0.1:${receiver.port}/`)).toMatchObject({ status: null, errorClass: "reset" });
    expect(receiver.connections()).toBe(1);
  });

  test.each([
    ["another protocol's banner", "SSH-2.0-OpenSSH_9.2\r\n"],
    ["a broken status line", http("HTTP/1.1 abc\n\n")],
    ["an unasked-for upgrade", http("HTTP/1.1 101 Switching Protocols\nconnection: upgrade\nupgrade: websocket\n\n")],
    ["a status of two digits", http("HTTP/1.1 20 OK\n\n")],
    ["another version", http("HTTP/2 200 OK\n\n")],
    ["interim responses without end", http("HTTP/1.1 103 Early Hints\n\n".repeat(200))],
  ])("protocol, when it is %s", async (_case, answer) => {
    await using setup = await startNet({ allow: LOOPBACK });
    const receiver = await setup.use(startRawReceiver((socket) => perRequest(socket, () => socket.write(answer))));
    const exchange = await setup.post(`http://127.0.0.1:${receiver.port}/`);
    expect(exchange).toMatchObject({ status: null, errorClass: "protocol" });
    expect(exchange.errorDetail).not.toContain("127.0.0.1");
  });
});

describe("a reused connection that the peer has closed", () => {
  test("is replaced at once, within the same attempt", async () => {
    await using setup = await startNet({ allow: LOOPBACK });
    const receiver = await setup.use(
      startRawReceiver((socket) => perRequest(socket, (nth) => (nth === 1 ? socket.write(OK) : socket.destroy()))),
    );
    const url = `http://127.0.0.1:${receiver.port}/`;
    expect(await setup.post(url)).toMatchObject({ status: 200 });
    const second = await setup.post(url);
    expect(second).toMatchObject({ status: 200, errorClass: null });
    expect(second.latency.connect).toBeGreaterThan(0);
    expect(receiver.connections()).toBe(2);
  });

  test("is replaced once only", async () => {
    await using setup = await startNet({ allow: LOOPBACK });
    const receiver = await setup.use(
      startRawReceiver((socket, connection) =>
        perRequest(socket, (nth) => (connection === 1 && nth === 1 ? socket.write(OK) : socket.destroy())),
      ),
    );
    const url = `http://127.0.0.1:${receiver.port}/`;
    await setup.post(url);
    expect(await setup.post(url)).toMatchObject({ status: null, errorClass: "reset" });
    expect(receiver.connections()).toBe(2);
  });

  test("is not replaced after a byte of a response has arrived", async () => {
    await using setup = await startNet({ allow: LOOPBACK });
    const receiver = await setup.use(
      startRawReceiver((socket) => perRequest(socket, (nth) => (nth === 1 ? socket.write(OK) : socket.end("H")))),
    );
    const url = `http://127.0.0.1:${receiver.port}/`;
    await setup.post(url);
    expect(await setup.post(url)).toMatchObject({ status: null, errorClass: "reset" });
    expect(receiver.connections()).toBe(1);
  });
});

test("a request that ends before it was written is never written", async () => {
  await using setup = await startNet({ allow: LOOPBACK, ca: [authority.cert] });
  const certificate = authority.issue(["127.0.0.1"]);
  const tls = await setup.use(startReceiver({ certificate }));
  // This server delays the handshake until after the timeout.
  const slow = await setup.use(
    startRawReceiver(async (socket) => {
      const { connect } = await import("node:net");
      await new Promise((resolve) => setTimeout(resolve, 300));
      const onward = connect(tls.port, "127.0.0.1");
      onward.on("error", () => undefined);
      socket.pipe(onward).pipe(socket);
    }),
  );
  const exchange = await setup.post(`https://127.0.0.1:${slow.port}/`, { totalTimeoutMs: 100 });
  expect(exchange).toMatchObject({ status: null, errorClass: "timeout" });
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(tls.connections()).toBe(1);
  expect(tls.received).toEqual([]);
});

test("closing waits for requests in progress", async () => {
  await using setup = await startNet({ allow: LOOPBACK });
  const receiver = await setup.use(
    startReceiver({ answer: (_request, response) => void setTimeout(() => response.end("late"), 200) }),
  );
  const posting = setup.post(`http://127.0.0.1:${receiver.port}/`);
  await expect.poll(() => receiver.received.length).toBe(1);
  await setup.net.close();
  expect(await posting).toMatchObject({ status: 200 });
});

test("a header that cannot be written fails only that exchange", async () => {
  await using setup = await startNet({ allow: LOOPBACK });
  const receiver = await setup.use(startReceiver());
  const url = `http://127.0.0.1:${receiver.port}/`;
  const headers = { "x-evil": "a\r\nx-injected: b" };
  expect(await setup.post(url, { headers })).toMatchObject({ status: null, errorClass: "protocol" });
  expect(await setup.post(url)).toMatchObject({ status: 200 });
  expect(receiver.received).toHaveLength(1);
});

test("a connection that exceeds a limit is closed", async () => {
  await using setup = await startNet({ allow: LOOPBACK });
  const closed: Promise<unknown>[] = [];
  const receiver = await setup.use(startRawReceiver((socket) => void closed.push(once(socket.resume(), "close"))));
  await setup.post(`http://127.0.0.1:${receiver.port}/`, { totalTimeoutMs: 100 });
  await Promise.all(closed);
  expect(closed).toHaveLength(1);
});
