import { matching, newestFirst, ofTenant, pageRows, sql } from "../platform/db/db.ts";
import type { Db, GoneTenant, HotStatement, Query, Selectable, Tables, Tx } from "../platform/db/db.ts";
import type { TenantKey, Uuid } from "../lib/lib.ts";
import type { IssueKind } from "./issue.ts";

export type IssueRow = Selectable<Tables["issue"]>;
type IssueKey = TenantKey & { readonly id: Uuid };

/** Reads and locks the current issues of objects, also those that are not issues yet. */
const HOLD: HotStatement = {
  name: "issues_hold",
  text: `select i.* from unnest($1::smallint[], $2::text[], $3::text[], $4::text[]) as o (bucket, tag, object, kind)
    cross join lateral (select i.* from issue i
      where i.bucket = o.bucket and i.tag = o.tag and i.object = o.object and i.kind = o.kind and i.current for update) i`,
};

export async function holdCurrent(
  tx: Tx,
  keys: readonly (TenantKey & { readonly object: string; readonly kind: string })[],
): Promise<IssueRow[]> {
  const sorted = keys.toSorted((a, b) => (a.object < b.object ? -1 : 1));
  return await tx.hot<IssueRow>(HOLD, [
    sorted.map(({ bucket }) => bucket),
    sorted.map(({ tag }) => tag),
    sorted.map(({ object }) => object),
    sorted.map(({ kind }) => kind),
  ]);
}

export type HeldIssue = IssueRow & { readonly held_at: Date };

/** Reads and locks the current issues of a deleted object, of all kinds, with the time. */
export async function holdOfObject(tx: Tx, place: TenantKey, object: string): Promise<HeldIssue[]> {
  return await tx.query
    .selectFrom("issue")
    .selectAll()
    .select(sql<Date>`now()`.as("held_at"))
    .$call(ofTenant(place))
    .where("object", "=", object)
    .where("current", "=", true)
    .forUpdate()
    .execute();
}

/** Writes an issue as it is now. */
export async function saveIssue(tx: Tx, row: IssueRow): Promise<void> {
  await tx.query
    .insertInto("issue")
    .values(row)
    .onConflict((conflict) => conflict.columns(["bucket", "tag", "id"]).doUpdateSet(row))
    .execute();
}

export async function deleteIssue(tx: Tx, { id, ...place }: IssueKey): Promise<void> {
  await tx.query.deleteFrom("issue").$call(ofTenant(place)).where("id", "=", id).execute();
  await tx.query.deleteFrom("issue_hour").$call(ofTenant(place)).where("issue_id", "=", id).execute();
  await tx.query.deleteFrom("issue_tenant").$call(ofTenant(place)).where("issue_id", "=", id).execute();
}

/** Counts failures of an issue in the hour of their time. */
export async function countInHour(tx: Tx, issue: IssueKey, at: Date, count: number): Promise<void> {
  await sql`insert into issue_hour as h (bucket, tag, issue_id, hour, count)
    values (${issue.bucket}, ${issue.tag}, ${issue.id}, date_trunc('hour', ${at}::timestamptz, 'UTC'), ${count})
    on conflict (bucket, tag, issue_id, hour) do update set count = h.count + excluded.count`.execute(tx.query);
}

const MOST_TENANTS = 100;

/** Counts failures of an issue for the tenant of their event. Further tenants than a hundred are not counted. */
export async function countForTenant(
  tx: Tx,
  issue: IssueKey,
  { tenant, at, count }: { readonly tenant: string; readonly at: Date; readonly count: number },
): Promise<void> {
  const { bucket, tag, id } = issue;
  const known = sql`select from issue_tenant t where t.bucket = ${bucket} and t.tag = ${tag} and t.issue_id = ${id}`;
  await sql`insert into issue_tenant as t (bucket, tag, issue_id, tenant, count, last_seen_at)
    select ${bucket}, ${tag}, ${id}, ${tenant}, ${count}::int, ${at}::timestamptz
    where exists (${known} and t.tenant = ${tenant}) or (select count(*) from (${known} limit ${MOST_TENANTS}) k) < ${MOST_TENANTS}
    on conflict (bucket, tag, issue_id, tenant) do update set count = t.count + excluded.count, last_seen_at = excluded.last_seen_at`.execute(
    tx.query,
  );
}

