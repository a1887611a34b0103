import { bulk, selected, unnested, valuesOf } from "./bulk.store.ts";
import type { BulkColumn } from "./bulk.store.ts";
import type { CommitPart, PartRole } from "./prepared.ts";

interface BasicDefinition<Row, Named extends object> {
  /** Parts with one name have one text. */
  readonly name: string;
  /** The rows' columns that are inserted as they are. */
  readonly columns?: readonly BulkColumn<Row>[];
  /** The rows' columns that the statement reads besides them. */
  readonly extras?: readonly BulkColumn<Row>[];
  /** Returns comma-separated CTEs. It is called once for each statement that contains the part. */
  text(sql: PartText<Named>): string;
}

/** Adds the SQL types of the named parameters, which are not part of the rows. */
type PartDefinition<Row, Named extends object> = BasicDefinition<Row, Named> &
  (keyof Named extends never
    ? { readonly parameters?: undefined }
    : { readonly parameters: { readonly [Name in keyof Named]: string } });

/** The elements from which the text of a part is built. */
export interface PartText<Named extends object> {
  /** Returns a table of the rows to select from, with all of their columns. In a dependent part, those of new requests. */
  rows(alias: string): string;
  /** Returns the same table, with each row's position in a column `at`, from 1. */
  numberedRows(alias: string): string;
  /** The names of `columns`, to insert into. */
  readonly names: string;
  /** Returns the same names, selected from the table of that alias and cast to their columns' types. */
  selected(alias: string): string;
  /** References to the parameters. */
  readonly $: { readonly [Name in keyof Named]: string };
}

type MakePart<Row, Named extends object, Role extends PartRole> = (
  rows: readonly Row[],
  ...values: keyof Named extends never ? [] : [named: Named]
) => CommitPart<Role>;

/** A row that belongs to a request, and is written only with it. */
export interface RequestRow {
  /** The place of its request among the rows of the `fresh` part, from 0. */
  readonly request: number;
}

export const definePart = definer("plain");
/** Defines a part that provides `fresh (at)`: the places of the requests to write, from 1. */
export const defineFreshPart = definer("fresh");

/** Defines a part that writes the rows of those requests that an earlier part has in `fresh (at)`. */
export function defineDependentPart<Row extends RequestRow, Named extends object = object>(
  definition: PartDefinition<Row, Named>,
): MakePart<Row, Named, "dependent"> {
  return definer("dependent")<Row, Named>({
    ...definition,
    extras: [bulk("request", "bigint", ({ request }) => request + 1), ...(definition.extras ?? [])],
    text: (sql) =>
      definition.text({ ...sql, rows: (alias) => `${sql.rows(alias)} join fresh on fresh.at = ${alias}.request` }),
  });
}

/** The `fresh` part of a statement with one request, which is always written. */
export const oneRequest = defineFreshPart({ name: "one", text: () => "fresh as (select 1::bigint as at)" })([]);

function definer<Role extends PartRole>(role: Role) {
  return <Row, Named extends object = object>(definition: PartDefinition<Row, Named>): MakePart<Row, Named, Role> => {
    const { name, columns = [], extras = [] } = definition;
    const all = [...columns, ...extras];
    const parameters = Object.keys(definition.parameters ?? {}) as (keyof Named)[];
    const text = (first: number): string => definition.text(partText(definition, first));
    return (rows, ...[named]) => ({
      role,
      name,
      text,
      values: [...valuesOf(all, rows), ...parameters.map((parameter) => named?.[parameter])],
    });
  };
}

function partText<Row, Named extends object>(
  { columns = [], extras = [], parameters }: PartDefinition<Row, Named>,
  first: number,
): PartText<Named> {
  const all = [...columns, ...extras];
  const { arrays, names } = unnested(all, first);
  const references = Object.entries<string>(parameters ?? {}).map(([name, type], at) => [
    name,
    `$${first + all.length + at}::${type}`,
  ]);
  return {
    rows: (alias) => `unnest(${arrays}) as ${alias} (${names})`,
    numberedRows: (alias) => `unnest(${arrays}) with ordinality as ${alias} (${names}, at)`,
    names: unnested(columns).names,
    selected: (alias) => selected(columns, alias),
    $: Object.fromEntries(references) as PartText<Named>["$"],
  };
}
