import { assertAccepted, ORDER, settle, warm } from "../scenario.ts";
import { startStage } from "../stage.ts";
import type { Stage } from "../stage.ts";
import { custom } from "../workload.ts";
import { row } from "../bench.ts";
import type { Bench, Row } from "../bench.ts";

const ALONE = "bench.alone";
const RULED = "bench.ruled";
const CALLED = "bench.called";
/** Below the maximum of a rule's runs a minute. */
const PER_SECOND = 90;

/** Compares an HTTP call of a rule with a delivery of the same event: processor time beyond what the event and the rule's run cost without them. */
export async function httpCalls(bench: Bench): Promise<Row[]> {
  const stage = await startStage(bench);
  await stage.endpoint({ path: "order", events: [ORDER] });
  await stage.rule(RULED, false);
  await stage.rule(CALLED, true);
  await warm(stage);
  const forMs = bench.seconds * 1000;
  const cost = async (event: string, requests: 0 | 1): Promise<number> =>
    await costOf(stage, { event, requests, forMs });
  // The first pass lets the code of each become hot.
  for (const event of [CALLED, RULED, ALONE]) await cost(event, event === CALLED ? 1 : 0);
  const alone = await cost(ALONE, 0);
  const delivered = await cost(ORDER, 1);
  const ruled = await cost(RULED, 0);
  const called = await cost(CALLED, 1);
  const [delivery, call] = [delivered - alone, called - ruled];
  return [
    row("A delivery at 90 events/s: processor time beyond its event", delivery, "ms"),
    row("An HTTP call at 90 events/s: processor time beyond its rule's run", call, "ms", {
      against: [delivery, "delivery"],
    }),
  ];
}

interface Measured {
  readonly event: string;
  /** The requests that the receiver gets for each event. */
  readonly requests: 0 | 1;
  readonly forMs: number;
}

/** Returns the processor time of service and database for each event, in milliseconds. */
async function costOf(stage: Stage, { event, requests, forMs }: Measured): Promise<number> {
  await stage.reset();
  const stopMeter = stage.meter(event);
  const load = await stage.open(custom(event), { perSecond: PER_SECOND, forMs });
  assertAccepted(load);
  await settle(stage);
  const { serviceMs, databaseMs } = stopMeter();
  const arrived = (await stage.received()).requests;
  if (arrived !== load.accepted * requests)
    throw new Error(`${load.accepted * requests} requests were due, ${arrived} arrived`);
  return (serviceMs + databaseMs) / load.accepted;
}
