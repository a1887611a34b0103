import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { deliveryLog } from "../../testing/delivery-log.ts";
import type { DeliveryLog } from "../../testing/delivery-log.ts";
import { otherWorkspace } from "../../testing/keys.ts";
import { startService } from "../../testing/service.ts";
import { SHORT_LADDER, subscribe } from "../../testing/subscription.ts";
import type { Subscription } from "../../testing/subscription.ts";
import type { ApiAnswer, Parsed, TestService } from "../../testing/test-service.ts";

let service: TestService;
let log: DeliveryLog;
beforeAll(async () => {
  service = await startService({ env: { ...SHORT_LADDER, JUNCTION_RETRY_LADDER: "20ms,20ms,20ms,20ms,20ms" } });
  log = deliveryLog(service);
});
afterAll(async () => await service.close());

const script = (source: string): object => ({ kind: "script", source });
const returning = (expression: string): object =>
  script(`export function transform({ event, data, id, timestamp, attempt }) { return ${expression}; }`);

async function scripted(transform: object): Promise<Subscription> {
  return await subscribe(service, { more: { transform } });
}

async function fireText(event: string, data: string): Promise<string> {
  const { status, text, body } = await service.api("POST", "/v1/events/fire", `{"event":"${event}","data":${data}}`);
  if (status !== 202) throw new Error(text);
  return body["deliveries"][0].id;
}

/** Tests a script that is not saved. */
async function tried(transform: object, data = "{}", key?: string): Promise<ApiAnswer> {
  const { path } = await subscribe(service);
  const body = `{"event":"order.created","data":${data},"transform":${JSON.stringify(transform)}}`;
  return await service.api("POST", `${path}/transform/test`, body, key === undefined ? {} : { key });
}

describe("a script", () => {
  test("makes the body and headers of a delivery", async () => {
    const { event, receiver } = await scripted(
      script(`type Input = { event: string; data: { total: number } };
        export function transform({ event, data, attempt }: Input) {
          return { body: { text: \`\${event}: \${data.total}\`, attempt }, headers: { "X-Total": String(data.total) } };
        }`),
    );
    const id = await fireText(event, '{"total":12.5}');
    const [request] = await receiver.count(1);
    expect(request?.body).toBe(`{"text":"${event}: 12.5","attempt":1}`);
    expect(request?.headers["x-total"]).toBe("12.5");
    expect((await log.in(id, "delivered"))["transform"]).toMatchObject({ version: 1 });
  });

  test("runs once for all attempts of a delivery", async () => {
    const { event, receiver } = await scripted(returning("{ body: { random: Math.random() } }"));
    receiver.status(500);
    await log.in(await fireText(event, "{}"), "failed");
    expect(receiver.received).toHaveLength(6);
    expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1);
  });

  test("ends a delivery as filtered with null, and a replay runs it again", async () => {
    const { event, path, receiver, endpoint } = await scripted(returning("data.send ? { body: 1 } : null"));
    const id = await fireText(event, "{}");
    const ended = await log.in(id, "filtered");
    expect(ended).toMatchObject({ light: null, attempt_count: 0, last_error_class: null, request: null });
    expect(ended["completed_at"]).not.toBeNull();
    const listed = await service.api("GET", `/v1/deliveries?state=filtered&endpoint_id=${endpoint.id}`);
    expect(listed.body["data"].map((one: Parsed) => one["id"])).toEqual([id]);
    expect(receiver.received).toHaveLength(0);
    await service.until(`${path}/stats`, (body) => body["filtered"] === 1);
    await service.api("PATCH", path, { transform: returning("{ body: 2 }") });
    await service.api("POST", `/v1/deliveries/${id}/replay`);
    await log.in(id, "delivered");
    expect(receiver.received.map(({ body }) => body)).toEqual(["2"]);
  });

  test("leaves a delivered delivery delivered if its replay is filtered", async () => {
    const { event, path } = await scripted(returning("{ body: 1 }"));
    const id = await fireText(event, "{}");
    await log.in(id, "delivered");
    await service.api("PATCH", path, { transform: returning("null") });
    await service.api("POST", `/v1/deliveries/${id}/replay?retransform=true`);
    expect(await log.in(id, "delivered")).toMatchObject({ attempt_count: 1 });
  });

  test("passes numbers on with their digits", async () => {
    const data = '{"id":9007199254740993,"price":12.50,"minus":-0,"huge":1e400}';
    const { body } = await tried(returning("{ body: { ...data, text: `${data.id}`, sum: data.price * 2 } }"), data);
    expect(body["after"].body).toBe(
      '{"id":9007199254740993,"price":12.50,"minus":-0,"huge":1e400,"text":"9007199254740993","sum":25}',
    );
  });

  test("writes to the log of a test", async () => {
    const { body } = await tried(returning("(console.log('total', { n: 1 }), { body: 1 })"));
    expect(body["log"]).toEqual(['total {"n":1}']);
  });

  test("has nothing of the machine", async () => {
    const names = [
      "process",
      "require",
      "fetch",
      "setTimeout",
      "Buffer",
      "WebAssembly",
      "Uint8Array",
      "SharedArrayBuffer",
      "Atomics",
      "module",
    ];
    const { body } = await tried(returning(`{ body: [${names.map((name) => `typeof ${name}`).join(",")}] }`));
    expect(new Set(JSON.parse(body["after"].body))).toEqual(new Set(["undefined"]));
  });

  test("sees nothing of other runs", async () => {
    const { event, receiver } = await scripted(
      script(
        "let count = 0; export function transform({ data }) { count += 1; /(.*)/.exec(data.text); return { body: [count, RegExp.$1 ?? null] }; }",
      ),
    );
    for (const text of ["a", "b", "c"]) await fireText(event, JSON.stringify({ text }));
    const received = await receiver.count(3);
    expect(new Set(received.map(({ body }) => body))).toEqual(new Set(["[1,null]"]));
  });
});

