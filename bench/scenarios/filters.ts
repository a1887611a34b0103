import { costOf, warm } from "../scenario.ts";
import { startStage } from "../stage.ts";
import { custom } from "../workload.ts";
import type { Bench, Row } from "../bench.ts";

const FILTERED = "bench.filtered";
const MANY = 10_000;
const FILTERS = 100;
/** The most that an event with filters may cost, relative to the same event without. */
const MOST_COST = 1.3;

/**
 * One endpoint that gets each event, among ten thousand others: first they subscribe to another event, then to this one,
 * with a hundred different filters that it does not pass.
 */
export async function filters(bench: Bench): Promise<Row[]> {
  const stage = await startStage(bench);
  try {
    await stage.endpoint({ path: "filtered", events: [FILTERED], maxInFlight: 256 });
    await stage.sql.query(MORE, [MANY, FILTERS]);
    await stage.sql.query("vacuum (analyze) endpoint");
    await warm(stage, custom(FILTERED));
    const without = await costOf(stage, custom(FILTERED), { name: "without filters", forMs: bench.seconds * 1000 });
    await stage.sql.query("update endpoint set events = $1 where filter is not null", [[FILTERED]]);
    await stage.sql.query("vacuum (analyze) endpoint");
    await warm(stage, custom(FILTERED));
    const among = await costOf(stage, custom(FILTERED), { name: "filters", forMs: bench.seconds * 1000 });
    return [
      { what: "One endpoint, no filter to judge: service's processor time an event", value: without, unit: "ms" },
      {
        what: `The same, and ${MANY} endpoints with ${FILTERS} different filters: service's processor time an event`,
        value: among,
        unit: "ms",
        ratio: { value: among / without, to: "no filter to judge" },
        goal: { atMost: MOST_COST, of: "ratio" },
      },
    ];
  } finally {
    await stage.stop();
  }
}

const MORE = `insert into endpoint (bucket, tag, id, workspace_id, url, events, active, description, secret_sealed, headers, max_in_flight, filter)
  select bucket, tag, gen_random_uuid(), workspace_id, url || n, '{bench.other}', true, description, secret_sealed, headers, 16,
    '{"all":[{"field":"data.customer.external_id","op":"exists","value":true},{"field":"data.region","op":"eq","value":"r' || n % $2::int || '"}]}'
  from endpoint, generate_series(1, $1::int) n`;
