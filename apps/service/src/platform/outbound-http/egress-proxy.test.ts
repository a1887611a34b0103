import { connect } from "node:net";
import type { Socket } from "node:net";
import { describe, expect, test, vi } from "vitest";
import { createAuthority } from "../../testing/certificates.ts";
import { parseEgressProxy, parseNoProxy } from "./outbound-http.ts";
import type { EgressSettings } from "./outbound-http.ts";
import { closedPort, http, startRawReceiver, startReceiver } from "./testing/receivers.ts";
import { startNet } from "../../testing/net-setup.ts";

const LOOPBACK = "127.0.0.0/8";
const authority = createAuthority();

/** Returns settings for a proxy on this port. */
function through(port: number, direct = "", scheme = "http"): { readonly egress: EgressSettings } {
  return {
    egress: { proxy: parseEgressProxy(`${scheme}://junction:pa%3Ass@127.0.0.1:${port}`), direct: parseNoProxy(direct) },
  };
}

/** Starts a proxy that forwards, and notes the head of each request. `answer` replaces its answer for a while. */
function forwarding(heads: string[], answer: () => string | null = () => null) {
  return startRawReceiver((socket: Socket) => {
    socket.once("data", (chunk: Buffer) => {
      const head = chunk.toString();
      heads.push(head);
      const said = answer();
      if (said !== null) {
        socket.end(http(said));
        return;
      }
      const [, host = "", port = ""] = /^CONNECT ([^ ]+):(\d+) HTTP\/1.1\r\n/.exec(head) ?? [];
      const target = connect(Number(port), host, () => {
        socket.write(http("HTTP/1.1 200 Connection established\n\n"));
        socket.pipe(target).pipe(socket);
      });
      target.on("error", () => socket.destroy());
      socket.on("error", () => target.destroy());
    });
  });
}

