import { sql } from "../db/db.ts";
import type { HotReader, HotStatement, Query, RawBuilder, Selectable, Tables, Tx } from "../db/db.ts";
import type { Tag, Uuid } from "../kernel/kernel.ts";
import type { Scope } from "../workspaces/workspaces.ts";

export type ConnectorRow = Selectable<Tables["connector"]>;
export type VersionRow = Selectable<Tables["connector_version"]>;
export type InstallRow = Selectable<Tables["connector_install"]>;
type Home = Pick<Scope, "bucket" | "workspaceId">;

/** What a scan found in one folder. */
export type Found = Omit<ConnectorRow, "scanned_at">;
export type NewVersion = Omit<VersionRow, "created_at">;
export type InstallChange = Omit<InstallRow, "bucket" | "workspace_id" | "key" | "created_at" | "updated_at">;

/** One lock for what trust and scans change, and for what relies on them. */
const LOCK = "junction connectors";

/** Until the transaction ends nothing that relies on trust or on a scan goes on beside it. */
export async function lockAll(tx: Tx): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${LOCK}, 0))`.execute(tx.query);
}

/** Until the transaction ends neither trust nor what was found changes. */
export async function lockShared(tx: Tx): Promise<void> {
  await sql`select pg_advisory_xact_lock_shared(hashtextextended(${LOCK}, 0))`.execute(tx.query);
}

export async function putVersion(tx: Tx, version: NewVersion): Promise<void> {
  await tx.query
    .insertInto("connector_version")
    .values(version)
    .onConflict((conflict) =>
      // Another signature may have been added; one that was found good stays good.
      conflict.columns(["key", "digest"]).doUpdateSet({ signers: joined(version.signers) }),
    )
    .execute();
}

/** The id that a connector has already stays. */
export async function putFound(tx: Tx, found: Found): Promise<void> {
  const { key: _key, id: _id, ...rest } = found;
  await tx.query
    .insertInto("connector")
    .values({ ...found, scanned_at: sql`now()` })
    .onConflict((conflict) => conflict.column("key").doUpdateSet({ ...rest, scanned_at: sql`now()` }))
    .execute();
}

export async function markAbsent(tx: Tx, present: readonly string[]): Promise<void> {
  await tx.query
    .updateTable("connector")
    .set({ state: "absent", digest: null, reason: null, scanned_at: sql`now()` })
    .where("state", "!=", "absent")
    .where(sql<boolean>`not (key = any(${present}::text[]))`)
    .execute();
}

/** Those in sight of a workspace: in a folder now, or installed. The newest first. */
export async function listConnectors(
  query: Query,
  home: Home,
  before: Uuid | undefined,
  limit: number,
): Promise<ConnectorRow[]> {
  const rows = query
    .selectFrom("connector")
    .selectAll()
    .where((where) =>
      where.or([
        where("state", "!=", "absent"),
        where(
          "key",
          "in",
          where
            .selectFrom("connector_install")
            .select("key")
            .where("bucket", "=", home.bucket)
            .where("workspace_id", "=", home.workspaceId),
        ),
      ]),
    )
    .orderBy("id", "desc")
    .limit(limit);
  return await (before === undefined ? rows : rows.where("id", "<", before)).execute();
}

export async function findConnector(query: Query, key: string): Promise<ConnectorRow | undefined> {
  return await query.selectFrom("connector").selectAll().where("key", "=", key).executeTakeFirst();
}

export async function installsOf(query: Query, home: Home, keys: readonly string[]): Promise<InstallRow[]> {
  if (keys.length === 0) return [];
  return await ofHome(query, home).where("key", "in", keys).execute();
}

/** Held until the transaction ends; made first where there is none, so that two of a kind wait for each other. */
export async function holdInstall(tx: Tx, home: Home, key: string, fresh: InstallChange): Promise<InstallRow> {
  await tx.query
    .insertInto("connector_install")
    .values({ bucket: home.bucket, workspace_id: home.workspaceId, key, ...fresh })
    .onConflict((conflict) => conflict.columns(["bucket", "workspace_id", "key"]).doNothing())
    .execute();
  return await ofHome(tx.query, home).where("key", "=", key).forUpdate().executeTakeFirstOrThrow();
}

export async function changeInstall(tx: Tx, install: InstallRow, change: Partial<InstallChange>): Promise<InstallRow> {
  return await tx.query
    .updateTable("connector_install")
    .set({ ...change, updated_at: sql`now()` })
    .where("bucket", "=", install.bucket)
    .where("workspace_id", "=", install.workspace_id)
    .where("key", "=", install.key)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Every enabled one of every workspace, with who signed the version that it runs. */
export async function enabledInstalls(tx: Tx): Promise<(InstallRow & Pick<VersionRow, "signers">)[]> {
  return await tx.query
    .selectFrom("connector_install as i")
    .innerJoin("connector_version as v", (join) => join.onRef("v.key", "=", "i.key").onRef("v.digest", "=", "i.digest"))
    .selectAll("i")
    .select("v.signers")
    .where("i.enabled", "=", true)
    .where("i.quarantine", "is", null)
    .orderBy("i.bucket")
    .orderBy("i.workspace_id")
    .orderBy("i.key")
    .execute();
}

/** Those of the given keys that have one of the given digests. */
export async function findVersions(
  query: Query,
  keys: readonly string[],
  digests: readonly string[],
): Promise<VersionRow[]> {
  if (digests.length === 0) return [];
  return await query
    .selectFrom("connector_version")
    .selectAll()
    .where("key", "in", keys)
    .where("digest", "in", digests)
    .execute();
}

const SEALED: HotStatement = {
  name: "connector_secrets",
  text: `select key, secrets_sealed from connector_install where bucket = $1 and workspace_id = $2 and secrets_sealed is not null`,
};

/** What a workspace's connectors keep sealed. */
export async function sealedSettings(
  reader: HotReader,
  home: { readonly bucket: number; readonly workspaceId: Uuid; readonly tags: readonly Tag[] },
): Promise<{ readonly key: string; readonly secrets_sealed: Buffer }[]> {
  return await reader.hot(SEALED, [home.bucket, home.workspaceId]);
}

function ofHome(query: Query, home: Home) {
  return query
    .selectFrom("connector_install")
    .selectAll()
    .where("bucket", "=", home.bucket)
    .where("workspace_id", "=", home.workspaceId);
}

function joined(signers: readonly string[]): RawBuilder<string[]> {
  return sql<
    string[]
  >`(select array_agg(distinct one order by one) from unnest(connector_version.signers || ${signers}::text[]) as one)`;
}
