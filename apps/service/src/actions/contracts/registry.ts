import type { Tx } from "../../platform/db/db.ts";
import {
  assertOwnEnvironment,
  newSigningSecret,
  revealSecrets,
  rotateSecret,
  paginate,
  ServiceError,
} from "../../lib/lib.ts";
import type { Environment, PromotionRequest, Uuid } from "../../lib/lib.ts";
import type { Caller, Scope } from "../../accounts/accounts.ts";
import type { Rights } from "../callers/actor.ts";
import { readDefinition } from "./contract.ts";
import type { Contract } from "./contract.ts";
import type { Surface } from "../callers/surface.ts";
import { contractOfRow, signingOf } from "./contracts.store.ts";
import { contractView, versionView } from "./contract-view.ts";
import {
  assertNoFaults,
  assertNotConnectorOwned,
  assertNotLooserThanBefore,
  assertToolNameFree,
  assertValidDefinition,
  isTaken,
  loosening,
  newContract,
  versionOf,
} from "./contract-checks.ts";
import type { RegistryDeps } from "./contract-checks.ts";
import { changedDefinition, definitionOf } from "./definition.ts";
import type {
  ContractInput,
  ContractListQuery,
  ContractPatch,
  ContractQuery,
  VersionListQuery,
} from "./contracts.schemas.ts";
import { parametersSchema } from "./parameters.ts";
import { isPermitted } from "./authorization.ts";
import { signingPlace } from "../storage/encryption-context.ts";
import { promoteContract } from "./promotion.ts";
import * as store from "./registry.store.ts";
import type { ContractPage, RegistryRow } from "./registry.store.ts";

/** The rights of a caller or of the assistant, and the scope in which they apply. */
interface Permitted {
  readonly key: Rights;
  readonly scope: Scope;
}

/** Roles that may write contracts, and therefore see all of them. */
const MANAGERS: ReadonlySet<string> = new Set(["owner", "admin", "developer"]);
const BATCH = 200;

export type Registry = ReturnType<typeof createRegistry>;

/**
 * Creates the workspace's action contracts (contract, section 7). An unknown key is 404, and so is a key that the caller
 * may neither run nor manage.
 */
export function createRegistry(deps: RegistryDeps) {
  const { db, clock } = deps;
  return {
    /** Throws 422 with all faults, 422 `url_blocked`, and 409 if the key is taken in the caller's environment. */
    create: async (caller: Caller, input: ContractInput) => await create(deps, caller, input),
    list: async (caller: Caller, query: ContractListQuery) => await list(deps, caller, query),
    /** Returns the contracts that the caller or the assistant may run from a surface, newest first, after `before`. */
    async permitted({ key, scope }: Permitted, surface: Surface, page: ContractPage): Promise<Contract[]> {
      const isWanted = (row: RegistryRow): boolean =>
        !isReplaced(scope, row) && isPermitted(contractOfRow(row), key, surface, scope.environment);
      return (await collect(deps, scope, page, isWanted)).map(contractOfRow);
    },
    /** Returns all contracts that the caller may run from its surface, with the JSON Schema of their parameters. */
    async callable(caller: Caller) {
      const page = { before: undefined, limit: Infinity };
      const rows = await collect(deps, caller.scope, page, (row) => maySee(caller, row, true));
      return rows
        .map(contractOfRow)
        .map((one) => ({ key: one.key, label: one.label, parameters: parametersSchema(one) }));
    },
    get: async (caller: Caller, key: string, which?: ContractQuery) =>
      contractView(caller.scope, await visible(deps, caller, key, which)),
    /** Creates a new version, unless nothing differs. Throws 403 for a contract of the other environment. */
    change: async (caller: Caller, key: string, patch: ContractPatch) => await change(deps, caller, { key, patch }),
    /** Deletes the contract. Its versions are kept for the records that refer to them. */
    async remove(caller: Caller, key: string): Promise<void> {
      await db.transaction(async (tx) => {
        const row = await held(tx, caller, key);
        assertNotConnectorOwned(row);
        await store.deleteContract(tx, row);
      });
    },
    /** Copies the sandbox's contract to live. */
    promote: async (caller: Caller, key: string, request: PromotionRequest) =>
      await promoteContract(deps, caller, { key, request }),
    async versions(caller: Caller, key: string, page: VersionListQuery) {
      const contract = await visible(deps, caller, key, page);
      return await paginate(page, {
        binding: [caller.scope.workspaceId, "contract versions", contract.id],
        async read(before, count) {
          const rows = await store.listVersions(db.query, contract, before && numberOf(before), count);
          return rows.map((row) => ({ row, id: uuidOfNumber(row.version) }));
        },
        view: ({ row }) => versionView(caller.scope, row),
      });
    },
    async reveal(caller: Caller, key: string) {
      const row = await foundContract(deps, caller.scope, key);
      if (row.author_environment === "live") assertOwnEnvironment(caller.scope.environment, "live", "contract");
      const place = signingPlace(row.id);
      const { secret, ...previous } = revealSecrets(deps.sealer, place, signingOf(row), clock.now());
      return { signing_secret: secret, ...previous };
    },
    /** The old signing secret continues to sign, together with the new one, for `overlapSeconds`. */
    async regenerate(caller: Caller, key: string, overlapSeconds: number) {
      const secret = newSigningSecret();
      return await db.transaction(async (tx) => {
        const row = await held(tx, caller, key);
        const next = { secret, now: clock.now(), overlapSeconds };
        const rotated = rotateSecret(deps.sealer, signingPlace(row.id), row.signing_secret_sealed, next);
        const { secret_sealed: signing_secret_sealed, ...previous } = rotated;
        await store.changeSigningSecret(tx, row, { signing_secret_sealed, ...previous });
        return { ...contractView(caller.scope, row), signing_secret: secret.reveal() };
      });
    },
  };
}

