import { inspect } from "node:util";
import { afterEach, expect, test, vi } from "vitest";
import { covers } from "../../../requirements/covers.ts";
import { ConnectionError, Junction, ServiceError, TimeoutError, ValidationError } from "../src/index.ts";
import type { FetchInit, FetchResponse, JunctionOptions, Try } from "../src/index.ts";
import { createSigner, signRequest } from "../src/signing.ts";
import { fixtures, mockTransport } from "../src/testing.ts";

const KEY = "jn_live_9hT2mQe7xR4vK1pZ8cW6nB3yL5sD0fGaJuEo3kQ1xM741e8TL";
const SECRET = "sgn_never_to_be_shown_anywhere_1234567890";

afterEach(() => {
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
});

test("key, address and signing secret come from the constructor or the environment", async () => {
  vi.stubEnv("JUNCTION_API_KEY", KEY);
  vi.stubEnv("JUNCTION_BASE_URL", "https://junction.example.com/base/");
  vi.stubEnv("JUNCTION_SIGNING_SECRET", SECRET);
  const fromEnvironment = await asked({});
  expect(fromEnvironment.url).toBe("https://junction.example.com/base/v1/me");
  expect(fromEnvironment.init.headers["authorization"]).toBe(`Bearer ${KEY}`);
  const given = await asked({ apiKey: fixtures.apiKey, baseUrl: "https://other.example.com" });
  expect([given.url, given.init.headers["authorization"]]).toEqual([
    "https://other.example.com/v1/me",
    `Bearer ${fixtures.apiKey}`,
  ]);
  expect(judged(fromEnvironment, SECRET)).toBe(true);
  expect(judged(given, SECRET)).toBe(true);
  expect(judged(await asked({ signingSecret: "sgn_other" }), "sgn_other")).toBe(true);
});

test("without settings, the address is this machine's service, and a key is required", async () => {
  vi.stubEnv("JUNCTION_BASE_URL", "");
  vi.stubEnv("JUNCTION_API_KEY", " ");
  expect((await asked({ apiKey: KEY })).url).toBe("http://127.0.0.1:4000/v1/me");
  expect(() => new Junction()).toThrow(/API key is missing.*JUNCTION_API_KEY/);
  expect(() => new Junction({ keyId: "key_1" })).toThrow(/signingSecret/);
});

for (const baseUrl of [
  "http://localhost:4000",
  "http://127.9.9.9",
  "http://[::1]:1",
  "http://api.localhost",
  "https://a.b/c",
]) {
  test(`a key may go to ${baseUrl}`, () => {
    expect(() => new Junction({ apiKey: KEY, baseUrl })).not.toThrow();
  });
}

for (const baseUrl of [
  "http://junction.example.com",
  "http://127.0.0.1.example.com",
  "http://localhost.example.com",
  "http://10.0.0.1",
  "http://[::2]",
  "ftp://localhost",
  "junction.example.com",
  "https://user:secret-password@junction.example.com",
  "https://junction.example.com?key=secret-query",
  "https://junction.example.com#x",
  "",
]) {
  test(`a key may not go to "${baseUrl}"`, () => {
    const error = thrownBy(() => new Junction({ apiKey: KEY, baseUrl }));
    expect(error).toBeInstanceOf(TypeError);
    expect(inspect(error)).not.toMatch(/secret-/);
  });
}

for (const [what, options] of Object.entries({
  "a key with a line end": { apiKey: `${KEY}\n` },
  "a key with a blank": { apiKey: `${KEY} x` },
  "a key with other letters": { apiKey: `${KEY}é` },
  "an empty key": { apiKey: "" },
  "a key that is no text": { apiKey: 7 as unknown as string },
  "retries below zero": { apiKey: KEY, maxRetries: -1 },
  "half a retry": { apiKey: KEY, maxRetries: 0.5 },
  "retries without end": { apiKey: KEY, maxRetries: Infinity },
  "no time": { apiKey: KEY, timeoutMs: 0 },
  "a time that is no number": { apiKey: KEY, timeoutMs: Number.NaN },
  "a deadline in the past": { apiKey: KEY, deadlineMs: -1 },
} satisfies Record<string, JunctionOptions>)) {
  test(`the constructor refuses ${what} without showing it`, () => {
    const error = thrownBy(() => new Junction(options));
    expect(error).toBeInstanceOf(TypeError);
    expect(inspect(error)).not.toContain(KEY);
  });
}

