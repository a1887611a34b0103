import type { TenantKey, Uuid } from "../lib/lib.ts";
import { bulk, newestFirst, ofTenant, sql, unnested, valuesOf } from "../platform/db/db.ts";
import type { Db, HotStatement, Query, Selectable, Tables } from "../platform/db/db.ts";

export type ActivityRow = Selectable<Tables["ai_activity"]>;

const COLUMNS = [
  bulk("bucket", "smallint", (row: ActivityRow) => row.bucket),
  bulk("tag", "text", (row: ActivityRow) => row.tag),
  bulk("id", "uuid", (row: ActivityRow) => row.id),
  bulk("workspace_id", "uuid", (row: ActivityRow) => row.workspace_id),
  bulk("tenant", "text", (row: ActivityRow) => row.tenant),
  bulk("source", "text", (row: ActivityRow) => row.source),
  bulk("kind", "text", (row: ActivityRow) => row.kind),
  bulk("name", "text", (row: ActivityRow) => row.name),
  bulk("target_id", "text", (row: ActivityRow) => row.target_id),
  bulk("target_name", "text", (row: ActivityRow) => row.target_name),
  bulk("actor", "text", (row: ActivityRow) => row.actor),
  bulk("key_id", "uuid", (row: ActivityRow) => row.key_id),
  bulk("client", "text", (row: ActivityRow) => row.client),
  bulk("status", "text", (row: ActivityRow) => row.status),
  bulk("error_code", "text", (row: ActivityRow) => row.error_code),
  bulk("request_id", "text", (row: ActivityRow) => row.request_id),
  bulk("at", "timestamptz", (row: ActivityRow) => row.at),
  bulk("last_at", "timestamptz", (row: ActivityRow) => row.last_at),
  bulk("count", "int", (row: ActivityRow) => row.count),
];
const { arrays, names } = unnested(COLUMNS);

/** Two writes of a row can arrive in any order, and the response to an earlier try may have been lost. */
const WRITE: HotStatement = {
  name: "ai_activity_write",
  text: `insert into ai_activity as a (${names}) select * from unnest(${arrays})
    on conflict (bucket, tag, id) do update set count = greatest(a.count, excluded.count), last_at = greatest(a.last_at, excluded.last_at)`,
};

/** Writes new rows, and the count of those that were written before. */
export async function writeActivity(db: Pick<Db, "soft">, rows: readonly ActivityRow[]): Promise<void> {
  await db.soft(WRITE, valuesOf(COLUMNS, rows));
}

export interface ActivityFilter {
  readonly status?: string | undefined;
  readonly errorCode?: string | undefined;
  readonly source?: string | undefined;
  readonly kind?: string | undefined;
  /** The beginning of the client's name. */
  readonly client?: string | undefined;
  readonly keyId?: Uuid | undefined;
  readonly from?: Uuid | undefined;
  readonly to?: Uuid | undefined;
  readonly before?: Uuid | undefined;
}

/** Returns the newest rows first. */
export async function listActivity(
  query: Query,
  place: TenantKey,
  filter: ActivityFilter,
  limit: number,
): Promise<ActivityRow[]> {
  const { status, errorCode, source, kind, client, keyId } = filter;
  return await query
    .selectFrom("ai_activity")
    .selectAll()
    .$call(ofTenant(place))
    .$if(status !== undefined, (rows) => rows.where("status", "=", status ?? ""))
    .$if(errorCode !== undefined, (rows) => rows.where("error_code", "=", errorCode ?? "").where("status", "<>", "ok"))
    .$if(source !== undefined, (rows) => rows.where("source", "=", source ?? ""))
    .$if(kind !== undefined, (rows) => rows.where("kind", "=", kind ?? ""))
    .$if(client !== undefined, (rows) => rows.where(beginsWith(client ?? "")))
    .$if(keyId !== undefined, (rows) => rows.where("key_id", "=", keyId ?? null))
    .$call(newestFirst(filter))
    .limit(limit)
    .execute();
}

/** True for rows whose client begins with a text. */
export function beginsWith(client: string) {
  return sql<boolean>`client like ${`${client.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`}`;
}

export async function findActivity(query: Query, place: TenantKey, id: Uuid): Promise<ActivityRow | undefined> {
  return await query
    .selectFrom("ai_activity")
    .selectAll()
    .$call(ofTenant(place))
    .where("id", "=", id)
    .executeTakeFirst();
}
