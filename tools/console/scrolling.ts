import type { CDPSession, Page } from "playwright-core";

export interface Scrolled {
  /** Processor time of the page's own thread: what others on the machine take does not count. */
  readonly busyMs: number;
  readonly medianMs: number;
  readonly p95Ms: number;
  readonly perSecond: number;
}

const FRAMES = 600;
/** A hard flick of the wheel: five rows a frame. */
const PIXELS_A_FRAME = 180;

/** Reads the whole log by scrolling to its end, measures what it takes then, and scrolls through it from its beginning. */
export async function scrollLog(
  page: Page,
  session: CDPSession,
  rows: number,
  heapMb: () => Promise<number>,
): Promise<{ readonly full: number; readonly scrolled: Scrolled }> {
  await page.evaluate(`(async () => {
    const grid = document.querySelector('[role="grid"]');
    while (Number(grid.getAttribute("aria-rowcount")) <= ${rows}) {
      grid.scrollTop = grid.scrollHeight;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  })()`);
  return { full: await heapMb(), scrolled: await scroll(page, session) };
}

async function scroll(page: Page, session: CDPSession): Promise<Scrolled> {
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
  const sorted = gaps.toSorted((a, b) => a - b);
  const total = gaps.reduce((sum, gap) => sum + gap, 0);
  return {
    busyMs,
    medianMs: sorted[Math.floor(sorted.length / 2)] ?? 0,
    p95Ms: sorted[Math.floor(sorted.length * 0.95)] ?? 0,
    perSecond: (FRAMES / total) * 1000,
  };
}
