import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { after, toRfc3339 } from "../kernel/kernel.ts";
import type { Clock, SelfTestView } from "../kernel/kernel.ts";
import type { Log } from "../telemetry/telemetry.ts";
import { faultOf, newRun, performRun, rowsOf, StepError } from "./run.ts";
import type { Run, RunDeps } from "./run.ts";
import { deleteRows } from "./self-test.store.ts";

/** Checks that an event gets through this process: accepted, stored, dispatched, delivered over HTTP to the built-in inbox, verified. */
export interface SelfTest {
  /** Begins a run in the background, and one more a minute after each that failed. The server must listen. */
  start(): void;
  /** Returns a result that is at most FRESH_MS old. Callers at the same time share one run of at most RUN_MS. Never throws. */
  current(): Promise<SelfTestView>;
  /** Returns the latest result at once and, if it is too old, begins a run. Undefined before the first result. */
  latest(): SelfTestView | undefined;
  /** Returns the latest result and begins nothing. */
  last(): SelfTestView | undefined;
  /** Breaks a run off, waits until its rows are deleted, and begins none after that. */
  stop(): Promise<void>;
}

export interface SelfTestDeps extends RunDeps {
  readonly clock: Clock;
  readonly log: Log;
}

const FRESH_MS = 60_000;
/** The result is then too old for sure: a timer may fire a millisecond early. */
const RETRY_MS = FRESH_MS + 1000;
const RUN_MS = 10_000;
/** Rows of this age are of a process that ended in the middle of a run. Longer than a run and what two clocks may differ. */
const LEFT_BEHIND_MS = 120_000;
const STOP_MS = 2000;

export function createSelfTest(deps: SelfTestDeps): SelfTest {
  const { clock, log } = deps;
  const stopping = new AbortController();
  let result: { readonly view: SelfTestView; readonly atMs: number } | undefined;
  let flight: Promise<SelfTestView> | undefined;
  /** What a run does, its clean-up included: it can outlast the time that callers wait. */
  let work: { readonly run: Run; readonly cleaned: Promise<void> } | undefined;
  let sweep: NodeJS.Timeout | undefined;
  let retry: NodeJS.Timeout | undefined;
  let started = false;

  /** Returns the error that ended the run; undefined when it passed. */
  async function perform(run: Run): Promise<unknown> {
    const limit = AbortSignal.timeout(RUN_MS);
    const ended = performRun(deps, run, AbortSignal.any([stopping.signal, limit])).then(
      () => undefined,
      (error: unknown) => (limit.aborted ? tooLate() : error),
    );
    const cleaned = ended.then(async () => await clean(run)).finally(() => (work = undefined));
    work = { run, cleaned };
    return await Promise.race([ended, once(limit, "abort").then(tooLate)]);
  }

  async function clean(run: Run | null): Promise<void> {
    const before = after(clock.now(), -LEFT_BEHIND_MS);
    await deleteRows(deps.db.query, run === null ? null : rowsOf(run), before).catch((error: unknown) =>
      log.warn({ err: error }, "the self-test's rows could not be deleted; a later run deletes them"),
    );
  }

  async function check(): Promise<SelfTestView> {
    const startedMs = clock.monotonicMs();
    const run = work?.run ?? newRun();
    // A run that still hangs is not joined by another one.
    const error = work === undefined ? await perform(run) : tooLate();
    const view: SelfTestView = {
      status: error === undefined ? "passed" : "failed",
      finished_at: toRfc3339(clock.now()),
      duration_ms: Math.round((clock.monotonicMs() - startedMs) * 10) / 10,
      failed_step: error === undefined ? null : run.step,
      ...(error === undefined ? { reason: null, detail: null } : faultOf(error)),
    };
    if (stopping.signal.aborted) return view;
    report(view, error);
    result = { view, atMs: clock.monotonicMs() };
    clearTimeout(retry);
    // So that the metrics and the console show the recovery without a call.
    if (started && view.status === "failed") retry = setTimeout(() => void current(), RETRY_MS).unref();
    return view;
  }

  function report({ status, failed_step, reason, duration_ms }: SelfTestView, error: unknown): void {
    if (status === "failed") log.error({ step: failed_step, reason, duration_ms, err: error }, "self-test failed");
    else if (result?.view.status !== "passed") log.info({ duration_ms }, "self-test passed");
  }

  const isFresh = (): boolean => result !== undefined && clock.monotonicMs() - result.atMs < FRESH_MS;

  async function current(): Promise<SelfTestView> {
    if (result !== undefined && (isFresh() || stopping.signal.aborted)) return result.view;
    flight ??= check().finally(() => (flight = undefined));
    return await flight;
  }

  return {
    start() {
      started = true;
      void current();
      // What a killed process left just now is too young for the first run to delete.
      sweep = setTimeout(() => void clean(null), LEFT_BEHIND_MS + FRESH_MS).unref();
    },
    current,
    latest() {
      if (result !== undefined && !isFresh()) void current();
      return result?.view;
    },
    last: () => result?.view,
    async stop() {
      stopping.abort();
      clearTimeout(sweep);
      clearTimeout(retry);
      await Promise.race([work?.cleaned, sleep(STOP_MS, undefined, { ref: false })]);
    },
  };
}

function tooLate(): StepError {
  return new StepError("timed_out", `The step did not end within the ${RUN_MS / 1000} s of a self-test.`);
}
