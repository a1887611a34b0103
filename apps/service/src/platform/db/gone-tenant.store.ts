import { sql } from "kysely";
import type { RawBuilder } from "kysely";
import type { TenantKey, Uuid } from "../../lib/lib.ts";
import type { Query } from "./types.ts";

/** A customer's tenant whose deletion is under way. */
export interface GoneTenant {
  readonly tenant: string;
  /** The id of the deletion. What is younger, and was not caused by older events, is kept. */
  readonly before: Uuid;
  /** The maximum number of rows for one transaction. */
  readonly limit: number;
}

const EVENT = sql`event_id`;
/** The first of the events that led to the row. */
const FIRST_EVENT = sql`chain[1]`;

/** The tables whose rows carry a tenant, with the column of the event that caused a row. */
const CAUSES = {
  action_proposal: [FIRST_EVENT],
  action_run: [FIRST_EVENT],
  ai_activity: [],
  connector_run: [EVENT],
  http_call: [EVENT],
  mail: [],
  notification: [EVENT],
} satisfies Record<string, readonly RawBuilder<unknown>[]>;
type Table = keyof typeof CAUSES;

/** Selects the ids of the next rows of the tenant that are older than its deletion, or were caused by an older event. */
export function goneIds(
  table: Table,
  { bucket, tag }: TenantKey,
  { tenant, before, limit }: GoneTenant,
): RawBuilder<unknown> {
  const isOlder = [sql`id`, ...CAUSES[table]].map((id) => sql`${id} < ${before}`);
  return sql`select id from ${sql.table(table)} where bucket = ${bucket} and tag = ${tag} and tenant = ${tenant}
    and (${sql.join(isOlder, sql` or `)}) order by id limit ${limit}`;
}

/** Deletes those rows. Returns their number. */
export async function deleteGone(query: Query, table: Table, place: TenantKey, gone: GoneTenant): Promise<number> {
  const { rows } = await sql`delete from ${sql.table(table)} r using (${goneIds(table, place, gone)}) o
    where r.bucket = ${place.bucket} and r.tag = ${place.tag} and r.id = o.id returning r.id`.execute(query);
  return rows.length;
}
