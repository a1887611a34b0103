import { chromium as playwright } from "playwright-core";
import type { Browser, BrowserContext, BrowserContextOptions } from "playwright-core";
import { chromium } from "../chromium.ts";
import type { DemoService } from "./demo-service.ts";

export const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
];
/** That of a screen that is drawn: the page shows one before, from its first paint. */
export const SCREEN_HEADING = "h1:not([inert] h1, [role=status] h1)";
const PATIENCE_MS = 120_000;

export async function openBrowser(): Promise<Browser> {
  return await playwright.launch({ executablePath: await chromium(), args: FLAGS });
}

/** Creates a separate profile that shows the sandbox, which contains the demo data. */
export async function openProfile(
  browser: Browser,
  { baseUrl, owner }: DemoService,
  { isSignedIn, ...options }: BrowserContextOptions & { readonly isSignedIn: boolean },
): Promise<BrowserContext> {
  const context = await browser.newContext({ ...options, baseURL: baseUrl });
  context.setDefaultTimeout(PATIENCE_MS);
  await context.addInitScript(`sessionStorage.setItem("junction.scope", '{"environment":"sandbox"}')`);
  if (!isSignedIn) return context;
  const answer = await context.request.post("/v1/auth/sign-in", { data: owner });
  if (!answer.ok()) throw new Error(`not signed in: ${await answer.text()}`);
  return context;
}
