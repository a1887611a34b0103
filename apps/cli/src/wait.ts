import { setTimeout as sleep } from "node:timers/promises";
import type { Junction, Replay } from "../../../sdks/node/src/index.ts";
import { isPassing } from "./failure.ts";
import type { Io } from "./io.ts";
import type { Bar } from "./progress.ts";

const POLL_MS = 1000;

/** Waits. Ends early, without throwing, when the signal aborts. */
export async function wait(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}

/**
 * Repeats the work until the signal, or until it returns undefined instead of a pause in milliseconds. Continues by itself when an
 * unavailable service responds again.
 */
export async function repeat({ err, signal }: Io, work: () => Promise<number | undefined>): Promise<void> {
  let isLost = false;
  while (!signal.aborted) {
    try {
      const pauseMs = await work();
      if (isLost) err("The service responds again.\n");
      isLost = false;
      if (pauseMs === undefined) return;
      if (pauseMs > 0) await wait(pauseMs, signal);
    } catch (error) {
      if (!isPassing(error)) throw error;
      if (!isLost) err("The service does not respond. Waiting for it.\n");
      isLost = true;
      await wait(POLL_MS, signal);
    }
  }
}

/** Shows the progress of a job until its end, or until the signal, and returns the job. */
export async function waitForJob(junction: Junction, id: string, { label, bar, signal }: JobWait): Promise<Replay> {
  for (;;) {
    const job = await junction.replays.get(id);
    bar.at(label, job.done, job.total);
    if (job.state !== "running" || signal.aborted) return job;
    await wait(POLL_MS, signal);
  }
}

interface JobWait {
  readonly label: string;
  readonly bar: Bar;
  readonly signal: AbortSignal;
}
