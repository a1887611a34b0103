import { MOST_READ } from "../../insights/insights.ts";
import type { SearchHit, Sought } from "../../insights/insights.ts";
import { sql } from "../../platform/db/db.ts";
import type { Db } from "../../platform/db/db.ts";
import { wireId } from "../../lib/lib.ts";
import type { Uuid } from "../../lib/lib.ts";
import type { Scope } from "../../accounts/accounts.ts";

interface NamedRow {
  readonly id: Uuid;
  readonly name: string;
  readonly detail: string;
}

/** Finds endpoints of callers by description, URL and tenant. */
export async function findEndpoints({ query }: Db, scope: Scope, sought: Sought): Promise<SearchHit[]> {
  const { pattern, limit } = sought;
  const { rows } = await sql<NamedRow>`select id, description as name, url as detail from (
      select id, description, url, tenant from endpoint
      where bucket = ${scope.bucket} and tag = ${scope.tag} and deleted_at is null and channel_id is null
        and (${scope.tenant ?? null}::text is null or tenant = ${scope.tenant ?? null})
      order by id desc limit ${MOST_READ}) e
    where description ~* ${pattern} or url ~* ${pattern} or tenant ~* ${pattern}
    order by id desc limit ${limit}`.execute(query);
  return rows.map((row) => foundOf(row, wireId("ep", scope.tag, row.id)));
}

/** Finds sources by name, description and tenant. */
export async function findSources({ query }: Db, scope: Scope, sought: Sought): Promise<SearchHit[]> {
  const { pattern, limit } = sought;
  const { rows } = await sql<NamedRow>`select id, name, description as detail from (
      select id, name, description, tenant from inbound_source
      where bucket = ${scope.bucket} and tag = ${scope.tag} and deleted_at is null
        and (${scope.tenant ?? null}::text is null or tenant = ${scope.tenant ?? null})
      order by id desc limit ${MOST_READ}) s
    where name ~* ${pattern} or description ~* ${pattern} or tenant ~* ${pattern}
    order by id desc limit ${limit}`.execute(query);
  return rows.map((row) => foundOf(row, wireId("src", scope.tag, row.id)));
}

function foundOf({ name, detail }: NamedRow, id: string): SearchHit {
  if (name === "") return { id, title: detail === "" ? id : detail, detail: null };
  return { id, title: name, detail: detail === "" ? null : detail };
}
