/**
 * Measures the console on a service of its own with demo data: `npm run measure:console [-- --only load,lighthouse,log]`. Times are
 * reliable only on a quiet machine.
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import pg from "pg";
import type { Browser, CDPSession, Page } from "playwright-core";
import { runningEmbedded } from "../../apps/service/src/platform/db/db.ts";
import { chromium } from "../chromium.ts";
import { cacheFolder } from "../cached.ts";
import { run as runProgram } from "../run.ts";
import { FLAGS, openBrowser, openProfile, SCREEN_HEADING } from "./browser.ts";
import { demoService } from "./demo-service.ts";
import { scrollLog } from "./scrolling.ts";

const PAGES = ["/sign-in", "/"];
const RUNS = 3;
/** Lighthouse's "slow 4G" and processor, as its devtools throttling applies them. */
const SLOW_4G = { offline: false, latency: 562.5, downloadThroughput: 1_474_560 / 8, uploadThroughput: 691_200 / 8 };
const SLOWER = 4;
/** Nothing larger is painted later. */
const SETTLED_MS = 3000;
const LIGHTHOUSE = "lighthouse@13.5.0";
const MOST_TRIES = 3;
/** Lighthouse's options by form factor: a phone on slow 4G, and a desktop computer on a cable. */
const FORMS = { mobile: [], desktop: ["--preset=desktop"] };
const MB = 1024 * 1024;

/** Rows of the last minutes, one a millisecond, in the partition of today. */
const FILL = `with made as (select bucket, tag, event_id, endpoint_id from delivery order by id desc limit 1)
  insert into delivery (bucket, tag, id, event_id, event_name, endpoint_id, state, attempt_count, last_status_code)
  select bucket, tag, (lpad(to_hex($1::bigint - n), 12, '0') || '7000' || '8' || lpad(to_hex(n), 15, '0'))::uuid, event_id,
    (array['order.created', 'order.paid', 'invoice.paid', 'contact.created'])[1 + n % 4], endpoint_id, 'delivered', 1, 200
  from made, generate_series(1, $2::bigint) n`;

const { values } = parseArgs({
  args: process.argv.slice(2),
  options: { rows: { type: "string", default: "100000" }, only: { type: "string", default: "load,log" } },
});
const rows = Number(values.rows);
const only = values.only.split(",");
const service = await demoService({ JUNCTION_RATE_LIMITS: '{"management.read":1000000}' });
const browser = await openBrowser();
try {
  for (const path of only.includes("load") ? PAGES : []) await measureLoad(browser, path);
  for (const path of only.includes("lighthouse") ? PAGES : []) await measureByLighthouse(browser, path);
  if (only.includes("log")) await measureLog(browser);
} finally {
  await browser.close();
  await service.stop();
}

interface Load {
  readonly lcpMs: number;
  readonly scriptBytes: number;
}

async function measureLoad(from: Browser, path: string): Promise<void> {
  const loads: Load[] = [];
  for (let run = 0; run < RUNS; run += 1) loads.push(await load(from, path));
  const lcps = loads.map(({ lcpMs }) => Math.round(lcpMs)).toSorted((a, b) => a - b);
  console.log(
    `${path}: LCP on slow 4G, processor ${SLOWER} times slower: median ${lcps[Math.floor(RUNS / 2)]} ms of ${lcps.join(", ")} (goal 1500); ` +
      `JavaScript as sent ${((loads[0]?.scriptBytes ?? 0) / 1000).toFixed(0)} kB`,
  );
}

async function load(from: Browser, path: string): Promise<Load> {
  const { page, session } = await openPage(from, path !== "/sign-in");
  let scriptBytes = 0;
  const scripts = new Set<string>();
  session.on("Network.responseReceived", ({ requestId, type }) => type === "Script" && scripts.add(requestId));
  session.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
    if (scripts.has(requestId)) scriptBytes += encodedDataLength;
  });
  await session.send("Network.enable");
  await session.send("Network.emulateNetworkConditions", SLOW_4G);
  await session.send("Emulation.setCPUThrottlingRate", { rate: SLOWER });
  await page.goto(path);
  await page.locator(SCREEN_HEADING).waitFor();
  await page.waitForTimeout(SETTLED_MS);
  const lcpMs = await page.evaluate<number>(`new Promise((resolve) => new PerformanceObserver((list) =>
    resolve(list.getEntries().at(-1).startTime)).observe({ type: "largest-contentful-paint", buffered: true }))`);
  await page.context().close();
  return { lcpMs, scriptBytes };
}

