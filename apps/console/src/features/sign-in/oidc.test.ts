import { once } from "node:events";
import { createServer } from "node:http";
import type { RequestListener, Server } from "node:http";
import { Provider } from "oidc-provider";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freePort } from "../../../../service/src/testing/process.ts";
import { invite } from "../../../../service/src/testing/people.ts";
import { faultsOf, hasNoBrowser, OWNER, startConsole } from "../../testing/testing.ts";
import type { Page, TestConsole } from "../../testing/testing.ts";

const CLIENT = { id: "junction", secret: "a-secret-of-the-client" };

/** A certified provider in this process. The name `localhost` makes it another site than the service. */
interface RealIssuer {
  readonly url: string;
  /** Registers the service as a client. */
  register(serviceUrl: string): void;
  close(): Promise<void>;
}

async function startRealIssuer(): Promise<RealIssuer> {
  let listener: RequestListener = (_request, response) => response.writeHead(503).end();
  const server: Server = createServer((request, response) => listener(request, response));
  server.listen(await freePort(), "localhost");
  await once(server, "listening");
  const address = server.address();
  const url = `http://localhost:${typeof address === "object" && address !== null ? address.port : 0}`;
  return {
    url,
    register(serviceUrl) {
      const provider = new Provider(url, {
        clients: [
          {
            client_id: CLIENT.id,
            client_secret: CLIENT.secret,
            redirect_uris: [`${serviceUrl}/v1/auth/oidc/callback`],
            backchannel_logout_uri: `${serviceUrl}/v1/auth/oidc/logout`,
            backchannel_logout_session_required: true,
          },
        ],
        claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"], groups: ["groups"] },
        scopes: ["openid", "email", "profile", "groups"],
        features: { devInteractions: { enabled: true }, backchannelLogout: { enabled: true } },
        cookies: { keys: ["a key of the test"] },
        pkce: { required: () => true },
        // The provider's own dispatcher calls no address on loopback.
        fetch: async (
          target: string,
          { dispatcher: _dispatcher, ...options }: RequestInit & { dispatcher?: unknown },
        ) => await fetch(target, options),
        async findAccount(_context: unknown, id: string) {
          const claims = { sub: id, email: `${id}@example.com`, email_verified: true, name: `The ${id}`, groups: [id] };
          return await Promise.resolve({ accountId: id, claims: async () => await Promise.resolve(claims) });
        },
      });
      listener = provider.callback();
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Signs in on the provider's own pages. */
async function approve(page: Page, login: string): Promise<void> {
  await page.locator("input[name=login]").fill(login);
  await page.locator("input[name=password]").fill("any");
  await page.locator("button[type=submit]").click();
  await page.getByRole("button", { name: "Continue" }).click();
}

describe.skipIf(hasNoBrowser)("sign-in by a real provider of OpenID Connect", () => {
  let issuer: RealIssuer;
  let started: TestConsole;
  let link: string;

  beforeAll(async () => {
    issuer = await startRealIssuer();
    started = await startConsole({
      env: {
        JUNCTION_OIDC_ISSUER: issuer.url,
        JUNCTION_OIDC_CLIENT_ID: CLIENT.id,
        JUNCTION_OIDC_CLIENT_SECRET: CLIENT.secret,
        JUNCTION_OIDC_GROUPS: JSON.stringify({ lead: "admin" }),
      },
    });
    issuer.register(started.service.baseUrl);
    link = `with ${new URL(issuer.url).host}`;
  });
  /** The provider's pages load a font from the internet, for which they would wait. */
  async function opened(path: string): Promise<Page> {
    const page = await started.open(path, { as: null });
    await page.route("https://**", async (route) => await route.abort());
    return page;
  }

  afterAll(async () => {
    await started.close();
    await issuer.close();
  });

  test("a person with a group signs in, and a logout there ends it", async () => {
    const page = await opened("/deliveries?state=failed");
    await page.waitForURL("**/sign-in?next=**");
    const button = page.getByRole("link", { name: `Sign in ${link}` });
    await button.waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await button.click();
    await approve(page, "lead");
    await page.waitForURL(`${started.service.baseUrl}/deliveries?state=failed`);
    await page.getByRole("heading", { level: 1, name: "Deliveries" }).waitFor();
    await page.goto("/members");
    await page.getByText("lead@example.com").first().waitFor();
    await page.getByText("The lead").first().waitFor();

    await page.goto(`${issuer.url}/session/end`);
    await page.getByRole("button", { name: "Yes, sign me out" }).click();
    await page.waitForURL("**/session/end/success**");
    await page.goto(`${started.service.baseUrl}/members`);
    await page.waitForURL("**/sign-in?next=%2Fmembers");
  });

  test("a person without access reads the reason, while an owner uses the password", async () => {
    const page = await opened("/sign-in?next=%2Fevents");
    await page.getByRole("link", { name: `Sign in ${link}` }).click();
    await approve(page, "nobody");
    await page.getByRole("alert").filter({ hasText: "You have no access to this installation." }).waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.getByLabel("E-mail").fill(OWNER.email);
    await page.getByLabel("Password").fill(OWNER.password);
    await page.keyboard.press("Enter");
    await page.waitForURL("**/events");
  });

  test("the page of an invitation joins with the provider's account", async () => {
    const token = await invite(started.service, "guest@example.com", "developer");
    const page = await opened(`/invite?token=${token}`);
    await page.getByRole("button", { name: `Join ${link}` }).click();
    await approve(page, "guest");
    await page.waitForURL(`${started.service.baseUrl}/`);
    await page.goto("/account");
    await page.getByText("guest@example.com").first().waitFor();
  });

  test("an owner turns passwords off after a sign-in with the provider, and on again", async () => {
    const page = await started.open("/settings");
    await page.route("https://**", async (route) => await route.abort());
    const save = async (): Promise<void> => {
      await page.getByText(/^Password sign-in/).click();
      await page.getByRole("button", { name: "Save settings" }).click();
    };
    await save();
    await page.getByRole("alert").filter({ hasText: "while no owner has signed in with OpenID Connect" }).waitFor();
    // A sign-in with the provider in a browser that is signed in keeps the password.
    await page.goto("/v1/auth/oidc/start?next=/settings");
    await approve(page, "owner");
    await page.waitForURL("**/settings");
    await save();
    await page.getByText("Settings saved.").waitFor();
    const passwords = { email: OWNER.email, password: OWNER.password };
    const enter = async (): Promise<unknown> =>
      (await started.service.api("POST", "/v1/auth/sign-in", passwords, { key: null })).body["code"];
    expect(await enter()).toBe("password_sign_in_off");
    await page.reload();
    const control = page.getByRole("switch", { name: /^Password sign-in/ });
    await control.waitFor({ state: "attached" });
    expect(await control.isChecked()).toBe(false);
    expect(await faultsOf(page)).toEqual([]);
    await save();
    await page.getByText("Settings saved.").waitFor();
    expect(await enter()).toBeUndefined();
  });

  test("a canceled sign-in leads back with a text", async () => {
    const page = await opened("/sign-in");
    await page.getByRole("link", { name: `Sign in ${link}` }).click();
    await page.getByRole("link", { name: "Cancel" }).click();
    await page.getByRole("alert").filter({ hasText: "The sign-in was canceled" }).waitFor();
  });
});
