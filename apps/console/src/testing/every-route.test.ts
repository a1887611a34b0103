import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { joined } from "../../../service/src/testing/people.ts";
import { startReceiver } from "../../../service/src/testing/receiver.ts";
import type { Receiver } from "../../../service/src/testing/receiver.ts";
import { UNLIMITED } from "../../../service/src/testing/subscription.ts";
import { consoleRoutes } from "../../../../tools/console/routes.ts";
import { hostileWorld } from "./hostile-world.ts";
import { cutOff, faultsOf, hasNoBrowser, overflowsSideways, OWNER, startConsole } from "./testing.ts";
import type { Page, TestConsole } from "./testing.ts";

const ALL = await consoleRoutes();
/** Routes within the shell. */
const ROUTES = ALL.flatMap(({ path, isPublic }) => (isPublic ? [] : [path]));
const PUBLIC = ALL.flatMap(({ path, isPublic }) => (isPublic ? [path] : []));
/** Requests that belong to no single screen: the session, the roles, and the frame around the screens. */
const AROUND = ["/v1/auth/session", "/v1/roles", "/v1/live", "/v1/stream"];
/** Screens that show no data which could fail to load. */
const READS_NOTHING = ["/tester", "/account", "/connect"];
const CALM_LOOKS = 4;
const REQUEST = "req_of_the_failed_call";
const PROBLEM = {
  type: "about:blank",
  title: "Something failed on our side.",
  status: 500,
  code: "internal_error",
  request_id: REQUEST,
  retryable: false,
};

describe.skipIf(hasNoBrowser)("every route of the console", () => {
  let started: TestConsole;
  let receiver: Receiver;
  let paths: readonly string[];

  beforeAll(async () => {
    receiver = await startReceiver();
    started = await startConsole({ env: UNLIMITED });
    const ids = await hostileWorld(started.service, receiver);
    paths = ROUTES.map((route) => pathOf(route, ids));
  });
  afterAll(async () => {
    await started.close();
    await receiver.close();
  });

  test("hostile strings are shown as text, and nothing exceeds a window of 320 px", async () => {
    const page = await started.open("/", { width: 320, height: 640 });
    const found: string[] = [];
    const showing: string[] = [];
    const look = async (place: string): Promise<void> => {
      if (await overflowsSideways(page)) found.push(`${place} is too wide: ${await widest(page)}`);
      const title = await page.title();
      if (title === "hacked" || !title.endsWith("· Junction")) found.push(`${place} is called ${title}`);
      if ((await page.evaluate("window.hacked ?? ({}).polluted")) !== undefined) found.push(`${place} ran it`);
      if ((await page.locator("img[src=x]").count()) > 0) found.push(`${place} has its element`);
      if ((await page.locator("main").innerText()).includes("<img src=x")) showing.push(place);
    };
    for (const path of paths) {
      await go(page, path);
      await look(path);
      for (const tab of (await page.getByRole("tab").all()).slice(1)) {
        await tab.click();
        await settled(page);
        await look(`${path}, ${await tab.innerText()}`);
      }
    }
    expect(found).toEqual([]);
    expect(showing.length).toBeGreaterThan(25);
  });

  test("at 390 px, nothing is cut off or scrolls sideways within the page", async () => {
    const page = await started.open("/", { width: 390, height: 844 });
    const found: string[] = [];
    const look = async (place: string): Promise<void> => {
      if (await overflowsSideways(page)) found.push(`${place} is too wide: ${await widest(page)}`);
      found.push(...(await cutOff(page)).map((one) => `${place} cuts off ${one}`));
    };
    for (const path of paths) {
      await go(page, path);
      await look(path);
      for (const tab of (await page.getByRole("tab").all()).slice(1)) {
        await tab.click();
        await settled(page);
        await look(`${path}, ${await tab.innerText()}`);
      }
    }
    expect(found).toEqual([]);
  });

  test("axe finds nothing on any route in either theme, nor in overlays and errors", async () => {
    const found: string[] = [];
    const look = async (page: Page, place: string): Promise<void> => {
      found.push(...(await faultsOf(page)).map((fault) => `${place}: ${fault}`));
    };
    const stranger = await started.open("/sign-in", { as: null });
    for (const path of PUBLIC) {
      await go(stranger, path);
      await look(stranger, path);
    }
    const page = await started.open("/account");
    for (const path of paths) {
      await go(page, path);
      await look(page, path);
    }
    await page.keyboard.press("Control+k");
    await page.getByRole("searchbox", { name: "Find" }).fill("e");
    await look(page, "the palette");
    // The first Escape empties the field.
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
    await look(page, "the keys");
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await failing(page, () => true);
    // The page loads again, because data from before would be shown from the cache.
    await page.goto("/members");
    await page.getByRole("alert").filter({ hasText: REQUEST }).first().waitFor();
    await look(page, "an error");
    expect(found).toEqual([]);
  }, 900_000);

  test("on a service failure, each shows the request's id, and a retry recovers", async () => {
    const page = await started.open("/account");
    let isFailing = false;
    await failing(page, () => isFailing);
    const found: string[] = [];
    for (const path of paths.filter((one) => !READS_NOTHING.includes(one))) {
      isFailing = true;
      await go(page, path);
      const failed = page.getByRole("main").getByRole("alert").filter({ hasText: REQUEST });
      if ((await failed.count()) === 0) found.push(`${path} shows no request id`);
      isFailing = false;
      const retry = failed.getByRole("button", { name: "Try again" });
      for (let pressed = 0; pressed < 9 && (await retry.count()) > 0; pressed += 1) {
        // A retry of one part can repair another, whose button then disappears.
        await retry
          .first()
          .click({ timeout: 2000 })
          .catch(() => undefined);
        await settled(page);
      }
      if ((await failed.count()) > 0) found.push(`${path} is not mended by a retry`);
    }
    expect(found).toEqual([]);
  });

  test("without the role's permission, each says so and keeps its URL", async () => {
    const { email, password } = await joined(started.service, "viewer");
    const page = await started.open("/", { as: { email, password } });
    let refused = 0;
    page.on("response", (answer) => {
      if (answer.status() === 403 && answer.request().method() === "GET") refused += 1;
    });
    const [found, kept]: [string[], string[]] = [[], []];
    for (const path of paths) {
      refused = 0;
      await go(page, path);
      const says = await page.getByText("You don't have permission").count();
      if (refused > 0) kept.push(path);
      if (refused > 0 && says === 0) found.push(`${path} does not say it`);
      if (new URL(page.url()).pathname !== path) found.push(`${path} became ${page.url()}`);
      if ((await page.getByRole("heading", { level: 1 }).count()) !== 1) found.push(`${path} lost its heading`);
    }
    expect(found).toEqual([]);
    expect(kept.map((path) => path.replace(/_.*/, "_"))).toEqual([
      "/audit",
      "/audit/aud_",
      "/ai-history",
      "/ai-history/air_",
      "/keys",
      "/keys/key_",
      "/mails",
    ]);
  });

  test("an ended session leads to sign-in, and from there back to the page", async () => {
    const page = await started.open("/account", { as: null });
    const found: string[] = [];
    for (const path of paths) {
      const asked = path === "/" ? path : `${path}?tab=settings`;
      await page.evaluate(`history.pushState({}, "", ${JSON.stringify(asked)})`);
      await page.waitForURL((url) => url.pathname === "/sign-in");
      const next = new URL(page.url()).searchParams.get("next") ?? "/";
      if (next !== asked) found.push(`${path} would come back to ${next}`);
    }
    expect(found).toEqual([]);
    const last = paths.at(-1) ?? "/";
    await page.getByLabel("E-mail").fill(OWNER.email);
    await page.getByLabel("Password").fill(OWNER.password);
    await page.keyboard.press("Enter");
    await page.waitForURL(`**${last}?tab=settings`);
    // A session can also end during work. Then the next click leads to sign-in.
    await go(page, "/deliveries?state=failed");
    await page.context().clearCookies();
    await page.getByRole("link", { name: "Receipts" }).click();
    await page.waitForURL("**/sign-in?**");
    await page.getByLabel("E-mail").fill(OWNER.email);
    await page.getByLabel("Password").fill(OWNER.password);
    await page.keyboard.press("Enter");
    await page.waitForURL("**/receipts");
  });
});

