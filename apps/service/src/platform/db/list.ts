import { sql } from "kysely";
import type { SelectQueryBuilder } from "kysely";
import type { Uuid } from "../../lib/lib.ts";

/** A part of a list by id. A bound that is undefined limits nothing. */
interface IdRange {
  /** The first id that is included. */
  readonly from?: Uuid | undefined;
  /** The first id that is not included. */
  readonly to?: Uuid | undefined;
  /** The last id that was shown. */
  readonly before?: Uuid | undefined;
}

/** Limits a query to a part of a list, newest first: `query.selectFrom("ticket").$call(newestFirst({ before }))`. */
export function newestFirst({ from, to, before }: IdRange, column = "id") {
  const id = sql.ref(column);
  return <DB, TB extends keyof DB, Row>(rows: SelectQueryBuilder<DB, TB, Row>) =>
    rows
      .$if(from !== undefined, (later) => later.where(id, ">=", from))
      .$if(to !== undefined, (earlier) => earlier.where(id, "<", to))
      .$if(before !== undefined, (earlier) => earlier.where(id, "<", before))
      .orderBy(id, "desc");
}

/** Limits a query to the rows with these values: `$call(matching({ state, owner }))`. One that is undefined limits nothing. */
export function matching<Values extends Readonly<Record<string, unknown>>>(values: Values) {
  return <DB, TB extends keyof DB, Row extends Record<keyof Values, unknown>>(rows: SelectQueryBuilder<DB, TB, Row>) =>
    Object.entries(values)
      .filter(([, value]) => value !== undefined)
      .reduce((some, [column, value]) => some.where(sql.ref(column), "=", value), rows);
}
