import { constants, randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import { after, hide, systemClock } from "../../lib/lib.ts";
import { createAuthority } from "../../testing/certificates.ts";
import { startRawReceiver, startReceiver } from "./testing/receivers.ts";
import type { ReceiverOptions } from "./testing/receivers.ts";
import { startNet } from "../../testing/net-setup.ts";

const LOOPBACK = "127.0.0.0/8";
const HOUR_MS = 3_600_000;
const authority = createAuthority();
const certificate = authority.issue(["secure.test", "other.test"]);

/** Starts a receiver that closes each connection after its response, and the module with a clock that can be moved. */
async function start(options: ReceiverOptions = {}) {
  let passedMs = 0;
  const clock = { ...systemClock, now: () => after(systemClock.now(), passedMs) };
  const setup = await startNet({ allow: LOOPBACK, ca: [authority.cert], clock });
  for (const name of ["secure.test", "other.test"]) setup.dns.set(name, ["127.0.0.1"]);
  const receiver = await setup.use(
    startReceiver({
      certificate,
      answer: (_request, response) => response.setHeader("connection", "close").end("ok"),
      ...options,
    }),
  );
  return {
    setup,
    receiver,
    pass: (ms: number) => void (passedMs += ms),
    async post(more: Parameters<typeof setup.post>[1] = {}, name = "secure.test") {
      expect(await setup.post(`https://${name}:${receiver.port}/`, more)).toMatchObject({ status: 200 });
    },
    [Symbol.asyncDispose]: async () => await setup[Symbol.asyncDispose](),
  };
}

describe("a new connection resumes the last session of the receiver", () => {
  test.each([
    ["by a ticket of TLS 1.3", { minVersion: "TLSv1.3" }],
    ["by a ticket of TLS 1.2", { maxVersion: "TLSv1.2" }],
    ["by a session id of TLS 1.2", { maxVersion: "TLSv1.2", secureOptions: constants.SSL_OP_NO_TICKET }],
  ] as const)("%s", async (_case, tls) => {
    await using world = await start({ tls });
    for (let nth = 0; nth < 3; nth += 1) await world.post();
    expect(world.receiver.resumed).toEqual([false, true, true]);
  });

  test("also for requests that share no connection", async () => {
    await using world = await start();
    await world.post({ once: true });
    await world.post({ once: true });
    expect(world.receiver.resumed).toEqual([false, true]);
  });

  test("and makes a full handshake if the receiver rejects the session", async () => {
    await using world = await start();
    await world.post();
    world.receiver.changeTicketKeys();
    await world.post();
    await world.post();
    expect(world.receiver.resumed).toEqual([false, false, true]);
  });
});

describe("no session is resumed", () => {
  test("for another name at the same address", async () => {
    await using world = await start();
    await world.post();
    await world.post({}, "other.test");
    expect(world.receiver.resumed).toEqual([false, false]);
  });

  test("at another address of the same name", async () => {
    await using world = await start({ listen: { address: "0.0.0.0", port: 0 } });
    await world.post();
    world.setup.dns.set("secure.test", ["127.0.0.2"]);
    await world.post();
    expect(world.receiver.resumed).toEqual([false, false]);
  });

  test("with another client certificate, or without one", async () => {
    await using world = await start({ tls: { requestCert: true, rejectUnauthorized: false } });
    const [one, two] = [authority.issue(["one"]), authority.issue(["two"])].map(({ cert, key }) => ({
      client: { certificate: cert, key: hide(key) },
    }));
    for (const identity of [one, two, {}, one, two]) await world.post(identity);
    expect(world.receiver.resumed).toEqual([false, false, false, true, true]);
  });

  test("a day after the certificate was verified, however often it was resumed since", async () => {
    await using world = await start();
    await world.post();
    world.pass(23 * HOUR_MS);
    await world.post();
    world.pass(2 * HOUR_MS);
    await world.post();
    expect(world.receiver.resumed).toEqual([false, true, false]);
  });

  test("after the end of the certificate", async () => {
    const short = authority.issue(["secure.test"], { from: -1, to: 0.5 });
    await using world = await start({ certificate: short });
    await world.post();
    world.pass(13 * HOUR_MS);
    await world.post();
    expect(world.receiver.resumed).toEqual([false, false]);
  });

  test.each(["TLSv1.2", "TLSv1.3"] as const)(
    "with a receiver of %s that has the wrong name, however many try",
    async (version) => {
      let requests = 0;
      await using world = await start({
        tls: { minVersion: version, maxVersion: version },
        certificate: authority.issue(["another.test"]),
        answer(_request, response) {
          requests += 1;
          response.end();
        },
      });
      const url = `https://secure.test:${world.receiver.port}/`;
      for (let round = 0; round < 5; round += 1) {
        const exchanges = await Promise.all(Array.from({ length: 12 }, async () => await world.setup.post(url)));
        expect(new Set(exchanges.map(({ errorClass }) => errorClass))).toEqual(new Set(["tls"]));
      }
      expect([requests, world.receiver.resumed.includes(true)]).toEqual([0, false]);
    },
  );

  test("after a handshake that the receiver broke off", async () => {
    const ticketKeys = randomBytes(48);
    await using world = await start({ tls: { ticketKeys } });
    await world.post();
    const { port } = world.receiver;
    await world.receiver.close();
    const broken = await startRawReceiver((socket) => socket.once("data", () => socket.destroy()), port);
    expect(await world.setup.post(`https://secure.test:${port}/`)).toMatchObject({
      errorClass: "tls",
      errorDetail: "connection closed during the TLS handshake",
    });
    await broken.close();
    const again = await world.setup.use(
      startReceiver({ certificate, tls: { ticketKeys }, listen: { address: "127.0.0.1", port } }),
    );
    await world.post();
    expect(again.resumed).toEqual([false]);
  });
});
