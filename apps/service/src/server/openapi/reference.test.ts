import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasNoBrowser, startConsole } from "../../../../console/src/testing/testing.ts";
import type { TestConsole } from "../../../../console/src/testing/testing.ts";
import { credentials, refusalOf } from "../../../reference/sign.js";
import { startService } from "../../testing/service.ts";
import { createDocs } from "../docs-site/docs.ts";
import type { TestService } from "../../testing/test-service.ts";

let service: TestService;

beforeAll(async () => {
  service = await startService();
});
afterAll(async () => await service.close());

const asked = async (path: string): Promise<Response> => await fetch(service.baseUrl + path);

test("the reference needs no key, and loads its files from this service", async () => {
  const page = await asked("/docs/api");
  const html = await page.text();
  expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
  expect(html.replace(/<link rel="canonical"[^>]*>/, "")).not.toMatch(/https?:\/\//);
  const parts = [...html.matchAll(/(?:src|href)="(\/(?:docs\/)?assets\/[^"]+)"/g)].map(([, path]) => path ?? "");
  expect(parts.some((path) => /^\/assets\/reference-\w+\.js$/.test(path))).toBe(true);
  const answers = await Promise.all(parts.map(asked));
  expect(answers.map((one) => one.status)).toEqual(parts.map(() => 200));
});

test("the reference's policy allows inline styles, but no other script or host", async () => {
  const { headers } = await asked("/docs/api");
  const policy = headers.get("content-security-policy") ?? "";
  expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline';");
  expect(policy).toContain("connect-src 'self'");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).not.toMatch(/unsafe-eval|\*/);
});

test("without the built console the page says how to build it", async () => {
  const docs = createDocs({
    baseUrl: service.baseUrl,
    version: "0.0.0",
    operations: () => [],
    consoleFolder: "/nonexistent",
  });
  expect((await docs.find("/docs/api"))?.bytes.toString()).toContain("node tools/console/build.ts");
  expect((await docs.find("/docs"))?.bytes.toString()).toContain("<h1");
});

const origin = "https://junction.example.com";
const here = new URL(`${origin}/v1/events?limit=1`);
const sandbox = `jn_test_${"a".repeat(49)}`;

test("the page sends only sandbox keys or none, and only to its own service", () => {
  const elsewhere = new URL("https://elsewhere.example.com/");
  const otherPort = new URL(`${origin}:8443/`);
  expect(refusalOf(sandbox, "", here, origin)).toBeNull();
  expect(refusalOf("", "", here, origin)).toBeNull();
  expect(refusalOf(`jn_live_${"a".repeat(49)}`, "", here, origin)).toMatch("live keys");
  expect(refusalOf(sandbox, '{"name":"jn_live_x"}', here, origin)).toMatch("live keys");
  expect(refusalOf("hunter2", "", here, origin)).toMatch("not a sandbox key");
  expect(refusalOf(sandbox, "", elsewhere, origin)).toMatch("own service");
  expect(refusalOf(sandbox, "", otherPort, origin)).toMatch("own service");
});

test("the service accepts requests that the page signs, with query, body and key", async () => {
  for (const [method, path, body, idempotencyKey] of [
    ["GET", "/v1/events?limit=1&subject=%C3%A9", "", ""],
    ["POST", "/v1/events/fire", '{"event":"try.it","data":{"name":"Zoë"}}', '"quoted-key"'],
  ] as const) {
    const url = new URL(service.baseUrl + path);
    const timestamp = Math.floor(Date.now() / 1000);
    const signed = await credentials(service.sandboxKey, { method, url, body, idempotencyKey, timestamp });
    const headers = {
      ...signed,
      ...(body === "" ? {} : { "Content-Type": "application/json" }),
      ...(idempotencyKey === "" ? {} : { "Idempotency-Key": idempotencyKey }),
    };
    const answer = await fetch(url, { method, headers, ...(body === "" ? {} : { body }) });
    expect([answer.ok, answer.headers.get("x-service-signature-scheme")]).toEqual([true, "v1"]);
  }
});

describe.skipIf(hasNoBrowser)("in a browser", () => {
  let site: TestConsole;

  beforeAll(async () => {
    site = await startConsole();
  });
  afterAll(async () => await site.close());

  test("sandbox keys sign a request, and live keys send none", async () => {
    const page = await site.open("/docs/api#/me/getCaller", { as: null });
    const sent: string[] = [];
    page.on("request", (request) => sent.push(`${request.method()} ${request.url()}`));
    const operation = page.locator("[id$='tag/me/getCaller']");
    await operation.locator("button", { hasText: "Test Request" }).first().click();
    const client = page.getByRole("dialog").last();
    const token = client.getByLabel(/Token/i).first();
    const send = client.getByRole("button", { name: /^Send/ }).first();

    await token.fill(site.service.key);
    await send.click();
    await client.getByText("Do not use live keys on this page.").waitFor();
    expect(sent.filter((line) => line.endsWith("/v1/me"))).toEqual([]);

    await token.fill(site.service.sandboxKey);
    const answered = page.waitForResponse(/\/v1\/me$/);
    await send.click();
    expect((await answered).headers()["x-service-signature-scheme"]).toBe("v1");
    await client.getByText('"environment": "sandbox"').first().waitFor();
    expect(sent.filter((line) => line.endsWith("/v1/me"))).toHaveLength(1);
    expect(sent.filter((line) => !line.includes(new URL(page.url()).origin))).toEqual([]);
    // The renderer checks whether it may compile code from text. It may not, and works without.
    expect([null, "script-src eval"]).toContain(
      await page.evaluate("document.documentElement.dataset.violation ?? null"),
    );
  });
});
