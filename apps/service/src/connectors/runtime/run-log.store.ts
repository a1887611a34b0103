import type { TenantKey, Uuid } from "../../lib/lib.ts";
import { columnOf, goneIds, ofTenant, pageRows, sql } from "../../platform/db/db.ts";
import type { Db, GoneTenant, HotReader, HotStatement, Query, Selectable, Tables, Tx } from "../../platform/db/db.ts";

export type RunRow = Selectable<Tables["connector_run"]>;

/** Hot: runs for every batch of calls that ended. */
const RECORD: HotStatement = {
  name: "connector_runs_record",
  text: `insert into connector_run (bucket, tag, id, key, version, hook, name, event_id, outcome, error, duration_ms, services, lines, tenant)
    select * from unnest($1::smallint[], $2::text[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::text[], $8::uuid[], $9::text[], $10::text[],
      $11::int[], $12::text[], $13::text[], $14::text[])`,
};

export async function recordRuns(db: Db, rows: readonly RunRow[]): Promise<void> {
  await db.soft(RECORD, [
    columnOf.smallint(rows, (row) => row.bucket),
    columnOf.text(rows, (row) => row.tag),
    columnOf.uuid(rows, (row) => row.id),
    columnOf.text(rows, (row) => row.key),
    columnOf.text(rows, (row) => row.version),
    columnOf.text(rows, (row) => row.hook),
    columnOf.text(rows, (row) => row.name),
    columnOf.uuid(rows, (row) => row.event_id),
    columnOf.text(rows, (row) => row.outcome),
    columnOf.text(rows, (row) => row.error),
    columnOf.int(rows, (row) => row.duration_ms),
    columnOf.text(rows, (row) => row.services),
    columnOf.text(rows, (row) => row.lines),
    columnOf.text(rows, (row) => row.tenant),
  ]);
}

/** Empties calls for a tenant that are older than the id, or whose events are. Returns their number. */
export async function emptyRunsOfTenant(tx: Tx, place: TenantKey, gone: GoneTenant): Promise<number> {
  const { rows } = await sql`update connector_run r set services = '[]', lines = '[]', error = null, tenant = null
    from (${goneIds("connector_run", place, gone)}) o
    where r.bucket = ${place.bucket} and r.tag = ${place.tag} and r.id = o.id returning r.id`.execute(tx.query);
  return rows.length;
}

export interface RunFilter {
  readonly key: string;
  readonly hook?: string | undefined;
  readonly outcome?: string | undefined;
  readonly eventId?: Uuid | undefined;
  readonly before?: Uuid | undefined;
}

export async function listRuns(query: Query, place: TenantKey, filter: RunFilter, limit: number): Promise<RunRow[]> {
  let rows = query.selectFrom("connector_run").selectAll().$call(ofTenant(place)).where("key", "=", filter.key);
  if (filter.hook !== undefined) rows = rows.where("hook", "=", filter.hook);
  if (filter.outcome !== undefined) rows = rows.where("outcome", "=", filter.outcome);
  if (filter.eventId !== undefined) rows = rows.where("event_id", "=", filter.eventId);
  if (filter.before !== undefined) rows = rows.where("id", "<", filter.before);
  return await pageRows(query, rows.orderBy("id", "desc"), { limit, large: ["lines", "error"] });
}

/** Reads the last call of each connector: one look-up per connector, from the end of an index. */
const LAST: HotStatement = {
  name: "connector_runs_last",
  text: `select k.key, l.id, l.outcome, l.duration_ms, l.error
    from unnest($3::text[]) as k (key)
    cross join lateral (select id, outcome, duration_ms, error from connector_run
      where bucket = $1 and tag = $2 and key = k.key order by id desc limit 1) l`,
};

export type LastRun = Pick<RunRow, "key" | "id" | "outcome" | "duration_ms" | "error">;

export async function lastRuns(reader: HotReader, place: TenantKey, keys: readonly string[]): Promise<LastRun[]> {
  return await reader.hot<LastRun>(LAST, [place.bucket, place.tag, keys]);
}
