import type { Db, Tx } from "../../platform/db/db.ts";
import type { OwnInboxes } from "../../webhooks/webhooks.ts";
import {
  canonicalJson,
  newSigningSecret,
  revealSecrets,
  rotateSecret,
  paginate,
  ServiceError,
  sha256,
} from "../../lib/lib.ts";
import type { Clock, IdMaker, Page, RevealedSecret, Sealer, Uuid } from "../../lib/lib.ts";
import type { Net } from "../../platform/outbound-http/outbound-http.ts";
import { authorOf } from "../../accounts/accounts.ts";
import type { Caller, Scope } from "../../accounts/accounts.ts";
import type { Rights } from "../actor.ts";
import { readDefinition } from "./contract.ts";
import type { Contract, Definition, Surface } from "./contract.ts";
import { contractOfRow, signingOf } from "./contracts.store.ts";
import { contractView, versionView } from "./contract-view.ts";
import type { ContractView, VersionView, WithSigningSecret } from "./contract-view.ts";
import { changedDefinition, definitionFaults, definitionOf, urlsOf } from "./definition.ts";
import type { ContractInput, ContractPatch } from "./definition.ts";
import { assertNotLoosened } from "./loosening.ts";
import { parametersSchema } from "./parameters.ts";
import { isPermitted } from "../runs/authorization.ts";
import { signingPlace } from "../runs/encryption-context.ts";
import * as store from "./registry.store.ts";
import type { NewVersion, RegistryRow } from "./registry.store.ts";
import { isOwnTool, toolName } from "./tool-name.ts";

export interface RevealedSigningSecret extends Omit<RevealedSecret, "secret"> {
  readonly signing_secret: string;
}

export interface ContractQuery {
  readonly limit?: number;
  readonly cursor?: string;
  /** Restricts the list to contracts that the caller may run. */
  readonly runnable?: boolean;
}

export interface PermittedPage {
  readonly before: Uuid | undefined;
  readonly limit: number;
}

/** The rights of a caller or of the assistant, and the scope in which they apply. */
export interface Permitted {
  readonly key: Rights;
  readonly scope: Scope;
}

export interface Callable {
  readonly key: string;
  readonly label: string;
  readonly parameters: object;
}

/**
 * The workspace's action contracts (contract, section 7). An unknown key is 404, and so is a key that the caller may
 * neither run nor manage.
 */
export interface Registry {
  /** Throws 422 with all faults, 422 `url_blocked`, and 409 if the key is taken. */
  create(caller: Caller, input: ContractInput): Promise<WithSigningSecret>;
  list(caller: Caller, query: ContractQuery): Promise<Page<ContractView>>;
  /** Returns the contracts that the caller may run from a surface, newest first, starting after `before`. */
  permitted(caller: Permitted, surface: Surface, page: PermittedPage): Promise<Contract[]>;
  /** Returns all contracts that the caller may run from its surface, with the JSON Schema of their parameters. */
  callable(caller: Caller): Promise<Callable[]>;
  get(caller: Caller, key: string): Promise<ContractView>;
  /** Creates a new version, unless nothing differs. */
  change(caller: Caller, key: string, patch: ContractPatch): Promise<ContractView>;
  /** Deletes the contract. Its versions are kept for the records that refer to them. */
  remove(caller: Caller, key: string): Promise<void>;
  versions(caller: Caller, key: string, page: { limit?: number; cursor?: string }): Promise<Page<VersionView>>;
  reveal(caller: Caller, key: string): Promise<RevealedSigningSecret>;
  /** The old signing secret continues to sign, together with the new one, for `overlapSeconds`. */
  regenerate(caller: Caller, key: string, overlapSeconds: number): Promise<WithSigningSecret>;
}

export interface RegistryDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly ids: IdMaker;
  readonly sealer: Sealer;
  readonly net: Pick<Net, "vet">;
  readonly inboxes: Pick<OwnInboxes, "addressOf">;
  /** Returns true if an operation of the service has this name, which is then not available to a contract. */
  isOperation(name: string): boolean;
}

/** Roles that may write contracts, and therefore see all of them. */
const MANAGERS: ReadonlySet<string> = new Set(["owner", "admin", "developer"]);
const BATCH = 200;

