import { expect, test } from "vitest";
import { setTimeout as sleep } from "node:timers/promises";
import { asWork, watchHolds, workGoesOn } from "../../lib/lib.ts";
import type { Hold } from "../../lib/lib.ts";
import { createTelemetry } from "./telemetry.ts";

/** Uses the processor for this long. */
function burn(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

async function holdsOf(run: () => Promise<void>): Promise<Hold[]> {
  const holds: Hold[] = [];
  const end = watchHolds((hold) => holds.push(hold));
  await sleep(50);
  await run();
  await sleep(50);
  end();
  return holds;
}

test("names the work that held the event loop, also after it waited", async () => {
  const holds = await holdsOf(async () => {
    await asWork("GET /v1/slow", async () => {
      await sleep(60);
      workGoesOn();
      burn(300);
    });
  });
  // A loaded machine may have held the process before.
  expect(holds.find(({ work }) => work === "GET /v1/slow")?.ms).toBeGreaterThan(290);
});

test("work that follows in the same turn is not blamed for what held it", async () => {
  const holds = await holdsOf(async () => {
    asWork("first", () => burn(300));
    asWork("second", () => burn(1));
    await sleep(1);
  });
  expect(holds.map(({ work }) => work)).toContain("first");
  expect(holds.map(({ work }) => work)).not.toContain("second");
});

test("waiting holds nothing", async () => {
  const holds = await holdsOf(async () => await asWork("waits", async () => await sleep(300)));
  expect(holds.filter(({ work }) => work === "waits")).toEqual([]);
});

test("the metric has the work as its label", async () => {
  const telemetry = createTelemetry("silent");
  const end = telemetry.watchLoop();
  await sleep(50);
  asWork("POST /v1/slow", () => burn(250));
  await sleep(50);
  end();
  expect(await telemetry.metrics()).toMatch(
    /junction_event_loop_held_seconds_count\{work="(POST \/v1\/slow|waiting for a processor)"\} [1-9]/,
  );
});
