import type { Db } from "../../platform/db/db.ts";
import { wireId } from "../../lib/lib.ts";
import type { AttentionParts, NewsReader } from "../../insights/insights.ts";
import { openByRisk, proposalsById } from "./proposals.store.ts";
import { proposalText } from "./proposal-view.ts";

/** The parts of the console that show proposals, in addition to their list. */
export interface ActionInsight {
  readonly news: NewsReader;
  readonly attention: AttentionParts["proposals"];
}

const MOST_COUNTED = 1000;

export function createActionInsight({ db, baseUrl }: { readonly db: Db; readonly baseUrl: string }): ActionInsight {
  return {
    news: {
      operation: "proposals.list",
      async read(scope, ids) {
        const rows = await proposalsById(db.query, scope, ids);
        return new Map(rows.map((row) => [row.id, proposalText({ scope, baseUrl }, row)]));
      },
      gone: (scope, id) => JSON.stringify({ id: wireId("prop", scope.tag, id), object: "proposal", deleted: true }),
    },
    async attention(scope) {
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
    },
  };
}
