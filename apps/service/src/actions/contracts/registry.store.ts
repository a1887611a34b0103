import { lockName, sql, pageRows } from "../../platform/db/db.ts";
import type { Query, Selectable, Tables, Tx } from "../../platform/db/db.ts";
import type { Environment, Uuid } from "../../lib/lib.ts";
import type { Home } from "./contracts.store.ts";
import { contractKey, SANDBOX_PREFIX, storedKey } from "../storage/stored-key.ts";
import { MAX_TOOL_NAME, toolName } from "./tool-name.ts";

type Row = Selectable<Tables["action_contract"]>;
export type VersionRow = Selectable<Tables["action_contract_version"]>;

/**
 * A contract that is not deleted, with its current version. Its `key` is the stored one. `created_at` is that of the
 * version, and `promoted_from` the sandbox contract from which the version was promoted.
 */
export interface RegistryRow
  extends
    Row,
    Pick<
      VersionRow,
      "definition" | "sha256" | "author_kind" | "author_id" | "promoted_from" | "promoted_version" | "created_at"
    > {
  /** True if the sandbox uses its own contract of the same key instead. */
  readonly is_shadowed: boolean;
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
export type NewVersion = Pick<
  VersionRow,
  "definition" | "sha256" | "author_kind" | "author_id" | "author_environment" | "promoted_from" | "promoted_version"
>;
export type SecretChange = Pick<Row, "signing_secret_sealed" | "previous_secret_sealed" | "previous_expires_at">;

/**
 * Registers a contract; undefined if its key is taken in its environment. The version numbers of a deleted contract
 * continue. The caller holds the lock of registrations.
 */
export async function insertContract(
  tx: Tx,
  contract: NewContract,
  version: NewVersion,
): Promise<RegistryRow | undefined> {
  const next = await nextVersion(tx, contract);
  const row = await tx.query
    .insertInto("action_contract")
    .values({ ...contract, version: next.version })
    .onConflict((conflict) =>
      conflict
        .columns(["bucket", "workspace_id", "key"])
        .doUpdateSet({
          id: contract.id,
          version: next.version,
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
  return row === undefined ? undefined : { ...(await insertVersion(tx, row, version)), is_shadowed: next.is_shadowed };
}

/** Adds the next version of a locked contract. The caller holds the lock of registrations. */
export async function changeContract(
  tx: Tx,
  contract: RegistryRow,
  secretRef: string | null,
  version: NewVersion,
): Promise<RegistryRow> {
  const next = await nextVersion(tx, contract);
  const row = await changing(tx, contract)
    .set({
      version: next.version,
      author_environment: version.author_environment,
      secret_ref: secretRef,
      updated_at: sql`now()`,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  return { ...(await insertVersion(tx, row, version)), is_shadowed: next.is_shadowed };
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

/**
 * Frees the key of a sandbox contract for a live one. An earlier version of the service stored both under the key, so
 * such a contract is moved to the sandbox's own rows.
 */
export async function freeKey(tx: Tx, contract: RegistryRow): Promise<void> {
  if (contract.key !== contractKey(contract.key)) return;
  await deleteContract(tx, contract);
  const { definition: _d, sha256: _s, author_kind: _k, author_id: _a, created_at: _c, ...rest } = contract;
  const { promoted_from: _p, promoted_version: _v, is_shadowed: _i, ...head } = rest;
  const { bucket, workspace_id, key, ...moved } = head;
  await tx.query
    .insertInto("action_contract")
    .values({ bucket, workspace_id, key: storedKey(key, "sandbox"), ...moved })
    .onConflict((conflict) => conflict.columns(["bucket", "workspace_id", "key"]).doUpdateSet(moved))
    .execute();
}

/**
 * Returns the contract that an environment has under a key, or else that of the other environment. The caller compares
 * its environment.
 */
export async function findContract(
  query: Query,
  home: Home,
  key: string,
  environment: Environment,
): Promise<RegistryRow | undefined> {
  const rows = await own(query, home)
    .where("c.key", "in", [key, storedKey(key, "sandbox")])
    .execute();
  return rows.find((row) => row.author_environment === environment) ?? rows[0];
}

/**
 * Locks the contracts of a key until the transaction ends, and returns what `findContract` returns. The rows are locked
 * before they are read, so that the result includes a concurrent change.
 */
export async function holdContract(
  tx: Tx,
  home: Home,
  key: string,
  environment: Environment,
): Promise<RegistryRow | undefined> {
  await tx.query
    .selectFrom("action_contract")
    .select("version")
    .where("bucket", "=", home.bucket)
    .where("workspace_id", "=", home.workspaceId)
    .where("key", "in", [key, storedKey(key, "sandbox")])
    .orderBy("key")
    .forUpdate()
    .execute();
  return await findContract(tx.query, home, key, environment);
}

export interface ContractPage {
  readonly before: Uuid | undefined;
  readonly limit: number;
  readonly environment?: Environment | undefined;
}

/** Returns the newest contracts first, of one environment or of both. */
export async function listContracts(
  query: Query,
  home: Home,
  { before, limit, environment }: ContractPage,
): Promise<RegistryRow[]> {
  let rows = own(query, home).orderBy("c.id", "desc");
  if (environment !== undefined) rows = rows.where("c.author_environment", "=", environment);
  const older = before === undefined ? rows : rows.where("c.id", "<", before);
  return await pageRows(query, older, { limit, large: ["definition"] });
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

/** Locks all contracts of a connector in one environment until the transaction ends, in the order of their keys. */
export async function holdBrought(
  tx: Tx,
  home: Home & { readonly environment: Environment },
  connector: string,
): Promise<RegistryRow[]> {
  await tx.query
    .selectFrom("action_contract")
    .select("version")
    .where("bucket", "=", home.bucket)
    .where("workspace_id", "=", home.workspaceId)
    .where("connector_key", "=", connector)
    .where("author_environment", "=", home.environment)
    .where("deleted_at", "is", null)
    .orderBy("key")
    .forUpdate()
    .execute();
  return await own(tx.query, home)
    .where("c.connector_key", "=", connector)
    .where("c.author_environment", "=", home.environment)
    .orderBy("c.key")
    .execute();
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
    .where("key", "=", contractKey(contract.key))
    .where("contract_id", "=", contract.id)
    .orderBy("version", "desc");
  const older = before === undefined ? rows : rows.where("version", "<", before);
  return await pageRows(query, older, { limit, large: ["definition"] });
}

/** Returns the keys that can be suggested for a mistyped one, up to a limit. */
export async function contractKeys(query: Query, home: Home, environment: Environment): Promise<string[]> {
  const rows = await callableIn(query, home, environment).limit(1000).execute();
  return [...new Set(rows.map((row) => contractKey(row.key)))];
}

/**
 * Returns the keys that an environment can call whose tool has this name: a key of exactly this name, or a key whose
 * tool name is shortened. The order is fixed, and begins with the environment's own.
 */
export async function keysOfTool(query: Query, home: Home, name: string, environment: Environment): Promise<string[]> {
  const rows = await callableIn(query, home, environment)
    .where(({ eb, or }) =>
      or([
        eb(sql`replace(replace(key, ${SANDBOX_PREFIX}, ''), '.', '_')`, "=", name),
        eb(sql<number>`length(key)`, ">", MAX_TOOL_NAME),
      ]),
    )
    .orderBy("author_environment", environment === "sandbox" ? "desc" : "asc")
    .orderBy("key")
    .execute();
  return [...new Set(rows.map((row) => contractKey(row.key)))].filter((key) => toolName(key) === name);
}

function callableIn(query: Query, home: Home, environment: Environment) {
  const rows = query
    .selectFrom("action_contract")
    .select("key")
    .where("bucket", "=", home.bucket)
    .where("workspace_id", "=", home.workspaceId)
    .where("deleted_at", "is", null);
  return environment === "sandbox" ? rows : rows.where("author_environment", "=", "live");
}

/**
 * Serializes the registrations of a workspace until the transaction ends. The lock is taken before any row lock, to
 * prevent deadlocks.
 */
export async function lockRegistrations(tx: Tx, { workspaceId }: Home): Promise<void> {
  await lockName(tx, `contracts ${workspaceId}`);
}

/** Returns the number after all versions of a key, in both environments, and whether the sandbox replaces a live one. */
async function nextVersion(
  tx: Tx,
  { bucket, workspace_id, key }: Pick<Row, "bucket" | "workspace_id" | "key">,
): Promise<Pick<RegistryRow, "version" | "is_shadowed">> {
  const { last, is_shadowed } = await tx.query
    .selectFrom("action_contract_version")
    .select((eb) => eb.fn.max("version").as("last"))
    .select(({ exists, selectFrom }) =>
      exists(
        selectFrom("action_contract as o")
          .select("o.version")
          .where("o.bucket", "=", bucket)
          .where("o.workspace_id", "=", workspace_id)
          .where("o.key", "=", SANDBOX_PREFIX + key)
          .where("o.deleted_at", "is", null),
      )
        .$castTo<boolean>()
        .as("is_shadowed"),
    )
    .where("bucket", "=", bucket)
    .where("workspace_id", "=", workspace_id)
    .where("key", "=", contractKey(key))
    .executeTakeFirstOrThrow();
  return { version: (last ?? 0) + 1, is_shadowed };
}

async function insertVersion(tx: Tx, contract: Row, version: NewVersion): Promise<Omit<RegistryRow, "is_shadowed">> {
  const { bucket, workspace_id } = contract;
  const key = contractKey(contract.key);
  const row = await tx.query
    .insertInto("action_contract_version")
    .values({ bucket, workspace_id, key, version: contract.version, contract_id: contract.id, ...version })
    .returning(["definition", "sha256", "author_kind", "author_id", "promoted_from", "promoted_version", "created_at"])
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
        .on("v.key", "=", sql<string>`replace(c.key, ${SANDBOX_PREFIX}, '')`)
        .onRef("v.version", "=", "c.version"),
    )
    .selectAll("c")
    .select(["v.definition", "v.sha256", "v.author_kind", "v.author_id", "v.created_at"])
    .select(["v.promoted_from", "v.promoted_version"])
    .select(({ exists, selectFrom }) =>
      exists(
        selectFrom("action_contract as o")
          .select("o.version")
          .whereRef("o.bucket", "=", "c.bucket")
          .whereRef("o.workspace_id", "=", "c.workspace_id")
          .where("o.key", "=", sql<string>`${SANDBOX_PREFIX} || c.key`)
          .where("o.deleted_at", "is", null),
      )
        .$castTo<boolean>()
        .as("is_shadowed"),
    )
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
