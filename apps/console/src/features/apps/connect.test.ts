import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { makeContract } from "../../../../service/src/testing/mcp-contracts.ts";
import { startOAuthClient, startSubPathProxy } from "../../../../service/src/testing/oauth-client.ts";
import type { OAuthTestClient } from "../../../../service/src/testing/oauth-client.ts";
import { authorizationRequest } from "../../../../service/src/testing/oauth.ts";
import { joined, PASSWORD } from "../../../../service/src/testing/people.ts";
import { UNLIMITED } from "../../../../service/src/testing/subscription.ts";
import { faultsOf, hasNoBrowser, startConsole } from "../../testing/testing.ts";
import type { Page, TestConsole } from "../../testing/testing.ts";

describe.skipIf(hasNoBrowser)("the official client signs in by OAuth in a browser", () => {
  let console: TestConsole;
  let app: OAuthTestClient;

  beforeAll(async () => {
    console = await startConsole({ env: UNLIMITED });
  });
  afterAll(async () => await console.close());
  afterEach(async () => await app.close());

  /** Agrees on the consent page, and waits for the app's own page. */
  async function agree(page: Page): Promise<void> {
    await page.getByRole("button", { name: "Connect app" }).click();
    await page.getByRole("heading", { name: "You can close this window" }).waitFor();
  }

  async function opened(start: { open: string } | object): Promise<string> {
    if (!("open" in start)) throw new Error("the client did not ask for a consent");
    return await Promise.resolve(start.open);
  }

  test("from the first message to a tool's call, until the member disconnects it", async () => {
    const { key } = await makeContract(console.service, { requires_confirmation: true, label: "Refund a payment" });
    app = await startOAuthClient(`${console.service.baseUrl}/mcp`);
    const page = await console.open(await opened(await app.connect()));
    await page.getByRole("button", { name: "Connect app" }).waitFor();
    expect(await page.locator("main").innerText()).toMatch(
      /Connect Official test client[\s\S]*Not verified[\s\S]*Live[\s\S]*actions:write[\s\S]*Refund a payment[\s\S]*Needs an approval/,
    );
    expect(await faultsOf(page)).toEqual([]);
    await agree(page);
    await app.finish();
    expect(app.stored).toMatchObject({
      tokens: { token_type: "Bearer", scope: "actions:write proposals:read runs:read" },
    });
    const next = await app.connect();
    if (!("client" in next)) throw new Error("not connected");
    const called = await next.client.callTool({ name: String(key).replaceAll(".", "_"), arguments: { note: "x" } });
    expect(called).toMatchObject({ structuredContent: { status: "pending_confirmation" } });

    // An access token that has expired is refreshed without the person.
    const { access_token: first } = app.stored["tokens"];
    await console.service.database.query("update oauth_token set expires_at = now() where kind = 'access'");
    expect((await next.client.listTools()).tools.length).toBeGreaterThan(1);
    expect(app.stored["tokens"].access_token).not.toBe(first);

    const list = await console.open("/connected-apps");
    await list.getByRole("button", { name: "Disconnect Official test client" }).click();
    await list.getByRole("button", { name: "Disconnect app" }).click();
    await list.getByText("No connected apps").waitFor();
    const ended = await app.attempt(async () => await next.client.listTools());
    expect(await opened(ended)).toContain("/oauth/authorize?");
  });

  test("after a sign-in, and asks for more scopes when needed", async () => {
    const { key } = await makeContract(console.service, { requires_confirmation: true });
    const { email } = await joined(console.service, "developer");
    app = await startOAuthClient(`${console.service.baseUrl}/mcp`);
    const narrow = new URL(await opened(await app.connect()));
    narrow.searchParams.set("scope", "runs:read");
    const page = await console.open(narrow.href, { as: null });
    await page.getByLabel("E-mail").fill(email);
    await page.getByLabel("Password").fill(PASSWORD);
    await page.getByRole("button", { name: "Sign in" }).click();
    await agree(page);
    await app.finish();
    expect(app.stored["tokens"].scope).toBe("runs:read");
    const next = await app.connect();
    if (!("client" in next)) throw new Error("not connected");
    const { client } = next;
    const call = async (): Promise<unknown> =>
      await client.callTool({ name: String(key).replaceAll(".", "_"), arguments: { note: "x" } });
    const more = await opened(await app.attempt(call));
    expect(new URL(more).searchParams.get("scope")).toContain("actions:write");
    await page.goto(more);
    await agree(page);
    await app.finish();
    expect(await call()).toMatchObject({ structuredContent: { status: "pending_confirmation" } });
  });

  test("and learns that the person did not agree", async () => {
    app = await startOAuthClient(`${console.service.baseUrl}/mcp`);
    const page = await console.open(await opened(await app.connect()));
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("heading", { name: "You can close this window" }).waitFor();
    await expect(app.finish()).rejects.toThrow(/did not agree|access_denied/);
  });

  test("of the environment that the page shows", async () => {
    app = await startOAuthClient(`${console.service.baseUrl}/mcp`);
    const page = await console.open(await opened(await app.connect()), { environment: "sandbox" });
    await page.getByRole("button", { name: "Connect app" }).waitFor();
    expect(await page.locator("main").innerText()).toMatch(/Environment\s+Sandbox/);
    await agree(page);
    await app.finish();
    expect(app.stored["tokens"].access_token).toMatch(/^jn_test_at_/);
  });

  test("and a request that is not the app's is shown, without a way on", async () => {
    app = await startOAuthClient(`${console.service.baseUrl}/mcp`);
    const { parameters } = await authorizationRequest(console.service, { redirect_uri: "https://evil.example/" });
    const page = await console.open(`/connect?${new URLSearchParams(parameters).toString()}`);
    await page.getByText("The redirect_uri is not one of the app's.").waitFor();
    expect(await page.getByRole("button", { name: "Connect app" }).count()).toBe(0);
  });
});

describe.skipIf(hasNoBrowser)("under a path of a proxy", () => {
  test("the official client signs in too", async () => {
    const proxy = await startSubPathProxy("/junction");
    const console = await startConsole({ env: { ...UNLIMITED, JUNCTION_BASE_URL: proxy.baseUrl } });
    const app = await startOAuthClient(`${proxy.baseUrl}/mcp`);
    try {
      proxy.leadTo((console.service.service.http.server.address() as AddressInfo).port);
      const start = await app.connect();
      const page = await console.open("open" in start ? start.open : "");
      await page.getByRole("button", { name: "Connect app" }).click();
      await page.getByRole("heading", { name: "You can close this window" }).waitFor();
      await app.finish();
      const next = await app.connect();
      if (!("client" in next)) throw new Error("not connected");
      expect((await next.client.listTools()).tools).toHaveLength(2);
      expect(app.stored).toMatchObject({ tokens: { issuer: proxy.baseUrl }, client: { issuer: proxy.baseUrl } });
    } finally {
      await app.close();
      await console.close();
      proxy.close();
    }
  });
});
