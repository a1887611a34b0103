import type { Junction } from "../../../../sdks/node/src/index.ts";
import type { Context } from "../command.ts";
import { withBar } from "../progress.ts";
import type { Bar } from "../progress.ts";
import { wait, waitForJob } from "../wait.ts";

export interface AwaitedReplay {
  readonly job: string;
  readonly endpoint: string;
  readonly since: Date;
  readonly until: Date;
}

/** The end of the wait. `failed_again` is null if it is not known. */
export interface ReplayEnd {
  readonly failed_again: number | null;
  /** False if deliveries may still be in progress. */
  readonly settled: boolean;
  /** Completes the sentence `61 failed deliveries are being replayed; …`. */
  readonly text: string;
}

const POLL_MS = 1000;
/**
 * The number of polls without a change after which the wait ends although deliveries are pending: they may be deliveries that were not
 * replayed, whose next attempt is hours away.
 */
const STILL = 8;

/** Waits until all deliveries of a replay are delivered or have failed again. Ends early when the signal aborts. */
export async function waitForReplay(context: Context, replay: AwaitedReplay): Promise<ReplayEnd> {
  const junction = await context.junction();
  const { signal } = context.io;
  return await withBar(context.io, async (bar) => {
    const { state } = await waitForJob(junction, replay.job, { label: "replayed", bar, signal });
    if (state === "running") return unknown("the command was interrupted before all of them were started");
    if (state === "cancelled") return unknown("the replay was cancelled");
    return await waitForAttempts({ context, junction, bar }, replay);
  });
}

interface Waiting {
  readonly context: Context;
  readonly junction: Junction;
  readonly bar: Bar;
}

/** Once all deliveries are started, those that count as failed have failed again. */
async function waitForAttempts({ context, junction, bar }: Waiting, replay: AwaitedReplay): Promise<ReplayEnd> {
  let failed = -1;
  for (let still = 0; ; still += 1) {
    const isPending = await hasPending(junction, replay);
    const { active } = await junction.webhookEndpoints.get(replay.endpoint);
    if (!active) return unknown("the endpoint was deactivated, so some of them may not be sent");
    const { count } = await countFailed(junction, replay);
    if (!isPending) return { failed_again: count, settled: true, text: `${shown(count)} of them failed again` };
    if (count !== failed) still = 0;
    if (still === STILL || context.io.signal.aborted) return unsettled(count);
    failed = count;
    bar.at("waiting for the last attempts", 0, 0);
    await wait(POLL_MS, context.io.signal);
  }
}

async function hasPending(junction: Junction, { endpoint, since, until }: AwaitedReplay): Promise<boolean> {
  const query = { state: "pending", endpoint_id: endpoint, created_after: since, created_before: until } as const;
  const { data } = await junction.deliveries.list({ ...query, limit: 1 });
  return data.length > 0;
}

async function countFailed(
  junction: Junction,
  { endpoint, since, until }: AwaitedReplay,
): Promise<{ readonly count: number }> {
  return await junction.webhookEndpoints.replayFailed(endpoint, { since, until, dry_run: true });
}

function unknown(text: string): ReplayEnd {
  return { failed_again: null, settled: false, text };
}

function unsettled(count: number): ReplayEnd {
  const text = `${shown(count)} of them failed again so far, and others may still be in progress`;
  return { failed_again: count, settled: false, text };
}

function shown(count: number): string {
  return count === 0 ? "none" : String(count);
}
