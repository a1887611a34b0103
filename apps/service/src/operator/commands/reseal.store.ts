import { columnOf, LISTENER, sql } from "../../platform/db/db.ts";
import type { Query, RawBuilder } from "../../platform/db/db.ts";
import type { SealedColumn } from "../../lib/lib.ts";

/** The columns of a primary key, with their SQL types. */
export type Keys = readonly { readonly name: string; readonly type: string }[];

export interface SealedRow {
  /** The values of the primary key as text, in its order. */
  readonly at: readonly string[];
  /** The values that the place is built from. */
  readonly by: Readonly<Record<string, string>>;
  readonly sealed: Buffer;
}

export interface Resealed {
  readonly at: readonly string[];
  readonly sealed: Buffer;
  readonly fresh: Buffer;
}

export async function primaryKey(query: Query, table: string): Promise<Keys> {
  const { rows } = await sql<{
    name: string;
    type: string;
  }>`select a.attname as name, format_type(a.atttypid, a.atttypmod) as type
    from pg_index i cross join unnest(i.indkey::int2[]) with ordinality as k(attnum, n)
      join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.attnum
    where i.indrelid = ${table}::regclass and i.indisprimary order by k.n`.execute(query);
  return rows;
}

/**
 * Returns up to `limit` rows with a sealed value, in the order of the primary key, after the row with the key `last`.
 */
export async function sealedRows(
  query: Query,
  column: SealedColumn,
  { keys, last, limit }: { readonly keys: Keys; readonly last: readonly string[] | undefined; readonly limit: number },
): Promise<SealedRow[]> {
  const names = sql.join(keys.map(({ name }) => sql.ref(name)));
  const from =
    last === undefined ? sql`true` : sql`(${names}) > (${sql.join(last.map((one, at) => typed(one, keys, at)))})`;
  const { rows } = await sql<{
    at: string[];
    by: string[];
    sealed: Buffer;
  }>`select ${texts(keys.map(({ name }) => name))} as at,
      ${texts(column.by)} as by, ${sql.ref(column.column)} as sealed
    from ${sql.table(column.table)} where ${sql.ref(column.column)} is not null and ${from} order by ${names} limit ${limit}`.execute(
    query,
  );
  return rows.map(({ at, by, sealed }) => ({
    at,
    by: Object.fromEntries(column.by.map((name, n) => [name, by[n] ?? ""])),
    sealed,
  }));
}

/** Writes the rows that have not changed since they were read, in one statement. Returns their number. */
export async function putResealed(
  query: Query,
  { table, column }: Pick<SealedColumn, "table" | "column">,
  keys: Keys,
  rows: readonly Resealed[],
): Promise<number> {
  const columns = keys.map(
    (_, n) => sql`unnest(${columnOf.text(rows, ({ at }) => at[n] ?? "")}::text[]) as ${sql.ref(`k${n}`)}`,
  );
  const bytes = [
    sql`unnest(${columnOf.bytea(rows, ({ sealed }) => sealed)}::bytea[]) as sealed`,
    sql`unnest(${columnOf.bytea(rows, ({ fresh }) => fresh)}::bytea[]) as fresh`,
  ];
  const same = keys.map(({ name, type }, n) => sql`t.${sql.ref(name)} = v.${sql.ref(`k${n}`)}::${sql.raw(type)}`);
  const { numAffectedRows } = await sql`update ${sql.table(table)} t set ${sql.ref(column)} = v.fresh
    from (select ${sql.join([...columns, ...bytes])}) v
    where ${sql.join(same, sql` and `)} and t.${sql.ref(column)} = v.sealed`.execute(query);
  return Number(numAffectedRows ?? 0n);
}

/** Returns the key fingerprints in the names of the processes that serve on this database now. */
export async function servingProcesses(query: Query): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select application_name as name from pg_stat_activity
    where datname = current_database() and application_name like ${`${LISTENER}%`}`.execute(query);
  return rows.map(({ name }) => name.slice(LISTENER.length).trim());
}

function typed(value: string, keys: Keys, at: number): RawBuilder<unknown> {
  return sql`${value}::${sql.raw(keys[at]?.type ?? "text")}`;
}

function texts(names: readonly string[]): RawBuilder<string[]> {
  if (names.length === 0) return sql`array[]::text[]`;
  return sql`array[${sql.join(names.map((name) => sql`${sql.ref(name)}::text`))}]`;
}
