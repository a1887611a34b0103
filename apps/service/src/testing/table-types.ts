import pg from "pg";

interface Column {
  readonly table: string;
  readonly name: string;
  readonly type: string;
  readonly nullable: boolean;
  readonly has_default: boolean;
}

/** The TypeScript types of a column: when it is read, and when it is written. */
interface Sides {
  readonly read: string;
  readonly write: string;
}

const TYPES: Readonly<Record<string, Sides>> = {
  uuid: same("Uuid"),
  text: same("string"),
  bool: same("boolean"),
  int2: same("number"),
  int4: same("number"),
  // The driver returns 64-bit numbers as text, so that they are not rounded.
  int8: { read: "string", write: "number | string" },
  xid8: same("string"),
  float4: same("number"),
  float8: same("number"),
  // The driver returns decimals as text, so that they are not rounded.
  numeric: { read: "string", write: "number | string" },
  timestamptz: same("Date"),
  // The driver converts a date to midnight in the local time zone, so queries must read it as text.
  date: same("Date"),
  bytea: same("Buffer"),
  jsonb: { read: "Record<string, unknown>", write: "string" },
  _text: same("string[]"),
  _uuid: same("Uuid[]"),
  _int4: same("number[]"),
  _float4: same("number[]"),
};

function same(type: string): Sides {
  return { read: type, write: type };
}

/** Returns Kysely's types for the migrated database at `url`, as the text of a module. */
export async function tableTypes(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<Column>(`select c.relname as table, a.attname as name, t.typname as type,
        not a.attnotnull as nullable, a.atthasdef as has_default
      from pg_class c join pg_attribute a on a.attrelid = c.oid join pg_type t on t.oid = a.atttypid
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
        and a.attnum > 0 and not a.attisdropped and c.relname <> 'schema_migration'
      order by c.relname, a.attnum`);
    return moduleOf(Map.groupBy(rows, (row) => row.table));
  } finally {
    await client.end();
  }
}

function moduleOf(tables: ReadonlyMap<string, readonly Column[]>): string {
  const names = [...tables.keys()];
  const body = [...tables].map(
    ([table, columns]) => `interface ${typeName(table)} {\n${columns.map(lineOf).join("\n")}\n}\n`,
  );
  return `// Made by tools/generate-tables.ts from the migrations; do not edit.
import type { ColumnType, Generated } from "kysely";
import type { Tag, Uuid } from "../../lib/lib.ts";

export interface Tables {
${names.map((table) => `  ${table}: ${typeName(table)};`).join("\n")}
}

${body.join("\n")}`;
}

function lineOf({ name, type, nullable, has_default }: Column): string {
  const known = name === "tag" ? { read: "Tag", write: "Tag" } : TYPES[type];
  if (known === undefined) throw new Error(`no TypeScript type is known for ${type}: add it to TYPES`);
  const [read, write] = [known.read, known.write].map((side) => (nullable ? `${side} | null` : side));
  if (read === write) return `  ${name}: ${has_default ? `Generated<${read}>` : read};`;
  return `  ${name}: ColumnType<${read}, ${write}${has_default ? " | undefined" : ""}, ${write}>;`;
}

function typeName(table: string): string {
  return `${table.replaceAll(/(?:^|_)([a-z])/g, (_match, letter: string) => letter.toUpperCase())}Table`;
}
