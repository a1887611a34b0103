import { reportedFrom } from "../../issues/issues.ts";
import type { TenantKey, Uuid } from "../../lib/lib.ts";
import { columnOf, goneIds, matching, newestFirst, ofTenant, pageRows, sql } from "../../platform/db/db.ts";
import type { Db, GoneTenant, HotReader, HotStatement, Query, Selectable, Tables, Tx } from "../../platform/db/db.ts";

export type RunRow = Selectable<Tables["connector_run"]>;
export type EndedRun = RunRow & { readonly workspace_id: Uuid };

/**
 * Reports the calls to issues as well. A refused webhook and a call that would form a loop say nothing about the connector, and a test is made by a
 * person. Hot: runs for every batch of calls that ended.
 */
const RECORD: HotStatement = {
  name: "connector_runs_record",
  text: `with ended as (select * from unnest($1::smallint[], $2::text[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::text[], $8::uuid[],
      $9::text[], $10::text[], $11::int[], $12::text[], $13::text[], $14::text[], $15::uuid[])
      as e (bucket, tag, id, key, version, hook, name, event_id, outcome, error, duration_ms, services, lines, tenant, workspace_id)),
    reports as (select bucket, tag, 'connection' as kind, key as object, id, outcome <> 'ok' as failed, workspace_id, null as tenant,
        outcome as code, left(error, 500) as detail, '{}' as sample, event_id
      from ended where hook <> 'test' and outcome not in ('skipped', 'refused')),
    ${reportedFrom("reports")}
    insert into connector_run (bucket, tag, id, key, version, hook, name, event_id, outcome, error, duration_ms, services, lines, tenant)
    select bucket, tag, id, key, version, hook, name, event_id, outcome, error, duration_ms, services, lines, tenant from ended`,
};

export async function recordRuns(db: Db, rows: readonly EndedRun[]): Promise<void> {
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
    columnOf.uuid(rows, (row) => row.workspace_id),
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
  readonly event_id?: Uuid | undefined;
  readonly before?: Uuid | undefined;
}

export async function listRuns(query: Query, place: TenantKey, filter: RunFilter, limit: number): Promise<RunRow[]> {
  const { before, ...values } = filter;
  const rows = query.selectFrom("connector_run").selectAll().$call(ofTenant(place)).$call(matching(values));
  return await pageRows(query, rows.$call(newestFirst({ before })), { limit, large: ["lines", "error"] });
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
