import { Histogram } from "prom-client";
import type { Registry } from "prom-client";
import { HELD_MS, systemClock, watchHolds } from "../../lib/lib.ts";
import type { Hold } from "../../lib/lib.ts";
import type { Log } from "./signals.ts";

/** The routes and workers are a few hundred. */
const MOST_NAMES = 1000;
const QUIET_MS = 60_000;
/** A process that a machine does not run, or that is suspended, holds nothing. */
const NOT_RUN = "waiting for a processor";

/** Counts what held the event loop for more than 100 ms, and logs each name of its own work once a minute. Returns a function that starts it. */
export function loopHolds(registry: Registry, log: Log): () => () => void {
  const held = new Histogram({
    name: "junction_event_loop_held_seconds",
    help: "Times that one piece of work held the event loop for more than 100 ms, by the route or the worker.",
    labelNames: ["work"],
    buckets: [0.1, 0.2, 0.5, 1, 2, 5, 10],
    registers: [registry],
  });
  const logged = new Map<string, { readonly atMs: number; skipped: number }>();

  function warn({ work, ms, cpuMs }: Hold): void {
    const last = logged.get(work);
    const now = systemClock.monotonicMs();
    if (last !== undefined && now - last.atMs < QUIET_MS) {
      last.skipped += 1;
      return;
    }
    logged.set(work, { atMs: now, skipped: 0 });
    log.warn(
      { work, ms: Math.round(ms), cpu_ms: Math.round(cpuMs), more_before: last?.skipped ?? 0 },
      "the event loop was held, and all other work waited",
    );
  }

  return () =>
    watchHolds((hold) => {
      const isRun = hold.cpuMs >= HELD_MS;
      const isKnown = logged.has(hold.work) || logged.size < MOST_NAMES;
      const work = isRun ? (isKnown ? hold.work : "other") : NOT_RUN;
      held.observe({ work }, hold.ms / 1000);
      // Other programs of the machine cause this. The metric shows it.
      if (isRun) warn({ ...hold, work });
    });
}