export interface IssueFilter {
  readonly state?: string | undefined;
  readonly kind?: IssueKind | undefined;
  readonly object?: string | undefined;
  readonly owner?: Uuid | undefined;
  readonly before?: Uuid | undefined;
}

/** Limits a statement to the issues that a caller sees. */
function shownIssues(query: Query, place: TenantKey & { readonly tenant?: string | null }) {
  const tenant = place.tenant ?? null;
  return query
    .selectFrom("issue")
    .selectAll()
    .$call(ofTenant(place))
    .where("state", "<>", "watching")
    .$if(tenant !== null, (rows) => rows.where("tenant", "=", tenant));
}

export async function listIssues(
  query: Query,
  place: TenantKey & { readonly tenant?: string | null },
  { before, ...values }: IssueFilter,
  limit: number,
): Promise<IssueRow[]> {
  const rows = shownIssues(query, place).$call(matching(values)).$call(newestFirst({ before }));
  return await pageRows(query, rows, { limit, large: ["fingerprints", "samples"] });
}

export async function findIssue(
  query: Query,
  place: TenantKey & { readonly tenant?: string | null },
  id: Uuid,
): Promise<IssueRow | undefined> {
  return await shownIssues(query, place).where("id", "=", id).executeTakeFirst();
}

export async function holdIssue(
  tx: Tx,
  place: TenantKey & { readonly tenant?: string | null },
  id: Uuid,
): Promise<IssueRow | undefined> {
  return await shownIssues(tx.query, place).where("id", "=", id).forUpdate().executeTakeFirst();
}

/** Returns the unresolved issues, up to a number. */
export async function unresolvedIssues(query: Query, place: TenantKey, limit: number): Promise<IssueRow[]> {
  return await shownIssues(query, place).where("state", "=", "open").orderBy("id", "desc").limit(limit).execute();
}

/** Returns the issues of which people were informed at this time or later and that are still open, or that were resolved. */
export async function mailedIssues(
  query: Query,
  place: TenantKey & { readonly tenant?: string | null },
  { what, since, limit }: { readonly what: "opened" | "resolved"; readonly since: string; readonly limit: number },
): Promise<IssueRow[]> {
  const from = sql<Date>`${since}::timestamptz`;
  const rows =
    what === "opened"
      ? shownIssues(query, place).where("state", "in", ["open", "acknowledged"]).where("mailed_at", ">=", from)
      : shownIssues(query, place)
          .where("state", "=", "resolved")
          .where("resolved_by", "=", "service")
          .where("resolved_at", ">=", from);
  return await rows.where("mailed_at", "is not", null).orderBy("id", "desc").limit(limit).execute();
}

/** Returns the failures by hour, oldest first. */
export async function hoursOf(query: Query, { id, ...place }: IssueKey): Promise<{ hour: Date; count: number }[]> {
  return await query
    .selectFrom("issue_hour")
    .select(["hour", "count"])
    .$call(ofTenant(place))
    .where("issue_id", "=", id)
    .where("hour", ">=", sql<Date>`now() - interval '7 days'`)
    .orderBy("hour")
    .execute();
}

/** Returns the tenants whose events failed, the most recent first. */
export async function tenantsOf(
  query: Query,
  { id, ...place }: IssueKey,
): Promise<{ tenant: string; count: number; last_seen_at: Date }[]> {
  return await query
    .selectFrom("issue_tenant")
    .select(["tenant", "count", "last_seen_at"])
    .$call(ofTenant(place))
    .where("issue_id", "=", id)
    .orderBy("last_seen_at", "desc")
    .orderBy("tenant")
    .limit(MOST_TENANTS)
    .execute();
}

