import { setTimeout as sleep } from "node:timers/promises";
import { quantile } from "../histogram.ts";
import { assertAccepted, CONNECTIONS, NONE, settle, startFurnished, warm } from "../scenario.ts";
import type { Neighbour, Stage } from "../stage.ts";
import { CATALOGUE } from "../workload.ts";
import { row } from "../bench.ts";
import type { Bench, Row } from "../bench.ts";

const PER_SECOND = 20;
const ARRIVAL_LIMIT_MS = 120_000;
/** The factor by which another workspace may slow a quiet one down. */
const MOST_SLOWER = 5;

/** Measures a quiet workspace among many, one of which fires as fast as it can. */
export async function tenants(bench: Bench): Promise<Row[]> {
  const count = bench.full ? 1000 : 200;
  const stage = await startFurnished(bench);
  let quiet: Neighbour | undefined;
  try {
    for (let n = 2; n < count; n += 1) await stage.neighbour();
    quiet = await startQuiet(stage);
    await warm(stage, CATALOGUE);
    const stopMeter = stage.meter("tenants");
    const alone = await quietly(stage, quiet, bench.seconds * 500);
    await settle(stage);
    const noise = stage.closed(CATALOGUE, { connections: CONNECTIONS, forMs: bench.seconds * 500 + 2000 });
    const flooded = await quietly(stage, quiet, bench.seconds * 500);
    assertAccepted(await noise, true);
    await settle(stage);
    stopMeter();
    await stage.verify();
    return quietRows(`Of ${count} workspaces a quiet one`, { alone, flooded });
  } finally {
    await quiet?.stop();
    await stage.stop();
  }
}

/** Starts a workspace that fires 20 catalog events a second, with an endpoint, a rule and a workflow of its own. */
export async function startQuiet(stage: Stage): Promise<Neighbour> {
  const quiet = await stage.neighbour();
  await quiet.endpoint({ path: "quiet", events: CATALOGUE.names });
  await quiet.reactions();
  return quiet;
}

/** Measurements of a quiet workspace. */
export interface Quiet {
  /** Time from fire to arrival in milliseconds. */
  readonly p95: number;
  /** Responses 503. */
  readonly shed: number;
}

/** Measures all events that the quiet workspace fires from now on. Earlier arrivals are discarded. */
export async function quietly(stage: Stage, quiet: Neighbour, forMs: number): Promise<Quiet> {
  await stage.reset();
  const load = await quiet.open(CATALOGUE, { perSecond: PER_SECOND, forMs });
  assertAccepted(load, true);
  const endAt = performance.now() + ARRIVAL_LIMIT_MS;
  for (;;) {
    const { quiet: arrived = NONE } = (await stage.received()).paths;
    // The late arrivals are the ones that matter.
    if (arrived.count >= load.accepted) return { p95: quantile(arrived, 0.95), shed: load.shed };
    if (performance.now() > endAt)
      throw new Error(`${arrived.count} of ${load.accepted} events of the quiet workspace arrived in time`);
    await sleep(50);
  }
}

export function quietRows(who: string, { alone, flooded }: { readonly alone: Quiet; readonly flooded: Quiet }): Row[] {
  return [
    row(`${who}, ${PER_SECOND} events/s: fire to arrival, p95`, alone.p95, "ms"),
    row(`${who}, next to one that floods: p95`, flooded.p95, "ms", {
      against: [alone.p95, "alone"],
      goal: { atMost: MOST_SLOWER, of: "ratio" },
    }),
    row(`${who}, next to one that floods: answered 503`, flooded.shed, "", { goal: { atMost: 0 } }),
  ];
}
