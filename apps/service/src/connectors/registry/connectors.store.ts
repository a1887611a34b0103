import { columnOf, lockName, newestFirst, sql } from "../../platform/db/db.ts";
import type { HotReader, HotStatement, Query, Selectable, Tables, Tx } from "../../platform/db/db.ts";
import type { Tag, Uuid } from "../../lib/lib.ts";
import type { Scope } from "../../accounts/accounts.ts";
import { SANDBOX_PREFIX, storedKey } from "./stored-install.ts";

export type ConnectorRow = Selectable<Tables["connector"]>;
export type VersionRow = Selectable<Tables["connector_version"]>;
export type InstallRow = Selectable<Tables["connector_install"]>;
type Home = Pick<Scope, "bucket" | "workspaceId">;

/** The result of a scan for one folder. */
export type ScannedConnector = Omit<ConnectorRow, "scanned_at">;
export type NewVersion = Omit<VersionRow, "created_at">;
export type InstallChange = Omit<InstallRow, "bucket" | "workspace_id" | "key" | "created_at" | "updated_at">;

/** The handlers that receive an event at one priority, in their order. */
export interface Listener {
  readonly event: string;
  readonly priority: number;
  readonly handlers: readonly string[];
}

/** One lock for changes by trust and scans, and for everything that relies on these. */
const LOCK = "junction connectors";

/** Blocks everything that relies on trust or on a scan until the transaction ends. */
export async function lockAll(tx: Tx): Promise<void> {
  await lockName(tx, LOCK);
}

/** Prevents changes of trust and of scan results until the transaction ends. */
export async function lockShared(tx: Tx): Promise<void> {
  await sql`select pg_advisory_xact_lock_shared(hashtextextended(${LOCK}, 0))`.execute(tx.query);
}

export async function putVersion(tx: Tx, version: NewVersion): Promise<void> {
  await tx.query
    .insertInto("connector_version")
    .values(version)
    .onConflict((conflict) => conflict.columns(["key", "digest"]).doNothing())
    .execute();
  const kept = await tx.query
    .selectFrom("connector_version")
    .select("signers")
    .where("key", "=", version.key)
    .where("digest", "=", version.digest)
    .executeTakeFirstOrThrow();
  // A scan may find another signature. Signers that were verified before are kept. The caller has locked the registry.
  const signers = [...new Set([...kept.signers, ...version.signers])].toSorted();
  if (signers.length === kept.signers.length) return;
  await tx.query
    .updateTable("connector_version")
    .set({ signers })
    .where("key", "=", version.key)
    .where("digest", "=", version.digest)
    .execute();
}

/** Keeps the id of a connector that already exists. */
export async function putFound(tx: Tx, found: ScannedConnector): Promise<void> {
  const { key: _key, id: _id, ...rest } = found;
  await tx.query
    .insertInto("connector")
    .values({ ...found, scanned_at: sql`now()` })
    .onConflict((conflict) =>
      conflict.column("key").doUpdateSet((to) => ({ ...rest, scanned_at: to.ref("excluded.scanned_at") })),
    )
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

/** Returns the connectors that a workspace can see: in a folder now, or installed. The newest come first. */
export async function listConnectors(
  query: Query,
  home: Home,
  before: Uuid | undefined,
  limit: number,
): Promise<ConnectorRow[]> {
  return await query
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
            .select(sql<string>`replace(key, ${SANDBOX_PREFIX}, '')`.as("key"))
            .where("bucket", "=", home.bucket)
            .where("workspace_id", "=", home.workspaceId),
        ),
      ]),
    )
    .$call(newestFirst({ before }))
    .limit(limit)
    .execute();
}

export async function findConnector(query: Query, key: string): Promise<ConnectorRow | undefined> {
  return await query.selectFrom("connector").selectAll().where("key", "=", key).executeTakeFirst();
}

/** Returns the installs of the connectors in both environments. */
export async function installsOf(query: Query, home: Home, keys: readonly string[]): Promise<InstallRow[]> {
  if (keys.length === 0) return [];
  const stored = keys.flatMap((key) => [key, storedKey(key, "sandbox")]);
  return await ofHome(query, home).where("key", "in", stored).execute();
}

/**
 * Returns the installs of a connector in both environments, locked until the transaction ends. The one under the
 * connector's own key is locked first, to prevent deadlocks.
 */
