import { ofTenant, sql } from "../platform/db/db.ts";
import type { Query, Selectable, Tables, Tx } from "../platform/db/db.ts";
import type { TenantKey, Uuid } from "../lib/lib.ts";

export type ActivityRow = Selectable<Tables["activity"]>;

export const ACTIVITY_KINDS = ["inbound", "event", "action", "note"] as const;
export type ActivityKind = (typeof ACTIVITY_KINDS)[number];

/** Returns false if the activity already exists. */
export async function insertActivity(tx: Tx, activity: ActivityRow): Promise<boolean> {
  const { numInsertedOrUpdatedRows: inserted = 0n } = await tx.query
    .insertInto("activity")
    .values(activity)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return inserted > 0n;
}

export interface TimelineFilter {
  readonly kinds: readonly ActivityKind[];
  /** The range of positions. `from` is inclusive, and `to` is exclusive. */
  readonly from: Uuid;
  readonly to: Uuid;
}

/**
 * Returns a page of a timeline, latest first. Each id and kind is read from the end of its own range of the index, so
 * that a page costs the same regardless of the rows before it. A contact has several ids if others were merged into it.
 */
export async function readTimeline(
  query: Query,
  place: TenantKey,
  contactIds: readonly Uuid[],
  { filter, limit }: { filter: TimelineFilter; limit: number },
): Promise<ActivityRow[]> {
  const { rows } = await timelineQuery(place, contactIds, { filter, limit }).execute(query);
  return rows;
}

/** Builds the query without executing it, so that a test can explain it. */
export function timelineQuery(
  place: TenantKey,
  contactIds: readonly Uuid[],
  { filter, limit }: { filter: TimelineFilter; limit: number },
) {
  return sql<ActivityRow>`select a.* from unnest(${contactIds}::uuid[]) as c (id) cross join unnest(${filter.kinds}::text[]) as k (kind)
    cross join lateral (select * from activity
      where bucket = ${place.bucket} and tag = ${place.tag} and contact_id = c.id and kind = k.kind
        and position >= ${filter.from} and position < ${filter.to}
      order by position desc limit ${limit}) a
    order by a.position desc limit ${limit}`;
}

export async function deleteActivities(tx: Tx, place: TenantKey, contactIds: readonly Uuid[]): Promise<void> {
  await tx.query.deleteFrom("activity").$call(ofTenant(place)).where("contact_id", "in", contactIds).execute();
}
