import type { Promotion, PromotionRequest } from "../../lib/lib.ts";
import type { Tx } from "../../platform/db/db.ts";
import { shownDocument } from "../../webhooks/webhooks.ts";
import type { Caller } from "../../accounts/accounts.ts";
import { promote, withLiveIds } from "../definitions/promotion.ts";
import type { PromotionPair } from "../definitions/promotion.ts";
import type { Members } from "../definitions/step-port.ts";
import type { RulesDeps } from "./deps.ts";
import { assertValidInput, authorColumns, scanOf } from "./rule-checks.ts";
import { actionColumns, RULE_WEBHOOKS } from "./rule-headers.ts";
import { RULES } from "./rule-kind.ts";
import * as store from "./rules.store.ts";
import type { RuleRow } from "./rules.store.ts";

/** Copies a rule of the sandbox to live: see `promote`. */
export async function promoteRule(
  deps: RulesDeps,
  caller: Caller,
  of: { readonly id: string; readonly request: PromotionRequest },
): Promise<Promotion> {
  const { scope } = caller;
  return await promote<RuleRow>(deps, scope, of, {
    kind: RULES,
    async check({ actions, condition, events }) {
      const text = shownDocument(RULE_WEBHOOKS, actions);
      const items = (scanOf(text).value as readonly Members[]).map((members, at) => ({
        type: String(members["type"]),
        members,
        pointer: `/then/${at}`,
      }));
      const then = await withLiveIds(deps.ports(), scope, text, items);
      await assertValidInput(deps, caller, { on: events, condition, actions: then });
      return { when: condition, then };
    },
    save: async (tx, pair) => await save(deps, tx, caller, pair),
  });
}

async function save(
  deps: RulesDeps,
  tx: Tx,
  { key, scope }: Caller,
  { source, live, texts }: PromotionPair<RuleRow>,
): Promise<RuleRow> {
  const id = live?.id ?? deps.ids.uuid();
  const { name, events, condition, priority, max_runs_per_minute } = source;
  const copied = {
    name,
    events,
    condition,
    priority,
    max_runs_per_minute,
    ...actionColumns(deps.sealer, { id, before: source }, texts["then"] ?? "[]"),
    ...authorColumns(key),
    promoted_from: source.id,
    promoted_version: source.version,
  };
  if (live !== undefined) return await store.changeRule(tx, scope, id, copied);
  const home = { bucket: scope.bucket, workspace_id: scope.workspaceId };
  const row = await store.insertRule(tx, { ...home, id, enabled: source.enabled, promotes_to: null, ...copied });
  await deps.ownedDeliveries.openChannel(tx, { id, owner: "rule", workspaceId: scope.workspaceId });
  await store.linkRule(tx, scope, source.id, id);
  return row;
}
