import type { TenantKey, Uuid } from "../../lib/lib.ts";
import { columnOf, sql } from "../../platform/db/db.ts";
import type { Db, HotStatement, Query, RawBuilder, Selectable, Tables } from "../../platform/db/db.ts";

export type RequestRow = Selectable<Tables["request_log"]>;

/** Runs once per second and node, off the hot path. */
const WRITE: HotStatement = {
  name: "request_log_write",
  text: `insert into request_log (bucket, tag, id, operation, method, path, status, error_code, duration_ms, key_id, member_id, ip)
    select * from unnest($1::smallint[], $2::text[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::smallint[], $8::text[], $9::float8[],
      $10::uuid[], $11::uuid[], $12::text[])
    on conflict do nothing`,
};

/** Writes the rows. Has no effect on those that are written: the response to an earlier try may have been lost. */
export async function writeRequests(db: Db, rows: readonly RequestRow[]): Promise<void> {
  await db.soft(WRITE, columns(rows));
}

function columns(rows: readonly RequestRow[]): unknown[] {
  return [
    columnOf.smallint(rows, (row) => row.bucket),
    columnOf.text(rows, (row) => row.tag),
    columnOf.uuid(rows, (row) => row.id),
    columnOf.text(rows, (row) => row.operation),
    columnOf.text(rows, (row) => row.method),
    columnOf.text(rows, (row) => row.path),
    columnOf.smallint(rows, (row) => row.status),
    columnOf.text(rows, (row) => row.error_code),
    columnOf.float8(rows, (row) => row.duration_ms),
    columnOf.uuid(rows, (row) => row.key_id),
    columnOf.uuid(rows, (row) => row.member_id),
    columnOf.text(rows, (row) => row.ip),
  ];
}

export interface RequestFilter {
  readonly id?: Uuid | undefined;
  readonly operation?: string | undefined;
  readonly method?: string | undefined;
  readonly status?: { readonly from: number; readonly to: number } | undefined;
  readonly errorCode?: string | undefined;
  readonly keyId?: Uuid | undefined;
  readonly ip?: string | undefined;
  readonly from?: Uuid | undefined;
  readonly to?: Uuid | undefined;
  readonly before?: Uuid | undefined;
}

/** Returns the requests that match the filter, newest first. */
export async function listRequests(
  query: Query,
  place: TenantKey,
  filter: RequestFilter,
  limit: number,
): Promise<RequestRow[]> {
  const { id, operation, method, status, errorCode, keyId, ip, from, to, before } = filter;
  const given = <Value>(
    value: Value | undefined,
    condition: (value: Value) => RawBuilder<unknown>,
  ): RawBuilder<unknown>[] => (value === undefined ? [] : [condition(value)]);
  const conditions = [
    sql`bucket = ${place.bucket}`,
    sql`tag = ${place.tag}`,
    ...given(id, (value) => sql`id = ${value}`),
    ...given(operation, (value) => sql`operation = ${value}`),
    ...given(method, (value) => sql`method = ${value}`),
    ...given(status, (value) => sql`status between ${value.from} and ${value.to}`),
    // The condition repeats that of the partial index of refused requests.
    ...given(status === undefined || status.from < 400 ? undefined : 400, () => sql`status >= 400`),
    ...given(errorCode, (value) => sql`error_code = ${value} and status >= 400`),
    ...given(keyId, (value) => sql`key_id = ${value}`),
    ...given(ip, (value) => sql`ip = ${value}`),
    ...given(from, (value) => sql`id >= ${value}`),
    ...given(to, (value) => sql`id < ${value}`),
    ...given(before, (value) => sql`id < ${value}`),
  ];
  const { rows } = await sql<RequestRow>`select * from request_log where ${sql.join(conditions, sql` and `)}
    order by id desc limit ${limit}`.execute(query);
  return rows;
}
