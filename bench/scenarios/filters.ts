import { costOf, warm } from "../scenario.ts";
import { startStage } from "../stage.ts";
import { custom } from "../workload.ts";
import type { Workload } from "../workload.ts";
import { row } from "../bench.ts";
import type { Bench, Row } from "../bench.ts";

const FILTERED = "bench.filtered";
const MANY = 10_000;
const FILTERS = 100;
const TENANTS = 1000;
/** Each event is one tenant's. */
const EVENTS: Workload = { ...custom(FILTERED), tenants: TENANTS };
/** The most that an event with filters may cost, relative to the same event without. */
const MOST_COST = 1.3;

/**
 * One endpoint that gets each event, of any tenant, among ten thousand endpoints of a thousand tenants: first they subscribe to
 * another event, then to this one, with a hundred different filters that it does not pass.
 */
export async function filters(bench: Bench): Promise<Row[]> {
  const stage = await startStage(bench);
  await stage.endpoint({ path: "filtered", events: [FILTERED], maxInFlight: 256 });
  await stage.sql.query(MORE, [MANY, FILTERS, TENANTS]);
  await stage.sql.query("vacuum (analyze) endpoint");
  await warm(stage, EVENTS);
  const without = await costOf(stage, EVENTS, { name: "without filters", forMs: bench.seconds * 1000 });
  await stage.sql.query("update endpoint set events = array[$1 || ' ' || tenant] where tenant is not null", [FILTERED]);
  await stage.sql.query("vacuum (analyze) endpoint");
  await warm(stage, EVENTS);
  const among = await costOf(stage, EVENTS, { name: "filters", forMs: bench.seconds * 1000 });
  return [
    row("One endpoint, no filter to judge: service's processor time an event", without, "ms"),
    row(
      `The same, and ${MANY} endpoints of ${TENANTS} tenants with ${FILTERS} different filters: service's processor time an event`,
      among,
      "ms",
      { against: [without, "no filter to judge"], goal: { atMost: MOST_COST, of: "ratio" } },
    ),
  ];
}

const MORE = `insert into endpoint (bucket, tag, id, workspace_id, url, events, active, description, secret_sealed, headers, max_in_flight, tenant, filter)
  select bucket, tag, gen_random_uuid(), workspace_id, url || n, array['bench.other ' || t.tenant], true, description, secret_sealed, headers, 16, t.tenant,
    '{"all":[{"field":"data.customer.external_id","op":"exists","value":true},{"field":"data.region","op":"eq","value":"r' || n % $2::int || '"}]}'
  from endpoint, generate_series(1, $1::int) n, lateral (select 't' || lpad((n % $3::int)::text, 4, '0') as tenant) t`;
