import { assertExpectedVersions, assertPromotable, differenceOf, parseJson, ServiceError } from "../../lib/lib.ts";
import type { Promotion, PromotionRequest, Uuid, Violation } from "../../lib/lib.ts";
import type { Tx } from "../../platform/db/db.ts";
import { shownDocument } from "../../webhooks/webhooks.ts";
import { ownUuid } from "../../accounts/accounts.ts";
import type { Caller, Scope } from "../../accounts/accounts.ts";
import { headerDifference, warningsOf, withIds } from "../promotions/promotion.ts";
import type { References } from "../promotions/promotion.ts";
import type { CapabilityType } from "./actions.ts";
import type { Capabilities } from "./calls.ts";
import { channelOf, ruleWireId } from "./rule.ts";
import { assertValidInput, authorColumns, scanOf } from "./rule-checks.ts";
import type { RegistryDeps } from "./rule-checks.ts";
import { actionColumns, revealedOf, RULE } from "./rule-headers.ts";
import * as store from "./rules.store.ts";
import type { RuleRow } from "./rules.store.ts";

interface Pair {
  /** The rule of the sandbox. */
  readonly source: RuleRow;
  /** The live rule that it replaces. */
  readonly live: RuleRow | undefined;
  /** `then` with the ids of live objects. The values of headers are `[redacted]`. */
  readonly actions: string;
}

interface Plan extends Pair {
  readonly effect: Promotion["effect"];
  readonly difference: Promotion["difference"];
}

/**
 * Copies a rule of the sandbox to live, as a new rule or as the next version of the one that it replaces. The caller
 * becomes the author. A live rule stays enabled or disabled. Throws 409 if the rule is not in the sandbox or was changed
 * since, and 422 for a reference that live does not have.
 */
export async function promoteRule(
  deps: RegistryDeps,
  caller: Caller,
  { id, request }: { readonly id: string; readonly request: PromotionRequest },
): Promise<Promotion> {
  const { scope } = caller;
  const uuid = ownUuid(scope, "rule", id);
  const seen = await store.findRule(deps.db.query, scope, uuid);
  if (seen === undefined) throw new ServiceError("not_found");
  assertPromotable(seen.author_environment, "rule");
  const actions = await liveActions(deps, scope, seen);
  // The addresses are checked before the transaction, which never waits for the network.
  await assertValidInput(deps, caller, { on: seen.events, condition: seen.condition, actions });
  return await deps.db.transaction(async (tx) => {
    // The live rule is locked first, as its deletion does.
    const live = seen.promotes_to === null ? undefined : await store.holdRule(tx, scope, seen.promotes_to);
    const source = await store.holdRule(tx, scope, uuid);
    if (source === undefined) throw new ServiceError("not_found");
    assertExpectedVersions(request, {
      source: source.version,
      isAsChecked: source.version === seen.version && source.promotes_to === seen.promotes_to,
      live: live?.version ?? null,
    });
    const plan = planOf(deps, { source, live, actions });
    const now = request.dry_run === true ? live : await apply(deps, tx, caller, plan);
    return {
      object: "promotion",
      dry_run: request.dry_run === true,
      effect: plan.effect,
      source_id: ruleWireId(scope, source.id),
      source_version: source.version,
      live_id: now === undefined ? null : ruleWireId(scope, now.id),
      live_version: now?.version ?? null,
      difference: plan.difference,
      warnings: warningsOf(actions, plan),
    };
  });
}

/** Returns `then` with the ids of live objects. Throws 422 for references that live does not have. */
async function liveActions({ capabilities }: RegistryDeps, scope: Scope, row: RuleRow): Promise<string> {
  const text = shownDocument(RULE, row.actions);
  const faults: Violation[] = [];
  const replaced = new Map<string, string>();
  for (const [at, action] of (scanOf(text).value as Readonly<Record<string, unknown>>[]).entries()) {
    const found = await referencesOf(capabilities(), scope, action);
    for (const [from, to] of found.replaced) replaced.set(from, to);
    faults.push(...found.faults.map((one) => ({ ...one, pointer: `/then/${at}${one.pointer}` })));
  }
  if (faults.length > 0) throw new ServiceError("validation_failed", { errors: faults });
  return withIds(text, replaced);
}

async function referencesOf(
  capabilities: Capabilities,
  scope: Scope,
  action: Readonly<Record<string, unknown>>,
): Promise<References> {
  const capability = capabilities[action["type"] as CapabilityType];
  return (await capability?.references?.(scope, action)) ?? { faults: [], replaced: new Map() };
}

function planOf({ sealer }: RegistryDeps, pair: Pair): Plan {
  const { source, live, actions } = pair;
  if (live === undefined)
    return { ...pair, effect: "create", difference: differenceOf({}, definitionOf(source, actions)) };
  const before = shownDocument(RULE, live.actions);
  const headers = headerDifference(
    () => revealedOf(sealer, live),
    () => revealedOf(sealer, source),
  );
  const isSame =
    headers.length === 0 &&
    actions === before &&
    source.condition === live.condition &&
    differenceOf(settingsOf(live), settingsOf(source)).length === 0;
  return {
    ...pair,
    effect: isSame ? "none" : "update",
    difference: [...differenceOf(definitionOf(live, before), definitionOf(source, actions)), ...headers],
  };
}

function settingsOf({ name, events, priority, max_runs_per_minute: perMinute }: RuleRow) {
  return { name, on: events, priority, max_runs_per_minute: perMinute };
}

function definitionOf(row: RuleRow, actions: string) {
  return { ...settingsOf(row), when: parseJson(row.condition), then: parseJson(actions) };
}

async function apply(
  deps: RegistryDeps,
  tx: Tx,
  { key, scope }: Caller,
  { source, live, actions, effect }: Plan,
): Promise<RuleRow | undefined> {
  if (effect === "none") return live;
  const id: Uuid = live?.id ?? deps.ids.uuid();
  const { name, events, condition, priority, max_runs_per_minute } = source;
  const copied = {
    name,
    events,
    condition,
    priority,
    max_runs_per_minute,
    ...actionColumns(
      deps.sealer,
      {
        id,
        before: source,
      },
      actions,
    ),
    ...authorColumns(key),
    promoted_from: source.id,
    promoted_version: source.version,
  };
  if (live !== undefined) return await store.changeRule(tx, scope, id, copied);
  const home = { bucket: scope.bucket, workspace_id: scope.workspaceId };
  const row = await store.insertRule(tx, { ...home, id, enabled: source.enabled, promotes_to: null, ...copied });
  await deps.ownedDeliveries.openChannel(tx, { ...channelOf(id), workspaceId: scope.workspaceId });
  await store.linkRule(tx, scope, source.id, id);
  return row;
}
