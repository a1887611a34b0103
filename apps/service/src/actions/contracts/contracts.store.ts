import { columnOf, sql } from "../../platform/db/db.ts";
import type { HotReader, HotStatement, Query, Selectable, Tables } from "../../platform/db/db.ts";
import { environmentOf } from "../../lib/lib.ts";
import type { Environment, SealedSecrets } from "../../lib/lib.ts";
import type { Author, Scope } from "../../accounts/accounts.ts";
import type { SecretHosts } from "../backend-secrets/secret-hosts.ts";
import { contractOf, isContractKey, readDefinition } from "./contract.ts";
import type { Contract } from "./contract.ts";
import { callableKeys, SANDBOX_PREFIX, storedKey } from "../storage/stored-key.ts";

type Row = Selectable<Tables["action_contract"]>;
type VersionRow = Selectable<Tables["action_contract_version"]>;
export type Home = Pick<Scope, "bucket" | "workspaceId">;

/** One lookup of a current contract. The secret is that of the tenant id's environment. */
export interface ContractKey extends Pick<Scope, "bucket" | "workspaceId" | "tag"> {
  readonly key: string;
}

/** The current version of a contract, with the secrets that sign its calls. */
export interface CurrentContract extends Contract {
  readonly signing: SealedSecrets;
  /** The secret that `auth.secret_ref` names, in the requested environment; null if there is none. */
  readonly authSecretSealed: Buffer | null;
  /** Where that secret may be sent. */
  readonly authHosts: SecretHosts;
}

/** Contract and version in one row. The author environment is that of the contract. */
export type StoredContract = Pick<Row, "key" | "id" | "workspace_id" | "author_environment" | "connector_key"> &
  Pick<VersionRow, "version" | "definition" | "sha256" | "author_kind" | "author_id" | "created_at">;

interface CurrentRow extends StoredContract, Record<string, unknown> {
  readonly at: string;
  readonly signing_secret_sealed: Buffer;
  readonly previous_secret_sealed: Buffer | null;
  readonly previous_expires_at: Date | null;
  readonly auth_secret_sealed: Buffer | null;
  readonly auth_hosts: readonly string[] | null;
  readonly auth_any_host: boolean | null;
}

/** Hot: for every batch of runs. */
const CURRENT: HotStatement = {
  name: "action_contracts_current",
  text: `select w.at, c.key, c.id, c.workspace_id, c.author_environment, c.connector_key,
      c.signing_secret_sealed, c.previous_secret_sealed, c.previous_expires_at,
      v.version, v.definition, v.sha256, v.author_kind, v.author_id, v.created_at, s.value_sealed as auth_secret_sealed,
      s.hosts as auth_hosts, s.any_host as auth_any_host
    from unnest($1::smallint[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::boolean[])
      with ordinality as w (bucket, workspace_id, tag, stored_key, key, is_sandbox, at)
    join action_contract c on c.bucket = w.bucket and c.workspace_id = w.workspace_id and c.key = w.stored_key and c.deleted_at is null
      and (w.is_sandbox or c.author_environment = 'live')
    join action_contract_version v on v.bucket = c.bucket and v.workspace_id = c.workspace_id and v.key = w.key and v.version = c.version
    left join secret s on s.bucket = w.bucket and s.tag = w.tag and s.name = c.secret_ref`,
};

/**
 * Returns the contracts in the order of the request; undefined for a key without a contract in that environment. In the
 * sandbox, its own contract comes before the live one.
 */
export async function currentContracts(
  reader: HotReader,
  wanted: readonly ContractKey[],
): Promise<(CurrentContract | undefined)[]> {
  // An invalid key is not sent to the database. A NUL in it would fail the statement for every lookup in the batch.
  const places = wanted.flatMap((one, of) =>
    isContractKey(one.key)
      ? callableKeys(one.key, environmentOf(one.tag)).map((stored) => ({ ...one, stored, of }))
      : [],
  );
  const rows = await reader.hot<CurrentRow>(CURRENT, [
    columnOf.smallint(places, (one) => one.bucket),
    columnOf.uuid(places, (one) => one.workspaceId),
    columnOf.text(places, (one) => one.tag),
    columnOf.text(places, (one) => one.stored),
    columnOf.text(places, (one) => one.key),
    columnOf.boolean(places, (one) => environmentOf(one.tag) === "sandbox"),
  ]);
  const found = new Map(rows.map((row) => [Number(row.at) - 1, row]));
  const chosen = new Map<number, CurrentRow>();
  for (const [at, { of }] of places.entries()) {
    const row = found.get(at);
    if (row !== undefined && !chosen.has(of)) chosen.set(of, row);
  }
  return wanted.map((_, at) => {
    const row = chosen.get(at);
    return row === undefined ? undefined : currentOf(row);
  });
}

