import { matching, newestFirst, ofTenant, sql } from "../platform/db/db.ts";
import type { Query, Selectable, Tables, Tx } from "../platform/db/db.ts";
import type { TenantKey, Uuid } from "../lib/lib.ts";

export type TicketRow = Selectable<Tables["ticket"]>;

/** Statuses of a ticket that needs no more work. All other statuses count as open. */
export const ENDED = ["resolved", "closed"];

/** Locks the ticket with this external id, and creates it as open if there is none. */
export async function holdTicket(tx: Tx, place: TenantKey, proposed: Uuid, externalId: string): Promise<TicketRow> {
  return await tx.query
    .insertInto("ticket")
    .values({ bucket: place.bucket, tag: place.tag, id: proposed, external_id: externalId, status: "open" })
    .onConflict((conflict) =>
      conflict.columns(["bucket", "tag", "external_id"]).doUpdateSet({ external_id: externalId }),
    )
    .returningAll()
    .executeTakeFirstOrThrow();
}

export type TicketValues = Pick<TicketRow, "customer_id" | "subject" | "status" | "priority" | "assignee" | "stamps">;

export async function updateTicket(tx: Tx, place: TenantKey, id: Uuid, values: TicketValues): Promise<TicketRow> {
  return await tx.query
    .updateTable("ticket")
    .set({ ...values, stamps: JSON.stringify(values.stamps), updated_at: sql`now()` })
    .$call(ofTenant(place))
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function findTicket(query: Query, place: TenantKey, id: Uuid): Promise<TicketRow | undefined> {
  return await query.selectFrom("ticket").selectAll().$call(ofTenant(place)).where("id", "=", id).executeTakeFirst();
}

export async function findTickets(
  query: Query,
  place: TenantKey,
  externalIds: readonly string[],
): Promise<TicketRow[]> {
  if (externalIds.length === 0) return [];
  return await query
    .selectFrom("ticket")
    .selectAll()
    .$call(ofTenant(place))
    .where("external_id", "in", externalIds)
    .execute();
}

export interface TicketFilter {
  readonly status?: string | undefined;
  readonly customer_id?: Uuid | undefined;
  readonly priority?: string | undefined;
  readonly assignee?: string | undefined;
  readonly external_id?: string | undefined;
  readonly from?: Uuid | undefined;
  readonly to?: Uuid | undefined;
  readonly before?: Uuid | undefined;
}

export async function listTickets(
  query: Query,
  place: TenantKey,
  filter: TicketFilter,
  limit: number,
): Promise<TicketRow[]> {
  const { from, to, before, ...values } = filter;
  const rows = query.selectFrom("ticket").selectAll().$call(ofTenant(place)).$call(matching(values));
  return await rows.$call(newestFirst({ from, to, before })).limit(limit).execute();
}

/** Returns the number of open tickets of each contact. A contact without open tickets is missing. */
export async function countOpen(
  query: Query,
  place: TenantKey,
  contactIds: readonly Uuid[],
): Promise<Map<Uuid, number>> {
  if (contactIds.length === 0) return new Map();
  const rows = await query
    .selectFrom("ticket")
    .select(["customer_id", sql<number>`count(*)::int`.as("open")])
    .$call(ofTenant(place))
    .where("customer_id", "in", contactIds)
    .where("status", "not in", ENDED)
    .groupBy("customer_id")
    .execute();
  return new Map(rows.flatMap((row) => (row.customer_id === null ? [] : [[row.customer_id, row.open] as const])));
}

/** Assigns all tickets of one customer to another. */
export async function moveTickets(tx: Tx, place: TenantKey, from: Uuid, into: Uuid): Promise<void> {
  await tx.query
    .updateTable("ticket")
    .set({ customer_id: into, updated_at: sql`now()` })
    .$call(ofTenant(place))
    .where("customer_id", "=", from)
    .execute();
}

/** Removes a person from their tickets: the customer, and the subject that the person wrote. */
export async function anonymiseTickets(tx: Tx, place: TenantKey, customerId: Uuid): Promise<void> {
  await tx.query
    .updateTable("ticket")
    .set({ customer_id: null, subject: null, updated_at: sql`now()` })
    .$call(ofTenant(place))
    .where("customer_id", "=", customerId)
    .execute();
}
