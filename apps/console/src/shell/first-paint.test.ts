import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasNoBrowser, startConsole } from "../testing/testing.ts";
import type { Page, TestConsole } from "../testing/testing.ts";

/** The page's own script, the additional one of the sign-in page, the shell, its lazy module, home's, and one to spare. */
const MOST_SCRIPTS = 6;
const TABS = 12;

describe.skipIf(hasNoBrowser)("before any script has run", () => {
  let started: TestConsole;

  beforeAll(async () => {
    started = await startConsole();
  });
  afterAll(async () => await started.close());

  /** Returns the number of presses of Tab that reach a control, or 0. A control without a function yet must not be reachable. */
  const reached = async (page: Page): Promise<number> => {
    for (let pressed = 0; pressed < TABS; pressed += 1) {
      await page.keyboard.press("Tab");
      if ((await page.locator(":focus").count()) > 0) return pressed + 1;
    }
    return 0;
  };

  test("the sign-in page shows its heading and fields for any path, without focusable elements", async () => {
    for (const path of ["/sign-in", "/deliveries"]) {
      const page = await started.open(path, { as: null, runsScripts: false });
      expect(await page.locator("h1").innerText()).toBe("Sign in");
      expect(await page.locator("label").allInnerTexts()).toEqual(expect.arrayContaining(["E-mail", "Password"]));
      expect(await page.locator("nav").count()).toBe(0);
      expect([path, await reached(page)]).toEqual([path, 0]);
    }
  });

  test("a signed-in user sees the navigation, and nothing that is not known yet", async () => {
    const page = await started.open("/deliveries", { runsScripts: false, environment: "sandbox" });
    const navigation = await page.locator("nav").innerText();
    for (const word of ["Home", "Deliveries", "Approvals", "Settings"]) expect(navigation).toContain(word);
    expect(await page.locator("nav a").count()).toBe(0);
    const text = await page.locator("#root").innerText();
    expect(text.toLowerCase()).not.toContain("sandbox");
    expect(text).not.toContain("Sign in");
    expect(await reached(page)).toBe(0);
    const home = await started.open("/", { runsScripts: false });
    expect(await home.locator("h1").innerText()).toBe("Home");
  });

  test("another page that anybody may open begins with nothing, and says what it needs", async () => {
    for (const as of [null, undefined]) {
      const page = await started.open("/setup?token=x", { runsScripts: false, ...(as === null ? { as } : {}) });
      expect(await page.locator("#root").innerHTML()).toBe("");
      expect(await page.locator("body").innerText()).toContain("The console needs JavaScript.");
    }
  });

  test("the scripts replace it, and home loads only a handful of files first", async () => {
    const page = await started.open("/");
    expect(await page.locator("#root [inert]").count()).toBe(0);
    const scripts = await page.evaluate<string[]>(
      `performance.getEntriesByType("resource").map(({ name }) => new URL(name).pathname).filter((path) => path.endsWith(".js"))`,
    );
    expect(scripts.length).toBeGreaterThan(0);
    expect(new Set(scripts).size).toBeLessThanOrEqual(MOST_SCRIPTS);
  });
});
