import type { Db } from "../../platform/db/db.ts";
import { wireId } from "../../lib/lib.ts";
import type { Scope } from "../../accounts/accounts.ts";
import type { NewsReader } from "../../insights/insights.ts";
import { openByRisk, proposalsById } from "./proposals.store.ts";
import { proposalText } from "./proposal-view.ts";

const MOST_COUNTED = 1000;

/** Returns the reader of changed proposals, for the console's live view. */
export function proposalNews({ db, baseUrl }: { readonly db: Db; readonly baseUrl: string }): NewsReader {
  return {
    operation: "proposals.list",
    async read(scope, ids) {
      const rows = await proposalsById(db.query, scope, ids);
      return new Map(rows.map((row) => [row.id, proposalText({ scope, baseUrl }, row)]));
    },
    gone: (scope, id) => JSON.stringify({ id: wireId("prop", scope.tag, id), object: "proposal", deleted: true }),
  };
}

/** Counts the open proposals, for the console's overview of open tasks. */
export async function openProposals({ db }: { readonly db: Db }, scope: Scope) {
  const risks = await openByRisk(db.query, scope, MOST_COUNTED + 1);
  const of = (risk: string): number => risks.get(risk) ?? 0;
  const counted = [...risks.values()].reduce((sum, count) => sum + count, 0);
  return {
    count: Math.min(counted, MOST_COUNTED),
    capped: counted > MOST_COUNTED,
    low: of("low"),
    medium: of("medium"),
    high: of("high"),
  };
}
