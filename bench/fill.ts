import type { Client } from "pg";
import { customerOf, KNOWN_PEOPLE, PERSON_MARK } from "./workload.ts";

const DAY_MS = 86_400_000;

export interface PendingFill {
  /** The event whose endpoints get the deliveries, evenly. */
  readonly event: string;
  readonly deliveries: number;
  /** Number of endpoints that subscribe to the event. */
  readonly endpoints: number;
}

/**
 * Puts retries that are due now on the endpoints of an event, with the events they deliver. Leaves its transaction open: the service
 * sees all of them at the commit.
 */
export async function fillPending(
  sql: Client,
  place: Place,
  { event, deliveries, endpoints }: PendingFill,
): Promise<void> {
  const fromMs = Date.now() - 60_000;
  await sql.query("begin");
  await sql.query(IDS);
  await sql.query(
    `insert into event (bucket, tag, id, name, canonical, data, occurred_at)
     select $1, $2, pg_temp.bench_id($3::bigint + n / 4, n), $6, false, $5, now() - interval '1 hour' from generate_series(1, $4::int) n`,
    [place.bucket, place.tag, fromMs, Math.ceil(deliveries / endpoints), PAYLOAD, event],
  );
  await sql.query(
    `insert into pending_delivery (bucket, tag, id, event_id, event_name, endpoint_id, attempt_count, due_at, next_attempt_at, last_status_code, last_error_class)
     select $1, $2, pg_temp.bench_id($3::bigint + v.n / 4, v.n * $5::bigint + e.number), pg_temp.bench_id($3::bigint + v.n / 4, v.n), $6, e.id, 1,
       now() - interval '1 hour' + v.n * interval '1 millisecond', now() - interval '1 hour', 503, 'http_status'
     from generate_series(1, $4::int) v (n),
       (select id, row_number() over (order by id) as number from endpoint where events = array[$6]) e`,
    [place.bucket, place.tag, fromMs, Math.ceil(deliveries / endpoints), endpoints, event],
  );
  await sql.query("analyze pending_delivery");
}

/** Fills the log as `days` of traffic would have: events, deliveries and attempts, half of them in today's partition, where new rows go. */
export async function fillLog(
  sql: Client,
  place: Place,
  options: { readonly rows: number; readonly days: number },
): Promise<void> {
  const { rows, days } = options;
  await sql.query("set synchronous_commit = off");
  await sql.query(IDS);
  const midnight = Date.now() - (Date.now() % DAY_MS);
  for (let back = 1; back < days; back += 1) {
    await ensureDay(sql, midnight - back * DAY_MS);
    await fillDay(sql, place, {
      fromMs: midnight - back * DAY_MS,
      spanMs: DAY_MS,
      rows: Math.floor(rows / 2 / (days - 1)),
    });
  }
  await fillDay(sql, place, {
    fromMs: midnight,
    spanMs: Math.max(1, Date.now() - midnight - 120_000),
    rows: Math.floor(rows / 2),
  });
  await sql.query("vacuum (analyze) event");
  await sql.query("vacuum (analyze) delivery");
  await sql.query("vacuum (analyze) attempt");
  await sql.query("checkpoint");
}

const PAYLOAD = `{"order_id":"ord_10293","note":"${"x".repeat(400)}"}`;

/** Creates a function that returns the UUIDv7 of a moment. `n` distinguishes ids of the same millisecond. */
const IDS = `create or replace function pg_temp.bench_id(ms bigint, n bigint) returns uuid language sql immutable as $$
  select (lpad(to_hex(ms), 12, '0') || '7' || lpad(to_hex(n & 4095), 3, '0') || '8' || lpad(to_hex(n), 15, '0'))::uuid $$`;

interface Day {
  readonly fromMs: number;
  readonly spanMs: number;
  readonly rows: number;
}

/** Creates the partitions of a day as the migration's own function does, but for the past. */
async function ensureDay(sql: Client, fromMs: number): Promise<void> {
  const name = new Date(fromMs).toISOString().slice(0, 10).replaceAll("-", "");
  for (const table of ["event", "delivery", "attempt"]) {
    const { rows } = await sql.query("select to_regclass($1) as found", [`${table}_${name}`]);
    if ((rows[0] as { found: unknown }).found !== null) continue;
    const bounds = [fromMs, fromMs + DAY_MS].map(
      (ms) =>
        `'${ms
          .toString(16)
          .padStart(12, "0")
          .replace(/^(.{8})/, "$1-")}-0000-0000-000000000000'`,
    );
    await sql.query(
      `create table ${table}_${name} partition of ${table} for values from (${bounds[0]}) to (${bounds[1]})`,
    );
  }
}

async function fillDay(sql: Client, place: Place, { fromMs, spanMs, rows }: Day): Promise<void> {
  const values = [place.bucket, place.tag, fromMs, spanMs, rows];
  const at = "$3::bigint + n * $4::bigint / $5::bigint";
  const series = "from generate_series(0, $5::bigint - 1) n";
  await sql.query(
    `insert into event (bucket, tag, id, name, canonical, data, occurred_at)
     select $1, $2, pg_temp.bench_id(${at}, n), 'bench.order', false, '${PAYLOAD}', now() ${series}`,
    values,
  );
  await sql.query(
    `insert into delivery (bucket, tag, id, event_id, event_name, endpoint_id, state, attempt_count, last_status_code)
     select $1, $2, pg_temp.bench_id(${at}, n + 1000000000), pg_temp.bench_id(${at}, n), 'bench.order', (select id from endpoint order by id limit 1),
       case when n % 100 = 0 then 'failed' else 'delivered' end, 1, 200 ${series}`,
    values,
  );
  await sql.query(
    `insert into attempt (bucket, tag, delivery_id, number, id, trigger, started_at, status_code, latency, resolved_ip, response_headers, response_snippet,
       response_truncated, request_timestamp)
     select $1, $2, pg_temp.bench_id(${at}, n + 1000000000), 1, pg_temp.bench_id(${at}, n + 2000000000), 'ladder', now(), 200, '{0,0,0,1.2,1.9}', '127.0.0.1',
       '{"content-type":"text/plain","content-length":"2"}', 'ok', false, 1700000000 ${series}`,
    values,
  );
}

/** Inserts the contacts that exist before the first event, each with an external id and an e-mail address. */
export async function fillPeople(sql: Client, place: Place): Promise<void> {
  const number = `lpad(n::text, ${PERSON_MARK.length}, '0')`;
  const [externalId, email] = [customerOf(PERSON_MARK).external_id, customerOf(PERSON_MARK).email].map(
    (text) => `replace('${text}', '${PERSON_MARK}', ${number})`,
  );
  await sql.query(IDS);
  await sql.query(
    `with known as (
       insert into contact (bucket, tag, id, email) select $1, $2, pg_temp.bench_id($3::bigint + n / 4, n), ${email} from generate_series(0, $4::int - 1) n
       returning bucket, tag, id, email
     ), found as (insert into contact_identity (bucket, tag, kind, value, contact_id) select bucket, tag, 'email', email, id from known)
     insert into contact_identity (bucket, tag, kind, value, contact_id)
     select $1, $2, 'external_id', ${externalId}, pg_temp.bench_id($3::bigint + n / 4, n) from generate_series(0, $4::int - 1) n`,
    [place.bucket, place.tag, Date.now() - 3_600_000, KNOWN_PEOPLE],
  );
  await sql.query("vacuum (analyze) contact");
  await sql.query("vacuum (analyze) contact_identity");
}

/** The shard and tenant id of the workspace's rows. */
export interface Place {
  readonly bucket: number;
  readonly tag: string;
}
