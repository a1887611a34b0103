import { lockName, ofTenant, sql } from "../platform/db/db.ts";
import type { Query, Selectable, Tables, Tx } from "../platform/db/db.ts";
import { toDate } from "../lib/lib.ts";
import type { Instant, TenantKey, Uuid } from "../lib/lib.ts";

export type PlanRow = Selectable<Tables["configuration_plan"]>;
type PlanInsert = Omit<PlanRow, "expires_at" | "applied_at" | "answer" | "proposal_id">;

/** Writes a plan that can be applied for an hour. */
export async function insertPlan(query: Query, plan: PlanInsert): Promise<PlanRow> {
  return await query
    .insertInto("configuration_plan")
    .values({ ...plan, expires_at: sql<Date>`now() + interval '1 hour'` })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/**
 * Returns a plan that has not expired, or that was applied. The configuration of the environment is locked until the transaction ends, so
 * that a plan is compared with what plans before it have made.
 */
export async function holdPlan(tx: Tx, place: TenantKey, id: Uuid): Promise<PlanRow | undefined> {
  await lockName(tx, `configuration ${place.tag}`);
  return await tx.query
    .selectFrom("configuration_plan")
    .selectAll()
    .$call(ofTenant(place))
    .where("id", "=", id)
    .where((eb) => eb.or([eb("expires_at", ">", sql<Date>`now()`), eb("applied_at", "is not", null)]))
    .executeTakeFirst();
}

/** Keeps a plan while people decide on the proposal, and as long as its run can take after the last moment. */
export async function keepForApproval(
  tx: Tx,
  place: TenantKey,
  id: Uuid,
  proposal: { readonly id: Uuid; readonly expiresAt: Instant },
): Promise<void> {
  await tx.query
    .updateTable("configuration_plan")
    .set({
      proposal_id: proposal.id,
      expires_at: sql<Date>`${toDate(proposal.expiresAt)}::timestamptz + interval '1 hour'`,
    })
    .$call(ofTenant(place))
    .where("id", "=", id)
    .execute();
}

export async function endPlan(tx: Tx, place: TenantKey, id: Uuid, answer: string): Promise<void> {
  await tx.query
    .updateTable("configuration_plan")
    .set({ applied_at: sql<Date>`now()`, answer })
    .$call(ofTenant(place))
    .where("id", "=", id)
    .execute();
}
