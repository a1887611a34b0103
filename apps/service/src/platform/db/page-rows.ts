import { sql } from "kysely";
import type { SelectQueryBuilder } from "kysely";
import { PAGE_BYTES } from "../../lib/lib.ts";
import type { Query } from "./types.ts";

interface Limits<Row> {
  readonly limit: number;
  /** The columns of text or bytes that can be large. */
  readonly large: readonly (keyof Row & string)[];
}

/**
 * Reads the rows of one page. No row follows the one with which the large columns reach `PAGE_BYTES`, except a second one, so that
 * `pageOf` knows that there are more. The database finds the sizes without reading the values.
 */
export async function pageRows<DB, TB extends keyof DB, Row>(
  query: Query,
  ordered: SelectQueryBuilder<DB, TB, Row>,
  { limit, large }: Limits<Row>,
): Promise<Row[]> {
  const size = sql.join(
    large.map((column) => sql`coalesce(octet_length(${sql.ref(column)}), 0)`),
    sql` + `,
  );
  const { rows } = await sql<Row & Marks>`select * from (
      select p.*, row_number() over w as page_row, sum(${size}) over w as page_bytes
      from (${ordered.limit(limit)}) p window w as (rows unbounded preceding)) q
    where page_row <= 2 or page_bytes - (${size}) <= ${PAGE_BYTES} order by page_row`.execute(query);
  return rows.map(({ page_row: _row, page_bytes: _bytes, ...row }) => row as Row);
}

interface Marks {
  readonly page_row: string;
  readonly page_bytes: string;
}
