import { connect } from "node:net";
import type { Socket } from "node:net";
import { expect, test } from "vitest";
import { createAuthority } from "../../testing/certificates.ts";
import { http, startRawReceiver, startReceiver } from "./testing/receivers.ts";
import { startNet } from "../../testing/net-setup.ts";

const LOOPBACK = "127.0.0.0/8";
const authority = createAuthority();

test("tls, when the port speaks plain HTTP", async () => {
  await using setup = await startNet({ allow: LOOPBACK });
  const receiver = await setup.use(startReceiver());
  expect(await setup.post(`https://127.0.0.1:${receiver.port}/`)).toMatchObject({
    status: null,
    errorClass: "tls",
    errorDetail: "the port does not speak TLS",
    sent: false,
  });
});

test("tls within seconds, when a port of plain HTTP stays silent", async () => {
  await using setup = await startNet({ allow: LOOPBACK });
  const heard: string[] = [];
  const receiver = await setup.use(
    startRawReceiver((socket) => {
      let line = "";
      socket.on("data", (bytes: Buffer) => {
        line += bytes.toString("latin1");
        if (!line.endsWith("\r\n\r\n")) return;
        heard.push(line);
        socket.end(http("HTTP/1.0 501 Unsupported method\n\n"));
      });
    }),
  );
  const exchange = await setup.post(`https://127.0.0.1:${receiver.port}/secret`, { connectTimeoutMs: 5000 });
  expect(exchange).toMatchObject({
    status: null,
    errorClass: "tls",
    errorDetail: "the port speaks plain HTTP, not TLS",
    sent: false,
  });
  expect(exchange.latency.total).toBeLessThan(3000);
  expect(heard).toEqual([http(`OPTIONS * HTTP/1.1\nHost: 127.0.0.1:${receiver.port}\nConnection: close\n\n`)]);
});

test.each([
  ["refuses plain HTTP", (socket: Socket) => socket.end(http("HTTP/1.1 400 Use TLS\n\n"))],
  ["closes plain connections", (socket: Socket) => socket.destroy()],
  ["says nothing at all", () => undefined],
  ["speaks something else", (socket: Socket) => socket.write("220 mail.example ESMTP\r\n")],
])("timeout, when TLS is silent on a port that %s", async (_case, answer) => {
  await using setup = await startNet({ allow: LOOPBACK });
  const receiver = await setup.use(startRawReceiver((socket, nth) => void (nth > 1 && answer(socket))));
  const exchange = await setup.post(`https://127.0.0.1:${receiver.port}/`, { connectTimeoutMs: 1500 });
  expect(exchange).toMatchObject({ status: null, errorClass: "timeout", errorDetail: "no connection within 1.5 s" });
  expect(receiver.connections()).toBe(2);
});

test("a port of TLS that takes its time is waited for", async () => {
  await using setup = await startNet({ allow: LOOPBACK, ca: [authority.cert] });
  const tls = await setup.use(startReceiver({ certificate: authority.issue(["127.0.0.1"]) }));
  const slow = await setup.use(
    startRawReceiver(async (socket) => {
      await new Promise((resolve) => setTimeout(resolve, 1500));
      const onward = connect(tls.port, "127.0.0.1");
      onward.on("error", () => undefined);
      socket.pipe(onward).pipe(socket);
    }),
  );
  expect(await setup.post(`https://127.0.0.1:${slow.port}/`, { connectTimeoutMs: 5000 })).toMatchObject({
    status: 200,
    errorClass: null,
  });
});