async function create(deps: RegistryDeps, caller: Caller, input: ContractInput) {
  const definition = definitionOf(input);
  await assertValidDefinition(deps, caller, definition);
  const { scope } = caller;
  const secret = newSigningSecret();
  const assertProved = await loosening(deps, caller, { operation: "action_contracts.create", body: input });
  return await deps.db.transaction(async (tx) => {
    await store.lockRegistrations(tx, scope);
    const isRegistered = await isTaken(tx, scope, definition.key);
    if (!isRegistered) await assertProved(tx, await assertNotLooserThanBefore(tx, caller, definition));
    await assertToolNameFree(tx, scope, definition.key);
    const contract = newContract(deps, scope, definition, { secret });
    const row = isRegistered ? undefined : await store.insertContract(tx, contract, versionOf(caller, definition));
    if (row === undefined)
      throw new ServiceError("conflict", {
        detail: `The contract ${definition.key} already exists. Change it, or choose another key.`,
      });
    return { ...contractView(scope, row), signing_secret: secret.reveal() };
  });
}

async function change(
  deps: RegistryDeps,
  caller: Caller,
  { key, patch }: { readonly key: string; readonly patch: ContractPatch },
) {
  const { scope } = caller;
  // The addresses are checked before the transaction, which never waits for the network.
  const before = await foundContract(deps, scope, key);
  assertOwnEnvironment(scope.environment, before.author_environment, "contract");
  await assertValidDefinition(deps, caller, changedDefinition(readDefinition(before.definition), patch), patch);
  const assertProved = await loosening(deps, caller, { operation: "action_contracts.update", id: key, body: patch });
  return await deps.db.transaction(async (tx) => {
    await store.lockRegistrations(tx, scope);
    const row = await held(tx, caller, key);
    assertNotConnectorOwned(row);
    const definition = changedDefinition(readDefinition(row.definition), patch);
    // Another change may have been committed since the first read.
    assertNoFaults(deps, caller, definition);
    const version = versionOf(caller, definition);
    if (version.sha256.equals(row.sha256)) return contractView(scope, row);
    await assertProved(tx, await assertNotLooserThanBefore(tx, caller, definition));
    return contractView(scope, await store.changeContract(tx, row, definition.auth.secret_ref, version));
  });
}

async function list(deps: RegistryDeps, caller: Caller, query: ContractListQuery) {
  const { runnable = false, environment } = query;
  const { scope } = caller;
  return await paginate(query, {
    binding: [scope.workspaceId, "contracts", runnable, environment ?? null],
    read: async (before, limit) =>
      await collect(deps, scope, { before, limit, environment }, (row) => maySee(caller, row, runnable)),
    view: (row) => contractView(scope, row),
  });
}

/** Returns the wanted contracts, up to the limit, and skips any number of others. */
async function collect(
  { db }: Pick<RegistryDeps, "db">,
  scope: Scope,
  page: ContractPage,
  isWanted: (row: RegistryRow) => boolean,
): Promise<RegistryRow[]> {
  const wanted: RegistryRow[] = [];
  let { before } = page;
  for (let isMore = true; isMore && wanted.length < page.limit;) {
    const rows = await store.listContracts(db.query, scope, { ...page, before, limit: BATCH });
    wanted.push(...rows.filter(isWanted));
    before = rows.at(-1)?.id;
    isMore = rows.length > 0;
  }
  return wanted.slice(0, page.limit);
}

function maySee({ key, scope }: Caller, row: RegistryRow, runnable: boolean): boolean {
  if (!runnable && MANAGERS.has(key.role)) return true;
  const surface = key.session === undefined ? "api" : "console";
  return !isReplaced(scope, row) && isPermitted(contractOfRow(row), key, surface, scope.environment);
}

/** Returns true if calls of the scope use the sandbox's contract of the same key instead. */
function isReplaced({ environment }: Scope, row: RegistryRow): boolean {
  return environment === "sandbox" && row.is_shadowed;
}

async function visible(
  deps: RegistryDeps,
  caller: Caller,
  key: string,
  { environment }: ContractQuery = {},
): Promise<RegistryRow> {
  const row = await foundContract(deps, caller.scope, key, environment);
  const isOther = environment !== undefined && row.author_environment !== environment;
  if (isOther || !maySee(caller, row, false)) throw new ServiceError("not_found");
  return row;
}

/** Returns the contract of an environment, which is the scope's by default, or else that of the other one. */
async function foundContract(
  { db }: Pick<RegistryDeps, "db">,
  scope: Scope,
  key: string,
  environment: Environment = scope.environment,
): Promise<RegistryRow> {
  return present(await store.findContract(db.query, scope, key, environment));
}

async function held(tx: Tx, { scope }: Caller, key: string): Promise<RegistryRow> {
  const row = present(await store.holdContract(tx, scope, key, scope.environment));
  assertOwnEnvironment(scope.environment, row.author_environment, "contract");
  return row;
}

function present(row: RegistryRow | undefined): RegistryRow {
  if (row === undefined) throw new ServiceError("not_found");
  return row;
}

const NUMBER_PREFIX = "00000000-0000-0000-0000-";

/** Encodes the number of a version as a position in a list. */
function uuidOfNumber(version: number): Uuid {
  return (NUMBER_PREFIX + version.toString(16).padStart(12, "0")) as Uuid;
}

function numberOf(uuid: Uuid): number {
  return Number.parseInt(uuid.slice(NUMBER_PREFIX.length), 16);
}
