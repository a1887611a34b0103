import { afterAll, beforeAll, expect, test } from "vitest";
import { startService } from "../../testing/service.ts";
import type { TestService } from "../../testing/test-service.ts";

let service: TestService;

beforeAll(async () => {
  service = await startService();
});
afterAll(async () => await service.close());

test.each(["/v1/events?subject=a%00b", "/v1/events?event=a%00b", "/v1/deliveries?q=a%00b", "/v1/deliveries?event=%00"])(
  "NUL in a query is refused, because the database cannot store it: %s",
  async (path) => {
    const answer = await service.api("GET", path);
    expect([answer.status, answer.body["code"]]).toEqual([400, "query_invalid"]);
  },
);

const url = "http://127.0.0.1:9/";

test.each<[string, object, string]>([
  ["/v1/events/fire", { event: "a", data: {}, subject: "a\u0000b" }, "/subject"],
  ["/v1/events/fire", { event: "a", data: {}, subject: "a\ud800" }, "/subject"],
  ["/v1/events/batch", { events: [{ event: "a", data: {}, subject: "\u0000" }] }, "/events/0/subject"],
  ["/v1/webhook-endpoints", { url, events: ["a"], description: "\u0000" }, "/description"],
  ["/v1/webhook-endpoints", { url, events: ["a\u0000"] }, "/events/0"],
  ["/v1/webhook-endpoints", { url, events: ["a"], headers: { "X-A": "\u0000" } }, "/headers/X-A"],
  ["/v1/keys", { name: "\u0000", permission_mode: "all" }, "/name"],
])("our own text fields refuse NUL and lone surrogates with a pointer: %s %j", async (path, body, pointer) => {
  const answer = await service.api("POST", path, body);
  expect([answer.status, answer.body["errors"]]).toMatchObject([422, [{ pointer, code: "text" }]]);
});

test("they are accepted in `data`, which belongs to the customer", async () => {
  const data = { [`n\u0000`]: "a\u0000b", lone: "\ud800" };
  const fired = await service.api("POST", "/v1/events/fire", { event: "odd.text", data });
  expect(fired.status).toBe(202);
});

test("a property may be named like a keyword of JSON Schema", async () => {
  const answer = await service.api("POST", "/v1/events/fire", {
    event: "a",
    data: { type: "string", enum: ["\u0000"] },
  });
  expect(answer.status).toBe(202);
});

test.each<[string, string, object | undefined, string]>([
  ["GET", "/v1/deliveries?status=failed", undefined, "state"],
  ["POST", "/v1/events/fire", { type: "order.created", data: {} }, "event"],
  ["POST", "/v1/webhook-endpoints", { url, enabled_events: ["a"] }, "events"],
])("an unknown member is refused with the names of the known ones: %s %s", async (method, path, body, known) => {
  const { errors } = (await service.api(method, path, body)).body;
  const unknown = errors.find(({ code }: { readonly code: string }) => code === "unknown");
  expect(unknown.message).toMatch(new RegExp(`^is not a known member; known are .*\\b${known}\\b`));
});
