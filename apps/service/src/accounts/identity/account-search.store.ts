import { sql } from "../../platform/db/db.ts";
import type { Db, HotStatement } from "../../platform/db/db.ts";
import { wireId } from "../../lib/lib.ts";
import type { Id, Uuid } from "../../lib/lib.ts";
import { memberWireId } from "../people/member-view.ts";
import type { Scope } from "../callers/scope.ts";

interface Sought {
  readonly pattern: string;
  readonly limit: number;
}

interface SearchResult {
  readonly id: Id;
  readonly title: string;
  readonly detail: string;
}

interface NamedRow {
  readonly id: Uuid;
  readonly name: string;
  readonly detail: string;
}

/** The newest keys that are searched. */
const MOST_KEYS = 20_000;

/** Finds the keys of the list by name, tenant and the visible beginning of their text. A tenant finds only its own. */
export async function findKeys({ query }: Db, scope: Scope, { pattern, limit }: Sought): Promise<SearchResult[]> {
  const tenant = scope.tenant ?? null;
  const { rows } = await sql<NamedRow>`select id, name, prefix_hint as detail from (
      select id, name, prefix_hint, tenant from api_key
      where tag = ${scope.tag} and granted_by is null and portal_session_id is null
        and (${tenant}::text is null or tenant = ${tenant})
      order by id desc limit ${MOST_KEYS}) k
    where name ~* ${pattern} or prefix_hint ~* ${pattern} or tenant ~* ${pattern}
    order by id desc limit ${limit}`.execute(query);
  return rows.map(({ id, name, detail }) => ({ id: wireId("key", scope.tag, id), title: name, detail }));
}

/** Statements of requests cannot read people, who belong to no workspace. */
const MEMBERS: HotStatement = {
  name: "members_found",
  text: `select m.id, p.name, p.email as detail from member m join person p on p.id = m.person_id
    where m.workspace_id = $1 and m.removed_at is null and (p.name ~* $2 or p.email ~* $2)
    order by m.id desc limit $3`,
};

/** Finds the members of the workspace by name and e-mail address. */
export async function findMembers(db: Db, scope: Scope, { pattern, limit }: Sought): Promise<SearchResult[]> {
  const rows = await db.hot<NamedRow & Record<string, unknown>>(MEMBERS, [scope.workspaceId, pattern, limit]);
  return rows.map(({ id, name, detail }) => ({ id: memberWireId(scope, id), title: name, detail }));
}
