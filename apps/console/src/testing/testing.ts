import { chromium } from "playwright-core";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { findBrowser } from "../../../service/src/testing/browser.ts";
import { OWNER } from "../../../service/src/testing/people.ts";
import { startService } from "../../../service/src/testing/service.ts";
import type { TestOptions, TestService } from "../../../service/src/testing/service.ts";

export { OWNER };

export type Theme = "light" | "dark";

export interface OpenOptions {
  readonly theme?: Theme;
  readonly width?: number;
  readonly height?: number;
  /** Null: nobody is signed in. By default the owner. */
  readonly as?: { readonly email: string; readonly password: string } | null;
  readonly environment?: "live" | "sandbox";
}

/** The real service, with the console that was built, in a real browser. */
export interface TestConsole {
  readonly service: TestService;
  /** A page of its own, in a browser profile of its own. */
  open(path: string, options?: OpenOptions): Promise<Page>;
  close(): Promise<void>;
}

const FLAGS =
  "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync";

/** Once a file, in `beforeAll`; undefined where the machine has no browser. */
export async function startConsole(options: TestOptions = {}): Promise<TestConsole> {
  const [service, browser] = await Promise.all([startService(options), launch()]);
  const contexts: BrowserContext[] = [];
  return {
    service,
    async open(path, { theme = "light", width = 1280, height = 900, as = OWNER, environment = "live" } = {}) {
      const context = await browser.newContext({
        viewport: { width, height },
        colorScheme: theme,
        baseURL: service.baseUrl,
      });
      contexts.push(context);
      await context.addInitScript(
        `if (!sessionStorage.getItem("junction.scope")) sessionStorage.setItem("junction.scope", '{"environment":"${environment}"}');`,
      );
      if (as !== null) {
        const answer = await context.request.post("/v1/auth/sign-in", { data: as });
        if (!answer.ok()) throw new Error(`not signed in: ${await answer.text()}`);
      }
      const page = await context.newPage();
      await page.goto(path);
      return page;
    },
    async close() {
      await Promise.all(contexts.map(async (context) => await context.close()));
      await browser.close();
      await service.close();
    },
  };
}

async function launch(): Promise<Browser> {
  return await chromium.launch({ executablePath: findBrowser() ?? "chromium", args: FLAGS.split(" ") });
}
