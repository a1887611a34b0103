import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { credentials, refusalOf } from "../../../reference/sign.js";
import { findBrowser, openBrowser } from "../../testing/browser.ts";
import type { Browser } from "../../testing/browser.ts";
import { startService } from "../../testing/service.ts";
import type { TestService } from "../../testing/test-service.ts";

let service: TestService;

beforeAll(async () => {
  service = await startService();
});
afterAll(async () => await service.close());

const asked = async (path: string): Promise<Response> => await fetch(service.baseUrl + path);

test("the reference needs no key, and loads nothing from elsewhere", async () => {
  const page = await asked("/docs/api");
  const html = await page.text();
  expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
  expect(html).not.toMatch(/https?:\/\//);
  const parts = [...html.matchAll(/(?:src|href)="(\/docs\/[^"]+)"/g)].map(([, path]) => path ?? "");
  expect(parts.length).toBeGreaterThan(4);
  const answers = await Promise.all(parts.map(asked));
  expect(answers.map((one) => one.status)).toEqual(parts.map(() => 200));
});

test("every file of it comes with a policy that lets no inline script run and nothing be sent elsewhere", async () => {
  for (const path of ["/docs/api", "/docs/page.js", "/docs/sign.js", "/docs/swagger-ui.js", "/docs/swagger-ui.css"]) {
    const { headers } = await asked(path);
    const policy = headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self';");
    expect(policy).toContain("connect-src 'self'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe|\*/);
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("referrer-policy")).toBe("no-referrer");
  }
});

test("a file that the browser has is not sent again", async () => {
  const first = await asked("/docs/swagger-ui.js");
  const headers = { "If-None-Match": first.headers.get("etag") ?? "" };
  const again = await fetch(`${service.baseUrl}/docs/swagger-ui.js`, { headers });
  expect([again.status, await again.text()]).toEqual([304, ""]);
});

const origin = "https://junction.example.com";
const here = new URL(`${origin}/v1/events?limit=1`);
const sandbox = `jn_test_${"a".repeat(49)}`;

test("the page sends with a sandbox key or none, to its own service, and never a live key", () => {
  const elsewhere = new URL("https://elsewhere.example.com/");
  const otherPort = new URL(`${origin}:8443/`);
  expect(refusalOf(sandbox, "", here, origin)).toBeNull();
  expect(refusalOf("", "", here, origin)).toBeNull();
  expect(refusalOf(`jn_live_${"a".repeat(49)}`, "", here, origin)).toMatch("Live keys");
  expect(refusalOf(sandbox, '{"name":"jn_live_x"}', here, origin)).toMatch("Live keys");
  expect(refusalOf("hunter2", "", here, origin)).toMatch("no sandbox key");
  expect(refusalOf(sandbox, "", elsewhere, origin)).toMatch("own service");
  expect(refusalOf(sandbox, "", otherPort, origin)).toMatch("own service");
});

test("what the page signs, the service takes as v1, with a query, a body, and an idempotency key", async () => {
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

const program = findBrowser();

describe.skipIf(program === undefined)("in a browser", () => {
  let browser: Browser;

  beforeAll(async () => {
    browser = await openBrowser(program ?? "", `${service.baseUrl}/docs/api#/me/getCaller`);
    await browser.until("document.documentElement.dataset.ready");
  });
  afterAll(async () => await browser.close());

  const click = async (selector: string): Promise<void> => {
    await browser.until(`document.querySelector(${JSON.stringify(selector)})`);
    await browser.evaluate(`document.querySelector(${JSON.stringify(selector)}).click()`);
  };
  const type = async (key: string): Promise<void> => {
    await browser.evaluate(
      `{ const field = document.querySelector("#key"); field.value = ${JSON.stringify(key)}; field.dispatchEvent(new Event("input")); }`,
    );
  };

  test("the contract is drawn, and the policy had nothing to forbid", async () => {
    await browser.until("document.querySelectorAll('.opblock-tag').length > 5");
    expect(await browser.evaluate("document.documentElement.dataset.violation ?? null")).toBeNull();
  });

  test("a live key is not sent", async () => {
    await type(service.key);
    await click(".opblock.is-open .execute");
    await browser.until("document.querySelector('#note').textContent.includes('Live keys')");
    await browser.until("document.querySelector('.live-responses-table').textContent.includes('Not sent.')");
    expect(
      await browser.evaluate("performance.getEntriesByType('resource').some((one) => one.name.endsWith('/v1/me'))"),
    ).toBe(false);
  });

  test("with a sandbox key a call is made, signed, and its answer shown", async () => {
    await type(service.sandboxKey);
    await click(".opblock.is-open .execute");
    await browser.until(
      "document.querySelector('.live-responses-table tr.response .response-col_status')?.textContent.startsWith('200')",
    );
    const shown = String(await browser.evaluate("document.querySelector('.live-responses-table').textContent"));
    expect(shown).toContain('"environment": "sandbox"');
    expect(shown).toContain("x-service-signature-scheme: v1");
    expect(await browser.evaluate("document.documentElement.dataset.violation ?? null")).toBeNull();
  });
});
