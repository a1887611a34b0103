import type { CompiledQuery } from "kysely";

const LOCKS = /\bfor\s+(?:no\s+key\s+update|update|key\s+share|share)\b/i;
/** PostgreSQL's functions and our own (statement-kind.test.ts compares these with the schema) that change something. */
const CHANGES =
  /\b(?:pg_notify|pg_(?:try_)?advisory_\w+|pg_(?:cancel|terminate)_backend|set_config|nextval|setval|audit_append|rate_take|rate_return|rate_lock|rate_store|erase_workspace|ensure_\w+|make_partition|drop_partitions|periods_in_default|second_wall|advance_lanes|pull_number|forget_pulled|refresh_statistics)\s*\(/i;

/**
 * Returns true for a plain select. All other statements count as writes, also a select that locks rows or calls a
 * function that changes something.
 */
export function isRead({ query, sql }: Pick<CompiledQuery, "query" | "sql">): boolean {
  const isSelect =
    query.kind === "SelectQueryNode" ? query.with === undefined : query.kind === "RawNode" && /^\s*select\b/i.test(sql);
  return isSelect && !LOCKS.test(sql) && !CHANGES.test(sql);
}
