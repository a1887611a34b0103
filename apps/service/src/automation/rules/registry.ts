import { assertOwnEnvironment } from "../../lib/lib.ts";
import type { Promotion, PromotionRequest } from "../../lib/lib.ts";
import { ownUuid } from "../../accounts/accounts.ts";
import type { ApiKey, Caller } from "../../accounts/accounts.ts";
import { assertSameEnvironment, createDefinitionOperations, present } from "../definitions/definition.ts";
import { readActions } from "./actions.ts";
import type { RulesDeps } from "./deps.ts";
import { promoteRule } from "./promotion.ts";
import { ruleText } from "./rule.ts";
import { assertMayRun, assertValidInput, authorColumns, scanOf } from "./rule-checks.ts";
import type { RuleInput } from "./rule-checks.ts";
import { actionColumns } from "./rule-headers.ts";
import { RULES } from "./rule-kind.ts";
import * as store from "./rules.store.ts";
import type { RuleChange } from "./rules.store.ts";

const DEFAULTS = { priority: 100, enabled: true, max_runs_per_minute: 600 };
const ALWAYS = '{"all":[]}';

/** Creates the management of rules, which are returned as JSON texts. */
export function createRegistry(deps: RulesDeps) {
  const { db } = deps;
  return {
    ...createDefinitionOperations(deps, RULES),
    /** Throws 422 with all faults, 422 `url_blocked`, and 403 for actions that the caller may not call directly. */
    async create({ key, scope }: Caller, input: RuleInput): Promise<string> {
      await assertValidInput(deps, { key, scope }, input);
      const id = deps.ids.uuid();
      const isSandbox = scope.environment === "sandbox";
      return await db.transaction(async (tx) => {
        const row = await store.insertRule(tx, {
          bucket: scope.bucket,
          workspace_id: scope.workspaceId,
          id,
          name: input.name ?? "",
          events: [...new Set(input.on)],
          condition: input.condition ?? ALWAYS,
          ...actionColumns(deps.sealer, { id }, input.actions ?? "[]"),
          priority: input.priority ?? DEFAULTS.priority,
          enabled: input.enabled ?? DEFAULTS.enabled,
          max_runs_per_minute: input.max_runs_per_minute ?? DEFAULTS.max_runs_per_minute,
          ...authorColumns(key),
          promotes_to: isSandbox ? await store.replaceableRule(tx, scope, input.name ?? "") : null,
          promoted_from: null,
          promoted_version: null,
        });
        const secret = await deps.ownedDeliveries.openChannel(tx, {
          id,
          owner: "rule",
          workspaceId: scope.workspaceId,
        });
        return ruleText(scope, row, secret);
      });
    },
    /** Makes the caller the rule's author. Throws 403 for a rule of the other environment. */
    async change({ key, scope }: Caller, id: string, input: RuleInput): Promise<string> {
      const uuid = ownUuid(scope, "rule", id);
      await assertValidInput(deps, { key, scope }, input);
      return await db.transaction(async (tx) => {
        const row = present(await store.holdRule(tx.query, scope, uuid));
        assertOwnEnvironment(scope.environment, row.author_environment, "rule");
        // The caller becomes the author of the whole rule, so all of its actions are checked, not only the changed part.
        assertMayRun(key, readActions(scanOf(input.actions ?? row.actions)).actions);
        const then =
          input.actions === undefined ? {} : actionColumns(deps.sealer, { id: uuid, before: row }, input.actions);
        return ruleText(scope, await store.changeRule(tx, scope, uuid, { ...changeOf(key, input), ...then }));
      });
    },
    /** Copies a rule of the sandbox to live. */
    promote: async (caller: Caller, id: string, request: PromotionRequest): Promise<Promotion> =>
      await promoteRule(deps, caller, { id, request }),
    /** Throws 403 for a sandbox credential if the rule is live. Its runs are kept until their retention ends, but can no longer be listed. */
    async remove({ scope }: Caller, id: string): Promise<void> {
      const uuid = ownUuid(scope, "rule", id);
      await db.transaction(async (tx) => {
        assertSameEnvironment(scope, present(await store.holdRule(tx.query, scope, uuid)), "rule");
        await store.deleteRule(tx, scope, uuid);
      });
    },
  };
}

function changeOf(key: ApiKey, input: RuleInput): RuleChange {
  const { name, on, condition, priority, enabled, max_runs_per_minute: perMinute } = input;
  return {
    ...(name === undefined ? {} : { name }),
    ...(on === undefined ? {} : { events: [...new Set(on)] }),
    ...(condition === undefined ? {} : { condition }),
    ...(priority === undefined ? {} : { priority }),
    ...(enabled === undefined ? {} : { enabled }),
    ...(perMinute === undefined ? {} : { max_runs_per_minute: perMinute }),
    ...authorColumns(key),
  };
}
