import type { Db, Tx } from "../../platform/db/db.ts";
import type { OwnInboxes } from "../../webhooks/webhooks.ts";
import { canonicalJson, newSigningSecret, ServiceError, sha256 } from "../../lib/lib.ts";
import type { Clock, Hidden, IdMaker, Sealer } from "../../lib/lib.ts";
import type { Net } from "../../platform/outbound-http/outbound-http.ts";
import { authorOf, changeSubject } from "../../accounts/accounts.ts";
import type { Caller, GuardedChange, Scope, StepUps } from "../../accounts/accounts.ts";
import { readDefinition } from "./contract.ts";
import type { ContractPatch, Definition } from "./contracts.schemas.ts";
import { definitionFaults, urlsOf } from "./definition.ts";
import { assertNotLoosened } from "./loosening.ts";
import * as store from "./registry.store.ts";
import type { NewContract, NewVersion, RegistryRow } from "./registry.store.ts";
import { signingPlace } from "../storage/encryption-context.ts";
import { storedKey } from "../storage/stored-key.ts";
import { assertSteppedUp } from "./high-risk.ts";
import { isOwnTool, toolName } from "./tool-name.ts";

export interface RegistryDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly ids: IdMaker;
  readonly sealer: Sealer;
  readonly net: Pick<Net, "vet">;
  readonly inboxes: Pick<OwnInboxes, "addressOf">;
  readonly stepUps: Pick<StepUps, "take">;
  readonly baseUrl: string;
  /** Returns true if an operation of the service has this name, which is then not available to a contract. */
  isOperation(name: string): boolean;
}

/** Returns true if the scope's environment has a contract of this key. If only the sandbox has one, frees the key. */
export async function isTaken(tx: Tx, scope: Scope, key: string): Promise<boolean> {
  const row = await store.holdContract(tx, scope, key, scope.environment);
  if (row !== undefined && row.author_environment === "sandbox" && scope.environment === "live")
    await store.freeKey(tx, row);
  return row?.author_environment === scope.environment;
}

/**
 * Throws 409 if another contract's tool, or one of the service's own, already has the name of this contract's tool. The
 * caller holds the registration lock, so that the name stays free.
 */
export async function assertToolNameFree(tx: Tx, scope: Scope, key: string): Promise<void> {
  const name = toolName(key);
  const other = isOwnTool(name)
    ? "the service"
    : (await store.keysOfTool(tx.query, scope, name, scope.environment)).find((taken) => taken !== key);
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
export async function assertNotLooserThanBefore(
  tx: Tx,
  caller: Caller,
  definition: Definition,
): Promise<{ readonly isHighRiskLoosened: boolean }> {
  if (caller.scope.environment === "sandbox") return { isHighRiskLoosened: false };
  const before = await store.lastLiveDefinition(tx, caller.scope, definition.key);
  if (before === undefined) return { isHighRiskLoosened: false };
  const earlier = readDefinition(before);
  const loosened = assertNotLoosened(caller, earlier, definition);
  return { isHighRiskLoosened: earlier.risk === "high" && loosened.length > 0 };
}

/**
 * Uses up the caller's proof for this change, before its transaction. Returns what asserts in the transaction that it
 * was there, if the change loosens a contract whose approval needs a step-up.
 */
export async function loosening(
  { stepUps, baseUrl }: Pick<RegistryDeps, "stepUps" | "baseUrl">,
  { key: { session }, scope }: Caller,
  change: GuardedChange,
): Promise<(tx: Tx, outcome: { readonly isHighRiskLoosened: boolean }) => Promise<void>> {
  const stepUp =
    session === undefined ? undefined : await stepUps.take({ scope, session }, changeSubject(scope, change));
  const where = `${baseUrl}/actions`;
  return async (tx, { isHighRiskLoosened }) => {
    if (isHighRiskLoosened) await assertSteppedUp(tx, { scope, risk: "high", stepUp, where });
  };
}

/** A connector's contract stays as the connector's author signed it. */
export function assertNotConnectorOwned({ connector_key: connector }: RegistryRow): void {
  if (connector !== null)
    throw new ServiceError("conflict", {
      detail: `This contract belongs to the connector ${connector}, and is deleted when the connector is disabled.`,
    });
}

/**
 * Throws 422 for faults, 403 for approval rules that the caller may not set, and 422 `url_blocked` for a new unsafe
 * address.
 */
export async function assertValidDefinition(
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
  const author = authorOf(key);
  return {
    // Forms and approvers show the parameters in the order of their author, which the hash ignores.
    definition: JSON.stringify(definition),
    sha256: sha256(canonicalJson(definition)),
    author_kind: author.kind,
    author_id: author.id,
    author_environment: scope.environment,
    promoted_from: null,
    promoted_version: null,
  };
}

/** Returns the row of a new contract in an environment, with a new signing secret unless one is given. */
export function newContract(
  { ids, sealer }: RegistryDeps,
  { bucket, workspaceId, environment }: Pick<Scope, "bucket" | "workspaceId" | "environment">,
  { key, auth }: Definition,
  more: { readonly connector?: string; readonly secret?: Hidden } = {},
): NewContract {
  const id = ids.uuid();
  return {
    bucket,
    workspace_id: workspaceId,
    key: storedKey(key, environment),
    id,
    author_environment: environment,
    signing_secret_sealed: sealer.seal(more.secret ?? newSigningSecret(), signingPlace(id)),
    connector_key: more.connector ?? null,
    secret_ref: auth.secret_ref,
  };
}
