/**
 * Takes the pictures of docs/screenshots anew: `npm run screenshots [path…]`. It speaks to a service that runs, with whatever
 * data that has: JUNCTION_BASE_URL, and JUNCTION_EMAIL and JUNCTION_PASSWORD of somebody who may see it.
 */
import { mkdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import type { Browser } from "playwright-core";

const baseUrl = process.env["JUNCTION_BASE_URL"] ?? "http://127.0.0.1:4000";
const proof = { email: process.env["JUNCTION_EMAIL"], password: process.env["JUNCTION_PASSWORD"] };
const folder = fileURLToPath(new URL("../../docs/screenshots/", import.meta.url));
const PAGES = [
  "/",
  "/start",
  "/endpoints",
  "/deliveries",
  "/events",
  "/event-types",
  "/tester",
  "/sources",
  "/receipts",
  "/contacts",
  "/customers",
  "/tickets",
  "/approvals",
  "/actions",
  "/rules",
  "/workflows",
  "/connectors",
  "/audit",
  "/ai-history",
  "/keys",
  "/members",
  "/settings",
  "/account",
];
const WINDOWS = [
  { name: "wide", width: 1440, height: 900 },
  { name: "narrow", width: 390, height: 844 },
];
const FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"];
/** For what is still being asked for when the heading is there. */
const SETTLED_MS = 1200;

if (proof.email === undefined || proof.password === undefined) {
  throw new Error("Set JUNCTION_EMAIL and JUNCTION_PASSWORD to somebody's of that service.");
}
await mkdir(folder, { recursive: true });
const asked = process.argv.slice(2);
const browser = await chromium.launch({ executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium", args: FLAGS });
for (const theme of ["light", "dark"] as const) for (const size of WINDOWS) await take(browser, theme, size);
await browser.close();

async function take(from: Browser, colorScheme: "light" | "dark", size: (typeof WINDOWS)[number]): Promise<void> {
  const context = await from.newContext({ viewport: size, colorScheme, reducedMotion: "reduce", baseURL: baseUrl });
  const answer = await context.request.post("/v1/auth/sign-in", { data: proof });
  if (!answer.ok()) throw new Error(`not signed in: ${await answer.text()}`);
  const page = await context.newPage();
  for (const path of asked.length > 0 ? asked : PAGES) {
    await page.goto(path);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await page.waitForTimeout(SETTLED_MS);
    const name = path === "/" ? "home" : path.slice(1).replaceAll(/[^a-z0-9-]+/g, "-");
    await page.screenshot({ path: `${folder}${name}-${colorScheme}-${size.name}.png` });
  }
  await context.close();
}
