import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasNoBrowser, startConsole } from "../../testing/testing.ts";
import type { Page, TestConsole } from "../../testing/testing.ts";

// `JUNCTION_MEASURE_CONSOLE=100000 vitest run --project embedded log-speed`: the figures of docs/performance.md. Not for every run: it
// reads a thousand pages.
const asked = process.env["JUNCTION_MEASURE_CONSOLE"];
const ROWS = Number(asked ?? 0);

const MOST_HEAP_MB = 60;
const FRAME_MS = 1000 / 60;
const FRAMES = 600;
/** A hard flick of the wheel: five rows a frame. */
const PIXELS_A_FRAME = 180;

describe.skipIf(hasNoBrowser || ROWS === 0)(`a log of ${ROWS} deliveries`, { timeout: 600_000 }, () => {
  let started: TestConsole;

  beforeAll(async () => {
    started = await startConsole({ env: { JUNCTION_RATE_LIMITS: '{"management.read":1000000}' } });
    await started.service.endpoint("http://127.0.0.1:9/hooks", { events: ["order.created"] });
    const fired = await started.service.fire();
    await started.service.until(`/v1/deliveries/${fired["deliveries"][0].id}`, (body) => body["attempt_count"] > 0);
    await started.service.database.query(FILL, [Date.now() - 1000, ROWS]);
    await started.service.database.query("analyze delivery");
  }, 120_000);
  afterAll(async () => await started.close());

  test("takes at most 60 MB of heap when all of it was read, and a frame of scrolling takes less than 1/60 s", async () => {
    const page = await started.open("/deliveries?state=delivered");
    await page.getByRole("grid", { name: "Deliveries" }).waitFor();
    const emptyMb = await heapMb(page);
    const begun = performance.now();
    await readAll(page);
    const readSeconds = (performance.now() - begun) / 1000;
    const fullMb = await heapMb(page);
    const scrolled = await scroll(page);
    console.info(
      [
        `heap with the first page ${emptyMb.toFixed(1)} MB, with ${ROWS} rows ${fullMb.toFixed(1)} MB`,
        `read in ${readSeconds.toFixed(0)} s`,
        `processor time of the main thread per frame ${scrolled.busyMs.toFixed(1)} ms`,
        `frames: median ${scrolled.medianMs.toFixed(1)} ms, 95 % within ${scrolled.p95Ms.toFixed(1)} ms, ${scrolled.perSecond.toFixed(1)} a second`,
      ].join("; "),
    );
    expect(fullMb).toBeLessThanOrEqual(MOST_HEAP_MB);
    expect(scrolled.busyMs).toBeLessThanOrEqual(FRAME_MS);
  });
});

/** Rows of the last minutes, one a millisecond, in the partition of today. */
const FILL = `with made as (select bucket, tag, event_id, endpoint_id from pending_delivery limit 1)
  insert into delivery (bucket, tag, id, event_id, event_name, endpoint_id, state, attempt_count, last_status_code)
  select bucket, tag, (lpad(to_hex($1::bigint - n), 12, '0') || '7000' || '8' || lpad(to_hex(n), 15, '0'))::uuid, event_id,
    (array['order.created', 'order.paid', 'invoice.paid', 'contact.created'])[1 + n % 4], endpoint_id, 'delivered', 1, 200
  from made, generate_series(1, $2::bigint) n`;

async function heapMb(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send("HeapProfiler.collectGarbage");
  const { usedSize } = await session.send("Runtime.getHeapUsage");
  await session.detach();
  return usedSize / 1024 / 1024;
}

/** Scrolls to the end until there is no more. */
async function readAll(page: Page): Promise<void> {
  await page.evaluate(`(async () => {
    const grid = document.querySelector('[role="grid"]');
    while (Number(grid.getAttribute("aria-rowcount")) <= ${ROWS}) {
      grid.scrollTop = grid.scrollHeight;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  })()`);
}

interface Scrolled {
  readonly busyMs: number;
  readonly medianMs: number;
  readonly p95Ms: number;
  readonly perSecond: number;
}

async function scroll(page: Page): Promise<Scrolled> {
  const session = await page.context().newCDPSession(page);
  // Processor time of the page's own thread: what others on the machine take does not count.
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  const busy = async (): Promise<number> => {
    const { metrics } = await session.send("Performance.getMetrics");
    return (metrics.find((one) => one.name === "TaskDuration")?.value ?? 0) * 1000;
  };
  const before = await busy();
  const gaps = await page.evaluate<number[]>(`(async () => {
    const grid = document.querySelector('[role="grid"]');
    grid.scrollTop = 0;
    const gaps = [];
    let last = await new Promise(requestAnimationFrame);
    for (let frame = 0; frame < ${FRAMES}; frame += 1) {
      grid.scrollTop += ${PIXELS_A_FRAME};
      const now = await new Promise(requestAnimationFrame);
      gaps.push(now - last);
      last = now;
    }
    return gaps;
  })()`);
  const busyMs = ((await busy()) - before) / FRAMES;
  await session.detach();
  const sorted = gaps.toSorted((a, b) => a - b);
  const total = gaps.reduce((sum, gap) => sum + gap, 0);
  return {
    busyMs,
    medianMs: sorted[Math.floor(sorted.length / 2)] ?? 0,
    p95Ms: sorted[Math.floor(sorted.length * 0.95)] ?? 0,
    perSecond: (FRAMES / total) * 1000,
  };
}