export function contractOfRow(row: StoredContract): Contract {
  return contractOf(
    {
      id: row.id,
      version: row.version,
      sha256: row.sha256.toString("hex"),
      environment: row.author_environment as Environment,
      author: { kind: row.author_kind as Author["kind"], id: row.author_id },
      connectorKey: row.connector_key,
    },
    readDefinition(row.definition),
  );
}

/** The columns of a contract's signing secret under the names that all such secrets share. */
export function signingOf({
  signing_secret_sealed: secret_sealed,
  previous_secret_sealed,
  previous_expires_at,
}: Pick<Row, "signing_secret_sealed" | "previous_secret_sealed" | "previous_expires_at">): SealedSecrets {
  return { secret_sealed, previous_secret_sealed, previous_expires_at };
}

function currentOf(row: CurrentRow): CurrentContract {
  return {
    ...contractOfRow(row),
    signing: signingOf(row),
    authSecretSealed: row.auth_secret_sealed,
    authHosts: { hosts: row.auth_hosts, any_host: row.auth_any_host ?? false },
  };
}

/** The contract as a run uses it: the run's own version, even of a deleted contract, with the current secrets. */
const PINNED: HotStatement = {
  name: "action_contract_pinned",
  text: `select 1 as at, c.key, v.contract_id as id, c.workspace_id, v.author_environment, c.connector_key,
      c.signing_secret_sealed, c.previous_secret_sealed, c.previous_expires_at,
      v.version, v.definition, v.sha256, v.author_kind, v.author_id, v.created_at, s.value_sealed as auth_secret_sealed,
      s.hosts as auth_hosts, s.any_host as auth_any_host
    from action_contract_version v
    join action_contract c on c.bucket = v.bucket and c.workspace_id = v.workspace_id and c.key in (v.key, $6)
    left join secret s on s.bucket = c.bucket and s.tag = $3 and s.name = v.definition::jsonb #>> '{auth,secret_ref}'
    where v.bucket = $1 and v.workspace_id = $2 and v.key = $4 and v.version = $5
    order by c.id = v.contract_id desc limit 1`,
};

export async function pinnedContract(
  reader: HotReader,
  { bucket, workspaceId, tag, key }: ContractKey,
  version: number,
): Promise<CurrentContract | undefined> {
  const [row] = await reader.hot<CurrentRow>(PINNED, [
    bucket,
    workspaceId,
    tag,
    key,
    version,
    storedKey(key, "sandbox"),
  ]);
  return row === undefined ? undefined : currentOf(row);
}

/**
 * Returns the keys of contracts with an address, in any version, that ends with the inbox's token. The token has
 * letters and digits only.
 */
export async function contractsOfInbox(query: Query, { bucket, workspaceId }: Home, token: string): Promise<string[]> {
  const rows = await query
    .selectFrom("action_contract_version as v")
    .innerJoin("action_contract as c", (join) =>
      join
        .onRef("c.bucket", "=", "v.bucket")
        .onRef("c.workspace_id", "=", "v.workspace_id")
        .on(sql`replace(c.key, ${SANDBOX_PREFIX}, '')`, "=", sql.ref("v.key")),
    )
    .select("v.key")
    .distinct()
    .where("v.bucket", "=", bucket)
    .where("v.workspace_id", "=", workspaceId)
    .where("v.definition", "like", `%/inbox/${token}"%`)
    .where("c.deleted_at", "is", null)
    .execute();
  return rows.map(({ key }) => key);
}