/** Makes all reads and writes of screens fail while `isFailing` returns true. */
async function failing(page: Page, isFailing: () => boolean): Promise<void> {
  await page.route(
    (url) => isFailing() && url.pathname.startsWith("/v1/") && !AROUND.some((one) => url.pathname.startsWith(one)),
    async (route) =>
      await route.fulfill({
        status: 500,
        contentType: "application/problem+json",
        headers: { "X-Service-Request-Id": REQUEST },
        body: JSON.stringify(PROBLEM),
      }),
  );
}

/** Returns the path of a route. A new route with a parameter needs an id in hostile-world.ts. */
function pathOf(route: string, ids: Readonly<Record<string, string>>): string {
  const [list = "", parameter] = route.split("/$");
  if (parameter === undefined) return route;
  const id = ids[list];
  if (id === undefined) throw new Error(`hostile-world.ts makes nothing that ${route} could show`);
  return `${list}/${encodeURIComponent(id)}`;
}

/** Navigates as a link does, without loading the page again. */
async function go(page: Page, path: string): Promise<void> {
  await page.evaluate(`history.pushState({}, "", ${JSON.stringify(path)})`);
  await settled(page);
}

/** Waits until nothing has been loading for a moment. */
async function settled(page: Page): Promise<void> {
  const loading = `document.querySelector("main h1") === null || document.querySelector("[role=status][aria-label^=Loading]") !== null`;
  for (let calm = 0; calm < CALM_LOOKS;) {
    calm = (await page.evaluate<boolean>(loading)) ? 0 : calm + 1;
    await page.evaluate("new Promise((done) => setTimeout(done, 40))");
  }
}

/** Returns the start of an element that is too wide, for the message. */
async function widest(page: Page): Promise<string> {
  return await page.evaluate<string>(`[...document.querySelectorAll("main *")]
    .filter((one) => one.getBoundingClientRect().right > innerWidth && !one.closest("[class*=overflow]"))
    .map((one) => one.outerHTML.slice(0, 120)).slice(-1).join()`);
}