async function openPage(from: Browser, isSignedIn: boolean): Promise<{ page: Page; session: CDPSession }> {
  const context = await openProfile(from, service, { viewport: { width: 1280, height: 900 }, isSignedIn });
  const page = await context.newPage();
  return { page, session: await context.newCDPSession(page) };
}

/** Runs Lighthouse from a folder of its own, into which the registry's package is installed, because the project does not depend on it. */
async function measureByLighthouse(from: Browser, path: string): Promise<void> {
  const { page } = await openPage(from, path !== "/sign-in");
  const cookies = await page.context().cookies();
  const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join("; ");
  const headers = cookie === "" ? [] : [`--extra-headers=${JSON.stringify({ Cookie: cookie })}`];
  for (const [form, preset] of Object.entries(FORMS)) {
    for (let run = 1; run <= RUNS; run += 1) {
      const report = await lighthouse([service.baseUrl + path, ...headers, ...preset]);
      console.log(`${path}: Lighthouse, ${form} ${run}: ${verdictOf(report)}`);
    }
  }
  await page.context().close();
}

async function lighthouse(asked: readonly string[]): Promise<Report> {
  const exec = ["exec", "--yes", "--cache", join(cacheFolder(), "lighthouse"), `--package=${LIGHTHOUSE}`, "--"];
  const args = [...asked, "--quiet", "--output=json", `--chrome-flags=--headless ${FLAGS.join(" ")}`];
  const env = { ...process.env, CHROME_PATH: await chromium() };
  for (let tried = 1; ; tried += 1) {
    const { status, stdout, output } = await runProgram("npm", [...exec, "lighthouse", ...args], { env });
    if (status === 0) return JSON.parse(stdout) as Report;
    // Lighthouse's trace sometimes misses the navigation. Its message then says to run it again.
    const reason = /"runtimeError": \{\s*"code": "(\w+)"/.exec(output)?.[1];
    if (reason !== "NO_NAVSTART" || tried === MOST_TRIES) throw new Error(reason ?? output);
  }
}

interface Audit {
  readonly score: number | null;
  readonly displayValue?: string;
}

interface Report {
  readonly categories: Readonly<
    Record<
      string,
      {
        readonly title: string;
        readonly score: number | null;
        readonly auditRefs: readonly { readonly id: string; readonly weight: number }[];
      }
    >
  >;
  readonly audits: Readonly<Record<string, Audit>>;
}

function verdictOf({ categories, audits }: Report): string {
  const parts = Object.values(categories).map(({ title, score, auditRefs }) => {
    const lost = auditRefs.filter(({ id, weight }) => weight > 0 && (audits[id]?.score ?? 1) < 0.9).map(({ id }) => id);
    return `${title} ${Math.round((score ?? 0) * 100)}${lost.length === 0 ? "" : ` (${lost.join(", ")})`}`;
  });
  return `${parts.join(", ")}; LCP ${audits["largest-contentful-paint"]?.displayValue ?? "?"}`;
}

async function measureLog(from: Browser): Promise<void> {
  if (service.dataDir === null)
    throw new Error("the log is measured on a service of its own: leave JUNCTION_BASE_URL out");
  await fillLog((await runningEmbedded(service.dataDir)) ?? "");
  const { page, session } = await openPage(from, true);
  await page.goto("/deliveries?state=delivered");
  await page.getByRole("grid", { name: "Deliveries" }).waitFor();
  const first = await heapMb(session);
  const { full, scrolled } = await scrollLog(page, session, rows, async () => await heapMb(session));
  console.log(
    `/deliveries with ${rows} rows: heap ${first.toFixed(1)} MB with the first page, ${full.toFixed(1)} MB with all (goal 60); ` +
      `${scrolled.perSecond.toFixed(1)} frames a second while scrolling (goal 60), median ${scrolled.medianMs.toFixed(1)} ms, ` +
      `95 % within ${scrolled.p95Ms.toFixed(1)} ms; main thread ${scrolled.busyMs.toFixed(1)} ms of processor time a frame`,
  );
  await page.context().close();
}

async function fillLog(connectionString: string): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    await client.query(FILL, [Date.now() - 1000, rows]);
    await client.query("analyze delivery");
  } finally {
    await client.end();
  }
}

async function heapMb(session: CDPSession): Promise<number> {
  await session.send("HeapProfiler.collectGarbage");
  return (await session.send("Runtime.getHeapUsage")).usedSize / MB;
}
