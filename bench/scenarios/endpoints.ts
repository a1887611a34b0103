import { startFurnished, sustained, warm } from "../scenario.ts";
import { CATALOGUE } from "../workload.ts";
import { row } from "../bench.ts";
import type { Bench, Row } from "../bench.ts";

const MANY = 10_000;

/** Measures one subscribed endpoint, alone in its workspace and among ten thousand that subscribe to other events. */
export async function endpoints(bench: Bench): Promise<Row[]> {
  const stage = await startFurnished(bench);
  await warm(stage, CATALOGUE);
  const alone = await sustained(stage, "endpoints", bench.seconds * 500, CATALOGUE);
  bench.say(`making ${MANY} endpoints`);
  await stage.sql.query(MORE, [MANY]);
  await stage.sql.query("vacuum (analyze) endpoint");
  await warm(stage, CATALOGUE);
  const among = await sustained(stage, "endpoints", bench.seconds * 500, CATALOGUE);
  await stage.verify();
  return [
    row("One endpoint: sustained", alone, "/s"),
    row(`One that listens, of ${MANY} endpoints: sustained`, among, "/s", { against: [alone, "one endpoint"] }),
  ];
}

const MORE = `insert into endpoint (bucket, tag, id, workspace_id, url, events, active, description, secret_sealed, headers, max_in_flight)
  select bucket, tag, gen_random_uuid(), workspace_id, url || n, '{bench.other}', true, description, secret_sealed, headers, 16
  from endpoint, generate_series(1, $1::int) n`;
