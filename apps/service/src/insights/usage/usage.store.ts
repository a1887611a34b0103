import type { TenantKey, Uuid } from "../../lib/lib.ts";
import { columnOf, sql } from "../../platform/db/db.ts";
import type { Db, HotStatement, Query } from "../../platform/db/db.ts";
import { bucketOf, instant, toRfc3339, uuidFloor, uuidTime } from "../../lib/lib.ts";
import type { Count } from "./counters.ts";
import { HOUR_MS, TOTALS } from "./counters.ts";

/** Adds counts. Rows are locked in the order of their key, so that two nodes cannot deadlock. Runs once per node and interval, off the hot path. */
const WRITE_HOURS: HotStatement = {
  name: "usage_hours_write",
  text: `insert into usage_hour (bucket, tag, kind, id, subject, count)
      select * from unnest($1::smallint[], $2::text[], $3::text[], $4::uuid[], $5::text[], $6::bigint[])
        as c (bucket, tag, kind, id, subject, count) order by bucket, tag, kind, id, subject
    on conflict (bucket, tag, kind, id, subject) do update set count = usage_hour.count + excluded.count`,
};
const WRITE_DAYS: HotStatement = {
  name: "usage_days_write",
  text: `insert into usage_day (bucket, tag, day, kind, count)
      select bucket, tag, day::date, kind, sum(count) from unnest($1::smallint[], $2::text[], $3::text[], $4::text[], $5::bigint[])
        as c (bucket, tag, day, kind, count) group by 1, 2, 3, 4 order by 1, 2, 3, 4
    on conflict (bucket, tag, day, kind) do update set count = usage_day.count + excluded.count`,
};

/** Returns true for kinds that are also counted by day. */
export const isTotal = ({ kind }: Count): boolean => TOTALS.some((total) => total === kind);

export const ofTag = ({ tag }: Count): number => bucketOf(tag);

export async function writeHours(db: Db, own: readonly Count[]): Promise<void> {
  await db.soft(WRITE_HOURS, [
    columnOf.smallint(own, ofTag),
    columnOf.text(own, (one) => one.tag),
    columnOf.text(own, (one) => one.kind),
    columnOf.uuid(own, (one) => hourId(one.hour)),
    columnOf.text(own, (one) => one.subject),
    columnOf.bigint(own, (one) => one.count),
  ]);
}

export async function writeDays(db: Db, own: readonly Count[]): Promise<void> {
  await db.soft(WRITE_DAYS, [
    columnOf.smallint(own, ofTag),
    columnOf.text(own, (one) => one.tag),
    columnOf.text(own, (one) => toRfc3339(instant(one.hour * HOUR_MS)).slice(0, 10)),
    columnOf.text(own, (one) => one.kind),
    columnOf.bigint(own, (one) => one.count),
  ]);
}

export interface DayRow {
  /** `YYYY-MM-DD`. */
  readonly day: string;
  readonly kind: string;
  readonly count: number;
}

/** Reads the counts of these days, both included. */
export async function readDays(query: Query, place: TenantKey, from: string, to: string): Promise<DayRow[]> {
  const { rows } =
    await sql<DayRow>`select to_char(day, 'YYYY-MM-DD') as day, kind, count::float8 as count from usage_day
    where bucket = ${place.bucket} and tag = ${place.tag} and day between ${from}::date and ${to}::date`.execute(query);
  return rows;
}

export interface HourRow {
  readonly id: Uuid;
  readonly kind: string;
  readonly subject: string;
  readonly count: number;
}

/** Reads the counts from this hour on. */
export async function readHours(
  query: Query,
  place: TenantKey,
  { kinds, from }: { readonly kinds: readonly string[]; readonly from: number },
): Promise<HourRow[]> {
  const { rows } = await sql<HourRow>`select id, kind, subject, count::float8 as count from usage_hour
    where bucket = ${place.bucket} and tag = ${place.tag} and kind = any(${[...kinds]}) and id >= ${hourId(from)}`.execute(
    query,
  );
  return rows;
}

/** Reads the counts of tenants from this hour on. */
export async function readTenantHours(
  query: Query,
  place: TenantKey,
  tenants: readonly string[],
  from: number,
): Promise<HourRow[]> {
  // The last condition is that of the index.
  const { rows } = await sql<HourRow>`select id, kind, subject, count::float8 as count from usage_hour
    where bucket = ${place.bucket} and tag = ${place.tag} and subject = any(${[...tenants]}) and id >= ${hourId(from)}
      and starts_with(kind, 'tenant_')`.execute(query);
  return rows;
}

export function hourOfId(id: Uuid): number {
  return Math.floor(uuidTime(id) / HOUR_MS);
}

export interface NameRow {
  readonly name: string;
  readonly count: number;
  readonly last: Uuid;
}

/** Reads the event types, the most frequent first. */
export async function readNames(query: Query, place: TenantKey, from: number, limit: number): Promise<NameRow[]> {
  const { rows } =
    await sql<NameRow>`select subject as name, sum(count)::float8 as count, max(id::text)::uuid as last from usage_hour
    where bucket = ${place.bucket} and tag = ${place.tag} and kind = 'event' and id >= ${hourId(from)}
    group by subject order by 2 desc, 1 limit ${limit}`.execute(query);
  return rows;
}

export interface TypeUsageRow {
  readonly name: string;
  readonly last: Uuid | null;
  readonly refused: number;
  readonly warned: number;
}

/** Reads when each event type occurred last since the hour `seen`, and its violations since the hour `violated`. */
export async function readTypes(
  query: Query,
  place: TenantKey,
  from: { readonly seen: number; readonly violated: number },
): Promise<TypeUsageRow[]> {
  const since = hourId(from.violated);
  const { rows } =
    await sql<TypeUsageRow>`select subject as name, max(id::text) filter (where kind = 'event')::uuid as last,
      coalesce(sum(count) filter (where kind = 'event_refused' and id >= ${since}), 0)::float8 as refused,
      coalesce(sum(count) filter (where kind = 'event_warned' and id >= ${since}), 0)::float8 as warned
    from usage_hour where bucket = ${place.bucket} and tag = ${place.tag}
      and kind in ('event', 'event_refused', 'event_warned') and id >= ${hourId(from.seen)} group by subject`.execute(
      query,
    );
  return rows;
}

/** Reads the names of the events that occurred since an hour. */
export async function readFired(query: Query, place: TenantKey, from: number): Promise<string[]> {
  const rows = await query
    .selectFrom("usage_hour")
    .select("subject")
    .distinct()
    .where("bucket", "=", place.bucket)
    .where("tag", "=", place.tag)
    .where("kind", "=", "event")
    .where("id", ">=", hourId(from))
    .execute();
  return rows.map(({ subject }) => subject);
}

function hourId(hour: number): Uuid {
  return uuidFloor(instant(hour * HOUR_MS));
}
