import { assertExpectedVersions, assertPromotable, differenceOf, ServiceError } from "../../lib/lib.ts";
import type { Promotion, PromotionRequest } from "../../lib/lib.ts";
import type { Tx } from "../../platform/db/db.ts";
import type { Caller } from "../../accounts/accounts.ts";
import { missingSecret } from "../backend-secrets/secrets.ts";
import { findSecret } from "../backend-secrets/secrets.store.ts";
import { readDefinition } from "./contract.ts";
import type { Definition } from "./contracts.schemas.ts";
import { contractWireId } from "./contract-view.ts";
import { urlsOf } from "./definition.ts";
import {
  assertNoFaults,
  assertNotConnectorOwned,
  assertNotLooserThanBefore,
  assertToolNameFree,
  loosening,
  newContract,
  vetAll,
  versionOf,
} from "./contract-checks.ts";
import type { RegistryDeps } from "./contract-checks.ts";
import * as store from "./registry.store.ts";
import type { NewVersion, RegistryRow } from "./registry.store.ts";

interface Pair {
  /** The contract of the sandbox. */
  readonly source: RegistryRow;
  /** The live contract of the same key. */
  readonly live: RegistryRow | undefined;
}

interface Plan extends Pair {
  readonly definition: Definition;
  readonly version: NewVersion;
  readonly effect: Promotion["effect"];
  readonly isHighRiskLoosened: boolean;
}

/**
 * Copies the sandbox's contract of a key to live, as a new contract or as the next version of the live one. It needs
 * what the same edit would need: only an owner can loosen a contract. Throws 404 if there is no such contract, 409 if
 * it is not in the sandbox, belongs to a connector or was changed since, and 422 for a secret that live does not have.
 */
export async function promoteContract(
  deps: RegistryDeps,
  caller: Caller,
  { key, request }: { readonly key: string; readonly request: PromotionRequest },
): Promise<Promotion> {
  const { scope } = caller;
  // The addresses are checked before the transaction, which never waits for the network.
  const seen = pairOf(
    await store.findContract(deps.db.query, scope, key, "sandbox"),
    await store.findContract(deps.db.query, scope, key, "live"),
  );
  const definition = promotedDefinition(seen);
  assertNoFaults(deps, caller, definition);
  await vetAll(deps, caller, urlsOf(definition));
  const isDryRun = request.dry_run === true;
  const assertProved = await loosening(deps, caller, { operation: "action_contracts.promote", id: key, body: request });
  return await deps.db.transaction(async (tx) => {
    await store.lockRegistrations(tx, scope);
    const held = await store.holdContract(tx, scope, key, "sandbox");
    const pair = pairOf(held, await store.findContract(tx.query, scope, key, "live"));
    assertExpectedVersions(request, {
      source: pair.source.version,
      isAsChecked: pair.source.version === seen.source.version,
      live: pair.live?.version ?? null,
    });
    const plan = await planOf(deps, tx, caller, pair);
    if (!isDryRun) await assertProved(tx, plan);
    const live = isDryRun ? plan.live : await apply(deps, tx, caller, plan);
    return promotionView(caller, plan, { live, isDryRun });
  });
}

function pairOf(source: RegistryRow | undefined, live: RegistryRow | undefined): Pair {
  if (source === undefined) throw new ServiceError("not_found");
  assertPromotable(source.author_environment, "contract");
  assertNotConnectorOwned(source);
  return { source, live: live?.author_environment === "live" ? live : undefined };
}

/** The rules that may approve name rules and their versions of one environment, so live keeps its own. */
function promotedDefinition({ source, live }: Pair): Definition {
  const { approval, ...definition } = readDefinition(source.definition);
  const kept = live === undefined ? [] : readDefinition(live.definition).approval.allow_rule;
  return { ...definition, approval: { ...approval, allow_rule: kept } };
}

async function planOf(deps: RegistryDeps, tx: Tx, caller: Caller, pair: Pair): Promise<Plan> {
  const definition = promotedDefinition(pair);
  assertNoFaults(deps, caller, definition);
  if (pair.live !== undefined) assertNotConnectorOwned(pair.live);
  await assertSecretExists(tx, caller, definition);
  const { isHighRiskLoosened } = await assertNotLooserThanBefore(tx, caller, definition);
  if (pair.live === undefined) await assertToolNameFree(tx, caller.scope, definition.key);
  const version = {
    ...versionOf(caller, definition),
    promoted_from: pair.source.id,
    promoted_version: pair.source.version,
  };
  const isSame = pair.live !== undefined && version.sha256.equals(pair.live.sha256);
  return {
    ...pair,
    definition,
    version,
    isHighRiskLoosened,
    effect: pair.live === undefined ? "create" : isSame ? "none" : "update",
  };
}

async function assertSecretExists(tx: Tx, { scope }: Caller, { auth: { secret_ref: name } }: Definition) {
  if (name === null || (await findSecret(tx.query, scope, name)) !== undefined) return;
  throw new ServiceError("validation_failed", { errors: [missingSecret("/auth/secret_ref", name)] });
}

async function apply(
  deps: RegistryDeps,
  tx: Tx,
  { scope }: Caller,
  { source, live, definition, version, effect }: Plan,
): Promise<RegistryRow | undefined> {
  if (effect === "none") return live;
  const secretRef = definition.auth.secret_ref;
  if (live !== undefined) return await store.changeContract(tx, live, secretRef, version);
  await store.freeKey(tx, source);
  return await store.insertContract(tx, newContract(deps, { ...scope, environment: "live" }, definition), version);
}

function promotionView(
  { scope }: Caller,
  { source, live: before, definition, effect }: Plan,
  { live, isDryRun }: { readonly live: RegistryRow | undefined; readonly isDryRun: boolean },
): Promotion {
  return {
    object: "promotion",
    dry_run: isDryRun,
    effect,
    source_id: contractWireId(scope, source.id),
    source_version: source.version,
    live_id: live === undefined ? null : contractWireId(scope, live.id),
    live_version: live?.version ?? null,
    difference: differenceOf(before === undefined ? {} : readDefinition(before.definition), definition),
    warnings: warningsOf(readDefinition(source.definition), definition),
  };
}

function warningsOf(source: Definition, promoted: Definition): string[] {
  const warnings: string[] = [];
  if (differenceOf(source.approval.allow_rule, promoted.approval.allow_rule).length > 0)
    warnings.push(
      "The rules that may approve (approval.allow_rule) are not promoted, because they name rules of one environment. Live keeps its own.",
    );
  if (promoted.endpoint === promoted.sandbox_endpoint)
    warnings.push("The endpoint of live runs is also the endpoint of sandbox runs.");
  return warnings;
}
