import { arrayText, bulk, defineDependentPart, ofTenant, pageRows, sql } from "../../platform/db/db.ts";
import type { Query, Selectable, Tables } from "../../platform/db/db.ts";
import { after as laterBy, toDate, uuidFloor, uuidTime } from "../../lib/lib.ts";
import type { Tag, Uuid } from "../../lib/lib.ts";
import type { PlannedEvent } from "./event.ts";

/** An event is rarely committed later than this after its id was made. Until then, an earlier one can still appear. */
export const COMMIT_MS = 30_000;

/** An event that is written later than this after the time of its id has `late_xact`. */
export const LATE_MS = 10_000;

export type EventRow = Selectable<Tables["event"]>;

const IN_TIME = `select uuid_floor(clock_timestamp() - interval '${LATE_MS} milliseconds') where pg_current_xact_id() is not null`;

/**
 * Writes the events of a commit. The transaction has its id before the clock is read: an event that is not late is of a transaction that a
 * later snapshot sees or names.
 */
export const eventPart = defineDependentPart<Pick<PlannedEvent, "event" | "request">>({
  name: "event",
  columns: [
    bulk("bucket", "smallint", ({ event }) => event.scope.bucket),
    bulk("tag", "text", ({ event }) => event.scope.tag),
    bulk("id", "uuid", ({ event }) => event.id),
    bulk("name", "text", ({ event }) => event.name),
    bulk("canonical", "boolean", ({ event }) => event.canonical),
    bulk("data", "text", ({ event }) => event.data),
    bulk("occurred_at", "timestamptz", ({ event }) => toDate(event.occurredAt)),
    bulk("subject", "text", ({ event }) => event.subject),
    bulk("chain", "text", ({ event }) => arrayText(event.chain.length === 0 ? null : event.chain), "uuid[]"),
    bulk("traceparent", "text", ({ event }) => event.traceparent),
    bulk("type_version", "smallint", ({ event }) => event.typeVersion),
    bulk("tenant", "text", ({ event }) => event.tenant),
    bulk(
      "fired_by",
      "text",
      ({ event: { firedBy = [] } }) => arrayText(firedBy.length === 0 ? null : firedBy),
      "uuid[]",
    ),
    bulk("internal", "boolean", ({ event }) => event.isInternal),
    bulk("schema_errors", "text", ({ event: { schemaErrors } }) =>
      schemaErrors === null ? null : JSON.stringify(schemaErrors),
    ),
  ],
  text: ({ rows, names, selected }) => `events as (insert into event (${names}, late_xact)
      select ${selected("e")}, case when e.id < (${IN_TIME}) then pg_current_xact_id() end
      from ${rows("e")})`,
});

export interface EventFilter {
  readonly event?: string | undefined;
  readonly subject?: string | undefined;
  readonly tenant?: string | undefined;
  /** True for a tenant, which does not see the events about the workspace's own work. */
  readonly withoutInternal?: boolean;
  /** The smallest id that is late enough. */
  readonly from?: Uuid | undefined;
  readonly to?: Uuid | undefined;
  readonly before?: Uuid | undefined;
}

export async function listEvents(
  query: Query,
  scope: { bucket: number; tag: Tag },
  filter: EventFilter,
  limit: number,
): Promise<EventRow[]> {
  let rows = query.selectFrom("event").selectAll().$call(ofTenant(scope));
  if (filter.event !== undefined) rows = rows.where("name", "=", filter.event);
  if (filter.subject !== undefined) rows = rows.where("subject", "=", filter.subject);
  if (filter.tenant !== undefined) rows = rows.where("tenant", "=", filter.tenant);
  if (filter.withoutInternal === true) rows = rows.where("internal", "=", false);
  if (filter.from !== undefined) rows = rows.where("id", ">=", filter.from);
  if (filter.to !== undefined) rows = rows.where("id", "<", filter.to);
  if (filter.before !== undefined) rows = rows.where("id", "<", filter.before);
  return await pageRows(query, rows.orderBy("id", "desc"), { limit, large: ["data"] });
}

/** A part of a tenant's events: those before an id, newest first, or those after it. */
export interface EventSpan {
  readonly tenant: string;
  readonly before?: Uuid | undefined;
  readonly after?: Uuid | undefined;
  readonly names?: readonly string[] | undefined;
  /** Only events with these labels. */
  readonly channel?: string | undefined;
  readonly tag?: string | undefined;
  readonly limit: number;
}