export async function heldInstalls(tx: Tx, home: Home, key: string): Promise<InstallRow[]> {
  return await ofHome(tx.query, home)
    .where("key", "in", [key, storedKey(key, "sandbox")])
    .orderBy(sql`key <> ${key}`)
    .forUpdate()
    .execute();
}

/**
 * Returns the sandbox install that an earlier version of the service stored under the connector's own key, locked until
 * the transaction ends.
 */
export async function heldEarlierSandbox(tx: Tx, home: Home, key: string): Promise<InstallRow | undefined> {
  return await ofHome(tx.query, home)
    .where("key", "=", key)
    .where("environment", "=", "sandbox")
    .forUpdate()
    .executeTakeFirst();
}

type InstallKey = Pick<InstallRow, "bucket" | "workspace_id" | "key">;

/**
 * Records a crash, and returns the number of crashes in the last `seconds`. The caller has locked the install, so that
 * each crash is counted.
 */
export async function countCrash(
  tx: Tx,
  { bucket, workspace_id, key }: InstallKey,
  kind: string,
  seconds: number,
): Promise<number> {
  await tx.query.insertInto("connector_crash").values({ bucket, workspace_id, key, kind }).execute();
  const row = await tx.query
    .selectFrom("connector_crash")
    .select(sql<number>`count(*)::int`.as("count"))
    .where("bucket", "=", bucket)
    .where("workspace_id", "=", workspace_id)
    .where("key", "=", key)
    .where("at", ">", sql<Date>`clock_timestamp() - ${seconds} * interval '1 second'`)
    .executeTakeFirstOrThrow();
  return row.count;
}

export async function forgetCrashes(tx: Tx, install: InstallKey): Promise<void> {
  await ofInstall(tx.query.deleteFrom("connector_crash"), install).execute();
}

/**
 * Locks the install under a stored key until the transaction ends. Creates it first if there is none, so that
 * concurrent requests wait for each other.
 */
export async function holdInstall(tx: Tx, home: Home, stored: string, fresh: InstallChange): Promise<InstallRow> {
  await tx.query
    .insertInto("connector_install")
    .values({ bucket: home.bucket, workspace_id: home.workspaceId, key: stored, ...fresh })
    .onConflict((conflict) => conflict.columns(["bucket", "workspace_id", "key"]).doNothing())
    .execute();
  return await ofHome(tx.query, home).where("key", "=", stored).forUpdate().executeTakeFirstOrThrow();
}

/** Moves an install and its listeners to another stored key, with its secrets sealed for that key. */
export async function moveInstall(
  tx: Tx,
  install: InstallRow,
  to: Pick<InstallRow, "key" | "secrets_sealed" | "hook_seed_sealed">,
): Promise<void> {
  await ofInstall(tx.query.updateTable("connector_install").set({ ...to, updated_at: sql`now()` }), install).execute();
  await ofInstall(tx.query.updateTable("connector_listener").set({ key: to.key }), install).execute();
}

/** Deletes an install with its listeners. */
export async function deleteInstall(tx: Tx, install: InstallRow): Promise<void> {
  await dropListeners(tx, install);
  // This update ends the child processes on all nodes.
  await changeInstall(tx, install, { enabled: false });
  await ofInstall(tx.query.deleteFrom("connector_install"), install).execute();
}

/** Replaces the listeners of a connector, which receive events while it is enabled. */
export async function putListeners(
  tx: Tx,
  install: Pick<InstallRow, "bucket" | "workspace_id" | "key" | "environment">,
  listeners: readonly Listener[],
): Promise<void> {
  const { bucket, workspace_id, key, environment } = install;
  await dropListeners(tx, install);
  if (listeners.length === 0) return;
  const rows = listeners.map((one) => ({
    bucket,
    workspace_id,
    key,
    event: one.event,
    priority: one.priority,
    handlers: [...one.handlers],
    sandbox_only: environment === "sandbox",
  }));
  await tx.query.insertInto("connector_listener").values(rows).execute();
}

export async function dropListeners(tx: Tx, install: InstallKey): Promise<void> {
  await ofInstall(tx.query.deleteFrom("connector_listener"), install).execute();
}

