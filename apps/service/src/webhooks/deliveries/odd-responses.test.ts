import { once } from "node:events";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { deliveryLog } from "../../testing/delivery-log.ts";
import { startService } from "../../testing/service.ts";
import { UNLIMITED } from "../../testing/subscription.ts";
import type { TestService } from "../../testing/test-service.ts";

let service: TestService;
beforeAll(async () => {
  service = await startService({ env: UNLIMITED });
});
afterAll(async () => await service.close());

const crlf = (text: string): string => text.replaceAll("\n", "\r\n");

test.each([
  ["lines that end with LF alone", "HTTP/1.1 200 OK\ncontent-length: 2\n\nok"],
  ["two equal lengths", crlf("HTTP/1.1 200 OK\ncontent-length: 2\ncontent-length: 2\n\nok")],
  ["a space before a colon", crlf("HTTP/1.1 202 Accepted\ncontent-length : 2\n\nok")],
  ["a length and chunks", crlf("HTTP/1.1 200 OK\ncontent-length: 2\ntransfer-encoding: chunked\n\n2\nok\n0\n\n")],
])("a receiver that says 2xx with %s has the delivery, after one attempt", async (_what, answer) => {
  const receiver = createServer((socket) => socket.once("data", () => socket.write(answer)));
  await once(receiver.listen(0, "127.0.0.1"), "listening");
  try {
    const log = deliveryLog(service);
    const made = await service.api("POST", "/v1/webhook-endpoints", {
      url: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`,
      events: ["odd.response"],
    });
    await service.fire("odd.response", {});
    const path = `/v1/deliveries?endpoint_id=${String(made.body.id)}`;
    const { data } = await service.until(path, (body) => body["data"][0]?.state === "delivered");
    expect(await log.attempts(data[0].id)).toMatchObject([
      { status_code: Number(answer.slice(9, 12)), error_class: null, response_truncated: true },
    ]);
    await service.api("DELETE", `/v1/webhook-endpoints/${String(made.body.id)}`);
  } finally {
    receiver.close();
  }
});

test.each<[string, string, Buffer, string]>([
  ["in Latin-1", "text/html; charset=iso-8859-1", Buffer.from("Zo\u00EB fehlt", "latin1"), "Zo\u00EB fehlt"],
  ["in UTF-16", "text/plain", Buffer.from("\uFEFFZo\u00EB", "utf16le"), "Zo\u00EB"],
  ["in a character that is cut", "text/plain", Buffer.from("\u20AC".repeat(400)), "\u20AC".repeat(341)],
  ["in bytes that are no text", "text/plain", Buffer.from([0x61, 0xeb, 0]), "a\uFFFD\uFFFD"],
])("the beginning of a response %s is shown as its text", async (_what, type, body, text) => {
  const head = `HTTP/1.1 500 Oops\r\ncontent-type: ${type}\r\ncontent-length: ${body.length}\r\n\r\n`;
  const receiver = createServer((socket) =>
    socket.once("data", () => socket.end(Buffer.concat([Buffer.from(head), body]))),
  );
  await once(receiver.listen(0, "127.0.0.1"), "listening");
  try {
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
    const tried = await service.api("POST", "/v1/webhooks/test", { url });
    expect(tried.body["response"].body_snippet).toBe(text);
  } finally {
    receiver.close();
  }
});
