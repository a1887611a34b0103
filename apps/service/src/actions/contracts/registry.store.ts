import { sql } from "../../platform/db/db.ts";
import type { Query, Selectable, Tables, Tx } from "../../platform/db/db.ts";
import type { Uuid } from "../../lib/lib.ts";
import type { Home } from "./contracts.store.ts";
import { MAX_TOOL_NAME, toolName } from "./tool-name.ts";

type Row = Selectable<Tables["action_contract"]>;
export type VersionRow = Selectable<Tables["action_contract_version"]>;

/** A contract that is not deleted, with its current version. */
export interface RegistryRow extends Row {
  readonly definition: string;
  readonly sha256: Buffer;
  readonly author_kind: string;
  readonly author_id: Uuid;
  /** The time when its current version was created. */
  readonly created_at: Date;
}

export type NewContract = Pick<
  Row,
  | "bucket"
  | "workspace_id"
  | "key"
  | "id"
  | "author_environment"
  | "signing_secret_sealed"
  | "connector_key"
  | "secret_ref"
>;
export type NewVersion = Pick<VersionRow, "definition" | "sha256" | "author_kind" | "author_id" | "author_environment">;
export type SecretChange = Pick<Row, "signing_secret_sealed" | "previous_secret_sealed" | "previous_expires_at">;

/** Registers a contract; undefined if its key is taken. The version numbers of a deleted contract continue. */
export async function insertContract(
  tx: Tx,
  contract: NewContract,
  version: NewVersion,
): Promise<RegistryRow | undefined> {
  const row = await tx.query
    .insertInto("action_contract")
    .values({ ...contract, version: 1 })
    .onConflict((conflict) =>
      conflict
        .columns(["bucket", "workspace_id", "key"])
        .doUpdateSet({
          id: contract.id,
          version: sql`action_contract.version + 1`,
          author_environment: contract.author_environment,
          signing_secret_sealed: contract.signing_secret_sealed,
          previous_secret_sealed: null,
          previous_expires_at: null,
          connector_key: contract.connector_key,
          secret_ref: contract.secret_ref,
          updated_at: sql`now()`,
          deleted_at: null,
        })
        .where("action_contract.deleted_at", "is not", null),
    )
    .returningAll()
    .executeTakeFirst();
  return row === undefined ? undefined : await insertVersion(tx, row, version);
}

