import { afterAll, beforeAll, expect, test } from "vitest";
import { mintKey, otherWorkspace } from "../../testing/keys.ts";
import { startReceiver } from "../../testing/receiver.ts";
import type { Receiver } from "../../testing/receiver.ts";
import { startService } from "../../testing/service.ts";
import type { Parsed, TestService } from "../../testing/test-service.ts";

let service: TestService;
let receiver: Receiver;

beforeAll(async () => {
  service = await startService();
  receiver = await startReceiver();
});
afterAll(async () => {
  await service.close();
  await receiver.close();
});

interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Parsed;
  readonly text: string;
}

async function svix(
  method: string,
  path: string,
  body?: unknown,
  { key = service.key, headers = {} }: { readonly key?: string; readonly headers?: Record<string, string> } = {},
): Promise<Answered> {
  const response = await fetch(`${service.baseUrl}/api/v1${path}`, {
    method,
    headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json", ...headers },
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: text === "" ? undefined : JSON.parse(text) };
}

async function application(uid: string): Promise<Parsed> {
  return (await svix("POST", "/app", { name: uid, uid })).body;
}

test("a call has the rights of its v1 operation, and its own limits", async () => {
  await application("rights");
  const reader = await mintKey(service, { permission_mode: "read_only" });
  expect((await svix("GET", "/app/rights", undefined, reader)).status).toBe(200);
  expect(await svix("POST", "/app", { name: "x" }, reader)).toMatchObject({
    status: 403,
    body: { code: "key_read_only" },
  });
  const blocked = await mintKey(service, {
    permission_mode: "restricted",
    blocked_actions: ["webhook_endpoints.toggle"],
  });
  const made = await svix("POST", "/app/rights/endpoint", { url: receiver.url, uid: "e" }, blocked);
  expect(made.status).toBe(201);
  expect((await svix("PATCH", "/app/rights/endpoint/e", { description: "d" }, blocked)).status).toBe(200);
  expect((await svix("PATCH", "/app/rights/endpoint/e", { disabled: true }, blocked)).status).toBe(403);
  expect((await svix("PUT", "/app/rights/endpoint/e", { url: receiver.url }, blocked)).status).toBe(403);
  const none = await mintKey(service, { permission_mode: "restricted", blocked_actions: ["svix.*"] });
  expect((await svix("GET", "/app/rights", undefined, none)).status).toBe(403);
  expect(made.headers.get("x-service-ratelimit-limit")).toBe("600");
  expect((await svix("GET", "/app/rights")).headers.get("x-service-ratelimit-limit")).toBe("2000");
  const unknown = await svix("GET", "/app/rights", undefined, { key: "nonsense" });
  expect(unknown).toMatchObject({ status: 401, body: { code: "authentication_failed" } });
  const absent = await svix("GET", "/ingest/api/v1/source", undefined, { key: "nonsense" });
  expect(absent.status).toBe(401);
});

test("other tenants, environments and workspaces are closed", async () => {
  const app = await application("closed");
  await application("closed-other");
  const endpoint = (await svix("POST", "/app/closed/endpoint", { url: receiver.url })).body;
  const message = (await svix("POST", "/app/closed/msg", { eventType: "closed.one", payload: {} })).body;
  const tenant = await mintKey(service, { tenant: "closed" });
  expect((await svix("GET", "/app/closed/endpoint", undefined, tenant)).body.data).toHaveLength(1);
  expect((await svix("GET", "/app/closed-other/endpoint", undefined, tenant)).status).toBe(403);
  expect((await svix("POST", "/app/closed-other/msg", { eventType: "a.b", payload: {} }, tenant)).status).toBe(403);
  expect((await svix("GET", "/app", undefined, tenant)).status).toBe(403);
  expect((await svix("GET", `/app/closed-other/endpoint/${endpoint.id}`)).status).toBe(404);
  expect((await svix("GET", `/app/closed-other/msg/${message.id}`)).status).toBe(404);
  const sandbox = { key: service.sandboxKey };
  expect((await svix("GET", `/app/${app.id}`, undefined, sandbox)).status).toBe(403);
  expect((await svix("GET", "/app/closed", undefined, sandbox)).status).toBe(404);
  const other = await otherWorkspace(service);
  for (const path of [`/app/${app.id}`, `/app/closed/endpoint/${endpoint.id}`, `/app/closed/msg/${message.id}`])
    expect([403, 404]).toContain((await svix("GET", path, undefined, other)).status);
});

test("a repeated call has one effect and the same bytes", async () => {
  const headers = { "Idempotency-Key": "auto_1" };
  const first = await svix("POST", "/app", { name: "Once" }, { headers });
  const second = await svix("POST", "/app", { name: "Once" }, { headers });
  expect(second).toMatchObject({ status: 201, text: first.text });
  const reused = await svix("POST", "/app", { name: "Twice" }, { headers });
  expect(reused).toMatchObject({ status: 422, body: { detail: [{ loc: ["header", "idempotency-key"] }] } });
  await application("once");
  const send = async (): Promise<Answered> =>
    await svix(
      "POST",
      "/app/once/msg",
      { eventType: "once.x", payload: { a: 1 }, eventId: "e" },
      { headers: { "Idempotency-Key": "auto_2" } },
    );
  const [one, two] = [await send(), await send()];
  expect(one.status).toBe(202);
  expect(two).toMatchObject({ status: 202, text: one.text });
  const app = await Promise.all(
    Array.from({ length: 8 }, async () => await svix("POST", "/app", { name: "r", uid: "raced" })),
  );
  expect(app.map(({ status }) => status).toSorted()).toEqual([201, 409, 409, 409, 409, 409, 409, 409]);
});

test("a payload in the parameters of transformations is the payload, byte for byte", async () => {
  await application("raw");
  await svix("POST", "/app/raw/endpoint", { url: receiver.url, eventTypes: ["raw.sent"] });
  const from = receiver.received.length;
  const rawPayload = '{ "n": 1.50,\n "e": 12345678901234567890 }';
  const head = { eventType: "raw.sent", payload: {} };
  const params = { rawPayload, headers: { "content-type": "application/json; charset=utf-8" } };
  const made = await svix("POST", "/app/raw/msg", { ...head, transformationsParams: params });
  expect([made.status, made.text]).toEqual([202, expect.stringContaining(`"payload":${rawPayload}`)]);
  expect((await receiver.count(from + 1)).at(-1)?.body).toBe(rawPayload);
  const none = await svix("POST", "/app/raw/msg", { ...head, transformationsParams: { rawPayload: null } });
  expect(none.body.payload).toEqual({});
  const deep = `${'{"a":'.repeat(70)}1${"}".repeat(70)}`;
  for (const wrong of ["<xml/>", "[1]", '"text"', "", '{"a":1,"a":2}', deep, 7, {}, "{}x"]) {
    const refused = await svix("POST", "/app/raw/msg", { ...head, transformationsParams: { rawPayload: wrong } });
    const place = { detail: [{ loc: ["body", "transformationsParams", "rawPayload"] }] };
    expect({ wrong, ...refused }).toMatchObject({ wrong, status: 422, body: place });
  }
  for (const type of ["application/xml", "text/plain", "application/jsonp", 7]) {
    const typed = { rawPayload: "{}", headers: { "content-type": type } };
    const refused = await svix("POST", "/app/raw/msg", { ...head, transformationsParams: typed });
    expect([type, refused.status]).toEqual([type, 422]);
  }
  expect((await svix("GET", "/app/raw/msg")).body.data).toHaveLength(2);
});

test("bodies of the future and wrong ones are answered as Svix does", async () => {
  await application("bodies");
  expect((await svix("POST", "/app", { name: "New", unknownMember: { a: 1 } })).status).toBe(201);
  const text = '{"eventType":"bodies.one","payload":{ "n": 12345678901234567890 },"transformationsParams":{}}';
  const message = await svix("POST", "/app/bodies/msg", text);
  expect(message.text).toContain('"payload":{ "n": 12345678901234567890 }');
  expect((await svix("GET", `/app/bodies/msg/${message.body.id}?with_content=false`)).body.payload).toEqual({});
  const wrong: readonly (readonly [string, string, unknown, string])[] = [
    ["POST", "/app/bodies/endpoint", { url: "http://10.0.0.1/" }, "url"],
    ["POST", "/app/bodies/endpoint", { url: receiver.url, eventTypes: ["a..b"] }, "eventTypes"],
    ["POST", "/app/bodies/endpoint", { url: receiver.url, secret: "whsk_abc" }, "secret"],
    ["POST", "/app/bodies/msg", { eventType: "webhook.endpoint.disabled", payload: {} }, "eventType"],
    ["POST", "/app/bodies/msg", { eventType: "a.b", payload: [1] }, "payload"],
    ["POST", "/app", { name: "x", uid: "x".repeat(129) }, "uid"],
    [
      "POST",
      "/app/bodies/msg",
      { eventType: "a.b", payload: {}, channels: Array.from({ length: 11 }, String) },
      "channels",
    ],
  ];
  for (const [method, path, body, place] of wrong) {
    const { status, body: answer } = await svix(method, path, body);
    expect([status, answer.detail?.[0]?.loc?.slice(0, 2)]).toEqual([422, ["body", place]]);
  }
  expect(await svix("POST", "/app", "{")).toMatchObject({ status: 400, body: { code: "malformed_json" } });
  expect((await svix("GET", "/app?limit=0")).body.detail[0].loc).toEqual(["query", "limit"]);
  expect((await svix("GET", "/app/bodies/msg?iterator=nonsense")).status).toBe(422);
  expect((await svix("POST", "/app/nobody/msg", { eventType: "a.b", payload: {} })).body.code).toBe("not_found");
  const large = { eventType: "a.b", payload: { text: "x".repeat(300_000) } };
  expect(await svix("POST", "/app/bodies/msg", large)).toMatchObject({
    status: 413,
    body: { code: "payload_too_large" },
  });
});

test("a message brings its application, and a deleted one is gone at once", async () => {
  const body = { eventType: "brought.one", payload: {}, application: { name: "Brought", uid: "brought" } };
  expect((await svix("POST", "/app/brought/msg", body)).status).toBe(202);
  expect((await svix("GET", "/app/brought")).body).toMatchObject({ name: "Brought", uid: "brought" });
  expect((await svix("POST", "/app/elsewhere/msg", body)).status).toBe(422);
  expect((await svix("DELETE", "/app/brought")).status).toBe(204);
  expect((await svix("GET", "/app/brought")).status).toBe(404);
  expect((await svix("POST", "/app/brought/msg", { eventType: "a.b", payload: {} })).status).toBe(404);
  const bare = { event: "bare.one", data: {}, tenant: "bare" };
  await service.api("POST", "/v1/events/fire", bare);
  expect((await svix("GET", "/app/bare")).body).toMatchObject({ id: "bare", uid: "bare", name: "bare" });
  expect((await svix("POST", "/app", { name: "Bare", uid: "bare" })).body.name).toBe("Bare");
  const renamed = await svix("PATCH", "/app/bare", { uid: "bare-2" });
  expect((await svix("GET", "/app/bare-2")).body.id).toBe(renamed.body.id);
  expect((await svix("POST", "/app/bare-2/msg", { eventType: "a.b", payload: {} })).status).toBe(202);
  expect((await service.api("GET", "/v1/events?tenant=bare&event=a.b")).body.data).toHaveLength(1);
});

test("secrets are in no audit entry, and those of others are refused", async () => {
  await application("secrets");
  const secret = "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3";
  await svix("POST", "/app/secrets/endpoint", {
    url: receiver.url,
    uid: "s",
    secret,
    headers: { "X-Token": "t0ps3cret-value" },
  });
  const rotated = await svix("POST", "/app/secrets/endpoint/s/secret/rotate", { key: `whsec_${secret.toLowerCase()}` });
  expect(rotated).toMatchObject({ status: 200, body: { key: `whsec_${secret.toLowerCase()}` } });
  await svix("PUT", "/app/secrets/endpoint/s/headers", { headers: { "X-Token": "an0ther-value" } });
  expect((await svix("GET", "/app/secrets/endpoint/s/headers")).body).toEqual({
    headers: { "X-Token": "an0ther-value" },
    sensitive: [],
  });
  const developer = await mintKey(service, { role: "developer" });
  expect((await svix("GET", "/app/secrets/endpoint/s/secret", undefined, developer)).status).toBe(403);
  expect((await svix("GET", "/app/secrets/endpoint/s/headers", undefined, developer)).body).toEqual({
    headers: {},
    sensitive: ["X-Token"],
  });
  const audit = (await service.api("GET", "/v1/audit?limit=100")).text;
  for (const hidden of [secret, secret.toLowerCase(), "t0ps3cret-value", "an0ther-value"])
    expect(audit).not.toContain(hidden);
  expect(audit).toContain("webhook_endpoints.headers");
  expect(audit).toContain("webhook_endpoints.secret.regenerate");
});

test("an absent part of the API of Svix is refused with its replacement", async () => {
  for (const path of [
    "/app/x/endpoint/y/transformation",
    "/stream",
    "/ingest/api/v1/source",
    "/app/x/msg/precheck/active",
    "/background-task",
  ]) {
    const { status, body } = await svix("GET", path);
    expect([path, status, body.code]).toEqual([path, 400, "not_supported"]);
    expect(body.detail).toMatch(/Use |Subscribe|Receive|Events/);
  }
  expect((await svix("GET", "/nothing/of/it")).status).toBe(404);
  expect((await fetch(`${service.baseUrl}/api/v1/inbound.php`, { method: "PATCH" })).status).toBe(405);
});

/** Reads a whole list, some objects at a time. */
async function whole(path: string): Promise<string[]> {
  const all: string[] = [];
  for (let iterator = ""; ;) {
    const { status, body } = await svix("GET", `${path}${iterator === "" ? "" : `&iterator=${iterator}`}`);
    expect(status).toBe(200);
    all.push(...body.data.map((one: Parsed) => one.msgId ?? one.id));
    if (body.done === true) return all;
    iterator = body.iterator;
  }
}

test("a list that selects some of many is complete, in both directions", async () => {
  await application("lists");
  await svix("POST", "/app/lists/endpoint", { url: receiver.url, uid: "e" });
  const sent: string[] = [];
  for (let n = 0; n < 10; n += 1) {
    const message = { eventType: n % 2 === 0 ? "lists.even" : "lists.odd", payload: { n }, tags: [`t${n % 5}`] };
    sent.unshift((await svix("POST", "/app/lists/msg", message)).body.id);
  }
  const even = sent.filter((_id, at) => at % 2 === 1);
  const arrivedAll = async (): Promise<number> => (await whole("/app/lists/attempt/endpoint/e?limit=50")).length;
  await expect.poll(arrivedAll).toBe(10);
  expect(await whole("/app/lists/msg?limit=3")).toEqual(sent);
  expect(await whole("/app/lists/msg?limit=2&event_types=lists.even")).toEqual(even);
  expect(await whole("/app/lists/msg?limit=1&tag=t0")).toEqual([sent[4], sent[9]]);
  for (const path of ["/app/lists/endpoint/e/msg", "/app/lists/attempt/endpoint/e"]) {
    expect(await whole(`${path}?limit=3`)).toEqual(sent);
    expect(await whole(`${path}?limit=2&event_types=lists.even`)).toEqual(even);
    expect(await whole(`${path}?limit=2&status=2`)).toEqual([]);
    expect(await whole(`${path}?limit=1&tag=t0`)).toEqual([sent[4], sent[9]]);
  }
  const { body } = await svix("GET", `/app/lists/msg?limit=3&iterator=${sent[2]}`);
  const back = await svix("GET", `/app/lists/msg?limit=2&iterator=${body.prevIterator}`);
  expect(back.body.data.map(({ id }: Parsed) => id)).toEqual([sent[1], sent[2]]);
  expect(back.body.done).toBe(false);
});
