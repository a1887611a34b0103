import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { putSecret, startHttpCalls } from "../testing/http-calls.ts";
import type { HttpCallTest } from "../testing/http-calls.ts";
import type { Receiver } from "../testing/receiver.ts";
import type { Parsed, TestService } from "../testing/test-service.ts";

let service: TestService;
let receiver: Receiver;
let origin: string;
let tryCall: HttpCallTest["tryCall"];
let close: () => Promise<void>;

beforeAll(async () => {
  ({ service, receiver, origin, tryCall, close } = await startHttpCalls());
});
afterEach(() => receiver.status(200));
afterAll(async () => await close());

describe("the request", () => {
  test("is filled in, authenticated and sent, and its response is shown without the secret", async () => {
    receiver.answer((response, { headers }) =>
      response
        .writeHead(201, { "Content-Type": "application/json", "Set-Cookie": "session=1", "X-Seen": "yes" })
        .end(`{"id":12345678901234567890,"echo":"${headers.authorization ?? ""}"}`),
    );
    const answer = await tryCall(
      {
        method: "POST",
        url: `${origin}/orders/\${$.data.id}/notes?from=rule`,
        query: { page: "${$.data.page}", size: 10 },
        headers: { "X-Name": "${$.data.name}" },
        body: { total: "${$.data.total}", text: "For ${$.data.name}" },
        auth: { type: "bearer", secret_ref: "api_token" },
      },
      { data: { id: "a/../b?x=1#y", page: "1&size=99", name: "Ada", total: 10.5 } },
    );
    expect(answer["status"]).toBe(200);
    const sent = receiver.received.at(-1);
    expect([sent?.method, sent?.path]).toEqual([
      "POST",
      "/orders/a%2F..%2Fb%3Fx%3D1%23y/notes?from=rule&page=1%26size%3D99&size=10",
    ]);
    expect(JSON.parse(sent?.body ?? "")).toEqual({ total: 10.5, text: "For Ada" });
    expect(sent?.headers).toMatchObject({
      authorization: "Bearer token-of-the-api",
      "x-name": "Ada",
      "content-type": "application/json",
      "idempotency-key": expect.stringMatching(/^call_/),
    });
    expect(answer["body"]).toMatchObject({
      object: "http_call_test",
      sent: true,
      succeeded: true,
      request: { headers: { Authorization: "[redacted]" }, auth: { secret_ref: "api_token" } },
      response: { status: 201, headers: { "x-seen": "yes" }, body: { echo: "Bearer [redacted]" } },
    });
    expect(answer["text"]).toContain('"id":12345678901234567890');
    expect(answer["text"]).not.toMatch(/token-of-the-api|session=1/);
  });

  test("is shown by a dry run, which sends nothing", async () => {
    const before = receiver.received.length;
    const { body } = await tryCall(
      { method: "GET", url: `${origin}/x`, auth: { type: "api_key", header: "X-Key", secret_ref: "none" } },
      { dry_run: true },
    );
    expect(body).toMatchObject({
      sent: false,
      succeeded: null,
      response: null,
      request: { url: `${origin}/x`, headers: { "X-Key": "[redacted]" } },
    });
    expect(receiver.received.length).toBe(before);
  });

  test("sends forms and texts", async () => {
    await tryCall({ method: "POST", url: origin, form: { a: "${$.data.a}", b: true } }, { data: { a: "x y&z" } });
    expect(receiver.received.at(-1)).toMatchObject({
      body: "a=x+y%26z&b=true",
      headers: { "content-type": "application/x-www-form-urlencoded" },
    });
    await tryCall({ method: "PUT", url: origin, text: "Hi ${$.data.a}" }, { data: { a: "Ada" } });
    expect(receiver.received.at(-1)).toMatchObject({
      body: "Hi Ada",
      headers: { "content-type": "text/plain; charset=utf-8" },
    });
  });

  test("an access token is kept, and replaced when the API does not accept it", async () => {
    await putSecret(service, "client", "client-secret");
    let tokens = 0;
    receiver.answer((response, { path, headers }) => {
      if (path === "/token") {
        tokens += 1;
        response.writeHead(200).end(JSON.stringify({ access_token: `token-${tokens}`, expires_in: 3600 }));
      } else
        response
          .writeHead(headers.authorization === "Bearer token-2" || tokens < 2 ? 200 : 401)
          .end(headers.authorization);
    });
    const auth = {
      type: "oauth2_client_credentials",
      secret_ref: "client",
      client_id: "me",
      token_url: `${origin}/token`,
      scope: "a b",
    };
    const call = { method: "GET", url: `${origin}/things`, auth };
    const together = await Promise.all(Array.from({ length: 8 }, async () => await tryCall(call)));
    for (const { body } of together)
      expect(body).toMatchObject({ succeeded: true, response: { text: "Bearer [redacted]" } });
    await tryCall(call);
    expect(tokens).toBe(1);
    const asked = receiver.received.find(({ path }) => path === "/token");
    expect(asked).toMatchObject({
      body: "grant_type=client_credentials&scope=a+b",
      headers: { authorization: `Basic ${Buffer.from("me:client-secret").toString("base64")}` },
    });
    tokens = 1;
    receiver.answer((response, { path, headers }) => {
      if (path === "/token") tokens += 1;
      if (path === "/token") response.writeHead(200).end(JSON.stringify({ access_token: `token-${tokens}` }));
      else response.writeHead(headers.authorization === "Bearer token-2" ? 200 : 401).end();
    });
    expect((await tryCall(call)).body).toMatchObject({ succeeded: true });
    expect(tokens).toBe(2);
  });
});

