import type { Bench, Row } from "../scenario.ts";
import { ORDER, sustained, warm } from "../scenario.ts";
import { startStage } from "../stage.ts";

const MANY = 10_000;

/** One endpoint listens: alone in its workspace, and among ten thousand that wait for something else. */
export async function endpoints(bench: Bench): Promise<Row[]> {
  const stage = await startStage(bench);
  try {
    await stage.endpoint({ path: "order", events: [ORDER], maxInFlight: 256 });
    await warm(stage);
    const alone = await sustained(stage, "endpoints", bench.seconds * 500);
    bench.say(`making ${MANY} endpoints`);
    await stage.sql.query(MORE, [MANY]);
    await stage.sql.query("vacuum (analyze) endpoint");
    await warm(stage);
    const among = await sustained(stage, "endpoints", bench.seconds * 500);
    return [
      { what: "One endpoint: sustained", value: alone, unit: "/s" },
      {
        what: `One that listens, of ${MANY} endpoints: sustained`,
        value: among,
        unit: "/s",
        ratio: { value: among / alone, to: "one endpoint" },
      },
    ];
  } finally {
    await stage.stop();
  }
}

const MORE = `insert into endpoint (bucket, tag, id, workspace_id, url, events, active, description, secret_sealed, headers, max_in_flight)
  select bucket, tag, gen_random_uuid(), workspace_id, url || n, '{bench.other}', true, description, secret_sealed, headers, 16
  from endpoint, generate_series(1, $1::int) n`;
