import type { SecretSource } from "../../audit/audit.ts";
import type { Db } from "../../platform/db/db.ts";
import {
  credentialsIn,
  documentValues,
  revealDocument,
  sealDocument,
  sealPlainDocument,
  sealRows,
} from "../../webhooks/webhooks.ts";
import type { DocumentKind, RevealedWebhook, SealedBefore } from "../../webhooks/webhooks.ts";
import { sealedColumn } from "../../lib/lib.ts";
import type { Sealer, Uuid } from "../../lib/lib.ts";
import { plainRules, putSealedActions, sealedRules } from "./rules.store.ts";
import type { RuleRow, StoredRule } from "./rules.store.ts";

/** Finds the webhooks in `then` by their positions. */
export const RULE: DocumentKind = { type: "post_webhook", pointer: "/then" };

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
  const place = rulePlace(id);
  const { text, sealed } = sealDocument(
    { sealer, kind: RULE, place, ...(before === undefined ? {} : { before: keptBy(before) }) },
    actions,
  );
  return { actions: text, headers_sealed: sealed };
}

export function revealedOf(sealer: Sealer, row: RuleRow): { readonly webhooks: RevealedWebhook[] } {
  return { webhooks: revealDocument(sealer, RULE, keptBy(row)) };
}

/** Returns the credentials in the headers of rules, for redaction. */
export function ruleSecretSource(sealer: Sealer): SecretSource {
  return async (reader, home) => {
    const rows = await sealedRules(reader, home);
    return rows.flatMap(({ id, headers_sealed: bytes }) =>
      documentValues(sealer, rulePlace(id), bytes).flatMap(credentialsIn),
    );
  };
}

function keptBy({
  id,
  actions,
  headers_sealed: sealed,
}: Pick<RuleRow, "id" | "actions" | "headers_sealed">): SealedBefore {
  return { place: rulePlace(id), text: actions, sealed };
}

/** Seals the headers of rules that an earlier version of the service wrote. Returns their number. */
export async function sealPlainRules({ db, sealer }: { readonly db: Db; readonly sealer: Sealer }): Promise<number> {
  return await sealRows<StoredRule>(
    db,
    async (last, limit) => await plainRules(db.query, last, limit),
    async (row) => {
      const fresh = sealPlainDocument(sealer, RULE, keptBy(row));
      if (fresh === undefined) return false;
      return await putSealedActions(db.query, row, { actions: fresh.text, headers_sealed: fresh.sealed });
    },
  );
}