export function createRegistry(deps: RegistryDeps): Registry {
  const { db, clock } = deps;
  return {
    create: async (caller, input) => await create(deps, caller, input),
    list: async (caller, query) => await list(deps, caller, query),
    async permitted({ key, scope }, surface, page) {
      const rows = await collect(deps, scope, page, (row) =>
        isPermitted(contractOfRow(row), key, surface, scope.environment),
      );
      return rows.map(contractOfRow);
    },
    async callable(caller) {
      const page = { before: undefined, limit: Infinity };
      const rows = await collect(deps, caller.scope, page, (row) => maySee(caller, row, true));
      return rows
        .map(contractOfRow)
        .map((one) => ({ key: one.key, label: one.label, parameters: parametersSchema(one) }));
    },
    get: async (caller, key) => contractView(caller.scope, await visible(deps, caller, key)),
    change: async (caller, key, patch) => await change(deps, caller, { key, patch }),
    async remove(caller, key) {
      await db.transaction(async (tx) => {
        const row = await held(tx, caller, key);
        assertNotConnectorOwned(row);
        await store.deleteContract(tx, row);
      });
    },
    async versions(caller, key, page) {
      const contract = await visible(deps, caller, key);
      return await paginate(page, {
        binding: [caller.scope.workspaceId, "contract versions", contract.id],
        async read(before, count) {
          const rows = await store.listVersions(db.query, contract, before && numberOf(before), count);
          return rows.map((row) => ({ row, id: uuidOfNumber(row.version) }));
        },
        view: ({ row }) => versionView(caller.scope, row),
      });
    },
    async reveal(caller, key) {
      const row = present(await store.findContract(db.query, caller.scope, key));
      assertSameEnvironment(caller.scope, row);
      const place = signingPlace(row.id);
      const { secret, ...previous } = revealSecrets(deps.sealer, place, signingOf(row), clock.now());
      return { signing_secret: secret, ...previous };
    },
    async regenerate(caller, key, overlapSeconds) {
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

async function create(deps: RegistryDeps, caller: Caller, input: ContractInput): Promise<WithSigningSecret> {
  const definition = definitionOf(input);
  await assertValidDefinition(deps, caller, definition);
  const { scope } = caller;
  const id = deps.ids.uuid();
  const secret = newSigningSecret();
  return await deps.db.transaction(async (tx) => {
    await store.lockRegistrations(tx, scope);
    const isTaken = (await store.holdContract(tx, scope, definition.key)) !== undefined;
    if (!isTaken) await assertNotLooserThanBefore(tx, caller, definition);
    await assertToolNameFree(tx, scope, definition.key);
    const contract = {
      bucket: scope.bucket,
      workspace_id: scope.workspaceId,
      key: definition.key,
      id,
      author_environment: scope.environment,
      signing_secret_sealed: deps.sealer.seal(secret, signingPlace(id)),
      connector_key: null,
      secret_ref: definition.auth.secret_ref,
    };
    const row = await store.insertContract(tx, contract, versionOf(caller, definition));
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
): Promise<ContractView> {
  const { scope } = caller;
  // The addresses are checked before the transaction, which never waits for the network.
  const before = present(await store.findContract(deps.db.query, scope, key));
  assertSameEnvironment(scope, before);
  await assertValidDefinition(deps, caller, changedDefinition(readDefinition(before.definition), patch), patch);
  return await deps.db.transaction(async (tx) => {
    const row = await held(tx, caller, key);
    assertNotConnectorOwned(row);
    const definition = changedDefinition(readDefinition(row.definition), patch);
    // Another change may have been committed since the first read.
    assertNoFaults(deps, caller, definition);
    const version = versionOf(caller, definition);
    const isSame = version.sha256.equals(row.sha256) && version.author_environment === row.author_environment;
    if (isSame) return contractView(scope, row);
    await assertNotLooserThanBefore(tx, caller, definition);
    return contractView(scope, await store.changeContract(tx, row, definition.auth.secret_ref, version));
  });
}

async function list(deps: RegistryDeps, caller: Caller, query: ContractQuery): Promise<Page<ContractView>> {
  const { runnable = false } = query;
  const { scope } = caller;
  return await paginate(query, {
    binding: [scope.workspaceId, "contracts", runnable],
    read: async (before, limit) =>
      await collect(deps, scope, { before, limit }, (row) => maySee(caller, row, runnable)),
    view: (row) => contractView(scope, row),
  });
}

/** Returns the wanted contracts, up to the limit, and skips any number of others. */
async function collect(
  { db }: Pick<RegistryDeps, "db">,
  scope: Scope,
  page: PermittedPage,
  isWanted: (row: RegistryRow) => boolean,
): Promise<RegistryRow[]> {
  const found: RegistryRow[] = [];
  let { before } = page;
  for (let isMore = true; isMore && found.length < page.limit;) {
    const rows = await store.listContracts(db.query, scope, before, BATCH);
    found.push(...rows.filter(isWanted));
    before = rows.at(-1)?.id;
    isMore = rows.length === BATCH;
  }
  return found.slice(0, page.limit);
}

function maySee({ key, scope }: Caller, row: RegistryRow, runnable: boolean): boolean {
  if (!runnable && MANAGERS.has(key.role)) return true;
  return isPermitted(contractOfRow(row), key, key.session === undefined ? "api" : "console", scope.environment);
}

async function visible(deps: RegistryDeps, caller: Caller, key: string): Promise<RegistryRow> {
  const row = present(await store.findContract(deps.db.query, caller.scope, key));
  if (!maySee(caller, row, false)) throw new ServiceError("not_found");
  return row;
}

async function held(tx: Tx, { scope }: Caller, key: string): Promise<RegistryRow> {
  const row = present(await store.holdContract(tx, scope, key));
  assertSameEnvironment(scope, row);
  return row;
}

function present(row: RegistryRow | undefined): RegistryRow {
  if (row === undefined) throw new ServiceError("not_found");
  return row;
}

/** Refuses a sandbox credential for a contract that runs in production. */
function assertSameEnvironment(scope: Scope, row: RegistryRow): void {
  if (scope.environment === "sandbox" && row.author_environment === "live")
    throw new ServiceError("environment_mismatch", {
      detail: "This contract was written with a live credential and runs in production. Use a live credential.",
    });
}

/**
 * Throws 409 if another contract's tool, or one of the service's own, already has the name of this contract's tool. The
 * caller holds the registration lock, so that the name stays free.
 */
export async function assertToolNameFree(tx: Tx, scope: Scope, key: string): Promise<void> {
  const name = toolName(key);
  const other = isOwnTool(name)
    ? "the service"
    : (await store.keysOfTool(tx.query, scope, name)).find((taken) => taken !== key);
  if (other === undefined) return;
  throw new ServiceError("conflict", {
    detail: `The tool name of ${key} for AI clients would be ${name}, which ${other} already uses. Choose another key.`,
    extra: { reason: "tool_name_taken" },
  });
}

/**
 * Throws 403 if a caller who is not an owner loosens a contract that runs in production: by an edit, or by another
 * contract under the key of a deleted one. Contracts that run only in the sandbox are exempt.
 */
async function assertNotLooserThanBefore(tx: Tx, caller: Caller, definition: Definition): Promise<void> {
  if (caller.scope.environment === "sandbox") return;
  const before = await store.lastLiveDefinition(tx, caller.scope, definition.key);
  if (before !== undefined) assertNotLoosened(caller, readDefinition(before), definition);
}

/** A connector's contract stays as the connector's author signed it. */
function assertNotConnectorOwned({ connector_key: connector }: RegistryRow): void {
  if (connector !== null)
    throw new ServiceError("conflict", {
      detail: `This contract belongs to the connector ${connector}, and is deleted when the connector is disabled.`,
    });
}

/**
 * Throws 422 for faults, 403 for approval rules that the caller may not set, and 422 `url_blocked` for a new unsafe
 * address.
 */
async function assertValidDefinition(
  deps: RegistryDeps,
  caller: Caller,
  definition: Definition,
  patch?: ContractPatch,
): Promise<void> {
  assertNoFaults(deps, caller, definition);
  await vetAll(deps, caller, urlsOf(definition), patch);
}

/**
 * Checks the addresses of a definition, or those that a change names, with the network guard. Throws 422 `url_blocked`.
 */
export async function vetAll(
  deps: RegistryDeps,
  { scope }: Caller,
  urls: readonly (readonly [pointer: string, url: string])[],
  patch?: ContractPatch,
): Promise<void> {
  for (const [pointer, url] of urls) {
    const [, member = ""] = pointer.split("/");
    if (patch === undefined || member in patch) await vet(deps, pointer, await deps.inboxes.addressOf(scope, url));
  }
}

export function assertNoFaults(deps: RegistryDeps, { key }: Caller, definition: Definition): void {
  const errors = definitionFaults(definition);
  if (deps.isOperation(definition.key))
    errors.push({ pointer: "/key", code: "reserved", message: "must not be the name of an operation of the service" });
  if (errors.length > 0) throw new ServiceError("validation_failed", { errors });
  if (definition.approval.allow_rule.length > 0 && key.role !== "owner")
    throw new ServiceError("role_not_allowed", {
      detail: "Only an owner can write a contract that a rule can approve. Omit approval.allow_rule.",
    });
}

async function vet({ net }: RegistryDeps, pointer: string, url: string): Promise<void> {
  try {
    await net.vet(url);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const { detail = "The service does not send requests to this URL." } = error.details;
    throw new ServiceError(error.code, { ...error.details, errors: [{ pointer, code: error.code, message: detail }] });
  }
}

export function versionOf({ key, scope }: Caller, definition: Definition): NewVersion {
  const text = canonicalJson(definition);
  const author = authorOf(key);
  return {
    definition: text,
    sha256: sha256(text),
    author_kind: author.kind,
    author_id: author.id,
    author_environment: scope.environment,
  };
}

const NUMBER_PREFIX = "00000000-0000-0000-0000-";

/** Encodes the number of a version as a position in a list. */
function uuidOfNumber(version: number): Uuid {
  return (NUMBER_PREFIX + version.toString(16).padStart(12, "0")) as Uuid;
}

function numberOf(uuid: Uuid): number {
  return Number.parseInt(uuid.slice(NUMBER_PREFIX.length), 16);
}
