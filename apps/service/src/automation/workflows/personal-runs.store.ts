import type { TenantKey, Uuid } from "../../lib/lib.ts";
import { ofTenant, pageRows, sql } from "../../platform/db/db.ts";
import type { GoneTenant, Query, RawBuilder, Tx } from "../../platform/db/db.ts";
import { LARGE } from "./runs.store.ts";
import type { RunRow } from "./runs.store.ts";

type People = TenantKey & { readonly contactIds: readonly Uuid[] };

export async function runsOfContacts(
  query: Query,
  people: People,
  page: { readonly after: Uuid | undefined; readonly limit: number },
): Promise<RunRow[]> {
  const rows = query
    .selectFrom("workflow_run")
    .selectAll()
    .$call(ofTenant(people))
    .where("contact_id", "in", people.contactIds)
    .orderBy("id");
  const later = page.after === undefined ? rows : rows.where("id", ">", page.after);
  return await pageRows(query, later, { limit: page.limit, large: LARGE });
}

export async function openRunsOf(query: Query, people: People): Promise<Uuid[]> {
  const rows = await query
    .selectFrom("workflow_run")
    .select("id")
    .$call(ofTenant(people))
    .where("contact_id", "in", people.contactIds)
    .where("ended_at", "is", null)
    // Cancelling a run cancels its children, whose rows are locked after it.
    .orderBy(({ eb }) => eb("parent_id", "is not", null))
    .orderBy("id")
    .execute();
  return rows.map((row) => row.id);
}

/** Returns runs of a tenant, without branches and items, that began before the id, or because of an event that is older. */
export async function runsOfTenant(
  query: Query,
  { bucket, tag }: TenantKey,
  { tenant, before, limit }: GoneTenant,
): Promise<Pick<RunRow, "id" | "ended_at">[]> {
  const { rows } = await sql<Pick<RunRow, "id" | "ended_at">>`select id, ended_at from workflow_run
    where bucket = ${bucket} and tag = ${tag} and tenant = ${tenant} and parent_id is null
      and (id < ${before} or event_id < ${before} or chain[1] < ${before}) order by id limit ${limit}`.execute(query);
  return rows;
}

/** Empties the runs of these people, and keeps the record of their steps. A replayed delivery can no longer resume them. */
export async function eraseRuns(tx: Tx, { bucket, tag, contactIds }: People): Promise<void> {
  await emptyRuns(tx, { bucket, tag }, sql`r.contact_id = any(${[...contactIds]}::uuid[])`, "The contact was erased.");
}

/** Does the same with these runs, and with their branches and items. */
export async function eraseRunsById(tx: Tx, place: TenantKey, ids: readonly Uuid[], reason: string): Promise<void> {
  const [own, inner] = [sql`r.id = any(${[...ids]}::uuid[])`, sql`r.parent_id = any(${[...ids]}::uuid[])`];
  for (const which of [own, inner]) await emptyRuns(tx, place, which, reason);
}

async function emptyRuns(
  tx: Tx,
  { bucket, tag }: TenantKey,
  which: RawBuilder<unknown>,
  reason: string,
): Promise<void> {
  const theirs = sql`r.bucket = ${bucket} and r.tag = ${tag} and ${which}`;
  await sql`update workflow_step s set output = null, error = null from workflow_run r
    where ${theirs} and s.bucket = r.bucket and s.tag = r.tag and s.run_id = r.id`.execute(tx.query);
  await sql`update workflow_run r set data = '{}', input = null, item = null, error = ${reason}, delivery_id = null, contact_id = null,
    tenant = null where ${theirs}`.execute(tx.query);
}