/** Returns events of a tenant, without those about the workspace's own work. The newest ones come first. */
export async function eventsOfTenant(
  query: Query,
  scope: { bucket: number; tag: Tag },
  { tenant, before, after, names, channel, tag, limit }: EventSpan,
): Promise<EventRow[]> {
  let rows = query.selectFrom("event").selectAll().$call(ofTenant(scope)).where("tenant", "=", tenant);
  rows = rows.where("internal", "=", false);
  if (names !== undefined) rows = rows.where("name", "in", [...names]);
  if (before !== undefined) rows = rows.where("id", "<", before);
  if (after !== undefined) rows = rows.where("id", ">", after);
  const labelled = (label: ReturnType<typeof sql<boolean>>) => sql<boolean>`exists (select from event_label l
    where l.bucket = ${scope.bucket} and l.tag = ${scope.tag} and l.event_id = event.id and ${label})`;
  if (channel !== undefined) rows = rows.where(labelled(sql`${channel} = any(l.channels)`));
  if (tag !== undefined) rows = rows.where(labelled(sql`${tag} = any(l.tags)`));
  if (after === undefined || before !== undefined)
    return await pageRows(query, rows.orderBy("id", "desc"), { limit, large: ["data"] });
  return (await pageRows(query, rows.orderBy("id"), { limit, large: ["data"] })).toReversed();
}

/** The ids of events, of one name or of all names, as an interval without its lower end. */
export interface Interval {
  readonly name: string | null;
  readonly after: Uuid;
  readonly to: Uuid;
  /** Only events of this tenant; null: only those without one; undefined: all. */
  readonly tenant: string | null | undefined;
}

/** Returns the earliest events first. */
export async function eventsBetween(
  query: Query,
  scope: { bucket: number; tag: Tag },
  { name, after, to, tenant }: Interval,
  limit: number,
): Promise<Pick<EventRow, "id" | "name" | "data" | "tenant">[]> {
  let rows = query
    .selectFrom("event")
    .select(["id", "name", "data", "tenant"])
    .$call(ofTenant(scope))
    .where("id", ">", after)
    .where("id", "<=", to)
    .orderBy("id")
    .limit(limit);
  if (tenant !== undefined) rows = rows.where("tenant", tenant === null ? "is" : "=", tenant);
  return await (name === null ? rows : rows.where("name", "=", name)).execute();
}

/** The part of an event that is read before its data. */
export interface EventHead {
  readonly id: Uuid;
  readonly name: string;
  /** The size of the data, which PostgreSQL knows without reading it. */
  readonly bytes: number;
}

/** The position up to which a reader has read. */
export interface EventsRead {
  /** Every event up to this id that the snapshot sees. */
  readonly after: Uuid;
  /** Null for a reader that has just begun. */
  readonly snapshot: string | null;
  /** Includes the late events up to this id that this snapshot sees. */
  readonly late: { readonly after: Uuid; readonly until: string } | null;
}

/** Some of the first events that a reader has not read, all of one snapshot. */
export interface UnreadHeads {
  /** The late events before `after`. */
  readonly late: readonly EventHead[];
  readonly ahead: readonly EventHead[];
  readonly snapshot: string;
  /** The first transaction that was still running. */
  readonly xmin: bigint;
  /** Null unless it is asked for. */
  readonly mark: Mark | null;
}

/** A moment by the clock of the database, in milliseconds, and a transaction that began after all that had an id until then. */
export interface Mark {
  readonly atMs: number;
  readonly xid: bigint;
}

export interface UnreadQuery extends EventsRead {
  readonly tenant: string | null;
  readonly limit: number;
  readonly withMark: boolean;
}

interface UnreadRow {
  readonly snapshot: string;
  readonly xmin: string;
  readonly at_ms: number;
  readonly xid: string | null;
  readonly heads: readonly (EventHead & { readonly is_late: boolean })[] | null;
}

/** An event that is later than this is not found by readers that are past its id. With more days, more partitions are looked at. */
const LATEST_MS = 7 * 86_400_000;

