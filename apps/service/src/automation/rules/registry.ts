import type { Query } from "../../platform/db/db.ts";
import type { RevealedWebhook } from "../../webhooks/webhooks.ts";
import { assertOwnEnvironment, pageText, ServiceError, paginate } from "../../lib/lib.ts";
import type { Environment, Promotion, PromotionRequest, RevealedSecret } from "../../lib/lib.ts";
import { ownUuid } from "../../accounts/accounts.ts";
import type { ApiKey, Caller, Scope } from "../../accounts/accounts.ts";
import { readActions } from "./actions.ts";
import { promoteRule } from "./promotion.ts";
import { channelOf, ruleText } from "./rule.ts";
import { assertMayRun, assertValidInput, authorColumns, scanOf } from "./rule-checks.ts";
import type { RegistryDeps, RuleInput } from "./rule-checks.ts";
import { actionColumns, revealedOf } from "./rule-headers.ts";
import * as store from "./rules.store.ts";
import type { RuleChange, RuleRow } from "./rules.store.ts";

export interface RuleQuery {
  readonly limit?: number;
  readonly cursor?: string;
  readonly environment?: Environment;
}

/** Manages rules, which are returned as JSON texts. An id of the workspace that has no rule is 404. */
export interface Registry {
  /** Throws 422 with all faults, 422 `url_blocked`, and 403 for actions that the caller may not call directly. */
  create(caller: Caller, input: RuleInput): Promise<string>;
  list(scope: Scope, page: RuleQuery): Promise<string>;
  get(scope: Scope, id: string): Promise<string>;
  /** Makes the caller the rule's author. Throws 403 for a rule of the other environment. */
  change(caller: Caller, id: string, input: RuleInput): Promise<string>;
  /** Copies a rule of the sandbox to live. */
  promote(caller: Caller, id: string, request: PromotionRequest): Promise<Promotion>;
  /** Deletes the rule. Throws 403 for a sandbox credential if the rule is live. Its runs are kept until their retention ends, but can no longer be listed. */
  remove(caller: Caller, id: string): Promise<void>;
  /** Returns the secret that signs the rule's webhooks. Throws 404 for a rule that has no secret yet. */
  reveal(scope: Scope, id: string): Promise<RevealedSecret>;
  /** Returns the values of its webhooks' headers, for owners. Throws 409 `conflict` if they cannot be decrypted. */
  revealHeaders(scope: Scope, id: string): Promise<{ readonly webhooks: RevealedWebhook[] }>;
  /** Replaces the secret. The old one also signs for `overlapSeconds`. The response has the new `signing_secret`. */
  regenerate(scope: Scope, id: string, overlapSeconds: number): Promise<string>;
  /** Returns the row of the rule. */
  find(query: Query, scope: Scope, id: string): Promise<RuleRow>;
}

const DEFAULTS = { priority: 100, enabled: true, max_runs_per_minute: 600 };
const ALWAYS = '{"all":[]}';

export function createRegistry(deps: RegistryDeps): Registry {
  const { db } = deps;
  const find = async (query: Query, scope: Scope, id: string): Promise<RuleRow> =>
    present(await store.findRule(query, scope, ownUuid(scope, "rule", id)));
  return {
    find,
    async create({ key, scope }, input) {
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
        const secret = await deps.ownedDeliveries.openChannel(tx, { ...channelOf(id), workspaceId: scope.workspaceId });
        return ruleText(scope, row, secret);
      });
    },
    list: async (scope, page) =>
      pageText(
        await paginate(page, {
          binding: [scope.workspaceId, "rules", page.environment ?? null],
          read: async (before, limit) =>
            await store.listRules(db.query, scope, { before, limit, environment: page.environment }),
          view: (row) => ruleText(scope, row),
        }),
      ),
    get: async (scope, id) => ruleText(scope, await find(db.query, scope, id)),
    async change({ key, scope }, id, input) {
      const uuid = ownUuid(scope, "rule", id);
      await assertValidInput(deps, { key, scope }, input);
      return await db.transaction(async (tx) => {
        const row = present(await store.holdRule(tx, scope, uuid));
        assertOwnEnvironment(scope.environment, row.author_environment, "rule");
        // The caller becomes the author of the whole rule, so all of its actions are checked, not only the changed part.
        assertMayRun(key, readActions(scanOf(input.actions ?? row.actions)).actions);
        const then =
          input.actions === undefined ? {} : actionColumns(deps.sealer, { id: uuid, before: row }, input.actions);
        return ruleText(scope, await store.changeRule(tx, scope, uuid, { ...changeOf(key, input), ...then }));
      });
    },
    promote: async (caller, id, request) => await promoteRule(deps, caller, { id, request }),
    ...createSecrets(deps, find),
    async remove({ scope }, id) {
      const uuid = ownUuid(scope, "rule", id);
      await db.transaction(async (tx) => {
        assertSameEnvironment(scope, present(await store.holdRule(tx, scope, uuid)));
        await store.deleteRule(tx, scope, uuid);
      });
    },
  };
}

function createSecrets(
  { db, ownedDeliveries, sealer }: RegistryDeps,
  find: Registry["find"],
): Pick<Registry, "reveal" | "revealHeaders" | "regenerate"> {
  return {
    async reveal(scope, id) {
      const row = await find(db.query, scope, id);
      assertSameEnvironment(scope, row);
      return await ownedDeliveries.revealSecret({ ...channelOf(row.id), workspaceId: scope.workspaceId });
    },
    async revealHeaders(scope, id) {
      const row = await find(db.query, scope, id);
      assertSameEnvironment(scope, row);
      return revealedOf(sealer, row);
    },
    async regenerate(scope, id, overlapSeconds) {
      const row = await find(db.query, scope, id);
      assertOwnEnvironment(scope.environment, row.author_environment, "rule");
      const channel = { ...channelOf(row.id), workspaceId: scope.workspaceId };
      const secret = await db.transaction(
        async (tx) => await ownedDeliveries.regenerateSecret(tx, channel, overlapSeconds),
      );
      return ruleText(scope, row, secret);
    },
  };
}

function present(row: RuleRow | undefined): RuleRow {
  if (row === undefined) throw new ServiceError("not_found");
  return row;
}

/** Keeps sandbox credentials from live rules. */
function assertSameEnvironment(scope: Scope, row: RuleRow): void {
  if (row.author_environment === "live") assertOwnEnvironment(scope.environment, "live", "rule");
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