/** Returns the issues that are no longer ignored, on each shard. */
export async function noLongerIgnored(db: Db): Promise<IssueRow[]> {
  return await db.onEachShard(
    async () =>
      await db.query
        .selectFrom("issue")
        .selectAll()
        .where("state", "=", "ignored")
        .where("ignored_until", "is not", null)
        .where("ignored_until", "<=", sql<Date>`now()`)
        .limit(100)
        .execute(),
  );
}

/** Returns issues whose objects belong to no endpoint or source, which end their issues themselves. */
export async function issuesOfKeys(db: Db): Promise<IssueRow[]> {
  return await db.onEachShard(
    async () =>
      await db.query
        .selectFrom("issue")
        .selectAll()
        .where("kind", "in", ["action", "connection"])
        .where("state", "not in", ["resolved", "watching"])
        .where("current", "=", true)
        .limit(1000)
        .execute(),
  );
}

/** Ends the counting of objects that have not failed for ten minutes. */
const CALM: HotStatement = {
  name: "issues_calm",
  text: `with calm as (select bucket, tag, id from issue where state = 'watching' and last_seen_at < now() - interval '10 minutes'
      limit 1000 for update skip locked),
    hours as (delete from issue_hour h using calm c where h.bucket = c.bucket and h.tag = c.tag and h.issue_id = c.id),
    tenants as (delete from issue_tenant t using calm c where t.bucket = c.bucket and t.tag = c.tag and t.issue_id = c.id)
    delete from issue i using calm c where i.bucket = c.bucket and i.tag = c.tag and i.id = c.id`,
};

export async function forgetCalm(db: Db): Promise<void> {
  await db.onEachShard(async () => await db.hot(CALM, []));
}

/** Returns the number of unresolved issues by kind. */
export async function openByKind(db: Db): Promise<{ kind: string; count: number }[]> {
  return await db.onEachShard(async () => {
    const { rows } = await sql<{ kind: string; count: number }>`select kind, count(*)::int as count from issue
      where state in ('open', 'acknowledged') group by kind`.execute(db.query);
    return rows;
  });
}

/** Tells whether the tenant of an issue is being deleted. */
export async function isTenantDeleted(
  tx: Tx,
  { bucket, tag, tenant }: Pick<IssueRow, "bucket" | "tag" | "tenant">,
): Promise<boolean> {
  const rows = tx.query.selectFrom("tenant_deletion").select("id").$call(ofTenant({ bucket, tag }));
  return (await rows.where("tenant", "=", tenant).where("due_at", "is not", null).executeTakeFirst()) !== undefined;
}

/** Removes a deleted tenant from issues. Returns the number of issues that were deleted. */
export async function eraseTenant(
  tx: Tx,
  { bucket, tag }: TenantKey,
  { tenant, before, limit }: GoneTenant,
): Promise<number> {
  const { rows } = await sql<{ n: number }>`with gone as (select id from issue
      where bucket = ${bucket} and tag = ${tag} and tenant = ${tenant} and id < ${before} order by id limit ${limit}),
    hours as (delete from issue_hour where bucket = ${bucket} and tag = ${tag} and issue_id in (select id from gone)),
    tenants as (delete from issue_tenant t where t.bucket = ${bucket} and t.tag = ${tag}
      and (t.issue_id in (select id from gone) or (t.tenant = ${tenant} and t.last_seen_at < uuid_time(${before})))),
    reports as (delete from issue_report where bucket = ${bucket} and tag = ${tag} and tenant = ${tenant} and at < uuid_time(${before})),
    issues as (delete from issue where bucket = ${bucket} and tag = ${tag} and id in (select id from gone))
    select count(*)::int as n from gone`.execute(tx.query);
  return rows[0]?.n ?? 0;
}
