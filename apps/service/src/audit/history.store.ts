import type { Query, Selectable, Tables, Tx } from "../db/db.ts";
import type { Uuid } from "../kernel/kernel.ts";
import type { Scope } from "../workspaces/workspaces.ts";

export type HistoryRow = Selectable<Tables["ai_history"]>;
export type HistoryResultRow = Selectable<Tables["ai_history_result"]>;
type Place = Pick<Scope, "bucket" | "tag">;

export interface HistoryFilter {
  readonly status?: string | undefined;
  readonly eventId?: Uuid | undefined;
  readonly from?: Uuid | undefined;
  readonly to?: Uuid | undefined;
  readonly before?: Uuid | undefined;
}

export async function insertHistory(tx: Tx, rows: readonly HistoryRow[]): Promise<void> {
  await tx.query
    .insertInto("ai_history")
    .values([...rows])
    .execute();
}

export async function insertResults(tx: Tx, rows: readonly HistoryResultRow[]): Promise<void> {
  await tx.query
    .insertInto("ai_history_result")
    .values([...rows])
    .execute();
}

/** Newest first. */
export async function listHistory(
  query: Query,
  place: Place,
  filter: HistoryFilter,
  limit: number,
): Promise<HistoryRow[]> {
  let rows = historyOf(query, place);
  if (filter.status !== undefined) rows = rows.where("status", "=", filter.status);
  if (filter.eventId !== undefined) rows = rows.where("event_id", "=", filter.eventId);
  if (filter.from !== undefined) rows = rows.where("id", ">=", filter.from);
  if (filter.to !== undefined) rows = rows.where("id", "<", filter.to);
  if (filter.before !== undefined) rows = rows.where("id", "<", filter.before);
  return await rows.orderBy("id", "desc").limit(limit).execute();
}

export async function findHistory(query: Query, place: Place, id: Uuid): Promise<HistoryRow | undefined> {
  return await historyOf(query, place).where("id", "=", id).executeTakeFirst();
}

/** What came of these, in the order in which it did. */
export async function resultsOf(query: Query, place: Place, ids: readonly Uuid[]): Promise<HistoryResultRow[]> {
  if (ids.length === 0) return [];
  return await query
    .selectFrom("ai_history_result")
    .selectAll()
    .where("bucket", "=", place.bucket)
    .where("tag", "=", place.tag)
    .where("history_id", "in", [...ids])
    .orderBy("id")
    .execute();
}

function historyOf(query: Query, place: Place) {
  return query.selectFrom("ai_history").selectAll().where("bucket", "=", place.bucket).where("tag", "=", place.tag);
}
