import { once } from "node:events";
import { connect } from "node:net";
import { expect, test } from "vitest";
import { startService } from "../../testing/service.ts";

test("a stop ends after the last response, even when delivering to its own inbox", async () => {
  const service = await startService();
  const { body } = await service.api("PUT", "/v1/inboxes/slow");
  await service.api("PUT", `${new URL(body.url).pathname}/behaviour`, { delay_ms: 5000 }, { key: null });
  await service.endpoint(body.url, { events: ["test.slow"] });
  await service.fire("test.slow", {});
  const agent = fetch(service.baseUrl + new URL(body.url).pathname, { method: "POST", body: "{}" });
  // Both messages are stored before they are answered.
  await service.until("/v1/inboxes/slow/messages", ({ data }) => data.length === 2);
  // Otherwise, the test ends by its timeout: connections are kept for longer.
  const closed = service.service.stop();
  expect((await agent).status).toBe(200);
  await closed;
  await service.database.drop();
});

test("a stop answers late requests on used connections and then closes them", async () => {
  const service = await startService({ deps: { lingerMs: 2000 } });
  const { port } = new URL(service.baseUrl);
  const socket = connect(Number(port), "127.0.0.1").setEncoding("latin1");
  const ended = once(socket, "close");
  let text = "";
  socket.on("data", (chunk: string) => {
    text += chunk;
  });
  const ask = (): unknown => socket.write("GET /readyz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
  ask();
  await expect.poll(() => text).toContain("HTTP/1.1 200");
  expect(text.toLowerCase()).toContain("connection: keep-alive");
  const stopped = service.service.stop();
  await new Promise((resolve) => setTimeout(resolve, 300));
  text = "";
  ask();
  await ended;
  expect(text).toContain("HTTP/1.1 503");
  expect(text.toLowerCase()).toContain("connection: close");
  await stopped;
  await service.database.drop();
});

test("a stop does not wait for connections that have been silent for a while", async () => {
  const service = await startService({ deps: { lingerMs: 50 } });
  const { port } = new URL(service.baseUrl);
  const socket = connect(Number(port), "127.0.0.1");
  const ended = once(socket.resume(), "close");
  socket.write("GET /livez HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
  await once(socket, "data");
  // Otherwise, the test ends by its timeout: the connection is kept for longer.
  await service.service.stop();
  await ended;
  await service.database.drop();
});
