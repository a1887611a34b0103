import { AsyncLocalStorage } from "node:async_hooks";
import { systemClock } from "./clock.ts";

/** Work that held the event loop: what it is called, for how long, and for how long it had the processor. */
export interface Hold {
  readonly work: string;
  readonly ms: number;
  readonly cpuMs: number;
}

type Listener = (hold: Hold) => void;

/** The time from which on work counts as having held the event loop. */
export const HELD_MS = 100;
/** The interval of the watch. Without other work, no more time passes between two turns of the event loop. */
const TICK_MS = 20;
/** The name of work without a name. */
const OTHER = "other";

// A process has one event loop, so that what runs on it is known once for the process.
const names = new AsyncLocalStorage<string>();
const listeners = new Set<Listener>();
const running = { work: OTHER, sinceMs: systemClock.monotonicMs(), cpu: process.threadCpuUsage() };

/** Runs work under a name of a small set, such as that of a route or a worker. What it awaits belongs to it. */
export function asWork<T>(work: string, run: () => T): T {
  return names.run(work, () => {
    turnTo(work);
    return run();
  });
}

/** Notes that the caller's work continues after it waited. */
export function workGoesOn(): void {
  turnTo(names.getStore() ?? OTHER);
}

/** Tells a listener what held the event loop for more than `HELD_MS`. Returns a function that ends that. */
export function watchHolds(listener: Listener): () => void {
  listeners.add(listener);
  turnOver();
  const timer = setInterval(tick, TICK_MS);
  timer.unref();
  return () => {
    listeners.delete(listener);
    clearInterval(timer);
  };
}

function turnTo(work: string): void {
  // Work that continues without a turn of the event loop has held it all the time.
  if (work === running.work || listeners.size === 0) return;
  const now = systemClock.monotonicMs();
  report(now);
  running.work = work;
  running.sinceMs = now;
}

function tick(): void {
  report(systemClock.monotonicMs());
  turnOver();
}

function turnOver(): void {
  running.work = OTHER;
  running.sinceMs = systemClock.monotonicMs();
  running.cpu = process.threadCpuUsage();
}

function report(now: number): void {
  const ms = now - running.sinceMs;
  if (ms <= HELD_MS) return;
  const { user, system } = process.threadCpuUsage(running.cpu);
  for (const listener of listeners) listener({ work: running.work, ms, cpuMs: (user + system) / 1000 });
}
