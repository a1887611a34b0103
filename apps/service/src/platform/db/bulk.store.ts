import { columnOf } from "./column.ts";
import type { HotStatement } from "./prepared.ts";
import type { Tx } from "./types.ts";

/** One column of rows that are written in bulk. */
export interface BulkColumn<Row> {
  readonly name: string;
  /** The element type of the array parameter. `as` is the type that it is cast to, if it differs. */
  readonly type: string;
  readonly as?: string;
  readonly values: (rows: readonly Row[]) => Buffer;
}

type Kind = keyof typeof columnOf;
type ValueOf<Of extends Kind> = NonNullable<ReturnType<Parameters<(typeof columnOf)[Of]>[1]>>;

export function bulk<Row, Of extends Kind>(
  name: string,
  type: Of,
  of: (row: Row) => ValueOf<Of> | null,
  as?: string,
): BulkColumn<Row> {
  const column = columnOf[type] as unknown as (rows: readonly Row[], of: (row: Row) => unknown) => Buffer;
  return { name, type, ...(as === undefined ? {} : { as }), values: (rows) => column(rows, of) };
}

/** Returns the parameters of `unnest`, numbered from `first`, and the names of its columns. */
export function unnested<Row>(columns: readonly BulkColumn<Row>[], first = 1): { arrays: string; names: string } {
  return {
    arrays: columns.map(({ type }, at) => `$${first + at}::${type}[]`).join(", "),
    names: columns.map(({ name }) => name).join(", "),
  };
}

/** Returns the columns of the `unnest` table, each cast to its column's type. */
export function selected<Row>(columns: readonly BulkColumn<Row>[], alias: string): string {
  return columns.map(({ name, as }) => `${alias}.${name}${as === undefined ? "" : `::${as}`}`).join(", ");
}

export function valuesOf<Row>(columns: readonly BulkColumn<Row>[], rows: readonly Row[]): Buffer[] {
  return columns.map((column) => column.values(rows));
}

/** Inserts any number of rows in one statement. Hot. */
export function bulkInsert<Row>(
  table: string,
  columns: readonly BulkColumn<Row>[],
): (tx: Tx, rows: readonly Row[]) => Promise<void> {
  const { arrays, names } = unnested(columns);
  const statement: HotStatement = {
    name: `${table}_insert`,
    text: `insert into ${table} (${names}) select ${selected(columns, "r")} from unnest(${arrays}) as r (${names})`,
  };
  return async (tx, rows) => {
    if (rows.length > 0) await tx.hot(statement, valuesOf(columns, rows));
  };
}

/** Returns a list of ids or plain names as the text form of an array. */
export function arrayText(values: readonly string[] | null): string | null {
  return values === null ? null : `{${values.join(",")}}`;
}