covers("sdk.handles.signing", "key and secret never appear in output, JSON or an echoed response", async () => {
  const tries: Try[] = [];
  const echo = async (_url: string, init: FetchInit): Promise<FetchResponse> => {
    const text = JSON.stringify({
      code: `odd ${KEY}`,
      detail: `You sent ${JSON.stringify(init.headers)} ${SECRET}`,
      key: KEY,
    });
    return await Promise.resolve(answerOf(400, text, { "x-echo": `${KEY} ${SECRET}` }));
  };
  const options: JunctionOptions = {
    apiKey: KEY,
    signingSecret: SECRET,
    maxRetries: 0,
    onTry: (one) => tries.push(one),
  };
  const echoing = new Junction({ ...options, fetch: echo });
  const breaking = new Junction({
    ...options,
    fetch: async (_url, init) => {
      const cause = Object.assign(new Error(`inner ${KEY}`), { config: init, code: "EODD" });
      return await Promise.reject(
        Object.assign(new Error(`failed with ${init.headers["authorization"] ?? ""}`, { cause }), { init }),
      );
    },
  });
  const errors = [
    await echoing.me.get().catch((error: unknown) => error),
    await breaking.events.fire("a.b", {}).catch((error: unknown) => error),
  ];
  expect(errors[0]).toBeInstanceOf(ValidationError);
  expect(errors[1]).toBeInstanceOf(ConnectionError);
  expect((errors[1] as Error).message).toContain("EODD");
  const shown = [echoing, echoing.events, echoing.webhooks, breaking, ...errors, tries].map(
    (one) => inspect(one, { depth: 20, showHidden: true, getters: true }) + JSON.stringify(one) + String(one),
  );
  expect(shown.join("\n")).not.toContain(KEY);
  expect(shown.join("\n")).not.toContain(SECRET);
  expect(shown[4]).toContain("[redacted]");
  expect((errors[1] as Error).stack).not.toContain(KEY);
});

