import { MOST_READ } from "../insights/insights.ts";
import type { SearchHit, Sought } from "../insights/insights.ts";
import { sql } from "../platform/db/db.ts";
import type { Db } from "../platform/db/db.ts";
import type { Uuid } from "../lib/lib.ts";
import type { Scope } from "../accounts/accounts.ts";
import { ruleWireId } from "./rules/rule.ts";
import { workflowWireId } from "./workflows/views.ts";

interface Named {
  readonly id: Uuid;
  readonly name: string;
  readonly detail: string;
}

/** Finds rules by their names and their events. */
export async function findRules({ query }: Db, scope: Scope, { pattern, limit }: Sought): Promise<SearchHit[]> {
  const { rows } = await sql<Named>`select id, name, detail from (
      select id, name, array_to_string(events, ', ') as detail from rule
      where bucket = ${scope.bucket} and workspace_id = ${scope.workspaceId} order by id desc limit ${MOST_READ}) r
    where name ~* ${pattern} or detail ~* ${pattern} order by id desc limit ${limit}`.execute(query);
  return rows.map(({ id, name, detail }) => ({ id: ruleWireId(scope, id), title: name, detail }));
}

/** Finds workflows by their names and the events that start them. */
export async function findWorkflows({ query }: Db, scope: Scope, { pattern, limit }: Sought): Promise<SearchHit[]> {
  const { rows } = await sql<Named>`select id, name, event as detail from (
      select id, name, event from workflow
      where workspace_id = ${scope.workspaceId} and deleted_at is null order by id desc limit ${MOST_READ}) w
    where name ~* ${pattern} or event ~* ${pattern} order by id desc limit ${limit}`.execute(query);
  return rows.map(({ id, name, detail }) => ({
    id: workflowWireId(scope, id),
    title: name,
    detail: detail === "" ? null : detail,
  }));
}
