import type { DeleteQueryBuilder, SelectQueryBuilder, UpdateQueryBuilder } from "kysely";
import type { Tag, TenantKey } from "../../lib/lib.ts";

interface Filterable {
  where(column: string, operator: "=", value: number | Tag): unknown;
}

/** The columns that a statement can be filtered by. */
type ColumnsOf<Statement> =
  Statement extends SelectQueryBuilder<infer Schema, infer Table, infer _Row>
    ? Schema[Table]
    : Statement extends UpdateQueryBuilder<infer Schema, infer _Updated, infer Table, infer _Row>
      ? Schema[Table]
      : Statement extends DeleteQueryBuilder<infer Schema, infer Table, infer _Row>
        ? Schema[Table]
        : never;

/**
 * Limits a statement to the rows of one tenant: `query.selectFrom("contact").$call(ofTenant(key))`. The shard comes
 * first, as in the indexes.
 */
export function ofTenant({ bucket, tag }: TenantKey) {
  return <Statement>(
    statement: ColumnsOf<Statement> extends Record<"bucket" | "tag", unknown> ? Statement : never,
  ): Statement => {
    const ofBucket = (statement as Filterable).where("bucket", "=", bucket);
    return (ofBucket as Filterable).where("tag", "=", tag) as Statement;
  };
}
