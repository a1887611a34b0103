import type { TenantKey, Uuid } from "../lib/lib.ts";
import { ofTenant, pageRows, sql } from "../platform/db/db.ts";
import type { Query, Selectable, Tables } from "../platform/db/db.ts";

export type AuditRow = Selectable<Tables["audit_row"]>;
export type HeadRow = Selectable<Tables["audit_head"]>;

export interface RowFilter {
  readonly kind?: string | undefined;
  readonly action?: string | undefined;
  readonly actorType?: string | undefined;
  readonly actorId?: string | undefined;
  readonly status?: string | undefined;
  readonly proposalId?: Uuid | undefined;
  readonly runId?: Uuid | undefined;
  readonly tenant?: string | undefined;
  /** The first seq, and the first seq after the range. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/**
 * The values that the partial indexes exclude (0013_audit.sql). A query for another value must state this, or the
 * indexes cannot be used.
 */
const COMMON = {
  kind: ["run", "proposal"],
  status: ["ok", "executed"],
  actor_type: ["user", "service"],
} as const;

const LARGE = ["params_redacted", "result_redacted", "prompt"] as const;

/** Returns the latest rows first. */
export async function listRows(query: Query, place: TenantKey, filter: RowFilter, limit: number): Promise<AuditRow[]> {
  return await pageRows(query, matching(query, place, filter).orderBy("seq", "desc"), { limit, large: LARGE });
}

/** Returns the rows in the order of the chain. */
export async function rowsInOrder(
  query: Query,
  place: TenantKey,
  filter: RowFilter,
  limit: number,
): Promise<AuditRow[]> {
  return await pageRows(query, matching(query, place, filter).orderBy("seq"), { limit, large: LARGE });
}

/** Returns the seq of the first row that was written at a time or later; undefined if there is none. */
export async function firstSince(query: Query, place: TenantKey, at: Date): Promise<number | undefined> {
  const row = await rowsOf(query, place)
    .clearSelect()
    .select("seq")
    .where("created_at", ">=", at)
    .orderBy("created_at")
    .orderBy("seq")
    .limit(1)
    .executeTakeFirst();
  return row === undefined ? undefined : Number(row.seq);
}

export async function findRow(query: Query, place: TenantKey, id: Uuid): Promise<AuditRow | undefined> {
  return await rowsOf(query, place).where("id", "=", id).executeTakeFirst();
}

/** Returns the recorded end of the chain; undefined if no row was written. */
export async function findHead(query: Query, place: TenantKey): Promise<HeadRow | undefined> {
  return await query.selectFrom("audit_head").selectAll().$call(ofTenant(place)).executeTakeFirst();
}

/** Returns the largest seq of a row, or 0 if there is none. */
export async function lastSeq(query: Query, place: TenantKey): Promise<number> {
  const row = await rowsOf(query, place).clearSelect().select("seq").orderBy("seq", "desc").limit(1).executeTakeFirst();
  return Number(row?.seq ?? 0);
}

function rowsOf(query: Query, place: TenantKey) {
  return query.selectFrom("audit_row").selectAll().$call(ofTenant(place));
}

function matching(query: Query, place: TenantKey, filter: RowFilter) {
  let rows = rowsOf(query, place);
  for (const [column, value] of [
    ["kind", filter.kind],
    ["status", filter.status],
    ["actor_type", filter.actorType],
  ] as const) {
    if (value === undefined) continue;
    rows = rows.where(column, "=", value);
    if (!COMMON[column].some((common) => common === value)) {
      const common = COMMON[column].map((one) => sql.lit(one));
      rows = rows.where(sql<boolean>`${sql.ref(column)} not in (${sql.join(common)})`);
    }
  }
  for (const [column, value] of [
    ["action", filter.action],
    ["actor_id", filter.actorId],
    ["proposal_id", filter.proposalId],
    ["run_id", filter.runId],
    ["tenant", filter.tenant],
  ] as const)
    if (value !== undefined) rows = rows.where(column, "=", value);
  if (filter.from !== undefined) rows = rows.where("seq", ">=", String(filter.from));
  return filter.to === undefined ? rows : rows.where("seq", "<", String(filter.to));
}
