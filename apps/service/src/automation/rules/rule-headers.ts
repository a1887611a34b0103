import type { Db } from "../../platform/db/db.ts";
import { sealDocument } from "../../webhooks/webhooks.ts";
import type { DocumentKind, SealedBefore } from "../../webhooks/webhooks.ts";
import { sealedColumn } from "../../lib/lib.ts";
import type { Sealer, Uuid } from "../../lib/lib.ts";
import { sealPlainHeaders } from "../definitions/sealed-headers.ts";
import { plainRules, putSealedActions } from "./rules.store.ts";
import type { RuleRow, StoredRule } from "./rules.store.ts";

/** Finds the webhooks in `then` by their positions. */
export const RULE_WEBHOOKS: DocumentKind = { type: "post_webhook", pointer: "/then" };

export const sealedByRules = [
  sealedColumn({ table: "rule", column: "headers_sealed", by: ["id"], place: ({ id }) => rulePlace(id) }),
];

/** Returns the place that the sealed values of a rule's headers are bound to. */
export function rulePlace(id: string): string {
  return `rule:${id}:headers`;
}

/** Returns the columns for actions from a request. Throws 422 for a redacted value that no stored value matches. */
export function actionColumns(
  sealer: Sealer,
  { id, before }: { readonly id: Uuid; readonly before?: RuleRow },
  actions: string,
): Pick<RuleRow, "actions" | "headers_sealed"> {
  const { text, sealed } = sealDocument(
    {
      sealer,
      kind: RULE_WEBHOOKS,
      place: rulePlace(id),
      ...(before === undefined ? {} : { before: sealedActions(before) }),
    },
    actions,
  );
  return { actions: text, headers_sealed: sealed };
}

export function sealedActions(row: Pick<RuleRow, "id" | "actions" | "headers_sealed">): SealedBefore {
  return { place: rulePlace(row.id), text: row.actions, sealed: row.headers_sealed };
}

/** Seals the headers of rules that an earlier version of the service wrote. Returns their number. */
export async function sealPlainRules(deps: { readonly db: Db; readonly sealer: Sealer }): Promise<number> {
  const { query } = deps.db;
  return await sealPlainHeaders<StoredRule>(deps, RULE_WEBHOOKS, {
    read: async (last, limit) => await plainRules(query, last, limit),
    sealedOf: sealedActions,
    put: async (row, { text, sealed }) => await putSealedActions(query, row, { actions: text, headers_sealed: sealed }),
  });
}
