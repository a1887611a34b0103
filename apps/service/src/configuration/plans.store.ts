import { ofTenant, sql } from "../platform/db/db.ts";
import type { Query, Selectable, Tables, Tx } from "../platform/db/db.ts";
import type { TenantKey, Uuid } from "../lib/lib.ts";

export type PlanRow = Selectable<Tables["configuration_plan"]>;
type PlanInsert = Omit<PlanRow, "expires_at" | "applied_at" | "answer">;

/** Writes a plan that can be applied for an hour. */
export async function insertPlan(query: Query, plan: PlanInsert): Promise<PlanRow> {
  return await query
    .insertInto("configuration_plan")
    .values({ ...plan, expires_at: sql<Date>`now() + interval '1 hour'` })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Returns a plan that has not expired, or that was applied, and locks it until the transaction ends. */
export async function holdPlan(tx: Tx, place: TenantKey, id: Uuid): Promise<PlanRow | undefined> {
  return await tx.query
    .selectFrom("configuration_plan")
    .selectAll()
    .$call(ofTenant(place))
    .where("id", "=", id)
    .where((eb) => eb.or([eb("expires_at", ">", sql<Date>`now()`), eb("applied_at", "is not", null)]))
    .forUpdate()
    .executeTakeFirst();
}

export async function endPlan(tx: Tx, place: TenantKey, id: Uuid, answer: string): Promise<void> {
  await tx.query
    .updateTable("configuration_plan")
    .set({ applied_at: sql<Date>`now()`, answer })
    .$call(ofTenant(place))
    .where("id", "=", id)
    .execute();
}