test("the caller's signal ends a call and its wait with the signal's reason", async () => {
  const reason = new Error("enough");
  const waiting = new AbortController();
  const junction = new Junction({
    apiKey: KEY,
    maxRetries: 5,
    timing: { random: () => 0.99 },
    fetch: async () => {
      setTimeout(() => {
        waiting.abort(reason);
      }, 20);
      return await Promise.resolve(answerOf(503, ""));
    },
  });
  await expect(junction.me.get({ signal: waiting.signal })).rejects.toBe(reason);
  await expect(junction.me.get({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  const hanging = new Junction({ apiKey: KEY, fetch: hang });
  const during = new AbortController();
  const call = hanging.me.get({ signal: during.signal });
  during.abort(reason);
  await expect(call).rejects.toBe(reason);
});

test("the options of a call take precedence over the client's", async () => {
  const junction = new Junction({ apiKey: KEY, timeoutMs: 60_000, maxRetries: 3, fetch: hang });
  const error: unknown = await junction.me.get({ timeoutMs: 20, maxRetries: 0 }).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(TimeoutError);
  expect(error).toMatchObject({ attempts: 1, code: "timeout", message: "No response within 20 ms." });
});

test("the caller's headers are sent, except those that identify the caller", async () => {
  const mock = mockTransport();
  const headers = {
    "X-Trace": "1",
    Authorization: "Bearer other",
    "x-service-signature": "0",
    "Idempotency-Key": "theirs",
  };
  await new Junction(mock.options).me.get({ headers });
  const sent = mock.calls[0]?.headers;
  expect(sent).toMatchObject({ "x-trace": "1", authorization: `Bearer ${fixtures.apiKey}` });
  expect(sent?.["x-service-signature"]).toMatch(/^[\da-f]{64}$/);
  expect(sent).not.toHaveProperty("idempotency-key");
});

test("parameters cannot leave the path, and an idempotency key cannot break a header", async () => {
  const mock = mockTransport();
  const junction = new Junction(mock.options);
  for (const id of ["", ".", ".."]) await expect(junction.customers.get(id)).rejects.toThrow(TypeError);
  await expect(junction.customers.get(undefined as unknown as string)).rejects.toThrow(/id must be a non-empty string/);
  await expect(junction.request("GET", "https://elsewhere.example/")).rejects.toThrow(/must begin with/);
  await expect(junction.request("GET", "@elsewhere.example/")).rejects.toThrow(/must begin with/);
  for (const idempotencyKey of ["", "a b", "a\r\nX: y", "é", "x".repeat(256)])
    await expect(junction.events.fire("a.b", {}, { idempotencyKey })).rejects.toThrow(/idempotencyKey/);
  expect(mock.calls).toEqual([]);
});

test("query values are escaped, undefined ones omitted, and dates sent as RFC 3339", async () => {
  const mock = mockTransport();
  const junction = new Junction(mock.options);
  await junction.tickets.list({ status: "a&b=c", assignee: undefined, created_after: new Date(0) });
  expect(mock.calls[0]?.query).toEqual({ status: "a&b=c", created_after: "1970-01-01T00:00:00.000Z" });
  await junction.request("GET", "/v1/x?a=1", { query: { b: [1, 2], c: null, d: true } }).catch(() => undefined);
  expect(mock.calls[1]).toMatchObject({ path: "/v1/x", query: { a: "1", b: "2", d: "true" } });
});

test("$response is hidden: neither printed nor copied nor serialized", async () => {
  const fired = await new Junction(mockTransport().options).events.fire("acme.a", {});
  expect(fired.$response.status).toBe(202);
  expect(inspect(fired) + JSON.stringify(fired) + Object.keys({ ...fired }).join()).not.toContain("$response");
});

test("a member called __proto__ is data like any other", async () => {
  const text = '{"id":"con_1","__proto__":{"admin":true},"constructor":1}';
  const junction = new Junction({ apiKey: KEY, fetch: async () => await Promise.resolve(answerOf(200, text)) });
  const customer = await junction.customers.get("con_1");
  expect(JSON.stringify(customer)).toBe(text);
  expect((customer as unknown as Record<string, unknown>)["admin"]).toBeUndefined();
});

test("onTry is called once for each request", async () => {
  const tries: Try[] = [];
  const mock = mockTransport().fail("customers.get", "service_unavailable");
  await new Junction({ ...mock.options, onTry: (one) => tries.push(one) }).customers.get("con_1");
  expect(tries.map(({ durationMs, ...rest }) => ({ ...rest, timed: durationMs >= 0 }))).toEqual([
    {
      operation: "customers.get",
      method: "GET",
      path: "/v1/customers/con_1",
      attempt: 1,
      status: 503,
      code: "service_unavailable",
      requestId: "req_mock",
      timed: true,
    },
    {
      operation: "customers.get",
      method: "GET",
      path: "/v1/customers/con_1",
      attempt: 2,
      status: 200,
      code: null,
      requestId: "req_mock",
      timed: true,
    },
  ]);
});

test("the global fetch is looked up at each call, so a replacement is used", async () => {
  const junction = new Junction({ apiKey: KEY });
  vi.stubGlobal("fetch", async () => await Promise.resolve(answerOf(200, '{"id":"con_stub"}')));
  expect((await junction.customers.get("con_1")).id).toBe("con_stub");
});

test("a list stops at its limit and can be read twice", async () => {
  const mock = mockTransport().reply("tickets.list", (call) => ({
    object: "list",
    data: [{ id: `tkt_${call.query["cursor"] ?? "0"}` }],
    has_more: true,
    next_cursor: String(Number(call.query["cursor"] ?? 0) + 1),
  }));
  const list = new Junction(mock.options).tickets.list();
  expect(mock.calls).toHaveLength(0);
  expect((await list.all({ limit: 3 })).map(({ id }) => id)).toEqual(["tkt_0", "tkt_1", "tkt_2"]);
  expect(await list.all({ limit: 0 })).toEqual([]);
  expect((await list).data.map(({ id }) => id)).toEqual(["tkt_0"]);
  expect(mock.calls).toHaveLength(3);
  const failing = new Junction(mockTransport().fail("tickets.list", "query_invalid").options).tickets.list();
  await expect(failing.catch((error: unknown) => error)).resolves.toBeInstanceOf(ValidationError);
});

test("the mock responds with the contract's examples, and fails on request", async () => {
  const mock = mockTransport().fail("events.fire", "rate_limited").disconnect("events.fire");
  const junction = new Junction(mock.options);
  expect((await junction.events.fire("acme.a", { a: 1 })).$response.attempts).toBe(3);
  expect(mock.calls.map(({ operation, body }) => [operation, body])).toEqual(
    Array.from({ length: 3 }, () => ["events.fire", { event: "acme.a", data: { a: 1 } }]),
  );
  expect(await junction.workflows.runs.get("wfr_1")).toEqual(fixtures.answer("workflows.runs.get"));
  expect(await junction.workflows.runs.list("wf_1").all()).not.toEqual([]);
  expect(mock.calls.slice(3).map(({ operation }) => operation)).toEqual(["workflows.runs.get", "workflows.runs.list"]);
  await expect(junction.request("GET", "/v1/none")).rejects.toThrow(ServiceError);
});

test("a fixture is a copy that other tests do not share", () => {
  fixtures.data("order.created").order.external_id = "changed";
  expect(fixtures.data("order.created").order.external_id).not.toBe("changed");
});

/** Returns true if the request is signed by this secret. */
function judged({ url, init }: { url: string; init: FetchInit }, secret: string): boolean {
  const { pathname } = new URL(url);
  const timestamp = Number(init.headers["x-service-timestamp"]);
  const request = { timestamp, method: init.method, target: pathname, idempotencyKey: "", body: init.body ?? "" };
  return signRequest(createSigner(secret), request) === init.headers["x-service-signature"];
}

async function asked(options: JunctionOptions): Promise<{ url: string; init: FetchInit }> {
  const calls: { url: string; init: FetchInit }[] = [];
  const junction = new Junction({
    ...options,
    fetch: async (url, init) => {
      calls.push({ url, init });
      return await Promise.resolve(answerOf(200, "{}"));
    },
  });
  await junction.me.get();
  const [call] = calls;
  if (call === undefined) throw new Error("nothing was asked");
  return call;
}

function answerOf(status: number, text: string, headers: Record<string, string> = {}): FetchResponse {
  const forEach = (each: (value: string, name: string) => void): void => {
    for (const [name, value] of Object.entries(headers)) each(value, name);
  };
  return { status, headers: { forEach }, text: async () => await Promise.resolve(text) };
}

async function hang(_url: string, { signal }: FetchInit): Promise<FetchResponse> {
  return await new Promise((_resolve, reject) => {
    signal.addEventListener("abort", () => {
      reject(new Error("aborted"));
    });
  });
}

function thrownBy(make: () => unknown): unknown {
  try {
    return make();
  } catch (error) {
    return error;
  }
}
