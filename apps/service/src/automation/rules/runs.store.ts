import type { TenantKey, Uuid } from "../../lib/lib.ts";
import { bulk, columnOf, definePart, sql, ofTenant, pageRows } from "../../platform/db/db.ts";
import type { CommitPart, Db, HotStatement, Query, Selectable, Tables, Tx } from "../../platform/db/db.ts";

export type RunRow = Selectable<Tables["rule_run"]>;
export type RunStatus = "running" | "ok" | "failed" | "unmatched" | "skipped" | "limited" | "refused";
export type RunInsert = Omit<RunRow, "status"> & { readonly status: RunStatus };

/** Reads the decisions about events. A rule is decided once per event. */
const OF_EVENTS: HotStatement = {
  name: "rule_runs_of_events",
  text: `select w.at::int, r.id, r.rule_id, r.status, r.actions, r.pending
    from unnest($1::smallint[], $2::text[], $3::uuid[]) with ordinality as w (bucket, tag, event_id, at)
    cross join lateral (select * from rule_run where bucket = w.bucket and tag = w.tag and event_id = w.event_id) r`,
};

/** Reads the rules that acted on these events. */
const ACTED: HotStatement = {
  name: "rule_runs_acted",
  text: `select distinct rule_id from rule_run
    where bucket = $1 and tag = $2 and event_id = any($3::uuid[]) and status in ('running', 'ok', 'failed')`,
};

/** Inserts runs of any workspaces. Existing runs stay unchanged. */
const recordPart = definePart<RunInsert>({
  name: "rule_runs",
  columns: [
    bulk("bucket", "smallint", (row) => row.bucket),
    bulk("tag", "text", (row) => row.tag),
    bulk("event_id", "uuid", (row) => row.event_id),
    bulk("rule_id", "uuid", (row) => row.rule_id),
    bulk("id", "uuid", (row) => row.id),
    bulk("rule_version", "int", (row) => row.rule_version),
    bulk("event_name", "text", (row) => row.event_name),
    bulk("status", "text", (row) => row.status),
    bulk("reason_code", "text", (row) => row.reason_code),
    bulk("reason", "text", (row) => row.reason),
    bulk("contact_id", "uuid", (row) => row.contact_id),
    bulk("leaves", "text", (row) => row.leaves),
    bulk("actions", "text", (row) => row.actions),
    bulk("pending", "text", (row) => row.pending),
    bulk("started_at", "timestamptz", (row) => row.started_at),
    bulk("ended_at", "timestamptz", (row) => row.ended_at),
  ],
  text: ({ rows, names, selected }) => `recorded as (insert into rule_run (${names})
      select ${selected("w")} from ${rows("w")} on conflict do nothing returning rule_id)`,
});

export type DecidedRun = Pick<RunRow, "id" | "rule_id" | "status" | "actions" | "pending">;

export async function runsOfEvents(
  db: Db,
  events: readonly { readonly scope: TenantKey; readonly id: Uuid }[],
): Promise<DecidedRun[][]> {
  const rows = await db.hot<DecidedRun & { readonly at: number }>(OF_EVENTS, [
    columnOf.smallint(events, ({ scope }) => scope.bucket),
    columnOf.text(events, ({ scope }) => scope.tag),
    columnOf.uuid(events, ({ id }) => id),
  ]);
  const byPlace = Map.groupBy(rows, (row) => row.at);
  return events.map((_event, place) => byPlace.get(place + 1) ?? []);
}

export async function actedIn(db: Db, place: TenantKey, eventIds: readonly Uuid[]): Promise<Uuid[]> {
  if (eventIds.length === 0) return [];
  return (await db.hot<{ rule_id: Uuid }>(ACTED, [place.bucket, place.tag, eventIds])).map((row) => row.rule_id);
}

/** Returns the number of new runs. Waits for another transaction that inserts the same run. `more` is written in the same statement. */
export async function recordRuns(
  on: Pick<Db | Tx, "commit">,
  rows: readonly RunInsert[],
  more: readonly CommitPart[] = [],
): Promise<number> {
  if (rows.length === 0 && more.length === 0) return 0;
  return (await on.commit([recordPart(rows), ...more], "select rule_id from recorded")).length;
}

/** Changes a run that is in progress. Returns false if it no longer is, because its contact was erased. */
export async function changeRun(
  query: Query,
  place: TenantKey,
  run: { readonly eventId: Uuid; readonly ruleId: Uuid },
  change: Partial<Pick<RunRow, "actions" | "pending" | "ended_at">> & { readonly status: RunStatus },
): Promise<boolean> {
  const result = await query
    .updateTable("rule_run")
    .set(change)
    .$call(ofTenant(place))
    .where("event_id", "=", run.eventId)
    .where("rule_id", "=", run.ruleId)
    .where("status", "=", "running")
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

const LARGE = ["leaves", "actions"] as const;

export async function listRuns(
  query: Query,
  place: TenantKey,
  filter: { readonly ruleId: Uuid; readonly status?: RunStatus | undefined; readonly before?: Uuid | undefined },
  limit: number,
): Promise<RunRow[]> {
  let rows = query.selectFrom("rule_run").selectAll().$call(ofTenant(place)).where("rule_id", "=", filter.ruleId);
  if (filter.status !== undefined) rows = rows.where("status", "=", filter.status);
  if (filter.before !== undefined) rows = rows.where("event_id", "<", filter.before);
  return await pageRows(query, rows.orderBy("event_id", "desc"), { limit, large: LARGE });
}

export async function runsOfContacts(
  query: Query,
  place: TenantKey,
  contactIds: readonly Uuid[],
  page: { readonly after: Uuid | undefined; readonly limit: number },
): Promise<RunRow[]> {
  let rows = query.selectFrom("rule_run").selectAll().$call(ofTenant(place)).where("contact_id", "in", contactIds);
  if (page.after !== undefined) rows = rows.where("id", ">", page.after);
  return await pageRows(query, rows.orderBy("id"), { limit: page.limit, large: LARGE });
}

/** Deletes the values that the leaves found and the calls that remain. The record that the rule ran stays. */
export async function eraseRuns(
  tx: Tx,
  place: TenantKey,
  whose: { readonly column: "contact_id" | "event_id"; readonly ids: readonly Uuid[]; readonly reason: string },
): Promise<void> {
  await sql`update rule_run set leaves = '[]', actions = '[]', pending = null, contact_id = null, reason_code = 'erased',
      reason = ${whose.reason}, status = case when status = 'running' then 'failed' else status end
    where bucket = ${place.bucket} and tag = ${place.tag} and ${sql.ref(whose.column)} = any(${[...whose.ids]}::uuid[])`.execute(
    tx.query,
  );
}
