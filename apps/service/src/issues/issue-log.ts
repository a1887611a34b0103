import { orNotFound, paginate, parseId, timeText } from "../lib/lib.ts";
import type { Page, Uuid, t } from "../lib/lib.ts";
import type { Db, Query } from "../platform/db/db.ts";
import { assertOwnId, ownUuid } from "../accounts/accounts.ts";
import type { Scope } from "../accounts/accounts.ts";
import type { AttentionParts } from "../insights/insights.ts";
import type { IssueKind } from "./issue.ts";
import { findIssue, hoursOf, listIssues, tenantsOf, unresolvedIssues } from "./issues.store.ts";
import type { IssueRow } from "./issues.store.ts";
import { issueId } from "./objects.ts";
import type { IssueObjects } from "./objects.ts";
import { samplesOf } from "./issue-row.ts";
import { issueView, issueViews } from "./issue-views.ts";
import type { IssueView } from "./issue-views.ts";
import type * as shapes from "./issues.schemas.ts";

export type IssueQuery = t.Static<typeof shapes.IssueQuery>;

export type IssueDetail = t.Static<typeof shapes.IssueDetail>;

export interface IssueLog {
  list(scope: Scope, query: IssueQuery): Promise<Page<IssueView>>;
  get(scope: Scope, id: string): Promise<IssueDetail>;
  readonly attention: AttentionParts["issues"];
}

export interface IssueLogDeps {
  readonly db: Db;
  readonly objects: (kind: IssueKind) => IssueObjects | undefined;
}

const MOST_COUNTED = 1000;
const MOST_NAMED = 10;

export function createIssueLog(deps: IssueLogDeps): IssueLog {
  const { db } = deps;
  return {
    async list(scope, { limit, cursor, ...query }) {
      const filter = {
        state: query.state,
        kind: query.kind,
        object: query.object_id === undefined ? undefined : objectOf(scope, query.object_id),
        owner: query.owner === undefined ? undefined : ownUuid(scope, "mem", query.owner),
      };
      const page = await paginate(
        { limit, cursor },
        {
          binding: [scope.tag, "issues", scope.tenant ?? null, query],
          read: async (before, count) => await listIssues(db.query, scope, { ...filter, before }, count),
          view: (row) => row,
        },
      );
      return { ...page, data: await issueViews(deps, db.query, scope, page.data) };
    },
    async get(scope, id) {
      const row = await existingIssue(db.query, scope, id);
      const view = await issueView(deps, db.query, scope, row);
      const [series, tenants] = await Promise.all([hoursOf(db.query, row), tenantsOf(db.query, row)]);
      const own = scope.tenant ?? null;
      return {
        ...view,
        series: series.map(({ hour, count }) => ({ hour: timeText(hour), count })),
        tenants: tenants
          .filter(({ tenant }) => own === null || tenant === own)
          .map(({ last_seen_at: seen, ...one }) => ({ ...one, last_seen_at: timeText(seen) })),
        samples: samplesOf(row),
      };
    },
    async attention(scope) {
      const rows = await unresolvedIssues(db.query, scope, MOST_COUNTED + 1);
      return {
        count: Math.min(rows.length, MOST_COUNTED),
        capped: rows.length > MOST_COUNTED,
        ids: rows.slice(0, MOST_NAMED).map(issueId),
      };
    },
  };
}

/** Throws 404. */
export async function existingIssue(query: Query, scope: Scope, id: string): Promise<IssueRow> {
  return orNotFound(await findIssue(query, scope, ownUuid(scope, "iss", id)));
}

/** Returns the object that an id or key names, as it is stored. */
function objectOf(scope: Scope, id: string): Uuid | string {
  assertOwnId(scope, id);
  const parsed = parseId(id);
  return parsed?.prefix === "ep" || parsed?.prefix === "src" ? parsed.uuid : id;
}