describe("a call that cannot be right is refused when it is saved", () => {
  test.each([
    [{ method: "TRACE", url: "https://api.example.com" }, "/method"],
    [{ method: "GET", url: "https://${$.data.host}/x" }, "/url"],
    [{ method: "GET", url: "https://api.example.com${$.data.path}" }, "/url"],
    [{ method: "GET", url: "https://user:pass@api.example.com/" }, "/url"],
    [{ method: "GET", url: "ftp://api.example.com/" }, "/url"],
    [{ method: "GET", url: "https://api.example.com/#a" }, "/url"],
    [{ method: "GET", url: "https://api.example.com/", body: {} }, "/body"],
    [{ method: "POST", url: "https://api.example.com/", body: {}, form: {} }, "/form"],
    [{ method: "GET", url: "https://api.example.com/", headers: { Host: "x" } }, "/headers/Host"],
    [
      { method: "GET", url: "https://api.example.com/", headers: { Authorization: "Bearer x" } },
      "/headers/Authorization",
    ],
    [{ method: "GET", url: "https://api.example.com/", headers: { "X-Api-Key": "x" } }, "/headers/X-Api-Key"],
    [{ method: "GET", url: "https://api.example.com/", timeout_ms: 60_000 }, "/timeout_ms"],
    [{ method: "GET", url: "https://api.example.com/", retries: 9 }, "/retries"],
    [{ method: "GET", url: "https://api.example.com/", auth: { type: "magic" } }, "/auth/type"],
    [{ method: "GET", url: "https://api.example.com/", auth: { type: "bearer" } }, "/auth/secret_ref"],
    [
      { method: "GET", url: "https://api.example.com/", auth: { type: "oauth2_client_credentials", secret_ref: "a" } },
      "/auth/token_url",
    ],
    [{ method: "GET", url: "https://api.example.com/${$.nothing.x}" }, "/url"],
    [
      { method: "GET", url: "https://api.example.com/", success_when: { field: "data.x", op: "eq", value: 1 } },
      "/success_when",
    ],
  ])("%j", async (call, pointer) => {
    const answer = await tryCall(call, { dry_run: true });
    expect([answer["status"], answer["body"].errors.map((error: Parsed) => error.pointer).join()]).toEqual([
      422,
      expect.stringContaining(`/request${pointer}`),
    ]);
    const rule = await service.api("POST", "/v1/rules", { name: "R", on: ["a.b"], then: [{ type: "http", ...call }] });
    expect([rule.status, rule.body.errors?.[0]?.pointer]).toEqual([422, expect.stringContaining(`/then/0${pointer}`)]);
  });

  test.each(["http://10.0.0.1/x", "http://169.254.169.254/latest/${$.data.x}", "http://[::1]:1/"])(
    "a private address is refused: %s",
    async (url) => {
      const then = [{ type: "http", method: "GET", url }];
      const answer = await service.api("POST", "/v1/rules", { name: "R", on: ["a.b"], then });
      expect([answer.status, answer.body.code]).toEqual([422, "url_blocked"]);
      const steps = [{ id: "a", type: "http", method: "GET", url }];
      const workflow = await service.api("POST", "/v1/workflows", { name: "W", trigger: { event: "a.b" }, steps });
      expect([workflow.status, workflow.body.code]).toEqual([422, "url_blocked"]);
      const tried = await tryCall({ method: "GET", url }, { data: { x: 1 } });
      expect(tried["body"]).toMatchObject({ succeeded: false, response: null, error_class: "target_refused" });
    },
  );
});

describe("values", () => {
  test.each([
    [{ url: "/${$.data.no}" }, "value_missing", "$.data.no, which is missing"],
    [{ url: "/x", query: { a: "${$.data.null}" } }, "value_missing", "$.data.null, which is null"],
    [{ url: "/x", headers: { "X-A": "${$.data.lines}" } }, "value_invalid", "header X-A"],
    [{ url: "/a/${$.data.dots}/b" }, "value_invalid", ". or .."],
    [{ url: "/a/.${$.data.dot}/b" }, "value_invalid", ". or .."],
  ])("that are missing or dangerous stop the call: %j", async ({ url, ...more }, code, message) => {
    const data = { null: null, lines: "a\r\nX-Admin: yes", dots: "..", dot: "." };
    const before = receiver.received.length;
    const answer = await tryCall({ method: "GET", url: `${origin}${url}`, ...more }, { data });
    expect([answer["status"], answer["body"].errors[0].code]).toEqual([422, code]);
    expect(answer["body"].errors[0].message).toContain(message);
    expect(receiver.received.length).toBe(before);
  });
});

describe("a receiver that misbehaves", () => {
  test.each([
    [
      "answers with a huge body",
      (): void => receiver.answer((response) => response.writeHead(200).end("x".repeat(300_000))),
    ],
    ["never ends its body", (): void => receiver.answer((response) => void response.writeHead(200).write("x"))],
  ])("and %s is cut off", async (_name, answer) => {
    answer();
    const { body } = await tryCall({ method: "GET", url: origin, timeout_ms: 500 });
    expect(body.response).toMatchObject({ status: 200, truncated: true });
    expect(body.response.text.length).toBeLessThanOrEqual(65_536);
  });

  test("and never answers ends with a timeout", async () => {
    receiver.answer(() => undefined);
    const { body } = await tryCall({ method: "GET", url: origin, timeout_ms: 300 });
    expect(body).toMatchObject({ succeeded: false, response: null, error_class: "timeout" });
  });
});
