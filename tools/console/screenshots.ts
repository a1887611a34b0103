/**
 * Takes the pictures of docs/screenshots again: `npm run screenshots`. It starts a service of its own with demo data, unless JUNCTION_BASE_URL
 * names a running one, with the JUNCTION_EMAIL and JUNCTION_PASSWORD of a member. `npm run screenshots -- --out <folder> [path…]` takes
 * these pages, or all of them, for a review.
 */
import { mkdir } from "node:fs/promises";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import type { APIRequestContext, Browser } from "playwright-core";
import { Junction } from "../../sdks/node/src/index.ts";
import { openBrowser, openProfile, SCREEN_HEADING } from "./browser.ts";
import { demoService } from "./demo-service.ts";
import type { DemoService } from "./demo-service.ts";

interface Shot {
  readonly name: string;
  /** `{id}` stands for the id of the first object of `of`. */
  readonly path: string;
  readonly of?: string;
}

/** The page of a customer of the demo data. Its path is a link, which is used once. */
const PORTAL: Shot = { name: "portal", path: "/portal" };
const CUSTOMER = "demo-acme";
const KEPT: readonly Shot[] = [
  { name: "home", path: "/" },
  { name: "endpoints", path: "/endpoints" },
  { name: "endpoint", path: "/endpoints/{id}", of: "/v1/webhook-endpoints?limit=1" },
  { name: "deliveries", path: "/deliveries" },
  { name: "delivery", path: "/deliveries/{id}", of: "/v1/deliveries?state=failed&limit=1" },
  { name: "contact", path: "/contacts/{id}", of: "/v1/contacts?limit=1" },
  { name: "approval", path: "/approvals/{id}", of: "/v1/proposals?state=proposed&limit=1" },
  { name: "rule", path: "/rules/{id}", of: "/v1/rules?limit=1" },
  { name: "source", path: "/sources/{id}", of: "/v1/inbound-endpoints?limit=1" },
  { name: "docs", path: "/docs/guide/quickstart" },
  { name: "docs-api", path: "/docs/api#tag/events/fireEvent" },
  PORTAL,
];
const DETAILS: readonly Shot[] = [
  { name: "event", path: "/events/{id}", of: "/v1/events?limit=1" },
  { name: "receipt", path: "/receipts/{id}", of: "/v1/inbound-receipts?limit=1" },
  { name: "key", path: "/keys/{id}", of: "/v1/keys?limit=1" },
  { name: "audit-row", path: "/audit/{id}", of: "/v1/audit?limit=1" },
];
const LISTS =
  "/start /events /event-types /tester /sources /receipts /contacts /customers /tickets /approvals /actions /runs /rules /workflows /http-calls /connectors /audit /ai-history /keys /members /settings /account";
const WINDOWS = [
  { name: "wide", width: 1440, height: 900 },
  { name: "narrow", width: 390, height: 844 },
] as const;
const THEMES = ["light", "dark"] as const;
const SANDBOX = { "X-Service-Environment": "sandbox" };
const ORDERS = 24;
/** Time for the requests that are open when the heading appears, and for the API reference to scroll to its operation. */
const SETTLED_MS = 3000;
/** Time until failing deliveries have failed and counts are written. */
const QUIET_MS = 15_000;

const { values, positionals } = parseArgs({
  args: process.argv.slice(2),
  options: { out: { type: "string" } },
  allowPositionals: true,
});
const folder = values.out ?? fileURLToPath(new URL("../../docs/screenshots/", import.meta.url));
await mkdir(folder, { recursive: true });
const service = await demoService();
const browser = await openBrowser();
try {
  await makeTraffic(service);
  for (const theme of values.out === undefined ? THEMES : THEMES.slice(0, 1))
    for (const size of WINDOWS) await take(browser, theme, size);
} finally {
  await browser.close();
  await service.stop();
}

function wanted(): readonly Shot[] {
  if (positionals.length > 0) return positionals.map((path) => shotOf(path));
  return values.out === undefined ? KEPT : [...KEPT, ...DETAILS, ...LISTS.split(" ").map((path) => shotOf(path))];
}

function shotOf(path: string): Shot {
  const known = [...KEPT, ...DETAILS].find((one) => one.path === path || one.name === path);
  return known ?? { name: path.slice(1).replaceAll(/[^a-z0-9-]+/g, "-"), path };
}

/** Fires events of a shop, so that lists and charts have data. */
async function makeTraffic({ sandboxKey, baseUrl }: DemoService): Promise<void> {
  if (sandboxKey === null) return;
  const junction = new Junction({ apiKey: sandboxKey, baseUrl });
  const names = ["order.created", "order.paid", "invoice.paid", "demo.order.created", "demo.order.paid"] as const;
  for (let order = 0; order < ORDERS; order += 1) {
    const data = { order: { external_id: String(10_500 + order), total_minor: 1900 + order * 730, currency: "EUR" } };
    await junction.events.fire(names[order % names.length] ?? names[0], data);
  }
  await new Promise((done) => setTimeout(done, QUIET_MS));
}

async function take(from: Browser, colorScheme: "light" | "dark", size: (typeof WINDOWS)[number]): Promise<void> {
  const looks = { viewport: size, colorScheme, reducedMotion: "reduce" } as const;
  const context = await openProfile(from, service, { ...looks, isSignedIn: true });
  const page = await context.newPage();
  // The notice shows folders of this machine.
  await page.goto("/");
  await page.getByRole("button", { name: "Dismiss" }).click();
  for (const shot of wanted()) {
    const path = shot === PORTAL ? await portalLink(service) : await pathOf(shot, context.request);
    if (path === undefined) continue;
    await page.goto(path);
    await page.locator(SCREEN_HEADING).waitFor();
    await page.waitForTimeout(SETTLED_MS);
    await page.screenshot({ path: resolve(folder, `${shot.name}-${colorScheme}-${size.name}.png`) });
  }
  await context.close();
}

async function pathOf({ path, of }: Shot, request: APIRequestContext): Promise<string> {
  if (of === undefined) return path;
  const answer = await request.get(of, { headers: SANDBOX });
  const { data } = (await answer.json()) as { readonly data: readonly { readonly id: string }[] };
  return path.replace("{id}", data[0]?.id ?? "none");
}

/** Returns undefined for a service that was running before, whose key is not known. */
async function portalLink({ sandboxKey, baseUrl }: DemoService): Promise<string | undefined> {
  if (sandboxKey === null) return undefined;
  const capabilities = ["endpoints", "deliveries", "replay", "transforms"] as const;
  return (
    await new Junction({ apiKey: sandboxKey, baseUrl }).portalSessions.create({
      tenant: CUSTOMER,
      capabilities: [...capabilities],
    })
  ).url;
}
