import { expect, test } from "vitest";
import { startService } from "../testing/service.ts";

test("a stop ends with the last answer, though its client keeps the connection: also where that is the service at its own inbox", async () => {
  const service = await startService();
  const { body } = await service.api("PUT", "/v1/inboxes/slow");
  await service.api("PUT", `${new URL(body.url).pathname}/behaviour`, { delay_ms: 5000 }, { key: null });
  await service.endpoint(body.url, { events: ["test.slow"] });
  await service.fire("test.slow", {});
  const agent = fetch(service.baseUrl + new URL(body.url).pathname, { method: "POST", body: "{}" });
  // Both are kept before they are answered.
  await service.until("/v1/inboxes/slow/messages", ({ data }) => data.length === 2);
  // Else the test ends by its timeout: connections are kept for longer.
  const closed = service.service.stop();
  expect((await agent).status).toBe(200);
  await closed;
  await service.database.drop();
});
