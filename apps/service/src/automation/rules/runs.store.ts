import { columnOf, sql } from "../../platform/db/db.ts";
import type { CommitPart, Db, HotStatement, Query, Selectable, Tables, Tx } from "../../platform/db/db.ts";
import type { Uuid } from "../../lib/lib.ts";
import type { Scope } from "../../accounts/workspaces/workspaces.ts";

export type RunRow = Selectable<Tables["rule_run"]>;
export type RunStatus = "running" | "ok" | "failed" | "unmatched" | "skipped" | "limited" | "refused";
type Place = Pick<Scope, "bucket" | "tag">;
export type RunInsert = Omit<RunRow, "status"> & { readonly status: RunStatus };

/** What was decided about events before: a run is decided once. */
const OF_EVENTS: HotStatement = {
  name: "rule_runs_of_events",
  text: `select w.at::int, r.id, r.rule_id, r.status, r.actions, r.pending
    from unnest($1::smallint[], $2::text[], $3::uuid[]) with ordinality as w (bucket, tag, event_id, at)
    cross join lateral (select * from rule_run where bucket = w.bucket and tag = w.tag and event_id = w.event_id) r`,
};

/** The rules that did something in these events. */
const ACTED: HotStatement = {
  name: "rule_runs_acted",
  text: `select distinct rule_id from rule_run
    where bucket = $1 and tag = $2 and event_id = any($3::uuid[]) and status in ('running', 'ok', 'failed')`,
};

/** Those that are there stay. Of any workspaces. */
function recordPart(rows: readonly RunInsert[]): CommitPart {
  return {
    name: "rule_runs",
    text: (
      first,
    ) => `recorded as (insert into rule_run (bucket, tag, event_id, rule_id, id, rule_version, event_name, status, reason_code, reason, contact_id,
        leaves, actions, pending, started_at, ended_at)
      select * from unnest($${first}::smallint[], $${first + 1}::text[], $${first + 2}::uuid[], $${first + 3}::uuid[], $${first + 4}::uuid[], $${first + 5}::int[],
        $${first + 6}::text[], $${first + 7}::text[], $${first + 8}::text[], $${first + 9}::text[], $${first + 10}::uuid[], $${first + 11}::text[],
        $${first + 12}::text[], $${first + 13}::text[], $${first + 14}::timestamptz[], $${first + 15}::timestamptz[])
      on conflict do nothing returning rule_id)`,
    values: [
      columnOf.smallint(rows, (row) => row.bucket),
      columnOf.text(rows, (row) => row.tag),
      columnOf.uuid(rows, (row) => row.event_id),
      columnOf.uuid(rows, (row) => row.rule_id),
      columnOf.uuid(rows, (row) => row.id),
      columnOf.int(rows, (row) => row.rule_version),
      columnOf.text(rows, (row) => row.event_name),
      columnOf.text(rows, (row) => row.status),
      columnOf.text(rows, (row) => row.reason_code),
      columnOf.text(rows, (row) => row.reason),
      columnOf.uuid(rows, (row) => row.contact_id),
      columnOf.text(rows, (row) => row.leaves),
      columnOf.text(rows, (row) => row.actions),
      columnOf.text(rows, (row) => row.pending),
      columnOf.timestamptz(rows, (row) => row.started_at),
      columnOf.timestamptz(rows, (row) => row.ended_at),
    ],
  };
}

export type DecidedRun = Pick<RunRow, "id" | "rule_id" | "status" | "actions" | "pending">;

export async function runsOfEvents(
  db: Db,
  events: readonly { readonly scope: Place; readonly id: Uuid }[],
): Promise<DecidedRun[][]> {
  const rows = await db.hot<DecidedRun & { readonly at: number }>(OF_EVENTS, [
    columnOf.smallint(events, ({ scope }) => scope.bucket),
    columnOf.text(events, ({ scope }) => scope.tag),
    columnOf.uuid(events, ({ id }) => id),
  ]);
  const byPlace = Map.groupBy(rows, (row) => row.at);
  return events.map((_event, place) => byPlace.get(place + 1) ?? []);
}

export async function actedIn(db: Db, place: Place, eventIds: readonly Uuid[]): Promise<Uuid[]> {
  if (eventIds.length === 0) return [];
  return (await db.hot<{ rule_id: Uuid }>(ACTED, [place.bucket, place.tag, eventIds])).map((row) => row.rule_id);
}

/** Answers how many were new. Waits for whoever is writing the same one. `more` is written in the same statement. */
export async function recordRuns(
  on: Pick<Db | Tx, "commit">,
  rows: readonly RunInsert[],
  more: readonly CommitPart[] = [],
): Promise<number> {
  if (rows.length === 0 && more.length === 0) return 0;
  return (await on.commit([recordPart(rows), ...more], "select rule_id from recorded")).length;
}

/** Of a run under way; false when it is none any more: its contact was erased meanwhile. */
export async function changeRun(
  query: Query,
  place: Place,
  of: { readonly eventId: Uuid; readonly ruleId: Uuid },
  change: Partial<Pick<RunRow, "actions" | "pending" | "ended_at">> & { readonly status: RunStatus },
): Promise<boolean> {
  const result = await query
    .updateTable("rule_run")
    .set(change)
    .where("bucket", "=", place.bucket)
    .where("tag", "=", place.tag)
    .where("event_id", "=", of.eventId)
    .where("rule_id", "=", of.ruleId)
    .where("status", "=", "running")
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

export async function listRuns(
  query: Query,
  place: Place,
  filter: { readonly ruleId: Uuid; readonly status?: RunStatus | undefined; readonly before?: Uuid | undefined },
  limit: number,
): Promise<RunRow[]> {
  let rows = query
    .selectFrom("rule_run")
    .selectAll()
    .where("bucket", "=", place.bucket)
    .where("tag", "=", place.tag)
    .where("rule_id", "=", filter.ruleId);
  if (filter.status !== undefined) rows = rows.where("status", "=", filter.status);
  if (filter.before !== undefined) rows = rows.where("event_id", "<", filter.before);
  return await rows.orderBy("event_id", "desc").limit(limit).execute();
}

export async function runsOfContacts(
  query: Query,
  place: Place,
  contactIds: readonly Uuid[],
  page: { readonly after: Uuid | undefined; readonly limit: number },
): Promise<RunRow[]> {
  let rows = query
    .selectFrom("rule_run")
    .selectAll()
    .where("bucket", "=", place.bucket)
    .where("tag", "=", place.tag)
    .where("contact_id", "in", contactIds);
  if (page.after !== undefined) rows = rows.where("id", ">", page.after);
  return await rows.orderBy("id").limit(page.limit).execute();
}

/** What the leaves saw, and what was to be sent, goes; that the rule ran stays. */
export async function eraseRuns(tx: Tx, place: Place, contactIds: readonly Uuid[]): Promise<void> {
  await sql`update rule_run set leaves = '[]', actions = '[]', pending = null, contact_id = null, reason_code = 'erased',
      reason = 'The contact was erased', status = case when status = 'running' then 'failed' else status end
    where bucket = ${place.bucket} and tag = ${place.tag} and contact_id = any(${[...contactIds]}::uuid[])`.execute(
    tx.query,
  );
}
