import { assertAccepted, settle, sustained, warm } from "../scenario.ts";
import { startStage } from "../stage.ts";
import type { Stage } from "../stage.ts";
import { custom } from "../workload.ts";
import type { Workload } from "../workload.ts";
import { LATENT, LATENT_MS } from "../receiver-paths.ts";
import { row } from "../bench.ts";
import type { Bench, Row } from "../bench.ts";

const ORDERED = "bench.ordered";
const HOT = "bench.hot";
const TENANTS = 1000;
/** Each event has one of 100 000 customers. */
const BY_CUSTOMER = "$.data.customer.external_id";
const ONE = "endpoint";
const LEAST_SHARE = 0.75;
const LEAST_HOT_SHARE = 0.9;
/** Twice what a hot lane can send. */
const HOT_PER_SECOND = 2000 / LATENT_MS;

/** Measures an endpoint without an order, in a thousand lanes and in a hundred thousand, and a single lane with a slow receiver. */
export async function lanes(bench: Bench): Promise<Row[]> {
  const stage = await startStage(bench);
  await stage.endpoint({ path: "ordered", events: [ORDERED], maxInFlight: 256 });
  const forMs = bench.seconds * 1000;
  const workload: Workload = { ...custom(ORDERED), hotShare: 0, tenants: TENANTS };
  const measured = async (name: string): Promise<number> => {
    await warm(stage, workload);
    return await sustained(stage, name, forMs, workload);
  };
  const plain = await measured("no order");
  await order(stage, "tenant");
  const some = await measured("1 000 lanes");
  await order(stage, BY_CUSTOMER);
  const many = await measured("100 000 lanes");
  return [
    row("One endpoint, no order: sustained", plain, "/s"),
    row("The same in 1 000 lanes, by tenant", some, "/s", {
      against: [plain, "no order"],
      goal: { atLeast: LEAST_SHARE, of: "ratio" },
    }),
    row("The same in 100 000 lanes, by customer", many, "/s", { against: [some, "1 000 lanes"] }),
    await hotLane(stage, forMs),
  ];
}

async function order(stage: Stage, key: string): Promise<void> {
  await settle(stage);
  await stage.sql.query("update endpoint set ordering_key = $1, on_failed = 'block'", [key]);
}

/** One lane whose receiver takes its time: the rate cannot exceed one request in that time. */
async function hotLane(stage: Stage, forMs: number): Promise<Row> {
  await stage.endpoint({ path: LATENT, events: [HOT], maxInFlight: 256 });
  await order(stage, ONE);
  await stage.reset();
  const stopMeter = stage.meter("one lane");
  const load = await stage.open(custom(HOT), { perSecond: HOT_PER_SECOND, forMs });
  assertAccepted(load);
  await settle(stage);
  const { wallMs } = stopMeter();
  const perSecond = (load.accepted / wallMs) * 1000;
  return row(`One lane, whose receiver takes ${LATENT_MS} ms`, perSecond, "/s", {
    ratio: { value: (perSecond * LATENT_MS) / 1000, to: "one request at a time" },
    goal: { atLeast: LEAST_HOT_SHARE, of: "ratio" },
  });
}
