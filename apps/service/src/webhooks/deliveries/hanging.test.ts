import { once } from "node:events";
import { createServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { deliveryLog } from "../../testing/delivery-log.ts";
import { startService } from "../../testing/service.ts";
import { subscribe, UNLIMITED } from "../../testing/subscription.ts";
import type { Parsed, TestService } from "../../testing/test-service.ts";

let service: TestService;
beforeAll(async () => {
  service = await startService({ env: UNLIMITED });
});
afterAll(async () => await service.close());

/** Starts a receiver that does this with each connection, and returns its port. */
async function startBad(talk: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    talk(socket);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return (server.address() as AddressInfo).port;
}

const HALF = "HTTP/1.1 500 Oops\r\ncontent-length: 100\r\n\r\nhalf";

/** Lists what receivers do with a connection, the scheme of their URLs, and the attempts that are recorded. */
const HANGING: readonly (readonly [string, "http" | "https", (socket: Socket) => void, object])[] = [
  ["says nothing", "https", (socket) => void socket.resume(), { status_code: null, error_class: "timeout" }],
  [
    "closes during the TLS handshake",
    "https",
    (socket) => void socket.once("data", () => socket.destroy()),
    { status_code: null, error_class: "tls" },
  ],
  ["reads and says nothing", "http", (socket) => void socket.resume(), { status_code: null, error_class: "timeout" }],
  [
    "sends half of a response",
    "http",
    (socket) => void socket.once("data", () => socket.write(HALF)),
    { status_code: 500, error_class: "http_status", response_truncated: true },
  ],
];

test("receivers that hang hold up no other, and their attempts say how", async () => {
  const fine = await subscribe(service);
  const log = deliveryLog(service);
  const bad = await Promise.all(
    HANGING.map(async ([what, scheme, talk, attempt]) => {
      const url = `${scheme}://127.0.0.1:${await startBad(talk)}/`;
      const { endpoint } = await subscribe(service, { url, more: { events: [fine.event] } });
      return { what, endpoint, attempt };
    }),
  );
  const events = Array.from({ length: 100 }, (_, n) => ({ event: fine.event, data: { n } }));
  await service.api("POST", "/v1/events/batch", { events });
  // A delivery that waited for one of theirs would come after its timeout of 15 s.
  await fine.receiver.count(100, 12_000);
  for (const { what, endpoint, attempt } of bad) {
    const path = `/v1/deliveries?endpoint_id=${endpoint.id}&limit=100`;
    const { data } = await service.until(path, (body) => body["data"].some((one: Parsed) => one["attempt_count"] > 0));
    const [first] = data.filter((one: Parsed) => one["attempt_count"] > 0);
    expect([what, (await log.attempts(first.id)).at(-1)]).toEqual([what, expect.objectContaining(attempt)]);
  }
});

test("an endpoint that timed out gets one request at a time until it responds", async () => {
  const { receiver, event } = await subscribe(service);
  receiver.answer(() => undefined);
  const events = Array.from({ length: 40 }, (_, n) => ({ event, data: { n } }));
  await service.api("POST", "/v1/events/batch", { events });
  await receiver.count(16);
  let endedAt = Infinity;
  // The seventeenth request comes after a timeout. Until it is answered, the others wait in the database.
  receiver.answer((response) => {
    const isLater = receiver.received.length > 17;
    const end = (): void => {
      if (!isLater) endedAt = Date.now();
      response.writeHead(200).end();
    };
    setTimeout(end, isLater ? 0 : 500);
  });
  await receiver.count(40, 60_000);
  const later = receiver.received.slice(17).map(({ at }) => at);
  expect(Math.min(...later)).toBeGreaterThanOrEqual(endedAt);
});
