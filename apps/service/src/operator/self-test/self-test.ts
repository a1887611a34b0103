import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { after, ownContext, toRfc3339 } from "../../lib/lib.ts";
import type { Clock, SelfTestView } from "../../lib/lib.ts";
import type { Log } from "../../platform/telemetry/telemetry.ts";
import { selfTestFault, newRun, performRun, rowsOf, StepError } from "./run.ts";
import type { Run, RunDeps } from "./run.ts";
import { deleteRows, SELF_TEST_BUCKET } from "./self-test.store.ts";

/**
 * Checks that this process accepts, stores, dispatches, delivers over HTTP to the built-in inbox, and verifies an
 * event.
 */
export interface SelfTest {
  /** Begins a run in the background, and another one a minute after each failure. The server must listen. */
  start(): void;
  /** Returns a result that is at most FRESH_MS old. Callers at the same time share one run of at most RUN_MS. Never throws. */
  current(): Promise<SelfTestView>;
  /** Returns the latest result at once and, if it is too old, begins a run. Undefined before the first result. */
  latest(): SelfTestView | undefined;
  /** Returns the latest result and begins nothing. */
  last(): SelfTestView | undefined;
  /** Aborts a run, waits until its rows are deleted, and begins no further runs. */
  stop(): Promise<void>;
}

export interface SelfTestDeps extends RunDeps {
  readonly clock: Clock;
  readonly log: Log;
}

const FRESH_MS = 60_000;
/** The delay after which a failed result is certainly too old, because a timer may fire a millisecond early. */
const RETRY_MS = FRESH_MS + 1000;
const RUN_MS = 10_000;
/**
 * Rows of this age belong to a process that ended during a run. The age exceeds a run plus the difference of two
 * clocks.
 */
const LEFT_BEHIND_MS = 120_000;
const STOP_MS = 2000;
const CLEAN_TRIES = 5;
const CLEAN_PAUSE_MS = 200;

export function createSelfTest(deps: SelfTestDeps): SelfTest {
  const { clock, log } = deps;
  const stopping = new AbortController();
  const outside = ownContext();
  const runner = createRunner(deps, stopping.signal);
  let result: { readonly view: SelfTestView; readonly atMs: number } | undefined;
  let flight: Promise<SelfTestView> | undefined;
  let sweep: NodeJS.Timeout | undefined;
  let retry: NodeJS.Timeout | undefined;
  let isStarted = false;

  async function check(): Promise<SelfTestView> {
    const startedMs = clock.monotonicMs();
    const { step, error } = await runner.run();
    const durationMs = Math.round((clock.monotonicMs() - startedMs) * 10) / 10;
    const view = selfTestView({ step, error }, toRfc3339(clock.now()), durationMs);
    if (stopping.signal.aborted) return view;
    if (view.status === "failed")
      log.error({ step, reason: view.reason, duration_ms: durationMs, err: error }, "self-test failed");
    else if (result?.view.status !== "passed") log.info({ duration_ms: durationMs }, "self-test passed");
    result = { view, atMs: clock.monotonicMs() };
    clearTimeout(retry);
    // The retry lets the metrics and the console show the recovery without a call.
    if (isStarted && view.status === "failed") retry = setTimeout(() => void current(), RETRY_MS).unref();
    return view;
  }

  const isFresh = (): boolean => result !== undefined && clock.monotonicMs() - result.atMs < FRESH_MS;

  async function current(): Promise<SelfTestView> {
    if (result !== undefined && (isFresh() || stopping.signal.aborted)) return result.view;
    flight ??= outside(check).finally(() => (flight = undefined));
    return await flight;
  }

  return {
    start() {
      isStarted = true;
      void current();
      // The rows of a process that was just killed are too young for the first run to delete.
      sweep = setTimeout(() => void runner.clean(), LEFT_BEHIND_MS + FRESH_MS).unref();
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
      await Promise.race([runner.ended(), sleep(STOP_MS, undefined, { ref: false })]);
    },
  };
}

interface Ended {
  /** The step that the run reached. */
  readonly step: Run["step"];
  /** Undefined when the run passed. */
  readonly error: unknown;
}

interface Runner {
  /** Performs one run, of RUN_MS at most. */
  run(): Promise<Ended>;
  /** Deletes the rows of the run, if one is given, and all rows that were left behind. */
  clean(run?: Run): Promise<void>;
  /** Resolves once no run is in progress. */
  ended(): Promise<void>;
}

function createRunner(deps: SelfTestDeps, stopping: AbortSignal): Runner {
  /** The current run with its clean-up, which can outlast the time that callers wait. */
  let work: { readonly run: Run; readonly cleaned: Promise<void> } | undefined;

  /**
   * Deletes rows until none is left, because a result of the delivery may be committed during the deletion or deadlock
   * with it.
   */
  async function clean(run?: Run): Promise<void> {
    const before = after(deps.clock.now(), -LEFT_BEHIND_MS);
    const own = run === undefined ? null : rowsOf(run);
    let fault: unknown;
    for (let tries = 0; tries < CLEAN_TRIES; tries += 1) {
      if (tries > 0) await sleep(CLEAN_PAUSE_MS);
      try {
        if ((await deleteRows(deps.db, own, before)) === 0) return;
        fault = undefined;
      } catch (error) {
        fault = error;
      }
    }
    deps.log.warn({ err: fault }, "failed to delete all rows of the self-test; a later run deletes them");
  }

  return {
    async run() {
      const limit = AbortSignal.timeout(RUN_MS);
      const isOver = once(limit, "abort");
      await Promise.race([work?.cleaned, isOver]);
      // No second run begins while one hangs.
      if (work !== undefined) return { step: work.run.step, error: tooLate() };
      const run = newRun();
      const signal = AbortSignal.any([stopping, limit]);
      const ended = deps.db
        .at(SELF_TEST_BUCKET, async () => await performRun(deps, run, signal))
        .then(
          () => undefined,
          (error: unknown) => (limit.aborted ? tooLate() : error),
        );
      const cleaned = ended.then(async () => await clean(run)).finally(() => (work = undefined));
      work = { run, cleaned };
      const error = await Promise.race([ended, isOver.then(tooLate)]);
      return { step: run.step, error };
    },
    clean,
    ended: async () => await work?.cleaned,
  };
}

function selfTestView({ step, error }: Ended, finishedAt: string, durationMs: number): SelfTestView {
  const about = { finished_at: finishedAt, duration_ms: durationMs };
  return error === undefined
    ? { status: "passed", ...about, failed_step: null, reason: null, detail: null }
    : { status: "failed", ...about, failed_step: step, ...selfTestFault(error) };
}

function tooLate(): StepError {
  return new StepError("timed_out", `The step did not finish within the ${RUN_MS / 1000} s of a self-test.`);
}
