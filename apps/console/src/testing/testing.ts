import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import type { Browser, BrowserContext, Locator, Page } from "playwright-core";
import { findBrowser } from "../../../service/src/testing/browser.ts";
import { OWNER, totpCode } from "../../../service/src/testing/people.ts";
import { startService } from "../../../service/src/testing/service.ts";
import { SCREEN_HEADING } from "../../../../tools/console/browser.ts";
import type { TestOptions } from "../../../service/src/testing/service.ts";
import type { TestService } from "../../../service/src/testing/test-service.ts";

export { OWNER, totpCode };
export type { Page, TestService };

export type Theme = "light" | "dark";

export interface OpenOptions {
  readonly theme?: Theme;
  readonly width?: number;
  readonly height?: number;
  /** The person who signs in. Null opens the page without a session. Default: the owner. */
  readonly as?: { readonly email: string; readonly password: string } | null;
  readonly environment?: "live" | "sandbox";
  /** False shows the page as it is before its scripts run. */
  readonly runsScripts?: boolean;
}

/** The real service with the built console in a real browser. */
export interface TestConsole {
  readonly service: TestService;
  /** Opens a page in a browser profile of its own, and waits for its heading. */
  open(path: string, options?: OpenOptions): Promise<Page>;
  close(): Promise<void>;
}

const FLAGS =
  "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync";
const PATIENCE_MS = 60_000;
const MOST_TABS = 150;
const MOST_LOOKS = 20;
const OVERFLOWS = "document.documentElement.scrollWidth > document.documentElement.clientWidth";
const CUT_OFF = `[...document.querySelectorAll("body *")]
  .filter((one) => one.clientWidth > 1 && one.scrollWidth > one.clientWidth + 1 && one.checkVisibility())
  .filter((one) => !one.closest("pre, textarea, input, select, svg, [role=tree], [role=tablist], .sr-only"))
  .filter((one) => getComputedStyle(one).overflowX !== "visible" && getComputedStyle(one).textOverflow !== "ellipsis")
  .map((one) => one.outerHTML.slice(0, 160))`;
const VIOLATIONS = "junctionViolations";

/** For `describe.skipIf`: a machine without Chromium runs the other tests; CI has one. */
export const hasNoBrowser = findBrowser() === undefined;

/** Once a file, in `beforeAll`; `close` in `afterAll`. */
export async function startConsole(options: TestOptions = {}): Promise<TestConsole> {
  const [service, browser] = await Promise.all([startService(options), sharedBrowser()]);
  const contexts: BrowserContext[] = [];
  return {
    service,
    async open(path, opening = {}) {
      const { theme = "light", width = 1280, height = 900, as = OWNER } = opening;
      const { environment = "live", runsScripts = true } = opening;
      const context = await browser.newContext({
        viewport: { width, height },
        colorScheme: theme,
        javaScriptEnabled: runsScripts,
        // Tests do not wait for animations, and axe sees the final colors.
        reducedMotion: "reduce",
        baseURL: service.baseUrl,
        timezoneId: "Europe/Berlin",
        permissions: ["clipboard-read", "clipboard-write"],
      });
      context.setDefaultTimeout(PATIENCE_MS);
      contexts.push(context);
      await context.addInitScript(
        `window.${VIOLATIONS} = []; addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI }) => window.${VIOLATIONS}.push(violatedDirective + " " + blockedURI));
        if (!sessionStorage.getItem("junction.scope")) sessionStorage.setItem("junction.scope", '{"environment":"${environment}"}');`,
      );
      if (as !== null) {
        const answer = await context.request.post("/v1/auth/sign-in", { data: as });
        if (!answer.ok()) throw new Error(`not signed in: ${await answer.text()}`);
      }
      const page = await context.newPage();
      await page.goto(path);
      await drawn(page, runsScripts);
      return page;
    },
    async close() {
      await Promise.all(contexts.map(async (context) => await context.close()));
      await service.close();
    },
  };
}

let shared: Promise<Browser> | undefined;

/** Returns the browser of this worker, which ends with its process. Each page has a profile of its own. */
async function sharedBrowser(): Promise<Browser> {
  const browser = await (shared ??= launch());
  if (browser.isConnected()) return browser;
  shared = launch();
  return await shared;
}

async function drawn(page: Page, runsScripts: boolean): Promise<void> {
  // The content that is shown before the session is known may have a heading too.
  if (runsScripts) await page.locator(SCREEN_HEADING).waitFor();
}

/** Returns the faults that axe finds on the current page in both themes, and the violations of the content security policy. Tests require `[]`. */
export async function faultsOf(page: Page): Promise<string[]> {
  const found: string[] = [];
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    await frames(page);
    found.push(...(await axe(page)).map((fault) => `${colorScheme}: ${fault}`));
  }
  const forbidden = await page.evaluate<string[]>(`window.${VIOLATIONS}`);
  return [...found, ...forbidden.map((one) => `policy: ${one}`)];
}

/** Presses Tab until the control is reached: a person without a mouse gets there too. Throws when the page has no way to it. */
export async function tabTo(
  page: Page,
  name: string | RegExp,
  role: Parameters<Page["getByRole"]>[0] = "button",
  within: Page | Locator = page,
): Promise<void> {
  await within.getByRole(role, { name }).first().waitFor();
  // An open list of suggestions on the way hides the rest of the page.
  const wanted = within.getByRole(role, { name, includeHidden: true }).first();
  for (let pressed = 0; pressed < MOST_TABS; pressed += 1) {
    if (await wanted.evaluate((element) => element.contains(element.ownerDocument.activeElement))) return;
    await page.keyboard.press("Tab");
  }
  throw new Error(`Tab never reaches the ${role} ${String(name)}`);
}

/** Returns true if something is wider than the window: at 320 px a person would have to scroll both ways. */
export async function overflowsSideways(page: Page): Promise<boolean> {
  return await settled(page, OVERFLOWS, (overflows: boolean) => !overflows);
}

/**
 * Returns the elements of the page whose content is cut off at their side, or that a person would have to scroll sideways. Source text,
 * tabs and trees may scroll; a text that ends in an ellipsis says so.
 */
export async function cutOff(page: Page): Promise<string[]> {
  return await settled(page, CUT_OFF, (found: string[]) => found.length === 0);
}

/** Looks again for a while, because elements that measure themselves do so a frame later. */
async function settled<T>(page: Page, script: string, isGood: (seen: T) => boolean): Promise<T> {
  let seen = await page.evaluate<T>(script);
  for (let looked = 1; looked < MOST_LOOKS && !isGood(seen); looked += 1) {
    await frames(page);
    seen = await page.evaluate<T>(script);
  }
  return seen;
}

async function frames(page: Page): Promise<void> {
  await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
}

let axeSource: Promise<string> | undefined;

interface AxeViolation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

async function axe(page: Page): Promise<string[]> {
  axeSource ??= readFile(fileURLToPath(import.meta.resolve("axe-core/axe.min.js")), "utf8");
  if (!(await page.evaluate("typeof window.axe === 'object'"))) await page.evaluate(await axeSource);
  const violations = await page.evaluate<readonly AxeViolation[]>(
    "window.axe.run(document, { resultTypes: ['violations'] }).then((result) => result.violations)",
  );
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(
      ({ html, failureSummary = "" }) =>
        `${id}: ${html.slice(0, 160)} ${failureSummary.split("\n").at(1)?.trim() ?? ""}`,
    ),
  );
}

async function launch(): Promise<Browser> {
  return await chromium.launch({ executablePath: findBrowser() ?? "chromium", args: FLAGS.split(" ") });
}
