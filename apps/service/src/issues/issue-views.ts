import { timeText } from "../lib/lib.ts";
import type { Query } from "../platform/db/db.ts";
import { memberWireId, scopeFields } from "../accounts/accounts.ts";
import type { Scope } from "../accounts/accounts.ts";
import type { IssueKind, IssueState } from "./issue.ts";
import type { IssueRow } from "./issues.store.ts";
import { issueId, objectId } from "./objects.ts";
import type { IssueObjects } from "./objects.ts";
import { fingerprintsOf, samplesOf } from "./issue-row.ts";
import type { t } from "../lib/lib.ts";
import type * as shapes from "./issues.schemas.ts";

export type IssueView = t.Static<typeof shapes.IssueView>;

interface ViewDeps {
  readonly objects: (kind: IssueKind) => IssueObjects | undefined;
}

/** Returns the views of rows, with the names of their objects. */
export async function issueViews(
  deps: ViewDeps,
  query: Query,
  scope: Scope,
  rows: readonly IssueRow[],
): Promise<IssueView[]> {
  const nameOf = await namesOf(deps, query, scope, rows);
  return rows.map((row) => namedView(scope, row, nameOf(row) ?? null));
}

/** Returns the view of one row, with the name of its object. */
export async function issueView(deps: ViewDeps, query: Query, scope: Scope, row: IssueRow): Promise<IssueView> {
  const nameOf = await namesOf(deps, query, scope, [row]);
  return namedView(scope, row, nameOf(row) ?? null);
}

/** Reads the names of the objects of rows, once for each kind. Returns undefined for the name of a deleted object. */
export async function namesOf(
  deps: ViewDeps,
  query: Query,
  scope: Scope,
  rows: readonly IssueRow[],
): Promise<(row: IssueRow) => string | undefined> {
  const names = new Map<string, string>();
  for (const [kind, own] of Map.groupBy(rows, (row) => row.kind as IssueKind)) {
    const found = await deps.objects(kind)?.names(query, scope, [...new Set(own.map(({ object }) => object))]);
    for (const [object, name] of found ?? []) names.set(`${kind} ${object}`, name);
  }
  return ({ kind, object }) => names.get(`${kind} ${object}`);
}

function namedView(scope: Scope, row: IssueRow, name: string | null): IssueView {
  const kind = row.kind as IssueKind;
  const isTenants = (scope.tenant ?? null) !== null;
  return {
    id: issueId(row),
    object: "issue",
    kind,
    object_id: objectId(scope, kind, row.object),
    object_name: name,
    tenant: row.tenant,
    state: row.state as IssueState,
    count: row.count,
    first_seen_at: timeText(row.first_seen_at),
    last_seen_at: timeText(row.last_seen_at),
    opened_at: timeText(row.opened_at),
    resolved_at: timeText(row.resolved_at),
    resolved_by: row.resolved_by as IssueView["resolved_by"],
    reopened_count: row.reopened_count,
    fingerprints: fingerprintsOf(row),
    sample: samplesOf(row)[0] ?? null,
    // A tenant does not see the members of the workspace.
    owner: row.owner === null || isTenants ? null : memberWireId(scope, row.owner),
    ignored_until: timeText(row.ignored_until),
    ...scopeFields(scope),
    created_at: timeText(row.first_seen_at),
  };
}
