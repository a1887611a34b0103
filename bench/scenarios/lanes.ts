import { settle, sustained, warm } from "../scenario.ts";
import { startStage } from "../stage.ts";
import type { Stage } from "../stage.ts";
import { custom } from "../workload.ts";
import type { Bench, Row } from "../bench.ts";

const ORDERED = "bench.ordered";
/** Each event has one of many customers. */
const BY_CUSTOMER = "$.data.customer.external_id";
/** The least share of the rate without order (issue 43). */
const LEAST_SHARE = 0.75;

/** Measures the rate of an endpoint whose deliveries are in order by customer, next to the rate without order. */
export async function lanes(bench: Bench): Promise<Row[]> {
  const stage = await startStage(bench);
  try {
    await stage.endpoint({ path: "ordered", events: [ORDERED], maxInFlight: 256 });
    const forMs = bench.seconds * 1000;
    const workload = { ...custom(ORDERED), hotShare: 0 };
    const measured = async (name: string): Promise<number> => {
      await warm(stage, workload);
      return await sustained(stage, name, forMs, workload);
    };
    const plain = await measured("no order");
    await order(stage);
    const ordered = await measured("in order by customer");
    return [
      { what: "One endpoint, no order: sustained", value: plain, unit: "/s" },
      {
        what: "The same in order by customer",
        value: ordered,
        unit: "/s",
        ratio: { value: ordered / plain, to: "no order" },
        goal: { atLeast: LEAST_SHARE, of: "ratio" },
      },
    ];
  } finally {
    await stage.stop();
  }
}

async function order(stage: Stage): Promise<void> {
  await settle(stage);
  await stage.sql.query("update endpoint set ordering_key = $1, on_failed = 'block'", [BY_CUSTOMER]);
}
