import { afterAll, beforeAll, expect, test } from "vitest";
import { covers } from "../../../../../requirements/covers.ts";
import { startService } from "../../testing/service.ts";
import { provesSuccesses } from "../../testing/successes.ts";
import type { ApiAnswer, TestService } from "../../testing/test-service.ts";

const TOKEN = "metrics-token";
let service: TestService;
beforeAll(async () => {
  const env = { JUNCTION_TRUST_PROXIES: "127.0.0.0/8", JUNCTION_METRICS_TOKEN: TOKEN };
  service = await startService({ env });
});
afterAll(async () => await service.close());

/** Reads the body as text if it is not JSON. */
async function get(path: string, headers: Record<string, string> = {}): Promise<ApiAnswer> {
  const response = await fetch(service.baseUrl + path, { headers });
  const text = await response.text();
  const body = text.startsWith("{") ? JSON.parse(text) : text;
  return { status: response.status, headers: response.headers, text, body };
}

covers("openapi.document.complete", "each health route needs no key and responds as documented", async () => {
  await provesSuccesses(service, ["/livez", "/readyz", "/version", "/metrics"], {
    "GET /livez 200": async () => await get("/livez"),
    "GET /readyz 200": async () => await get("/readyz"),
    "GET /version 200": async () => await get("/version"),
    "GET /metrics 200": async () => await get("/metrics"),
  });
});

test("requests through an undeclared local proxy do not count as loopback", async () => {
  const plain = await startService({ env: { JUNCTION_METRICS_TOKEN: TOKEN } });
  const ask = async (headers: Record<string, string>): Promise<number> =>
    (await fetch(`${plain.baseUrl}/metrics`, { headers })).status;
  expect(await ask({})).toBe(200);
  for (const headers of [
    { "X-Forwarded-For": "203.0.113.9" },
    { "X-Forwarded-For": "127.0.0.1" },
    { Forwarded: "for=203.0.113.9" },
  ]) {
    expect([headers, await ask(headers)]).toEqual([headers, 401]);
    expect([headers, await ask({ ...headers, Authorization: `Bearer ${TOKEN}` })]).toEqual([headers, 200]);
  }
  await plain.close();
});

test("metrics are available from loopback or with the token", async () => {
  const outside = { "X-Forwarded-For": "203.0.113.9" };
  const refused = await get("/metrics", outside);
  expect([refused.status, refused.body["code"]]).toEqual([401, "credentials_missing"]);
  expect((await get("/metrics", { ...outside, Authorization: "Bearer wrong" })).status).toBe(401);
  const metrics = await get("/metrics", { ...outside, Authorization: `Bearer ${TOKEN}` });
  expect([metrics.status, metrics.headers.get("content-type")]).toEqual([
    200,
    "text/plain; version=0.0.4; charset=utf-8",
  ]);
  expect(metrics.text).toContain("# TYPE ");
});
