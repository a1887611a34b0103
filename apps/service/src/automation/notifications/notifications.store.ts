import type { TenantKey, Uuid } from "../../lib/lib.ts";
import { ofTenant, sql } from "../../platform/db/db.ts";
import type { Query, Selectable, Tables, Tx } from "../../platform/db/db.ts";

export type NotificationRow = Selectable<Tables["notification"]>;
export type NewNotification = Omit<NotificationRow, "created_at" | "read_at">;

export async function insertNotifications(tx: Tx, rows: readonly NewNotification[]): Promise<void> {
  if (rows.length > 0) await tx.query.insertInto("notification").values(rows).execute();
}

export interface OwnFilter {
  readonly memberId: Uuid;
  readonly unread: boolean;
  readonly since?: Uuid | undefined;
}

/** Returns the newest messages of a member first. */
export async function listNotifications(
  query: Query,
  place: TenantKey,
  { memberId, unread, since }: OwnFilter,
  { before, limit }: { readonly before?: Uuid | undefined; readonly limit: number },
): Promise<NotificationRow[]> {
  let rows = query.selectFrom("notification").selectAll().$call(ofTenant(place)).where("member_id", "=", memberId);
  if (unread) rows = rows.where("read_at", "is", null);
  if (since !== undefined) rows = rows.where("id", ">=", since);
  if (before !== undefined) rows = rows.where("id", "<", before);
  return await rows.orderBy("id", "desc").limit(limit).execute();
}

/** Marks messages of a member as read. Returns the number of those that were not. */
export async function readNotifications(
  tx: Tx,
  place: TenantKey,
  memberId: Uuid,
  ids: readonly Uuid[],
): Promise<number> {
  const rows = await tx.query
    .updateTable("notification")
    .set({ read_at: sql<Date>`now()` })
    .$call(ofTenant(place))
    .where("member_id", "=", memberId)
    .where("id", "in", ids)
    .where("read_at", "is", null)
    .returning("id")
    .execute();
  return rows.length;
}

export async function notificationsOfContacts(
  query: Query,
  place: TenantKey,
  contactIds: readonly Uuid[],
  { after, limit }: { readonly after: Uuid | undefined; readonly limit: number },
): Promise<NotificationRow[]> {
  const rows = query
    .selectFrom("notification")
    .selectAll()
    .$call(ofTenant(place))
    .where("contact_id", "in", contactIds);
  return await (after === undefined ? rows : rows.where("id", ">", after)).orderBy("id").limit(limit).execute();
}

export async function eraseNotifications(tx: Tx, place: TenantKey, contactIds: readonly Uuid[]): Promise<void> {
  await tx.query.deleteFrom("notification").$call(ofTenant(place)).where("contact_id", "in", contactIds).execute();
}

export async function eraseOfEvents(tx: Tx, place: TenantKey, eventIds: readonly Uuid[]): Promise<void> {
  if (eventIds.length === 0) return;
  await tx.query.deleteFrom("notification").$call(ofTenant(place)).where("event_id", "in", eventIds).execute();
}
