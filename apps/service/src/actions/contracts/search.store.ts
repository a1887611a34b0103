import { MOST_READ } from "../../insights/insights.ts";
import type { SearchHit, Sought } from "../../insights/insights.ts";
import { sql } from "../../platform/db/db.ts";
import type { Db } from "../../platform/db/db.ts";
import type { Scope } from "../../accounts/accounts.ts";

/** Finds action contracts by their keys, labels and descriptions. */
export async function findContracts({ query }: Db, scope: Scope, { pattern, limit }: Sought): Promise<SearchHit[]> {
  const isSandbox = scope.environment === "sandbox";
  const { rows } = await sql<{ key: string; label: string }>`select distinct on (key) key, label from (
      select v.key, v.definition::jsonb ->> 'label' as label, v.definition::jsonb ->> 'description' as description
      from action_contract c join action_contract_version v
        on v.bucket = c.bucket and v.workspace_id = c.workspace_id and v.contract_id = c.id and v.version = c.version
      where c.bucket = ${scope.bucket} and c.workspace_id = ${scope.workspaceId} and c.deleted_at is null
        and (${isSandbox}::boolean or c.author_environment = 'live')
      limit ${MOST_READ}) a
    where key ~* ${pattern} or label ~* ${pattern} or description ~* ${pattern}
    order by key limit ${limit}`.execute(query);
  return rows.map(({ key, label }) => ({ id: key, title: label, detail: key }));
}
