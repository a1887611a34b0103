import { sql } from "../../platform/db/db.ts";
import type { HotReader, HotStatement, Query, Selectable, Tables, Tx } from "../../platform/db/db.ts";
import type { Scope } from "../../accounts/accounts.ts";
import type { SubscriberQuery } from "../event/event.ts";

export type TypeRow = Selectable<Tables["event_type"]>;
export type VersionRow = Selectable<Tables["event_type_version"]>;
export type Home = Pick<Scope, "bucket" | "workspaceId">;

/** A type with the schema of its current version. A canonical type has no versions of its own. */
export interface StoredType extends TypeRow {
  readonly schema: string | null;
  readonly examples: string | null;
}

/** Finds the types of events: one row for each event that has one. */
export const TYPES_QUERY: SubscriberQuery = {
  name: "event_types",
  text: `select a.tag, a.event, t.enforcement || ' ' || t.version || ' ' || t.revision from asked a
    join event_type t on t.bucket = a.bucket and t.workspace_id = a.workspace_id and t.name = a.event and t.archived_at is null`,
};

const VERSION: HotStatement = {
  name: "event_type_version",
  text: `select schema from event_type_version where bucket = $1 and workspace_id = $2 and name = $3 and version = $4`,
};

/** Returns the schema of a version; undefined if there is no such version. */
export async function versionSchema(
  reader: HotReader,
  { bucket, workspaceId }: Home,
  name: string,
  version: number,
): Promise<{ readonly schema: string | null } | undefined> {
  const [row] = await reader.hot<{ schema: string | null }>(VERSION, [bucket, workspaceId, name, version]);
  return row;
}

/** Lets no other transaction change the workspace's event types until this one ends. */
export async function lockTypes(tx: Tx, { bucket, workspaceId }: Home): Promise<void> {
  await tx.query
    .insertInto("event_type_lock")
    .values({ bucket, workspace_id: workspaceId, changes: 1 })
    .onConflict((conflict) =>
      conflict.columns(["bucket", "workspace_id"]).doUpdateSet({ changes: sql`event_type_lock.changes + 1` }),
    )
    .execute();
}

/** Returns the types in the order of their names. */
export async function listTypes(query: Query, home: Home, archived: boolean): Promise<StoredType[]> {
  const rows = own(query, home).orderBy("t.name");
  return await rows.where("t.archived_at", archived ? "is not" : "is", null).execute();
}

/** Returns a text that changes with the types. Every change of a type or of its schema changes its row. */
export async function typesState(query: Query, { bucket, workspaceId }: Home): Promise<string> {
  const { rows } = await sql<{
    state: string;
  }>`select coalesce(md5(string_agg(t::text, ' ' order by t.name)), '') as state
    from event_type t where t.bucket = ${bucket} and t.workspace_id = ${workspaceId} and t.archived_at is null`.execute(
    query,
  );
  return rows[0]?.state ?? "";
}

/** Returns the types of these names that are not archived. */
export async function typesNamed(
  query: Query,
  { bucket, workspaceId }: Home,
  names: readonly string[],
): Promise<Pick<TypeRow, "name" | "version" | "visibility">[]> {
  return await query
    .selectFrom("event_type")
    .select(["name", "version", "visibility"])
    .where("bucket", "=", bucket)
    .where("workspace_id", "=", workspaceId)
    .where("name", "in", [...names])
    .where("archived_at", "is", null)
    .execute();
}

/** Also returns an archived type. */
export async function findType(query: Query, home: Home, name: string): Promise<StoredType | undefined> {
  return await own(query, home).where("t.name", "=", name).executeTakeFirst();
}

function own(query: Query, { bucket, workspaceId }: Home) {
  return query
    .selectFrom("event_type as t")
    .leftJoin("event_type_version as v", (join) =>
      join
        .onRef("v.bucket", "=", "t.bucket")
        .onRef("v.workspace_id", "=", "t.workspace_id")
        .onRef("v.name", "=", "t.name")
        .onRef("v.version", "=", "t.version"),
    )
    .selectAll("t")
    .select(["v.schema", "v.examples"])
    .where("t.bucket", "=", bucket)
    .where("t.workspace_id", "=", workspaceId);
}

export type TypeInsert = Pick<
  TypeRow,
  | "bucket"
  | "workspace_id"
  | "name"
  | "title"
  | "description"
  | "enforcement"
  | "visibility"
  | "visibility_chosen"
  | "version"
  | "revision"
  | "deprecated_at"
>;

/** Writes a type, or the new state of an existing one, and takes it out of the archive. */
export async function saveType(tx: Tx, type: TypeInsert): Promise<void> {
  const { bucket: _bucket, workspace_id: _workspace, name: _name, ...state } = type;
  await tx.query
    .insertInto("event_type")
    .values(type)
    .onConflict((conflict) =>
      conflict
        .columns(["bucket", "workspace_id", "name"])
        .doUpdateSet({ ...state, archived_at: null, updated_at: sql`now()` }),
    )
    .execute();
}

export async function archiveType(tx: Tx, { bucket, workspaceId }: Home, name: string): Promise<void> {
  await tx.query
    .updateTable("event_type")
    .set({ archived_at: sql`now()`, updated_at: sql`now()` })
    .where("bucket", "=", bucket)
    .where("workspace_id", "=", workspaceId)
    .where("name", "=", name)
    .execute();
}

export type VersionInsert = Omit<VersionRow, "created_at">;

/** Writes a version, or its new schema and examples. */
export async function saveVersion(tx: Tx, version: VersionInsert): Promise<void> {
  const { schema, examples } = version;
  await tx.query
    .insertInto("event_type_version")
    .values(version)
    .onConflict((conflict) =>
      conflict.columns(["bucket", "workspace_id", "name", "version"]).doUpdateSet({ schema, examples }),
    )
    .execute();
}

/** Returns the newest version first. */
export async function listVersions(
  query: Query,
  { bucket, workspaceId }: Home,
  name: string,
  page: { readonly before: number | undefined; readonly limit: number },
): Promise<VersionRow[]> {
  const rows = query
    .selectFrom("event_type_version")
    .selectAll()
    .where("bucket", "=", bucket)
    .where("workspace_id", "=", workspaceId)
    .where("name", "=", name)
    .orderBy("version", "desc")
    .limit(page.limit);
  return await (page.before === undefined ? rows : rows.where("version", "<", page.before)).execute();
}

/** Returns the versions of all types, oldest first. */
export async function everyVersion(query: Query, { bucket, workspaceId }: Home): Promise<VersionRow[]> {
  return await query
    .selectFrom("event_type_version")
    .selectAll()
    .where("bucket", "=", bucket)
    .where("workspace_id", "=", workspaceId)
    .orderBy("name")
    .orderBy("version")
    .execute();
}

/** Returns how many types a workspace has, and the size of the schemas and examples of all versions in bytes. */
export async function sizeOfTypes(
  query: Query,
  { bucket, workspaceId }: Home,
): Promise<{ readonly types: number; readonly bytes: number }> {
  const { rows } = await sql<{ types: number; bytes: number }>`select
      (select count(*)::int from event_type where bucket = ${bucket} and workspace_id = ${workspaceId}) as types,
      (select coalesce(sum(octet_length(schema) + octet_length(examples)), 0)::float8 from event_type_version
        where bucket = ${bucket} and workspace_id = ${workspaceId}) as bytes`.execute(query);
  return rows[0] ?? { types: 0, bytes: 0 };
}
