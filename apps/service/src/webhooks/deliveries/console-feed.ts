import type { Db } from "../../platform/db/db.ts";
import { wireId } from "../../lib/lib.ts";
import type { Clock } from "../../lib/lib.ts";
import type { AttentionParts, NewsReader } from "../../insights/insights.ts";
import { deliveriesById } from "./deliveries.store.ts";
import { endpointsById } from "../endpoints/endpoints.store.ts";
import type { OwnInboxes } from "../endpoints/own-inboxes.ts";
import { backlogOf, failingEndpoints, parkedCount } from "./console-feed.store.ts";
import { deliveryView } from "./delivery-views.ts";
import { endpointText, endpointView } from "../endpoints/endpoint-view.ts";

/** The data about deliveries that the console shows in addition to their lists. */
export interface DeliverInsight {
  readonly news: { readonly delivery: NewsReader; readonly health: NewsReader };
  readonly attention: Pick<AttentionParts, "failing_endpoints" | "parked_deliveries" | "backlog">;
}

export interface InsightDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly inboxes: OwnInboxes;
}

const MOST_SHOWN = 10;
const MOST_COUNTED = 1000;

export function createInsight({ db, clock, inboxes }: InsightDeps): DeliverInsight {
  return {
    news: {
      delivery: {
        operation: "deliveries.list",
        async read(scope, ids) {
          const rows = await deliveriesById(db.query, scope, ids);
          return new Map(rows.map((row) => [row.id, JSON.stringify(deliveryView(scope, row))]));
        },
        gone: (scope, id) => goneText("delivery", wireId("dlv", scope.tag, id)),
      },
      health: {
        operation: "webhook_endpoints.list",
        async read(scope, ids) {
          const rows = await inboxes.current(await endpointsById(db.query, scope, ids));
          return new Map(rows.map((row) => [row.id, endpointText(endpointView(scope, row, clock.now()))]));
        },
        gone: (scope, id) => goneText("webhook_endpoint", wireId("ep", scope.tag, id)),
      },
    },
    attention: {
      async failing_endpoints(scope) {
        const ids = await failingEndpoints(db.query, scope);
        return { count: ids.length, ids: ids.slice(0, MOST_SHOWN).map((id) => wireId("ep", scope.tag, id)) };
      },
      parked_deliveries: async (scope) => upTo(await parkedCount(db.query, scope, MOST_COUNTED + 1)),
      async backlog(scope) {
        const { pending, oldest_due_age_seconds } = await backlogOf(db.query, scope, MOST_COUNTED + 1);
        return { ...upTo(pending), oldest_due_age_seconds };
      },
    },
  };
}

function upTo(counted: number): { readonly count: number; readonly capped: boolean } {
  return { count: Math.min(counted, MOST_COUNTED), capped: counted > MOST_COUNTED };
}

function goneText(object: string, id: string): string {
  return JSON.stringify({ id, object, deleted: true });
}