/** Adds the next version of a locked contract. */
export async function changeContract(
  tx: Tx,
  contract: RegistryRow,
  secretRef: string | null,
  version: NewVersion,
): Promise<RegistryRow> {
  const row = await changing(tx, contract)
    .set({
      version: sql`version + 1`,
      author_environment: version.author_environment,
      secret_ref: secretRef,
      updated_at: sql`now()`,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  return await insertVersion(tx, row, version);
}

export async function changeSigningSecret(tx: Tx, contract: RegistryRow, change: SecretChange): Promise<void> {
  await changing(tx, contract)
    .set({ ...change, updated_at: sql`now()` })
    .execute();
}

export async function deleteContract(tx: Tx, contract: RegistryRow): Promise<void> {
  await changing(tx, contract)
    .set({ deleted_at: sql`now()` })
    .execute();
}

export async function findContract(query: Query, home: Home, key: string): Promise<RegistryRow | undefined> {
  return await own(query, home).where("c.key", "=", key).executeTakeFirst();
}

/**
 * Locks a contract until the transaction ends. The row is locked before it is read, so that the result includes a
 * concurrent change.
 */
export async function holdContract(tx: Tx, home: Home, key: string): Promise<RegistryRow | undefined> {
  await tx.query
    .selectFrom("action_contract")
    .select("version")
    .where("bucket", "=", home.bucket)
    .where("workspace_id", "=", home.workspaceId)
    .where("key", "=", key)
    .forUpdate()
    .execute();
  return await findContract(tx.query, home, key);
}

/** Returns the newest contracts first. */
export async function listContracts(
  query: Query,
  home: Home,
  before: Uuid | undefined,
  limit: number,
): Promise<RegistryRow[]> {
  const rows = own(query, home).orderBy("c.id", "desc").limit(limit);
  return await (before === undefined ? rows : rows.where("c.id", "<", before)).execute();
}

/**
 * Returns the newest version that a live credential wrote, including versions of deleted contracts. The caller holds
 * the lock of the key.
 */
export async function lastLiveDefinition(tx: Tx, home: Home, key: string): Promise<string | undefined> {
  const row = await tx.query
    .selectFrom("action_contract_version")
    .select("definition")
    .where("bucket", "=", home.bucket)
    .where("workspace_id", "=", home.workspaceId)
    .where("key", "=", key)
    .where("author_environment", "=", "live")
    .orderBy("version", "desc")
    .limit(1)
    .executeTakeFirst();
  return row?.definition;
}

/** Locks all contracts of a connector until the transaction ends, in the order of their keys. */
export async function holdBrought(tx: Tx, home: Home, connector: string): Promise<RegistryRow[]> {
  await tx.query
    .selectFrom("action_contract")
    .select("version")
    .where("bucket", "=", home.bucket)
    .where("workspace_id", "=", home.workspaceId)
    .where("connector_key", "=", connector)
    .where("deleted_at", "is", null)
    .orderBy("key")
    .forUpdate()
    .execute();
  return await own(tx.query, home).where("c.connector_key", "=", connector).orderBy("c.key").execute();
}

/** Returns the versions since the contract was last registered, newest first. */
export async function listVersions(
  query: Query,
  contract: RegistryRow,
  before: number | undefined,
  limit: number,
): Promise<VersionRow[]> {
  const rows = query
    .selectFrom("action_contract_version")
    .selectAll()
    .where("bucket", "=", contract.bucket)
    .where("workspace_id", "=", contract.workspace_id)
    .where("key", "=", contract.key)
    .where("contract_id", "=", contract.id)
    .orderBy("version", "desc")
    .limit(limit);
  return await (before === undefined ? rows : rows.where("version", "<", before)).execute();
}

/** Returns the keys that can be suggested for a mistyped one, up to a limit. */
export async function contractKeys(query: Query, home: Home): Promise<string[]> {
  const rows = await query
    .selectFrom("action_contract")
    .select("key")
    .where("bucket", "=", home.bucket)
    .where("workspace_id", "=", home.workspaceId)
    .where("deleted_at", "is", null)
    .limit(1000)
    .execute();
  return rows.map((row) => row.key);
}

/**
 * Returns the keys whose tool has this name: a key of exactly this name, or a key whose tool name is shortened. The
 * order is fixed.
 */
export async function keysOfTool(query: Query, home: Home, name: string): Promise<string[]> {
  const rows = await query
    .selectFrom("action_contract")
    .select("key")
    .where("bucket", "=", home.bucket)
    .where("workspace_id", "=", home.workspaceId)
    .where("deleted_at", "is", null)
    .where(({ eb, or }) =>
      or([eb(sql`replace(key, '.', '_')`, "=", name), eb(sql<number>`length(key)`, ">", MAX_TOOL_NAME)]),
    )
    .orderBy("key")
    .execute();
  return rows.map((row) => row.key).filter((key) => toolName(key) === name);
}

/**
 * Serializes the registrations of a workspace until the transaction ends. The lock is taken before any row lock, to
 * prevent deadlocks.
 */
export async function lockRegistrations(tx: Tx, { workspaceId }: Home): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`contracts ${workspaceId}`}, 0))`.execute(tx.query);
}

async function insertVersion(tx: Tx, contract: Row, version: NewVersion): Promise<RegistryRow> {
  const { bucket, workspace_id, key } = contract;
  const row = await tx.query
    .insertInto("action_contract_version")
    .values({ bucket, workspace_id, key, version: contract.version, contract_id: contract.id, ...version })
    .returning(["definition", "sha256", "author_kind", "author_id", "created_at"])
    .executeTakeFirstOrThrow();
  return { ...contract, ...row };
}

function own(query: Query, home: Home) {
  return query
    .selectFrom("action_contract as c")
    .innerJoin("action_contract_version as v", (join) =>
      join
        .onRef("v.bucket", "=", "c.bucket")
        .onRef("v.workspace_id", "=", "c.workspace_id")
        .onRef("v.key", "=", "c.key")
        .onRef("v.version", "=", "c.version"),
    )
    .selectAll("c")
    .select(["v.definition", "v.sha256", "v.author_kind", "v.author_id", "v.created_at"])
    .where("c.bucket", "=", home.bucket)
    .where("c.workspace_id", "=", home.workspaceId)
    .where("c.deleted_at", "is", null);
}

function changing(tx: Tx, contract: Pick<Row, "bucket" | "workspace_id" | "key">) {
  return tx.query
    .updateTable("action_contract")
    .where("bucket", "=", contract.bucket)
    .where("workspace_id", "=", contract.workspace_id)
    .where("key", "=", contract.key);
}
