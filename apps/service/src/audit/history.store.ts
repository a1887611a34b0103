import type { TenantKey, Uuid } from "../lib/lib.ts";
import { columnOf, newestFirst, ofTenant, pageRows, sql } from "../platform/db/db.ts";
import type { Query, Selectable, Tables, Tx } from "../platform/db/db.ts";
import { beginsWith } from "./ai-activity.store.ts";
import type { ActivityFilter } from "./ai-activity.store.ts";

export type HistoryRow = Selectable<Tables["ai_history"]>;
export type HistoryResultRow = Selectable<Tables["ai_history_result"]>;

export interface HistoryFilter extends ActivityFilter {
  readonly eventId?: Uuid | undefined;
  readonly proposalId?: Uuid | undefined;
  readonly runId?: Uuid | undefined;
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

/**
 * Adds each outcome to the exchange with the id `work`, and to exchanges with a result of that proposal. An outcome
 * without an exchange is not stored.
 */
export async function insertOutcomes(
  tx: Tx,
  rows: readonly (HistoryResultRow & { readonly work: Uuid })[],
): Promise<void> {
  await sql`insert into ai_history_result
      (bucket, tag, history_id, id, workspace_id, tool_call_id, action, proposal_id, run_id, status, result, error_code)
    select w.bucket, w.tag, e.history_id, w.id, w.workspace_id, e.tool_call_id, w.action, w.proposal_id, w.run_id, w.status, w.result, w.error_code
    from unnest(${columnOf.smallint(rows, (row) => row.bucket)}::smallint[], ${columnOf.text(rows, (row) => row.tag)}::text[],
        ${columnOf.uuid(rows, (row) => row.id)}::uuid[], ${columnOf.uuid(rows, (row) => row.workspace_id)}::uuid[],
        ${columnOf.text(rows, (row) => row.action)}::text[], ${columnOf.uuid(rows, (row) => row.proposal_id)}::uuid[],
        ${columnOf.uuid(rows, (row) => row.run_id)}::uuid[], ${columnOf.text(rows, (row) => row.status)}::text[],
        ${columnOf.text(rows, (row) => row.result)}::text[], ${columnOf.text(rows, (row) => row.error_code)}::text[],
        ${columnOf.uuid(rows, (row) => row.work)}::uuid[])
      as w (bucket, tag, id, workspace_id, action, proposal_id, run_id, status, result, error_code, work)
    cross join lateral (
      select history_id, max(tool_call_id) as tool_call_id from (
        select h.id as history_id, null as tool_call_id from ai_history h where h.bucket = w.bucket and h.tag = w.tag and h.id = w.work
        union all
        select r.history_id, r.tool_call_id from ai_history_result r where r.bucket = w.bucket and r.tag = w.tag and r.proposal_id = w.work) found
      group by history_id) e`.execute(tx.query);
}

/** The triggers of calls by clients. All others are questions of the assistant. */
const OF_CLIENTS = ["mcp", "api"];
/** The kinds of exchanges. Requests of other kinds are only counted. */
const KINDS: readonly string[] = ["question", "call"];

/** Returns the newest exchanges first. */
export async function listHistory(
  query: Query,
  place: TenantKey,
  filter: HistoryFilter,
  limit: number,
): Promise<HistoryRow[]> {
  const { kind, status, errorCode, client } = filter;
  if (kind !== undefined && !KINDS.includes(kind)) return [];
  let rows = askedBy(causedBy(historyOf(query, place), place, filter), filter);
  if (status !== undefined) rows = rows.where("status", "=", status);
  if (errorCode !== undefined) rows = rows.where("error_code", "=", errorCode).where("status", "<>", "ok");
  if (client !== undefined) rows = rows.where(beginsWith(client));
  return await pageRows(query, rows.$call(newestFirst(filter)), { limit, large: ["prompt", "response", "tool_calls"] });
}

/** Restricts exchanges to those of a source and a kind. */
function askedBy(all: ReturnType<typeof historyOf>, { source, kind }: HistoryFilter): ReturnType<typeof historyOf> {
  let rows = all;
  if (source === "assistant" || kind === "question") rows = rows.where("trigger", "not in", OF_CLIENTS);
  if (kind === "call") rows = rows.where("trigger", "in", OF_CLIENTS);
  return source === undefined || source === "assistant" ? rows : rows.where("trigger", "=", source);
}

/** Restricts exchanges to those of an event or a key, and to those that led to a proposal or a run. */
function causedBy(
  all: ReturnType<typeof historyOf>,
  place: TenantKey,
  { eventId, keyId, proposalId, runId }: HistoryFilter,
): ReturnType<typeof historyOf> {
  let rows = all;
  if (eventId !== undefined) rows = rows.where("event_id", "=", eventId);
  if (keyId !== undefined) rows = rows.where("key_id", "=", keyId);
  if (proposalId !== undefined) rows = rows.where(cameTo(place, "proposal_id", proposalId));
  return runId === undefined ? rows : rows.where(cameTo(place, "run_id", runId));
}

/** True for the exchange with the id of the proposal or run, and for those with a result that names it. */
function cameTo({ bucket, tag }: TenantKey, column: "proposal_id" | "run_id", id: Uuid) {
  return sql<boolean>`id in (select ${id}::uuid union all select history_id from ai_history_result
    where bucket = ${bucket} and tag = ${tag} and ${sql.ref(column)} = ${id}::uuid)`;
}

export async function findHistory(query: Query, place: TenantKey, id: Uuid): Promise<HistoryRow | undefined> {
  return await historyOf(query, place).where("id", "=", id).executeTakeFirst();
}

/** Returns the results of these exchanges in chronological order. */
export async function resultsOf(query: Query, place: TenantKey, ids: readonly Uuid[]): Promise<HistoryResultRow[]> {
  if (ids.length === 0) return [];
  return await query
    .selectFrom("ai_history_result")
    .selectAll()
    .$call(ofTenant(place))
    .where("history_id", "in", [...ids])
    .orderBy("id")
    .execute();
}

function historyOf(query: Query, place: TenantKey) {
  return query.selectFrom("ai_history").selectAll().$call(ofTenant(place));
}
