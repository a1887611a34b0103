import { columnOf } from "../platform/db/db.ts";
import type { CommitPart, Query, Selectable, Tables } from "../platform/db/db.ts";
import type { Tag, Uuid } from "../lib/lib.ts";

export type EventRow = Selectable<Tables["event"]>;

export interface EventInsert {
  readonly bucket: number;
  readonly tag: Tag;
  readonly id: Uuid;
  readonly name: string;
  readonly canonical: boolean;
  readonly data: string;
  readonly occurredAt: Date;
  readonly subject: string | null;
  readonly chain: readonly Uuid[] | null;
  readonly traceparent: string | null;
  /** Position of the request that brought it, 1-based: it is written only if that request is in `fresh`. */
  readonly request: number;
}

/** Says that each of so many requests is to be written: for whoever decided that before, in the same transaction. */
export function everyPart(count: number): CommitPart {
  return {
    name: "every",
    text: (first) => `fresh as (select at from generate_series(1, $${first}::bigint) as at)`,
    values: [count],
  };
}

/** The events of a commit. Needs `fresh (at)` before it. */
export function eventPart(rows: readonly EventInsert[]): CommitPart {
  return {
    name: "event",
    text: (
      first,
    ) => `events as (insert into event (bucket, tag, id, name, canonical, data, occurred_at, subject, chain, traceparent)
      select e.bucket, e.tag, e.id, e.name, e.canonical, e.data, e.occurred_at, e.subject, string_to_array(e.chain, ',')::uuid[], e.traceparent
      from unnest($${first}::smallint[], $${first + 1}::text[], $${first + 2}::uuid[], $${first + 3}::text[], $${first + 4}::boolean[], $${first + 5}::text[],
        $${first + 6}::timestamptz[], $${first + 7}::text[], $${first + 8}::text[], $${first + 9}::text[], $${first + 10}::bigint[])
        as e (bucket, tag, id, name, canonical, data, occurred_at, subject, chain, traceparent, request)
      join fresh on fresh.at = e.request)`,
    values: [
      columnOf.smallint(rows, (row) => row.bucket),
      columnOf.text(rows, (row) => row.tag),
      columnOf.uuid(rows, (row) => row.id),
      columnOf.text(rows, (row) => row.name),
      columnOf.boolean(rows, (row) => row.canonical),
      columnOf.text(rows, (row) => row.data),
      columnOf.timestamptz(rows, (row) => row.occurredAt),
      columnOf.text(rows, (row) => row.subject),
      columnOf.text(rows, (row) => row.chain?.join(",") ?? null),
      columnOf.text(rows, (row) => row.traceparent),
      columnOf.bigint(rows, (row) => row.request),
    ],
  };
}

export interface EventFilter {
  readonly event?: string | undefined;
  readonly subject?: string | undefined;
  /** Smallest id that is late enough. */
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
  let rows = query.selectFrom("event").selectAll().where("bucket", "=", scope.bucket).where("tag", "=", scope.tag);
  if (filter.event !== undefined) rows = rows.where("name", "=", filter.event);
  if (filter.subject !== undefined) rows = rows.where("subject", "=", filter.subject);
  if (filter.from !== undefined) rows = rows.where("id", ">=", filter.from);
  if (filter.to !== undefined) rows = rows.where("id", "<", filter.to);
  if (filter.before !== undefined) rows = rows.where("id", "<", filter.before);
  return await rows.orderBy("id", "desc").limit(limit).execute();
}

export async function findEvent(
  query: Query,
  scope: { bucket: number; tag: Tag },
  id: Uuid,
): Promise<EventRow | undefined> {
  return await query
    .selectFrom("event")
    .selectAll()
    .where("bucket", "=", scope.bucket)
    .where("tag", "=", scope.tag)
    .where("id", "=", id)
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
