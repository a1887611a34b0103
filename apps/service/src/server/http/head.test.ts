import { afterAll, beforeAll, expect, test } from "vitest";
import { routesOfService } from "../../testing/contract.ts";
import { mintKey } from "../../testing/keys.ts";
import { sendBytes, sendRaw } from "../../testing/raw-http.ts";
import type { RawAnswer } from "../../testing/raw-http.ts";
import { signV1 } from "../../testing/request-signing.ts";
import { startService } from "../../testing/service.ts";
import { UNLIMITED } from "../../testing/subscription.ts";
import type { TestService } from "../../testing/test-service.ts";

let service: TestService;
beforeAll(async () => {
  service = await startService({ env: UNLIMITED });
});
afterAll(async () => {
  await service.close();
});

const HTML = { Accept: "text/html" };

async function asked(method: string, path: string, headers: Record<string, string> = {}): Promise<RawAnswer> {
  return await sendRaw(service.baseUrl, {
    method,
    path,
    headers: { Authorization: `Bearer ${service.key}`, ...headers },
  });
}

/** Returns the status and the headers that do not differ from request to request. */
function lasting({ status, headers }: RawAnswer): object {
  const varying =
    /^(?:date|x-service-ratelimit-|x-service-request-id|content-length|transfer-encoding|etag|set-cookie|location)/;
  const kept = Object.entries(headers).filter(([name]) => !varying.test(name));
  return {
    status,
    headers: kept.map(([name, value]) => [name, String(value).replaceAll(/nonce-[\w+/=-]+/g, "nonce")]),
  };
}

test("a HEAD of every route has the status and headers of the GET", async () => {
  const gets = (await routesOfService()).filter(({ method }) => method === "GET").map(({ url }) => url);
  const own = [
    "/livez",
    "/readyz",
    "/readyz?deep=1",
    "/version",
    "/openapi.json",
    "/asyncapi.json",
    "/docs/guide/inbound",
  ];
  expect(gets.length).toBeGreaterThan(100);
  for (const url of [...gets.filter((one) => one !== "/v1/stream"), ...own]) {
    const path = url.replaceAll(/:\w+/g, "x").replace("*", "x");
    const [get, head] = [await asked("GET", path), await asked("HEAD", path)];
    expect([path, lasting(head), head.text]).toEqual([path, lasting(get), ""]);
  }
});

test("a HEAD tells the length of the body that it leaves out", async () => {
  for (const path of ["/livez", "/version", "/v1/me", "/docs", "/openapi.json", "/v1/deliveries/nothing", "/nowhere"]) {
    const [get, head] = [await asked("GET", path), await asked("HEAD", path)];
    const { "content-length": length } = head.headers;
    expect([path, Number(length) > 0, length?.length]).toEqual([path, true, get.headers["content-length"]?.length]);
  }
  const pages = [await asked("GET", "/deliveries", HTML), await asked("HEAD", "/deliveries", HTML)];
  expect(pages.map(({ status, headers }) => [status, headers["content-type"]])).toEqual([
    [200, "text/html; charset=utf-8"],
    [200, "text/html; charset=utf-8"],
  ]);
});

test("a HEAD leaves the connection usable: nothing of a body follows its headers", async () => {
  const head = (path: string, last = ""): string => `HEAD ${path} HTTP/1.1\r\nHost: x\r\n${last}\r\n`;
  const text = await sendBytes(
    service.baseUrl,
    head("/livez") + head("/nowhere") + head("/v1/me") + head("/%zz") + head("/docs", "Connection: close\r\n"),
  );
  expect(text.match(/HTTP\/1\.1 \d+/g)?.map((line) => line.slice(9))).toEqual(["200", "404", "401", "400", "200"]);
  expect(text.split("\r\n\r\n").at(-1)).toBe("");
  expect(text).not.toMatch(/[{}<]/);
});

test("a path without GET answers HEAD with 405, and Allow names HEAD with GET", async () => {
  expect((await asked("HEAD", "/v1/auth/sign-in")).headers["allow"]).toBe("POST");
  expect((await asked("PUT", "/v1/me")).headers["allow"]).toBe("GET, HEAD");
  expect((await asked("OPTIONS", "/v1/me")).headers["allow"]).toBe("GET, HEAD");
});

test("a signature covers HEAD as the method, and the request log shows it", async () => {
  const signed = signV1({ secret: service.key, method: "HEAD", target: "/v1/me", body: "" });
  expect((await asked("HEAD", "/v1/me", signed)).status).toBe(200);
  const other = signV1({ secret: service.key, method: "GET", target: "/v1/me", body: "" });
  expect((await asked("HEAD", "/v1/me", other)).status).toBe(401);
  await service.until("/v1/requests?operation=me.get&limit=5", ({ data }) =>
    data.some((one: { method: string; status: number }) => one.method === "HEAD" && one.status === 200),
  );
});

test("a HEAD of the stream holds no place and needs the right", async () => {
  const answers = await Promise.all(Array.from({ length: 50 }, async () => await asked("HEAD", "/v1/stream")));
  expect(answers.map(({ status, headers }) => [status, headers["content-type"]])).toEqual(
    answers.map(() => [200, "text/event-stream; charset=utf-8"]),
  );
  const csv = await asked("HEAD", "/v1/audit/export.csv");
  expect([csv.status, csv.headers["content-type"], csv.text]).toEqual([
    200,
    "text/csv; charset=utf-8; header=present",
    "",
  ]);
  expect((await asked("HEAD", "/v1/stream?kinds=nothing")).status).toBe(400);
  expect((await asked("HEAD", "/v1/stream", { Authorization: "Bearer nobody" })).status).toBe(401);
});

test("a HEAD is limited as its GET is", async () => {
  const few = await mintKey(service, { rate_limit_per_hour: 3 });
  const headers = { Authorization: `Bearer ${few.key}` };
  const statuses = [];
  for (let at = 0; at < 4; at += 1) statuses.push((await asked("HEAD", "/v1/me", headers)).status);
  expect(statuses).toEqual([200, 200, 200, 429]);
});