export async function changeInstall(tx: Tx, install: InstallRow, change: Partial<InstallChange>): Promise<InstallRow> {
  return await ofInstall(tx.query.updateTable("connector_install").set({ ...change, updated_at: sql`now()` }), install)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Returns every enabled connector of every workspace, with the signers of the version that it runs. */
export async function enabledInstalls(tx: Tx): Promise<(InstallRow & Pick<VersionRow, "signers">)[]> {
  return await tx.query
    .selectFrom("connector_install as i")
    .innerJoin("connector_version as v", (join) =>
      join.on("v.key", "=", sql<string>`replace(i.key, ${SANDBOX_PREFIX}, '')`).onRef("v.digest", "=", "i.digest"),
    )
    .selectAll("i")
    .select("v.signers")
    .where("i.enabled", "=", true)
    .where("i.quarantine", "is", null)
    .orderBy("i.bucket")
    .orderBy("i.workspace_id")
    .orderBy("i.key")
    .execute();
}

/** Returns the versions of the given keys that have one of the given digests. */
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

/**
 * Hot: runs before each call of a connector. A connector that was never enabled has no row. One of the sandbox has a row
 * while it is disabled, because the sandbox does not use the live one then.
 */
const PINNED: HotStatement = {
  name: "connector_pins",
  text: `select a.at::int as at, i.*, v.signers
    from unnest($1::smallint[], $2::uuid[], $3::text[]) with ordinality as a (bucket, workspace_id, key, at)
    join connector_install i on i.bucket = a.bucket and i.workspace_id = a.workspace_id
      and (a.key is null or i.key = a.key or i.key = '${SANDBOX_PREFIX}' || a.key)
      and (i.enabled or starts_with(i.key, '${SANDBOX_PREFIX}'))
    join connector_version v on v.key = replace(i.key, '${SANDBOX_PREFIX}', '') and v.digest = i.digest
    order by v.key`,
};
const SIGNING_KEYS: HotStatement = { name: "connector_keys", text: "select * from connector_key" };

/**
 * An install that was enabled, with the signers of the version that it runs. `at` is the position of the requested place, from
 * 1.
 */
export type PinnedRow = InstallRow & { readonly at: number; readonly signers: string[]; readonly digest: string };

export async function pinnedInstalls(
  reader: HotReader,
  places: readonly (Home & { readonly key: string | null })[],
): Promise<PinnedRow[]> {
  return await reader.hot<PinnedRow>(PINNED, [
    columnOf.smallint(places, (place) => place.bucket),
    columnOf.uuid(places, (place) => place.workspaceId),
    columnOf.text(places, (place) => place.key),
  ]);
}

export async function signingKeys(reader: HotReader): Promise<Selectable<Tables["connector_key"]>[]> {
  return await reader.hot(SIGNING_KEYS, []);
}

export type HookSeed = Pick<InstallRow, "workspace_id" | "key" | "environment" | "digest" | "hook_seed_sealed">;

/** Returns the seeds of a workspace's webhook URLs for a connector, in both environments. */
export async function hookSeeds(query: Query, liveTag: Tag, key: string): Promise<HookSeed[]> {
  return await query
    .selectFrom("workspace as w")
    .innerJoin("connector_install as i", (join) =>
      join.onRef("i.bucket", "=", "w.bucket").onRef("i.workspace_id", "=", "w.id"),
    )
    .select(["i.workspace_id", "i.key", "i.environment", "i.digest", "i.hook_seed_sealed"])
    .where("w.tag", "=", liveTag)
    .where("w.closed_at", "is", null)
    .where("i.key", "in", [key, storedKey(key, "sandbox")])
    .execute();
}

const SEALED: HotStatement = {
  name: "connector_secrets",
  text: `select key, secrets_sealed from connector_install where bucket = $1 and workspace_id = $2 and secrets_sealed is not null`,
};

/** Returns the encrypted settings of a workspace's connectors. */
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

interface Filtered<Self> {
  where(column: "bucket", operator: "=", value: number): Self;
  where(column: "workspace_id", operator: "=", value: Uuid): Self;
  where(column: "key", operator: "=", value: string): Self;
}

/** Limits a statement to the rows of one install. */
function ofInstall<Self extends Filtered<Self>>(statement: Self, { bucket, workspace_id, key }: InstallKey): Self {
  return statement.where("bucket", "=", bucket).where("workspace_id", "=", workspace_id).where("key", "=", key);
}
