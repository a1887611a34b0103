import type { TenantKey, Uuid } from "../lib/lib.ts";
import { ofTenant, pageRows, sql } from "../platform/db/db.ts";
import type { HotStatement, Query, Selectable, Tables, Tx } from "../platform/db/db.ts";

export type CallRow = Selectable<Tables["http_call"]>;

/** The columns of a call that has not been tried. */
const NEW_CALL = [
  "bucket",
  "tag",
  "id",
  "workspace_id",
  "owner_kind",
  "owner_id",
  "owner_name",
  "run_id",
  "step",
  "event_id",
  "tenant",
  "author_kind",
  "author_id",
  "contact_id",
  "replay_of",
  "request",
  "host",
] as const;
export type NewCall = Pick<CallRow, (typeof NEW_CALL)[number]>;

/** Returns a new call with the same request. */
export function replayOf(row: CallRow, id: Uuid): NewCall {
  const columns = Object.fromEntries(NEW_CALL.map((name) => [name, row[name]])) as NewCall;
  return { ...columns, id, replay_of: row.id };
}

/** Stores a call that is due at once. */
export async function insertCall(tx: Tx, call: NewCall): Promise<void> {
  await tx.query
    .insertInto("http_call")
    .values({ ...call, due_at: sql<Date>`now()` })
    .execute();
}

/** Ends a try. Returns nothing if the lease has passed to another node, or if the call was cancelled. */
const SETTLE: HotStatement = {
  name: "http_call_settle",
  text: `update http_call set state = $5, status_code = $6, response = $7, error_class = $8, error = $9, duration_ms = $10,
      lease_id = null, due_at = case when $5 = 'waiting' then now() + $11 * interval '1 millisecond' end,
      ended_at = case when $5 = 'waiting' then null else now() end
    where bucket = $1 and tag = $2 and id = $3 and lease_id = $4 and state = 'waiting' returning id`,
};

/** The response of one try, or why there is none. */
export interface TryResponse {
  readonly status: number | null;
  /** The response as JSON text; null if there was none. */
  readonly response: string | null;
  readonly errorClass: string | null;
  /** The reason of a failure, for people. It contains no secret. */
  readonly error: string | null;
  readonly durationMs: number;
}

export interface TryEnd extends TryResponse {
  readonly state: "waiting" | "succeeded" | "failed";
  /** The delay of the next try. */
  readonly delayMs: number;
}

/** Returns whether the try was this node's own. */
export async function settleCall(tx: Tx, { bucket, tag, id, lease_id: lease }: CallRow, end: TryEnd): Promise<boolean> {
  const { state, status, response, errorClass, error, durationMs, delayMs } = end;
  const rows = await tx.hot(SETTLE, [
    bucket,
    tag,
    id,
    lease,
    state,
    status,
    response,
    errorClass,
    error,
    durationMs,
    delayMs,
  ]);
  return rows.length > 0;
}

/** Cancels the waiting calls of a step. A request that is being sent ends without an effect on the run. */
export async function cancelCalls(tx: Tx, place: TenantKey, runId: Uuid, step: string): Promise<void> {
  await tx.query
    .updateTable("http_call")
    .set({ state: "cancelled", due_at: null, lease_id: null, ended_at: sql<Date>`now()` })
    .$call(ofTenant(place))
    .where("run_id", "=", runId)
    .where("step", "=", step)
    .where("state", "=", "waiting")
    .execute();
}

export interface CallFilter {
  readonly state?: string | undefined;
  readonly ownerId?: Uuid | undefined;
  readonly runId?: Uuid | undefined;
}

const LARGE = ["request", "response", "error"] as const;

/** Returns the newest calls first. */
export async function listCalls(
  query: Query,
  place: TenantKey,
  { state, ownerId, runId }: CallFilter,
  { before, limit }: { readonly before: Uuid | undefined; readonly limit: number },
): Promise<CallRow[]> {
  let rows = query.selectFrom("http_call").selectAll().$call(ofTenant(place)).orderBy("id", "desc");
  if (before !== undefined) rows = rows.where("id", "<", before);
  if (state !== undefined) rows = rows.where("state", "=", state);
  if (ownerId !== undefined) rows = rows.where("owner_id", "=", ownerId);
  if (runId !== undefined) rows = rows.where("run_id", "=", runId);
  return await pageRows(query, rows, { limit, large: LARGE });
}

export async function findCall(query: Query, place: TenantKey, id: Uuid): Promise<CallRow | undefined> {
  return await query.selectFrom("http_call").selectAll().$call(ofTenant(place)).where("id", "=", id).executeTakeFirst();
}

export async function callsOfContacts(
  query: Query,
  place: TenantKey,
  contactIds: readonly Uuid[],
  { after, limit }: { readonly after: Uuid | undefined; readonly limit: number },
): Promise<CallRow[]> {
  let rows = query.selectFrom("http_call").selectAll().$call(ofTenant(place)).where("contact_id", "in", contactIds);
  if (after !== undefined) rows = rows.where("id", ">", after);
  return await pageRows(query, rows.orderBy("id"), { limit, large: LARGE });
}

/** Deletes the calls that reactions to these events made. Returns those that had not ended. */
export async function deleteCallsOfEvents(tx: Tx, place: TenantKey, eventIds: readonly Uuid[]): Promise<CallRow[]> {
  const calls = tx.query.deleteFrom("http_call").$call(ofTenant(place)).where("event_id", "in", eventIds);
  const waiting = await calls.where("state", "=", "waiting").returningAll().execute();
  await calls.execute();
  return waiting;
}

export async function eraseCalls(tx: Tx, place: TenantKey, contactIds: readonly Uuid[]): Promise<void> {
  await tx.query.deleteFrom("http_call").$call(ofTenant(place)).where("contact_id", "in", contactIds).execute();
}