describe("a script that misbehaves is a failed test with a clear message:", () => {
  test.each([
    ["a loop", "(() => { for (;;); })()", "longer than 100 ms"],
    ["a catastrophic pattern", "/^(a+)+$/.exec('a'.repeat(40) + 'b')", "longer than 100 ms"],
    ["an endless message", "(() => { throw { get message() { for (;;); } }; })()", "longer than 100 ms"],
    ["allocation", "(() => { const all = []; for (;;) all.push('x'.repeat(1000).split('')); })()", "100 ms|32 MiB"],
    ["a huge text", "{ body: 'x'.repeat(2 ** 28) + 'y' }", "larger than|32 MiB|100 ms"],
    ["a throw", "(() => { throw new Error('no total'); })()", "no total"],
    ["a thrown object that cannot be shown", "(() => { throw { toString() { throw 1; } }; })()", "cannot be shown"],
    ["a returned function", "{ body: () => 1 }", "functions"],
    ["a promise", "(async () => ({ body: 1 }))()", "async"],
    ["a promise as the body", "{ body: Promise.resolve(1) }", "async"],
    ["an endless recursion", "(function f() { return f() + 1; })()", "stack"],
    ["a cycle", "(() => { const a = {}; a.a = a; return { body: a }; })()", "circular"],
    ["not a number", "{ body: 0 / 0 }", "NaN"],
    ["a large body", "{ body: 'x'.repeat(262_144) }", "larger than 262144 bytes"],
    ["a deep body", "{ body: JSON.parse('['.repeat(100) + ']'.repeat(100)) }", "nested too deeply"],
    ["no result", "undefined", "an object with a body, or null"],
    ["another member", "{ body: 1, url: 'https://example.com' }", "not url"],
    ["a signature header", "{ body: 1, headers: { 'webhook-signature': 'v1' } }", "/headers/webhook-signature"],
    ["a line break in a header", "{ body: 1, headers: { 'X-A': 'a\\r\\nHost: b' } }", "/headers/X-A"],
    ["a header that is no text", "{ body: 1, headers: { 'X-A': 1 } }", "strings"],
  ])("%s", async (_what, expression, message) => {
    const { status, body } = await tried(returning(expression));
    expect([status, body["after"], body["error"]]).toEqual([200, null, expect.stringMatching(message)]);
    // The process, or its successor, is at work again.
    expect((await tried(returning("{ body: 1 }"))).body["after"]).not.toBeNull();
  });
});

describe("a script that is saved", () => {
  test.each([
    ["a fault of its syntax", "export function transform( {", /Error: .* \(line 1\)/],
    ["a fault of the engine's syntax", "export function transform() {}\nlet a; let a;", /SyntaxError: .* \(line 2\)/],
    ["no exported function", "function transform() { return null; }", /must export a function/],
    [
      "an import",
      'import fs from "node:fs"; export function transform() { return null; }',
      /SyntaxError: .* \(line 1\)/,
    ],
    [
      "the end of its function",
      "export function transform() { return null; } } let leak = 1; {",
      /Expression|Unexpected|Expected/,
    ],
  ])("is refused with %s", async (_what, source, message) => {
    const { path } = await subscribe(service);
    const { status, body } = await service.api("PATCH", path, { transform: script(source) });
    expect([status, body["errors"]]).toEqual([
      422,
      [{ pointer: "/transform/source", code: "script", message: expect.stringMatching(message) }],
    ]);
  });

  test("is refused with members of a template, and with more than 64 KiB", async () => {
    const { path } = await subscribe(service);
    const both = await service.api("PATCH", path, { transform: { ...returning("null"), body: {} } });
    expect([both.status, both.body["errors"][0].pointer]).toEqual([422, "/transform/body"]);
    const large = await service.api("PATCH", path, { transform: script(`//${"x".repeat(65_536)}`) });
    expect([large.status, large.body["errors"][0].pointer]).toEqual([422, "/transform/source"]);
  });

  test("has to pass its cases, of which null is one", async () => {
    const { path } = await subscribe(service);
    const cases = [{ event: "a.b", data: {}, expect: null }];
    const put = async (expression: string): Promise<number> =>
      (await service.api("PATCH", path, { transform: { ...returning(expression), cases } })).status;
    expect([await put("{ body: null }"), await put("{ body: 1 }"), await put("null")]).toEqual([409, 409, 200]);
  });
});

test("a workspace whose script loops delays no other workspace's deliveries", async () => {
  const { event } = await scripted(returning("(() => { for (;;); })()"));
  await Promise.all(Array.from({ length: 30 }, async () => await fireText(event, "{}")));
  const other = await otherWorkspace(service);
  const { receiver } = await subscribe(service);
  const made = await service.api(
    "POST",
    "/v1/webhook-endpoints",
    { url: receiver.url, events: ["test.quick"], transform: returning("{ body: 'quick' }") },
    { key: other.key },
  );
  expect(made.status).toBe(201);
  const startedAt = Date.now();
  await service.api("POST", "/v1/events/fire", { event: "test.quick", data: {} }, { key: other.key });
  await receiver.count(1);
  expect(receiver.received[0]?.body).toBe('"quick"');
  expect(Date.now() - startedAt).toBeLessThan(2500);
});