describe("with an egress proxy", () => {
  test("requests go to the vetted address, with the name in TLS and Host", async () => {
    const heads: string[] = [];
    const proxy = await forwarding(heads);
    await using setup = await startNet({ allow: LOOPBACK, ca: [authority.cert], ...through(proxy.port) });
    await setup.use(Promise.resolve(proxy));
    const receiver = await setup.use(startReceiver({ certificate: authority.issue(["secure.test"]) }));
    const plain = await setup.use(startReceiver());
    setup.dns.set("secure.test", ["127.0.0.1"]);
    for (let times = 0; times < 2; times += 1)
      expect(await setup.post(`https://secure.test:${receiver.port}/`)).toMatchObject({
        status: 200,
        resolvedIp: "127.0.0.1",
      });
    expect(await setup.post(`http://127.0.0.1:${plain.port}/`)).toMatchObject({ status: 200, errorClass: null });
    expect(receiver.received[0]).toMatchObject({
      sni: "secure.test",
      headers: { host: `secure.test:${receiver.port}` },
    });
    expect(receiver.received).toHaveLength(2);
    // A connection is used again, so that there is one tunnel for each receiver.
    expect(heads).toEqual([
      http(
        `CONNECT 127.0.0.1:${receiver.port} HTTP/1.1\nHost: 127.0.0.1:${receiver.port}\nProxy-Authorization: Basic anVuY3Rpb246cGE6c3M=\n\n`,
      ),
      expect.stringContaining(`CONNECT 127.0.0.1:${plain.port} HTTP/1.1`),
    ]);
    expect(plain.received[0]?.headers).not.toHaveProperty("proxy-authorization");
  });

  test("the guard judges the receiver before the proxy is asked", async () => {
    const heads: string[] = [];
    const proxy = await forwarding(heads);
    await using setup = await startNet(through(proxy.port));
    await setup.use(Promise.resolve(proxy));
    setup.dns.set("inside.test", ["10.0.0.1"]);
    expect(await setup.post("https://inside.test/")).toMatchObject({ errorClass: "target_refused" });
    expect(heads).toEqual([]);
  });

  test("names and addresses that need none are reached directly", async () => {
    await using setup = await startNet({
      allow: LOOPBACK,
      ...through(await closedPort(), "*.inside.test, 127.0.0.2/31"),
    });
    const receiver = await setup.use(startReceiver({ listen: { address: "0.0.0.0", port: 0 } }));
    setup.dns.set("a.inside.test", ["127.0.0.1"]);
    setup.dns.set("outside.test", ["127.0.0.1"]);
    expect(await setup.post(`http://a.inside.test:${receiver.port}/`)).toMatchObject({ status: 200 });
    expect(await setup.post(`http://127.0.0.3:${receiver.port}/`)).toMatchObject({ status: 200 });
    expect(await setup.post(`http://outside.test:${receiver.port}/`)).toMatchObject({
      errorClass: "proxy",
      sent: false,
    });
  });

  test.each([
    ["HTTP/1.1 407 Proxy Authentication Required\n\n", /credentials \(407\)/],
    ["HTTP/1.1 403 Forbidden\n\n", /refused the connection \(403\)/],
    ["HTTP/1.1 503 Service Unavailable\n\n", /refused the connection \(503\)/],
    ["HTTP/1.1 502 Bad Gateway\nX-Squid-Error: ERR_CANNOT_FORWARD 0\n\n", /refused the connection \(502\)/],
    ["HTTP/1.1 200 OK\n\nsurprise", /did not answer as an HTTP proxy/],
    ["220 mail.example.com ESMTP\n\n", /did not answer as an HTTP proxy/],
    ["", /closed the connection/],
  ])("the answer %j is a fault of the proxy", async (answer, detail) => {
    const proxy = await forwarding([], () => answer);
    await using setup = await startNet({ allow: LOOPBACK, ...through(proxy.port) });
    await setup.use(Promise.resolve(proxy));
    const exchange = await setup.post("http://127.0.0.1:9/");
    expect(exchange).toMatchObject({ errorClass: "proxy", status: null, sent: false });
    expect(exchange.errorDetail).toMatch(detail);
  });

  test.each([
    ["HTTP/1.1 503 Service Unavailable\nX-Squid-Error: ERR_CONNECT_FAIL 111\n\n", "connect"],
    ["HTTP/1.1 502 Bad Gateway\nProxy-Status: p; error=connection_refused\n\n", "connect"],
    ["HTTP/1.1 504 Gateway Timeout\nProxy-Status: p; error=connection_timeout\n\n", "timeout"],
  ])("the answer %j is a fault of the receiver", async (answer, errorClass) => {
    const proxy = await forwarding([], () => answer);
    await using setup = await startNet({ allow: LOOPBACK, ...through(proxy.port) });
    await setup.use(Promise.resolve(proxy));
    expect(await setup.post("http://127.0.0.1:9/")).toMatchObject({ errorClass });
  });

  test("a receiver that alone fails while others are reached is the cause", async () => {
    let answer: string | null = "HTTP/1.1 503 Service Unavailable\n\n";
    const proxy = await forwarding([], () => answer);
    await using setup = await startNet({ allow: LOOPBACK, ...through(proxy.port) });
    await setup.use(Promise.resolve(proxy));
    const receiver = await setup.use(startReceiver());
    const dead = "http://127.0.0.1:9/";
    expect(await setup.post(dead)).toMatchObject({ errorClass: "proxy" });
    expect(await setup.post(dead)).toMatchObject({ errorClass: "proxy" });
    answer = null;
    expect(await setup.post(`http://127.0.0.1:${receiver.port}/`)).toMatchObject({ status: 200 });
    answer = "HTTP/1.1 503 Service Unavailable\n\n";
    expect(await setup.post(dead)).toMatchObject({ errorClass: "connect" });
  });

  test("a proxy that is silent, or not there, is given up in time", async () => {
    const proxy = await startRawReceiver(() => undefined);
    await using setup = await startNet({ allow: LOOPBACK, ...through(proxy.port) });
    await setup.use(Promise.resolve(proxy));
    expect(await setup.post("http://127.0.0.1:9/", { connectTimeoutMs: 200 })).toMatchObject({ errorClass: "proxy" });
    await using none = await startNet({ allow: LOOPBACK, ...through(await closedPort()) });
    const exchange = await none.post("http://127.0.0.1:9/");
    expect(exchange).toMatchObject({
      errorClass: "proxy",
      errorDetail: "the egress proxy cannot be reached (ECONNREFUSED)",
    });
  });

  test("a proxy that cuts a tunnel has reset the connection", async () => {
    const proxy = await startRawReceiver((socket) => {
      socket.once("data", () => {
        socket.write(http("HTTP/1.1 200 OK\n\n"));
        socket.once("data", () => socket.destroy());
      });
    });
    await using setup = await startNet({ allow: LOOPBACK, ...through(proxy.port) });
    await setup.use(Promise.resolve(proxy));
    expect(await setup.post("http://127.0.0.1:9/")).toMatchObject({ errorClass: "reset" });
  });

  test("the environment's own variables are still ignored", async () => {
    vi.stubEnv("NO_PROXY", "*");
    const heads: string[] = [];
    const proxy = await forwarding(heads);
    await using setup = await startNet({ allow: LOOPBACK, ...through(proxy.port) });
    await setup.use(Promise.resolve(proxy));
    const receiver = await setup.use(startReceiver());
    await setup.post(`http://127.0.0.1:${receiver.port}/`);
    vi.unstubAllEnvs();
    expect(heads).toHaveLength(1);
  });
});

test.each([
  "proxy.internal:3128",
  "ftp://proxy/",
  "http://",
  "http://proxy/path",
  "socks5://proxy:1080",
  "http://proxy?x",
])("%s is not the address of a proxy", (text) => {
  expect(() => parseEgressProxy(text)).toThrow();
});

test.each(["https://a", "10.0.0.0/40", "*.", "a,b c"])("%s is not a list of direct targets", (text) => {
  expect(() => parseNoProxy(text)).toThrow();
});
