import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startService } from "../../apps/service/src/testing/service.ts";
import type { TestService } from "../../apps/service/src/testing/test-service.ts";
import { whyNoPhp84 } from "../php/php84.ts";
import { run } from "../run.ts";
import { blocksOf } from "./page.ts";
import { hostLanguages, startHost } from "./portal-hosts.ts";

/** The host applications of docs/guide/portal.md. The browser's tests of the portal use the one in Node too. */

const MINUTES_3 = 180_000;
const blocks = (await blocksOf("guide/portal.md")).filter(({ words }) => words.includes("verify"));
const needed = process.env["JUNCTION_NEED_LANGUAGES"] !== undefined;

let service: TestService;

beforeAll(async () => {
  service = await startService();
});
afterAll(async () => await service.close());

test("the guide has one host application for each language of the SDKs", () => {
  expect(blocks.map(({ language }) => language)).toEqual(Object.keys(hostLanguages));
});

describe.each(blocks)("the host application in $language", ({ language }) => {
  test("shows the element and creates a session that opens once", { timeout: MINUTES_3 }, async ({ skip }) => {
    const missing = await whyMissing(language);
    if (missing !== undefined && !needed) skip(missing);
    const env = { JUNCTION_API_KEY: service.key, JUNCTION_BASE_URL: service.baseUrl };
    const host = await startHost(language, env);
    try {
      const page = await (await fetch(host.url)).text();
      expect(page).toContain('<junction-portal session-url="/webhooks/session">');
      expect(page).toContain(`<script src="${service.baseUrl}/portal/junction-portal.js">`);
      const answer = await fetch(`${host.url}/webhooks/session`, { method: "POST" });
      expect([answer.status, answer.headers.get("cache-control")]).toEqual([201, "no-store"]);
      const { url, ...rest } = (await answer.json()) as { url: string };
      expect(rest).toEqual({});
      const token = new URLSearchParams(new URL(url).hash.slice(1)).get("token");
      const exchange = async () => await service.api("POST", "/v1/portal-sessions/exchange", { token }, { key: null });
      expect((await exchange()).body).toMatchObject({ tenant: "acme", theme: { accent: "#0f766e", radius: 6 } });
      expect((await exchange()).status).toBe(401);
    } finally {
      await host.stop();
    }
  });

  test("answers 502 without details when the key is refused", { timeout: MINUTES_3 }, async ({ skip }) => {
    const missing = await whyMissing(language);
    if (missing !== undefined && !needed) skip(missing);
    const { body } = await service.api("POST", "/v1/keys", { name: "Reader", permission_mode: "read_only" });
    const host = await startHost(language, {
      JUNCTION_API_KEY: body["key"] as string,
      JUNCTION_BASE_URL: service.baseUrl,
    });
    try {
      const answer = await fetch(`${host.url}/webhooks/session`, { method: "POST" });
      expect(answer.status).toBe(502);
      expect(await answer.text()).not.toMatch(/read_only|scope|jn_live/);
    } finally {
      await host.stop();
    }
  });
});

/** Returns why this machine cannot run a language; undefined if it can. */
async function whyMissing(language: string): Promise<string | undefined> {
  if (language === "php") return await whyNoPhp84();
  if (language !== "python") return undefined;
  return (await run("python3", ["-m", "venv", "--help"])).status === 0 ? undefined : "python3 does not run here";
}