/** Returns the earliest events first, without their data; for a tenant, those that it sees. */
export async function unreadHeads(
  query: Query,
  { bucket, tag }: { bucket: number; tag: Tag },
  { after: read, snapshot, late, tenant, limit, withMark }: UnreadQuery,
): Promise<UnreadHeads> {
  const tenants = tenant === null ? sql`` : sql`and tenant = ${tenant} and not internal`;
  const heads = (isLate: boolean) =>
    sql`select id, name, octet_length(data) as bytes, ${isLate}::boolean as is_late from event
      where bucket = ${bucket} and tag = ${tag} ${tenants}`;
  const oldest = late?.after ?? uuidFloor(laterBy(uuidTime(read), -LATEST_MS));
  // The snapshot of another server, or of the time before a crash, says nothing about late events: all are read again.
  const { rows } =
    await sql<UnreadRow>`with s as materialized (select pg_current_snapshot() as now, clock_timestamp() as at),
    b as materialized (select case when pg_snapshot_xmax(c.seen) > pg_snapshot_xmax(s.now) then '3:3:'::pg_snapshot else c.seen end as seen,
        coalesce(${late?.until ?? null}::pg_snapshot, s.now) as until
      from s, (select ${snapshot}::pg_snapshot as seen) c)
    select s.now::text as snapshot, pg_snapshot_xmin(s.now)::text as xmin, floor(extract(epoch from s.at) * 1000)::float8 as at_ms,
      case when ${withMark}::boolean then pg_current_xact_id()::text end as xid,
      (select json_agg(h) from (
        (${heads(true)} and late_xact is not null and late_xact >= (select pg_snapshot_xmin(b.seen) from b)
          and not pg_visible_in_snapshot(late_xact, (select b.seen from b)) and pg_visible_in_snapshot(late_xact, (select b.until from b))
          and id > ${oldest} and id <= ${read} order by id limit ${limit})
        union all (${heads(false)} and id > ${read} order by id limit ${limit})) h) as heads
    from s`.execute(query);
  const [row] = rows;
  if (row === undefined) throw new Error("a statement without a condition answered no row");
  const found = (row.heads ?? []).toSorted((left, right) => (left.id < right.id ? -1 : 1));
  return {
    late: found.filter((head) => head.is_late),
    ahead: found.filter((head) => !head.is_late),
    snapshot: row.snapshot,
    xmin: BigInt(row.xmin),
    mark: row.xid === null ? null : { atMs: row.at_ms, xid: BigInt(row.xid) },
  };
}

/** Returns the people who fired one of these events. */
export async function peopleBehind(
  query: Query,
  scope: { bucket: number; tag: Tag },
  ids: readonly Uuid[],
): Promise<Uuid[]> {
  if (ids.length === 0) return [];
  const rows = await query
    .selectFrom("event")
    .select("fired_by")
    .$call(ofTenant(scope))
    .where("id", "in", ids)
    .execute();
  return [...new Set(rows.flatMap((row) => row.fired_by ?? []))];
}

export async function findEvent(
  query: Query,
  scope: { bucket: number; tag: Tag },
  id: Uuid,
): Promise<EventRow | undefined> {
  return await query.selectFrom("event").selectAll().$call(ofTenant(scope)).where("id", "=", id).executeTakeFirst();
}

/** The number of events among which the last one of a name is searched. There is no index by name. */
const MOST_SEARCHED = 1000;

/** Returns the last event of a name among the tenant's newest events. */
export async function lastOfName(
  query: Query,
  scope: { bucket: number; tag: Tag },
  name: string,
): Promise<Pick<EventRow, "id" | "data"> | undefined> {
  const newest = query
    .selectFrom("event")
    .select(["id", "name", "data"])
    .$call(ofTenant(scope))
    .orderBy("id", "desc")
    .limit(MOST_SEARCHED);
  return await query
    .selectFrom(newest.as("e"))
    .select(["e.id", "e.data"])
    .where("e.name", "=", name)
    .orderBy("e.id", "desc")
    .limit(1)
    .executeTakeFirst();
}

export async function findEvents(
  query: Query,
  bucket: number,
  places: readonly { readonly tag: Tag; readonly id: Uuid }[],
): Promise<EventRow[]> {
  if (places.length === 0) return [];
  return await query
    .selectFrom("event")
    .selectAll()
    .where("bucket", "=", bucket)
    .where("tag", "in", [...new Set(places.map(({ tag }) => tag))])
    .where(
      "id",
      "in",
      places.map(({ id }) => id),
    )
    .execute();
}
