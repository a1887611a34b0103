import Fastify from "fastify";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startService } from "../../testing/service.ts";
import type { App } from "../../accounts/accounts.ts";
import { API_VERSIONS, lifecycleHooks } from "./lifecycle.ts";
import type { TestService } from "../../testing/test-service.ts";

let service: TestService;

beforeAll(async () => {
  service = await startService();
});
afterAll(async () => await service.close());

async function pinned(version: string, key?: string | null) {
  return await service.api("GET", "/v1/events", undefined, {
    headers: { "X-Service-Version": version },
    ...(key === undefined ? {} : { key }),
  });
}

test("a known version is accepted, and the response names it", async () => {
  for (const version of API_VERSIONS) {
    const answer = await pinned(version);
    expect([answer.status, answer.headers.get("x-service-version")]).toEqual([200, version]);
  }
});

test("without a pin, the oldest version responds, on every kind of response", async () => {
  for (const [method, path] of [
    ["GET", "/v1/events"],
    ["GET", "/livez"],
    ["GET", "/nowhere"],
    ["PATCH", "/livez"],
    ["GET", "/v1/%zz"],
  ] as const) {
    const answer = await service.api(method, path);
    expect([path, answer.headers.get("x-service-version")]).toEqual([path, API_VERSIONS[0]]);
  }
});

test.each(["2026-11-20", "2099-01-01", "latest", "v1", "2026-11-21, 2026-11-21", " "])(
  "an unknown version is refused with the list of known versions: %s",
  async (version) => {
    const answer = await pinned(version);
    expect([answer.status, answer.body["code"]]).toEqual([400, "version_unknown"]);
    expect(answer.body["known_versions"]).toEqual(API_VERSIONS);
    expect(answer.body["detail"]).toContain(API_VERSIONS.join(", "));
  },
);

test("a wrong credential is reported before a wrong version", async () => {
  expect((await pinned("latest", null)).body["code"]).toBe("credentials_missing");
});

test("a refused version has no effect: the same idempotency key works afterwards", async () => {
  const headers = { "Idempotency-Key": "version-then-not" };
  const body = { name: "pinned", permission_mode: "read_only" };
  const refused = await service.api("POST", "/v1/keys", body, { headers: { ...headers, "X-Service-Version": "1" } });
  const made = await service.api("POST", "/v1/keys", body, { headers });
  expect([refused.status, made.status, made.headers.get("idempotent-replayed")]).toEqual([400, 201, null]);
});

const ending = { since: "2027-01-01", sunset: "2028-01-01", see: "/docs" };

function deprecating(deprecated: typeof ending): App {
  const app: App = Fastify();
  lifecycleHooks(app);
  app.get("/old", { config: { callers: "public", deprecated } }, () => ({}));
  app.get("/new", () => ({}));
  return app;
}

test("a deprecated route reports its dates and a link, and another reports nothing", async () => {
  const app = deprecating(ending);
  const { headers } = await app.inject("/old");
  expect(headers).toMatchObject({
    deprecation: "@1798761600",
    sunset: "Sat, 01 Jan 2028 00:00:00 GMT",
    link: '</docs>; rel="deprecation"; type="text/html"',
  });
  expect(Object.keys((await app.inject("/new")).headers)).not.toContain("deprecation");
});

test("no operation is removed with less than twelve months' notice", () => {
  expect(() => deprecating({ ...ending, sunset: "2027-12-31" })).toThrow("twelve months");
  expect(() => deprecating({ ...ending, since: "2027-02-30" })).toThrow("is not a day");
});
